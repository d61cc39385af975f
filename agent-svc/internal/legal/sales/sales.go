// Package sales answers questions about plans, limits and prices from a file that the operator writes, and from nothing
// else.
package sales

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/faq"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// Limits of a facts file; lengths in code points.
const (
	MaxBytes   = 256 << 10
	maxFacts   = 200
	maxVersion = 40
	maxTopic   = 60
	maxTitle   = 120
	maxText    = 2000
	maxWords   = 300
)

// Fact is one thing that may be said.
type Fact struct {
	Topic string `json:"topic"` // such as plans, limits, jurisdictions or security
	Title string `json:"title"`
	Text  string `json:"text"`  // what an answer says, word for word
	Words string `json:"words"` // other words by which people ask for it; may be empty
}

// Sheet holds the facts. It is immutable and safe for concurrent use.
type Sheet struct {
	version string
	facts   []Fact
	index   *faq.Index
}

// Read reads a facts file: {"version": …, "facts": [{"topic", "title", "text", "words"}, …]}. It is strict: one JSON
// value, no unknown field, every text within its limits, and none that gate finds an identity in. The error says which
// fact is wrong, and quotes nothing of it.
func Read(ctx context.Context, r io.Reader, gate guard.Gate) (*Sheet, error) {
	// One byte more than allowed tells a file of the largest size from one that is too large.
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read facts: %w", err)
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("a facts file has at most %d bytes", MaxBytes)
	}
	var file struct {
		Version string `json:"version"`
		Facts   []Fact `json:"facts"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, errors.New("the file must be JSON of the form {\"version\": …, \"facts\": [{\"topic\", " +
			"\"title\", \"text\", \"words\"}, …]}, without other fields")
	}
	// A second value would be dropped without a word.
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something stands behind the JSON value")
	}
	if n := len(file.Facts); n == 0 || n > maxFacts {
		return nil, fmt.Errorf("facts must be 1 to %d entries", maxFacts)
	}
	if err := line(ctx, gate, "version", file.Version, maxVersion, false); err != nil {
		return nil, err
	}
	s := &Sheet{version: file.Version, facts: file.Facts}
	var texts []string

	for i, f := range file.Facts {
		at := fmt.Sprintf("facts[%d].", i)
		err := errors.Join(
			line(ctx, gate, at+"topic", f.Topic, maxTopic, false),
			line(ctx, gate, at+"title", f.Title, maxTitle, false),
			prose(ctx, gate, at+"text", f.Text), line(ctx, gate, at+"words", f.Words, maxWords, true),
		)
		if err != nil {
			return nil, err
		}
		texts = append(texts, f.Topic+"\n\n"+f.Title+"\n\n"+f.Text+" "+f.Words)
	}
	s.index = faq.NewIndex(texts)

	return s, nil
}

func line(ctx context.Context, gate guard.Gate, path, s string, most int, empty bool) error {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("%s must be one line", path)
	}
	if empty && s == "" {
		return nil
	}

	return checked(ctx, gate, path, s, most)
}

func prose(ctx context.Context, gate guard.Gate, path, s string) error {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' }) {
		return fmt.Errorf("%s must be plain text with line breaks at most", path)
	}

	return checked(ctx, gate, path, s, maxText)
}

func checked(ctx context.Context, gate guard.Gate, path, s string, most int) error {
	if n := utf8.RuneCountInString(s); strings.TrimSpace(s) == "" || n > most || !utf8.ValidString(s) {
		return fmt.Errorf("%s must be text of 1 to %d characters", path, most)
	}
	if found := gate.Check(ctx, guard.Event, s); len(found) > 0 {
		return fmt.Errorf("%s holds what could be a real identity (%s)", path, found[0].Kind)
	}

	return nil
}

// Version names the state of the file, as it says itself.
func (s *Sheet) Version() string { return s.version }

// Topics returns what the facts are about, in the order of the file.
func (s *Sheet) Topics() []string {
	var all []string
	for _, f := range s.facts {
		if !slices.Contains(all, f.Topic) {
			all = append(all, f.Topic)
		}
	}

	return all
}

// Answer returns the facts that answer a question, the best first; none when nothing in the file fits.
func (s *Sheet) Answer(question string) []Fact {
	var list []Fact
	for _, at := range s.index.Answer(question) {
		list = append(list, s.facts[at])
	}

	return list
}
