package passages

import (
	"context"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/search"
)

// FileStore finds a file of a case.
type FileStore interface {
	Get(ctx context.Context, tenant string, caseID, id string) (files.File, error)
}

// Texts finds the text of a version of a file.
type Texts interface {
	Get(ctx context.Context, tenant string, fileID string, version int) (files.Text, error)
}

// Sources checks that quotes stand where they are said to.
type Sources struct {
	Files FileStore
	Texts Texts
}

// Read returns a file of a case and what a version of it says. files.ErrNotFound: it was deleted, has no such text, or
// is not for agents when they are to read it.
func (s Sources) Read(
	ctx context.Context, tenant string, caseID, fileID string, version int, forAgents bool,
) (files.File, files.Text, error) {
	f, err := s.Files.Get(ctx, tenant, caseID, fileID)
	if err == nil && (f.Status == files.Deleted || forAgents && !f.AgentReadable) {
		err = files.ErrNotFound
	}
	if err != nil {
		return files.File{}, files.Text{}, err
	}
	t, err := s.Texts.Get(ctx, tenant, fileID, version)

	return f, t, err
}

// Says reports whether a text says between two of its code points what is quoted, white space folded.
func Says(text []rune, start, end int, quote string) bool {
	return start >= 0 && start < end && end <= len(text) && search.Fold(string(text[start:end])) == search.Fold(quote)
}

// Quoted reports whether an active file of the case, one that agents may read, says in its newest text what the source
// quotes.
func (s Sources) Quoted(ctx context.Context, tenant string, caseID string, source cases.SourceRef) (bool, error) {
	f, t, err := s.Read(ctx, tenant, caseID, source.FileID, source.TextVersion, true)
	if err != nil {
		return false, err
	}
	newest := f.Status == files.Active && f.Extraction.TextVersion == source.TextVersion

	return newest && Says([]rune(t.Body), source.Start, source.End, source.Quote), nil
}
