package e2e_test

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/demo"
)

// TestStory plays what docs/tour.md tells, by the command line.
func TestStory(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{overhear: "1"})
	var out bytes.Buffer
	story := demo.Story{
		Out: &out, Site: w.Facts.BaseURL, Folder: w.dir, Config: filepath.Join(w.dir, "config"), Samples: "../samples", Person: ben, Browser: w.http, Now: time.Now,
	}
	if err := story.Play(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
}
