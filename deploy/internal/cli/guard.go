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
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

type guardCmd struct {
	Files []string `arg:"" optional:"" help:"${guarded}" type:"existingfile"`
	Door  string   `help:"Where the text would enter: ${enum}. ${aboutReread}" enum:"${channels}" default:"fileText"`
	Jsonl bool     `name:"jsonl" help:"${jsonLines}"`
}

// longestLine bounds a line of standard input, or all of it where it is one text, in bytes.
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
	for d := guard.Prompt; d <= guard.Reread; d++ {
		if d.String() == name {
			return d
		}
	}

	return guard.FileText
}

// lookThrough prints the findings of what is read, as text.
func lookThrough(sh *shell, door guard.Channel, name string, r io.Reader) (n int, err error) {
	// One byte more than allowed tells a text that is too long from one that just fits.
	text, err := io.ReadAll(io.LimitReader(r, longestLine+1))
	switch {
	case err != nil:
		return 0, err
	case len(text) > longestLine:
		return 0, fmt.Errorf("%s is longer than %d MiB; split it", name, longestLine>>20)
	}

	return reportFindings(sh, door, name, extract.Part{Text: string(text)}, string(text))
}

// reportFindings prints the findings of a part as name:line:column, kind, words and reason. Lines and columns, which
// count characters from 1, are those of sent, the text as the file holds it.
func reportFindings(sh *shell, door guard.Channel, name string, part extract.Part, sent string) (n int, err error) {
	var found []guard.Finding

	text := part.Text
	// The guard sees what the service would show it; the places are carried back to the bytes of the file below.
	err = guard.Guard{}.CheckReader(sh.ctx, door, strings.NewReader(part.Judged()), func(f guard.Finding) error {
		found = append(found, f)
		return nil
	})
	if err != nil {
		return 0, err
	}

	found = guard.Told(found)
	spans := make([]extract.Span, len(found))

	for i, f := range found {
		spans[i] = extract.Span{Start: f.Start, End: f.End}
	}
	if sent != text {
		if there, ok := extract.Source([]byte(sent), text, spans); ok {
			spans, text = there, sent
		}
	}

	at := textPlace{row: 1, column: 1}

	for i, f := range found {
		at.move(text, spans[i].Start)
		words := text[spans[i].Start:spans[i].End]
		if f.Kind == guard.KindLanguage {
			// A finding of a language may span the whole file.
			words = shortened(words)
		}
		_, err := fmt.Fprintf(sh.Out, "%s:%d:%d: %s %q (%s)\n", name, at.row, at.column, f.Kind, words, f.Why)
		if err != nil {
			return n, err
		}
		n++
	}

	return n, nil
}

// textPlace is a line and a column of a text, from 1, and the bytes before them.
type textPlace struct{ offset, row, column int }

// move goes to an offset of the text: from where it is, so that many findings cost one pass, or, where that is behind
// the offset, from the beginning.
func (p *textPlace) move(text string, offset int) {
	if offset < p.offset {
		*p = textPlace{row: 1, column: 1}
	}
	between := text[p.offset:offset]
	if last := strings.LastIndexByte(between, '\n'); last >= 0 {
		p.row += strings.Count(between, "\n")
		p.column, between = 1, between[last+1:]
	}
	p.column += utf8.RuneCountInString(between)
	p.offset = offset
}

// shortened returns the beginning and the end of a long text, which may be a whole file in another language.
func shortened(words string) string {
	const each = 40 // characters

	// Counted in characters, so that none is torn.
	letters := []rune(words)
	if len(letters) <= 2*each+len(" ... ") {
		return words
	}

	return string(letters[:each]) + " ... " + string(letters[len(letters)-each:])
}

// lookInto looks through a file as the service would: every part of it, and text in whatever encoding. At another door
// than that of files, or of whoever reads a file once more, it is text as it stands.
func lookInto(sh *shell, door guard.Channel, name string) (n int, err error) {
	if door != guard.FileText && door != guard.Reread {
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
		at, door, sent := name, door, p.Text
		switch {
		case p.Kind != extract.Body:
			at = name + ": " + p.Path
			// Properties and comments are judged as metadata: a field "author" alone gives a name away.
			if door == guard.FileText {
				door = guard.FileMeta
			}
		case doc.Method == "text":
			// Extraction normalises line ends and the like; lines and columns should be those that an editor shows.
			if sent, err = asSent(name, p.Text); err != nil {
				return n, err
			}
		}
		more, err := reportFindings(sh, door, at, p, sent)
		if err != nil {
			return n, err
		}
		n += more
	}

	return n, nil
}

// asSent returns a text file as it lies on disk, or text, which was read from it, where that is no UTF-8.
func asSent(name, text string) (string, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(content) {
		return text, nil
	}

	return string(content), nil
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
	// A scanner stops at 64 KiB otherwise, and a text on one line is often longer.
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
		// An empty list and not null: scoring programs read it as an array.
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
