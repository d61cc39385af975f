// Package legal is the built-in agent: what it can be asked, what it may read, and how it reports. It works by rules alone; every
// statement of fact carries its source.
package legal

import (
	"context"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// RulesVersion names the rules by which answers are made.
const RulesVersion = "2026.1"

// Task is what one run has to do.
type Task struct {
	RequestType string // one of the request types of the interface
	Prompt      string // passed the identity gate
	FileIDs     []string
	Language    string
	Container   api.Container
	Roles       []string // of the user that the caller is or stands for
	Now         time.Time
	Links       Links
}

// Links builds the addresses that send a person to what only a person can do.
type Links func(action string) string

// Sources is what a run may read, with its caller's rights and no more.
type Sources interface {
	// Files returns the active files of the case, the oldest first.
	Files(ctx context.Context) ([]api.File, error)
	// Text returns the whole text of a file that agents may read.
	Text(ctx context.Context, fileID string) (api.FileText, error)
	// Search returns the passages that answer query, the best first.
	Search(ctx context.Context, query string, fileIDs []string, limit int) (api.SearchResult, error)
}

// Report is how a run tells what it is doing. Its messages are fixed words and counts, never case text.
type Report interface {
	// Plan names the steps ahead.
	Plan(message string, steps ...string)
	// Tool says that a tool starts; the function it returns says how it ended: ok, empty, refused or failed. args are digested, never shown.
	Tool(name, summary string, args ...string) func(outcome, summary string)
	// Working tells how far a long step has come.
	Working(message string, done, total int)
	// Reasoning says what is being weighed.
	Reasoning(message string)
	// Read counts passages that were read.
	Read(passages int)
}
