package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

type guardCmd struct {
	Files []string `arg:"" optional:"" help:"Files to look through: text, Markdown, HTML, CSV, JSON, e-mail, PDF or DOCX; standard input, as text, when there are none." type:"existingfile"`
	Door  string   `help:"The place at which the text would enter (prompt, fileText, fileName, title, query, partyRecord)." enum:"prompt,fileText,fileName,title,query,partyRecord" default:"fileText"`
	Jsonl bool     `name:"jsonl" help:"Read lines {\"id\",\"text\"} and print lines {\"id\",\"spans\":[{\"start\",\"end\",\"type\"}]} with UTF-8 byte offsets, for scoring."`
}

// longestLine bounds a line of standard input, in bytes.
const longestLine = 64 << 20

// Run looks for identities, on this machine and without a service. It fails when it finds any.
func (cmd *guardCmd) Run(sh *shell) error {
	door := doorNamed(cmd.Door)
	if cmd.Jsonl {
		return scoreLines(sh, door)
	}
	found := 0
	if len(cmd.Files) == 0 {
		n, err := lookThrough(sh, door, "standard input", sh.In)
		if err != nil {
			return err
		}
		found = n
	}

	for _, name := range cmd.Files {
		n, err := lookInto(sh, door, name)
		if err != nil {
			return err
		}
		found += n
	}
	if found > 0 {
		return &reported{fmt.Sprintf("%d findings; replace them by labels such as [Party 1]", found)}
	}

	return nil
}

func doorNamed(name string) guard.Channel {
	for d := guard.Prompt; d <= guard.Reference; d++ {
		if d.String() == name {
			return d
		}
	}

	return guard.FileText
}

// lookThrough prints the findings of one text as file:offset, kind and reason. The text itself is not printed.
func lookThrough(sh *shell, door guard.Channel, name string, r io.Reader) (n int, err error) {
	err = guard.Guard{}.CheckReader(sh.ctx, door, r, func(f guard.Finding) error {
		n++
		_, err := fmt.Fprintf(sh.Out, "%s: bytes %d to %d: %s (%s)\n", name, f.Start, f.End, f.Kind, f.Why)

		return err
	})

	return n, err
}

// lookInto looks through a file as the service would: every part of it, and text in whatever encoding. At another door than that of files it is
// text as it stands.
func lookInto(sh *shell, door guard.Channel, name string) (n int, err error) {
	if door != guard.FileText {
		f, err := os.Open(name)
		if err != nil {
			return 0, err
		}
		n, err = lookThrough(sh, door, name, f)

		return n, errors.Join(err, f.Close())
	}
	doc, err := extracted(sh, name)
	if err != nil {
		return 0, err
	}

	for _, p := range doc.Parts {
		at, door := name, guard.FileText
		if p.Kind != extract.Body {
			at, door = name+": "+p.Path, guard.FileMeta
		}
		more, err := lookThrough(sh, door, at, strings.NewReader(p.Text))
		if err != nil {
			return n, err
		}
		n += more
	}

	return n, nil
}

type scoredText struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

type scoredSpan struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Type  string `json:"type"`
}

type scored struct {
	ID    string       `json:"id"`
	Spans []scoredSpan `json:"spans"`
}

// scoreLines answers line by line.
func scoreLines(sh *shell, door guard.Channel) error {
	in := bufio.NewScanner(sh.In)
	in.Buffer(make([]byte, 0, 1<<20), longestLine)
	out := bufio.NewWriter(sh.Out)
	enc := json.NewEncoder(out)

	for line := 1; in.Scan(); line++ {
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		var t scoredText
		if err := json.Unmarshal(in.Bytes(), &t); err != nil {
			return fmt.Errorf("line %d is no {\"id\",\"text\"}: %w", line, err)
		}
		answer := scored{ID: t.ID, Spans: []scoredSpan{}}
		err := guard.Guard{}.CheckReader(sh.ctx, door, strings.NewReader(t.Text), func(f guard.Finding) error {
			answer.Spans = append(answer.Spans, scoredSpan{f.Start, f.End, f.Kind})
			return nil
		})
		if err != nil {
			return err
		}
		if err := enc.Encode(answer); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}

	return out.Flush()
}
