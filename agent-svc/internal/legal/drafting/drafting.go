// Package drafting makes first drafts of legal documents: skeletons in our own words, filled with labels, the fields of
// the case and facts of its files, each fact with a footnote that says where it stands. What the files do not say stays
// a placeholder or is marked as in need of a source; nothing is made up, and no law is stated.
package drafting

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/document"
)

// Header stands at the head of every draft.
const Header = "Draft by software, not reviewed; labels stand for real names, which only your browser can fill"

// NeedsSource marks what a draft has to say and no file of the case says.
const NeedsSource = "[NEEDS SOURCE]"

// Skeleton is a kind of draft.
type Skeleton struct {
	Name     string // of its files, without what says their form: "answer-draft"
	Title    string
	Prompt   string // asks for it
	DocType  string // of the files, as files of a case have it
	request  string
	relief   string     // the title of a draft that asks for something, with RELIEF in the place of that
	not      [][]string // words by which a prompt names another paper
	cues     [][]string // words by which a prompt names it
	variants []variant
	body     *template.Template
}

// variant is a narrower kind of draft on the same skeleton.
type variant struct {
	cue            []string
	docType, title string
}

//go:embed skeletons
var skeletons embed.FS

// order is that in which skeletons are offered.
func order() []string {
	return []string{
		"demand-letter", "litigation-hold", "complaint", "answer", "motion", "interrogatories",
		"requests-for-production", "requests-for-admission", "privilege-log", "chronology-memo", "case-assessment",
		"status-letter", "settlement-outline", "nda-issues",
	}
}

// Templates holds the skeletons. It is immutable and may be used by several at once.
type Templates struct{ all []Skeleton }

// NewTemplates returns the skeletons that are part of the program. A process reads them once. A mistake in one of them
// is the programmer's, and panics.
func NewTemplates() *Templates { return templates() }

var templates = sync.OnceValue(readTemplates)

func readTemplates() *Templates {
	shared, err := skeletons.ReadFile("skeletons/shared.tmpl")
	if err != nil {
		panic(err)
	}
	t := &Templates{}

	for _, name := range order() {
		source, err := fs.ReadFile(skeletons, "skeletons/"+name+".tmpl")
		if err == nil {
			var one Skeleton
			if one, err = read(string(source), string(shared)); err == nil {
				t.all = append(t.all, one)
			}
		}
		if err != nil {
			panic(fmt.Errorf("skeleton %s: %w", name, err))
		}
	}

	return t
}

// All returns the skeletons in the order in which they are offered.
func (t *Templates) All() []Skeleton { return slices.Clone(t.all) }

// read parses a skeleton: lines "key: value", a line of three dashes, and a template.
func read(source, shared string) (Skeleton, error) {
	head, body, ok := strings.Cut(source, "\n---\n")
	if !ok {
		return Skeleton{}, fmt.Errorf("no head")
	}
	var s Skeleton

	for line := range strings.Lines(head) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			return s, fmt.Errorf("line %q of the head", line)
		}

		switch key {
		case "name":
			s.Name = value
		case "title":
			s.Title = value
		case "prompt":
			s.Prompt = value
		case "docType":
			s.DocType = value
		case "request":
			s.request = value
		case "relief":
			s.relief = value
		case "not":
			for cue := range strings.SplitSeq(value, ", ") {
				s.not = append(s.not, strings.Fields(cue))
			}
		case "cues":
			for cue := range strings.SplitSeq(value, ", ") {
				s.cues = append(s.cues, strings.Fields(cue))
			}
		case "variant":
			part := strings.Split(value, " = ")
			if len(part) != 3 {
				return s, fmt.Errorf("variant %q", value)
			}
			s.variants = append(s.variants, variant{strings.Fields(part[0]), part[1], part[2]})
		default:
			return s, fmt.Errorf("unknown key %q", key)
		}
	}
	if slices.Contains([]string{s.Name, s.Title, s.Prompt, s.DocType}, "") || len(s.cues) == 0 {
		return s, fmt.Errorf("a key is missing")
	}
	t := template.New(s.Name).Delims("<<", ">>").Option("missingkey=error").Funcs((&filling{}).functions())

	t, err := t.Parse(document.Bold(shared))
	if err == nil {
		s.body, err = t.New("draft").Parse(document.Bold(body))
	}

	return s, err
}

