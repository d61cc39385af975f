package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type fileRedactCmd struct {
	Case  string `arg:"" help:"Id of the case."`
	File  string `arg:"" help:"File on this machine." type:"path"`
	Clear bool   `help:"Once you confirm that the findings are no identities, add the file. Your name is recorded."`
	Map   string `help:"Map that subrosa redact wrote; clear only what it marks as no identity." placeholder:"FILE" type:"existingfile"`
	Yes   bool   `help:"Confirm without being asked."`
}

const codeIdentity = "identity_refused"

// Run offers the file to the case. What the service finds in it is shown from the local file; the service says places,
// never texts.
func (cmd *fileRedactCmd) Run(sh *shell) error {
	content, err := os.ReadFile(cmd.File)
	if err != nil {
		return err
	}
	c, err := sh.person()
	if err != nil {
		return err
	}
	r := raw(cmd.Case, cmd.File, content)
	_, err = added(sh, c, r, filepath.Base(cmd.File))
	var refused *errs.Error
	if err == nil || !errors.As(err, &refused) || refused.Code != codeIdentity || len(refused.Details) == 0 {
		return err
	}
	marks, texts := cmd.findings(sh, content, refused.Details)

	// The map is opened before anything is asked: a wrong passphrase should not cost the person a decision.
	open, mistaken := cmd.open(sh, texts)
	switch {
	case len(marks) == 0:
		return err
	case mistaken != nil:
		return mistaken
	case open > 0:
		return &reported{
			fmt.Sprintf("%d of %d findings are not marked as no identity in %s, so nothing was cleared; "+
				"label or mark them with subrosa redact", open, len(texts), cmd.Map),
		}
	case !cmd.Clear:
		return &reported{
			fmt.Sprintf("%d findings; replace them by labels such as [Party 1] and add the file again, or, "+
				"where they are no identities, repeat this with --clear", len(texts)),
		}
	case !cmd.Yes && !confirmed(sh, len(texts)):
		return &reported{"nothing was cleared"}
	}
	// A clearance holds for exactly these bytes: a file that was changed is looked through again.
	sum := sha256.Sum256(content)
	in := api.Clearance{SHA256: hex.EncodeToString(sum[:]), Marks: marks}
	clear := httpcall.Request{
		Method: http.MethodPost, Path: httpcall.Path("v1", "cases", cmd.Case, "files", "clearances"), In: in,
	}
	if _, err := call[api.Clearance](sh, c, clear); err != nil {
		return err
	}
	fmt.Fprintf(sh.Err, "Cleared %d findings in these bytes for this case.\n", len(texts))
	r.Body = bytes.NewReader(content)

	_, err = added(sh, c, r, filepath.Base(cmd.File))

	return err
}

// open counts the texts that the map does not hold for no identity; without a map there are none.
func (cmd *fileRedactCmd) open(sh *shell, texts []string) (n int, err error) {
	if cmd.Map == "" {
		return 0, nil
	}
	file := mapFile{path: cmd.Map, sh: sh}
	m, err := file.open(false)
	if err != nil {
		return 0, err
	}

	for _, text := range texts {
		if !m.Dismissed(text) {
			n++
		}
	}

	return n, nil
}

// findings shows each finding and returns those that can be cleared, with the texts that stand there, "" where one
// cannot be had. A finding of a language has as many texts as words, so a person is told how many they clear.
func (cmd *fileRedactCmd) findings(
	sh *shell, content []byte, details []errs.Detail,
) (marks []api.Mark, texts []string) {
	ctx, cancel := context.WithTimeout(sh.ctx, callTime)
	defer cancel()
	parts := map[string]string{}
	doc, err := extract.Extract(ctx, bytes.NewReader(content), int64(len(content)), MediaType(cmd.File),
		extract.DefaultLimits())
	// A file that cannot be read here has no texts to show, but its findings can still be cleared by their places.
	if err == nil {
		for _, p := range doc.Parts {
			parts[p.Path] = p.Text
		}
	}

	for _, d := range details {
		// A detail without a place, such as one on the name of the file, cannot be cleared.
		if d.Start == nil || d.End == nil {
			continue
		}
		m := api.Mark{Path: d.Path, Kind: d.Kind, Start: *d.Start, End: *d.End}
		marks = append(marks, m)

		switch text := parts[m.Path]; {
		case m.Start < 0 || m.Start >= m.End || m.End > len(text):
			texts = append(texts, "")
		case m.Kind == guard.KindLanguage:
			texts = append(texts, unreadWords(ctx, text, m)...)
		default:
			texts = append(texts, text[m.Start:m.End])
		}
		fmt.Fprintf(sh.Err, "%s, bytes %d to %d: %s%s\n", m.Path, m.Start, m.End, m.Kind,
			sh.passage(parts[m.Path], m.Start, m.End))
	}

	return marks, texts
}

// unreadWords are the words of a finding of KindLanguage, each as it is dismissed in a map. They are those that this
// program finds, so a finding in which it finds none is one text.
func unreadWords(ctx context.Context, text string, m api.Mark) (words []string) {
	for _, f := range (guard.Guard{}).Check(ctx, guard.FileText, text) {
		if f.Unread && m.Start <= f.Start && f.End <= m.End {
			words = append(words, text[f.Start:f.End])
		}
	}
	if len(words) == 0 {
		words = append(words, text[m.Start:m.End])
	}

	return words
}

// confirmed asks the person.
func confirmed(sh *shell, n int) bool {
	fmt.Fprintf(sh.Err, "You declare, under your name, that none of these %d findings identifies anybody. "+
		"Agents will read the file. Type yes to clear them: ", n)

	return sh.typedYes()
}
