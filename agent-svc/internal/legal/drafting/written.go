package drafting

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/document"
)

// Written is what a language model wrote for a draft, after each sentence was checked against what it cites. Its marks
// such as [2] are the numbers of its citations.
type Written struct {
	Text      string
	Citations []api.Citation
	Removed   int // sentences that were taken out
	Own       int // sentences that are marked, since they could not be compared with a passage
}

// WrittenTitle is the heading of the part that a language model wrote.
const WrittenTitle = "WRITTEN FROM THE FILES"

const writtenNote = "A language model wrote this part from the files, and a program checked each sentence " +
	"against the " +
	"passage in its footnote; headings and what is said not to be found " +
	"were not checked. No person has reviewed it. Move what is right to its place in the form."

// closings are the headings before which the written part stands: what follows is for signatures.
var closings = []string{
	"SIGNATURE", "SIGNATURES", "CERTIFICATE OF SERVICE", "VERIFICATION", "ACKNOWLEDGMENT", "PROPOSED ORDER",
	"VERIFICATION OF ANSWERS", "DEMAND", "IF THE DEMAND IS NOT MET", "CONFIRMATION", "WHAT COMES NEXT",
}

// insert puts what was written into the blocks of a draft, before its signatures.
func (f *filling) insert(blocks []document.Block, w Written, files []api.File) ([]document.Block, error) {
	at := slices.IndexFunc(blocks, func(b document.Block) bool {
		return b.Kind == document.Heading && b.Level == 2 && slices.Contains(closings, wordsOf(b.Text))
	})
	// A form without signatures takes the part at its end.
	if at < 0 {
		at = len(blocks)
	}
	part, err := f.written(w, files)
	if err != nil {
		return nil, err
	}

	return slices.Insert(slices.Clone(blocks), at, part...), nil
}

func wordsOf(spans []document.Span) string {
	words := ""
	for _, s := range spans {
		words += s.Text
	}

	return strings.TrimSpace(words)
}

var (
	headMark = regexp.MustCompile(`^#{1,6}\s+`)
	itemMark = regexp.MustCompile(`^(?:[-*+]|\d{1,3}[.)])\s+`)
	citation = regexp.MustCompile(`\s*\[(\d{1,4})\]`)
	unmarked = strings.NewReplacer("**", "", "`", "", "*(", "(", ")*", ")")
)

// written returns the blocks of what was written: headings, points of lists and paragraphs, with a footnote for each
// citation. Its words are those of another hand, so they stand as they are, but for placeholders.
func (f *filling) written(w Written, files []api.File) ([]document.Block, error) {
	blocks := []document.Block{
		{Kind: document.Heading, Level: 2, Text: []document.Span{{Text: WrittenTitle}}},
		{Kind: document.Paragraph, Text: []document.Span{{Text: writtenNote}}},
	}

	// The text went through the checks as Markdown, so its form is known and needs no parser.
	for line := range strings.Lines(checkedOnly(w)) {
		line = strings.Trim(strings.TrimSpace(line), "> ")
		b := document.Block{Kind: document.Paragraph}

		switch {
		case line == "" || strings.Trim(line, "-|: ") == "":
			continue
		case headMark.MatchString(line):
			b.Kind, b.Level, line = document.Heading, 3, headMark.ReplaceAllString(line, "")
		case itemMark.MatchString(line):
			b.Kind, line = document.Item, itemMark.ReplaceAllString(line, "")
		}
		var err error
		if b.Text, err = f.spans(line, w.Citations, files); err != nil {
			return nil, err
		}
		blocks = append(blocks, b)
	}

	return blocks, nil
}

// spans cuts a line at its citations, each of which becomes a footnote.
func (f *filling) spans(line string, list []api.Citation, files []api.File) ([]document.Span, error) {
	var spans []document.Span
	from := 0

	for _, m := range citation.FindAllStringSubmatchIndex(line, -1) {
		number, _ := strconv.Atoi(line[m[2]:m[3]])
		at := slices.IndexFunc(list, func(c api.Citation) bool { return c.N == number })
		if at < 0 {
			continue
		}
		spans = append(spans, given(line[from:m[0]])...)
		from = m[1]
		note, err := document.Line(f.note(placeIn(list[at].Source, files), list[at].Source))
		if err != nil {
			return nil, err
		}
		f.notes = append(f.notes, note)
		spans = append(spans, document.Span{Note: len(f.notes)})
	}

	return append(spans, given(line[from:])...), nil
}

// given returns words of the model as spans that stand as they are; placeholders are those of the form.
func given(words string) []document.Span {
	var spans []document.Span
	words = unmarked.Replace(words)
	from := 0

	for _, m := range placeholder.FindAllStringIndex(words, -1) {
		// Placeholders are the form's own, and are counted; all other words stand as given.
		if m[0] > from {
			spans = append(spans, document.Span{Text: words[from:m[0]], Given: true})
		}
		spans, from = append(spans, document.Span{Text: words[m[0]:m[1]]}), m[1]
	}
	if from < len(words) {
		spans = append(spans, document.Span{Text: words[from:], Given: true})
	}

	return spans
}

// placeIn returns the place of a source with the name of its file.
func placeIn(s api.SourceRef, files []api.File) casereading.Place {
	p := casereading.Place{SourceRef: s}
	if at := slices.IndexFunc(files, func(f api.File) bool { return f.FileID == s.FileID }); at >= 0 {
		p.FileName = files[at].Name
	}

	return p
}