// Matter is what a draft is made from.
type Matter struct {
	Case    *api.Case // nil when unknown
	Dossier *casereading.Dossier
	Files   []api.File // the records of the case's files, without drafts
	// To is the label of the party that the draft is for or against, as the prompt names it; "" when it names none.
	To string
	// Relief is what the draft asks for, as the prompt says it.
	Relief Relief
	// Written is what a language model wrote for the draft; nil where none was asked.
	Written *Written
	// Today is the day of the draft: a hearing or a last day behind it is no fact.
	Today time.Time
	// Unquoted leaves the words of files out of the draft and gives their places only.
	Unquoted bool
}

// Draft is a filled skeleton.
type Draft struct {
	Skeleton
	Document     document.Document
	Placeholders []string // as they stand in the text, each once, in the order of their first places
	Sources      []api.SourceRef
	Unsourced    int  // places marked as in need of a source
	Omitted      int  // facts that were left out for want of room
	Unquoted     bool // it gives the places of facts without their words
}

// Fill makes a draft. The same matter gives the same draft.
func (s Skeleton) Fill(m Matter) (Draft, error) {
	f := &filling{view: newView(m)}
	// The functions of a template hold the state of one draft, and drafts are made at the same time.
	body, err := s.body.Clone()
	if err != nil {
		return Draft{}, fmt.Errorf("copy skeleton %s: %w", s.Name, err)
	}
	var out bytes.Buffer
	f.view.Title = s.Title
	if err := body.Funcs(f.functions()).ExecuteTemplate(&out, "draft", f.view); err != nil {
		return Draft{}, fmt.Errorf("fill skeleton %s: %w", s.Name, err)
	}
	blocks, err := document.Parse(out.String())
	if err != nil {
		return Draft{}, fmt.Errorf("read skeleton %s: %w", s.Name, err)
	}
	if m.Written != nil {
		if blocks, err = f.insert(blocks, *m.Written, m.Files); err != nil {
			return Draft{}, fmt.Errorf("put what was written into %s: %w", s.Name, err)
		}
	}
	d := Draft{Skeleton: s, Sources: f.sources, Omitted: f.view.More, Unquoted: m.Unquoted}
	d.Document = document.Document{
		Title:   s.Title + ", draft",
		Header:  Header,
		Request: s.request,
		Blocks:  blocks,
		Notes:   f.notes,
	}
	d.count()

	return d, nil
}

var placeholder = regexp.MustCompile(`\{\{[a-z][A-Za-z0-9]*\}\}`)

// count lists the placeholders and what needs a source. What is given by a file is neither, whatever it looks like.
func (d *Draft) count() {
	look := func(spans []document.Span) {
		for _, s := range spans {
			// Words of a file can look like a placeholder, and are nothing to fill in.
			if s.Given {
				continue
			}

			d.Unsourced += strings.Count(s.Text, NeedsSource)
			for _, p := range placeholder.FindAllString(s.Text, -1) {
				if !slices.Contains(d.Placeholders, p) {
					d.Placeholders = append(d.Placeholders, p)
				}
			}
		}
	}
	for _, b := range d.Document.Blocks {
		look(b.Text)

		for _, row := range b.Rows {
			for _, cell := range row {
				look(cell)
			}
		}
	}
}

// Sections returns the headings of the draft below its title.
func (d Draft) Sections() []string {
	var list []string

	for _, b := range d.Document.Blocks {
		if b.Kind == document.Heading && b.Level == 2 {
			words := ""
			for _, s := range b.Text {
				words += s.Text
			}
			list = append(list, words)
		}
	}

	return list
}
