package modelengine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/verify"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// Bounds of what tools give.
const (
	mostFiles    = 500
	mostHits     = 10
	usualHits    = 5
	mostPassages = 8        // of one reading
	mostFacts    = 25       // of one extraction
	mostSurveyed = 60       // files that one listing of parties reads
	mostLabels   = 200      // of one listing of parties
	mostResult   = 24 << 10 // bytes of one result
	heldTexts    = 4        // texts kept for the next call
)

// tool is something that the model may ask for: it reads, with the rights of the run's caller, and changes nothing.
type tool struct {
	model.Tool
	summary string // of its start, for the stream
	use     func(b *toolbox, ctx context.Context, a model.Arguments) (outcome, error)
}

// outcome is what a tool gives back: text for the model, and a fixed sentence with counts for the stream.
type outcome struct {
	text    string
	summary string
	empty   bool
}

// mistake is an error of the model's that it can mend; its text goes back to it.
type mistake string

// Error returns what was wrong.
func (m mistake) Error() string { return string(m) }

// tools returns what a model may use.
func tools() []tool {
	return slices.Concat(recordTools(), readingTools(), rulesTools(), extractTools())
}

// The fields by which several tools take a file, and the place at which to go on.
var (
	fileField = model.Field{
		Name:        "file",
		Description: "number of a file, as list_files gives it",
		Type:        model.Whole,
		Required:    true,
		Least:       1,
		Most:        mostFiles,
	}
	fromField = model.Field{
		Name:        "from",
		Description: "the first to give, from 1, for what comes beyond an earlier result",
		Type:        model.Whole,
		Least:       1,
		Most:        100_000,
	}
)

// recordTools say what is on record about the case and its files.
func recordTools() []tool {
	return []tool{
		{
			model.Tool{Name: "get_case", Description: "Gives what is on record about the case."},
			"Looking at the case", (*toolbox).getCase,
		},
		{
			model.Tool{
				Name:        "list_files",
				Description: "Lists the files of the case with their numbers, and which of them cannot be read.",
			},
			"Listing the files of the case", (*toolbox).listFiles,
		},
		{
			model.Tool{
				Name:        "list_parties",
				Description: "Lists the labels that stand in the files, with their roles.",
			},
			"Listing the labels", (*toolbox).listParties,
		},
		{
			model.Tool{
				Name:        "document_checklist",
				Description: "Compares the types of the files with those that the stage of the case expects.",
			},
			"Comparing with what the stage expects", (*toolbox).checklist,
		},
	}
}

// readingTools give passages of files.
func readingTools() []tool {
	query := model.Field{
		Name:        "query",
		Description: "the words to look for",
		Type:        model.Text,
		Required:    true,
		Least:       1,
		Most:        400,
	}
	files := model.Field{
		Name:        "files",
		Description: "numbers of the files to look into; all when left out",
		Type:        model.Numbers,
		Least:       1,
		Most:        mostFiles,
		MostItems:   50,
	}
	hits := model.Field{
		Name:        "limit",
		Description: "how many passages to give",
		Type:        model.Whole,
		Least:       1,
		Most:        mostHits,
	}
	passages := model.Field{
		Name:        "count",
		Description: "how many passages to give",
		Type:        model.Whole,
		Least:       1,
		Most:        mostPassages,
	}

	return []tool{
		{
			model.Tool{
				Name: "search_passages",
				Description: "Finds the passages that match words best. " +
					"A phrase in quotation marks must stand there.",
				Schema: model.Schema{Fields: []model.Field{query, files, hits}},
			},
			"Searching the files of the case", (*toolbox).search,
		},
		{
			model.Tool{
				Name:        "read_passage",
				Description: "Reads a file passage by passage.",
				Schema:      model.Schema{Fields: []model.Field{fileField, fromField, passages}},
			},
			"Reading a file", (*toolbox).read,
		},
	}
}

// rulesTools have the rules do what they do for people.
func rulesTools() []tool {
	other := model.Field{
		Name:        "other",
		Description: "number of the other file; the result says which one came first",
		Type:        model.Whole,
		Required:    true,
		Least:       1,
		Most:        mostFiles,
	}

	return []tool{
		ruleWork(
			"build_chronology", "Lists the dates of all files in their order, with what happened.",
			"Building the chronology", api.CaseReq, "Build a chronology", false,
		),
		ruleWork(
			"compute_deadline",
			"Lists the time limits that the files state, and computes those that rules of procedure give for the "+
				"events in the files. Compute none yourself.",
			"Computing deadlines", api.CaseReq, "List the deadlines", true,
		),
		ruleWork(
			"element_matrix", "Sets passages of the files beside the elements of the claims that they name.",
			"Setting passages beside elements", api.CaseReq, "What are the elements of the claims?", false,
		),
		ruleWork(
			"evaluate_complexity",
			"Scores the complexity of the case by the published rubric, factor by factor. Change no score.",
			"Scoring by the rubric", api.EvalReq, "Evaluate the case", true,
		),
		ruleWork(
			"find_partners",
			"Lists the professionals of the directory that fit the case, and why, without their names.",
			"Searching the directory", api.CaseReq, "Which partners fit this case?", true,
		),
		{
			model.Tool{
				Name:        "compare_files",
				Description: "Lists what differs between two files, sentence by sentence.",
				Schema:      model.Schema{Fields: []model.Field{fileField, other}},
			},
			"Comparing two files", (*toolbox).compare,
		},
	}
}

// extractTools list the facts of one kind of a file.
func extractTools() []tool {
	extracts := func(name, what string, find func(text string) []finding) tool {
		return tool{
			model.Tool{
				Name:        name,
				Description: "Lists the " + what + " of a file, each with the sentence it stands in as a passage.",
				Schema:      model.Schema{Fields: []model.Field{fileField, fromField}},
			},
			"Listing the " + what + " of a file",
			func(b *toolbox, ctx context.Context, a model.Arguments) (outcome, error) {
				return b.extract(ctx, a.Whole("file", 0), a.Whole("from", 1), what, find)
			},
		}
	}

	return []tool{
		extracts("extract_dates", "dates", dates),
		extracts("extract_money", "sums of money", sums),
		extracts("extract_citations", "citations of authorities", authorities),
	}
}

// generated is the origin of files that runs made, which are no sources unless a task names them.
const generated = "generated"

// toolbox is what tools work with in one run, and the record of what they gave.
type toolbox struct {
	task     legal.Task
	sources  legal.Sources
	rules    Rules
	report   legal.Report
	gate     guard.Gate
	code     string     // of the frame
	files    []api.File // that the task may use, in the order of their numbers
	beyond   int        // further ones, which have no number
	record   verify.Record
	numbers  map[api.SourceRef]int // of passages, by place; 0 for one that was withheld
	texts    []fileText            // read last
	withheld int
	// unsurveyed counts the files that were not read, or not to their end, for the authorities of the answer
	unsurveyed int
	unlisted   bool            // the list of the firm could not be read for them either
	opened     map[string]bool // ids of the files that passages came from
}

type fileText struct {
	id       string
	version  int
	passages []extract.Passage
}

// newToolbox lists the files that a task may use. It returns legal.ErrFileUnreadable when the task names one that is
// not among them.
func newToolbox(
	ctx context.Context,
	task legal.Task,
	sources legal.Sources,
	rules Rules,
	report legal.Report,
	gate guard.Gate,
) (*toolbox, error) {
	b := &toolbox{
		task:    task,
		sources: sources,
		rules:   rules,
		report:  report,
		gate:    gate,
		code:    nonce(),
		numbers: map[api.SourceRef]int{},
		opened:  map[string]bool{},
		record:  verify.Record{Labels: map[label.Label]bool{}},
	}
	done := report.Tool("list_files", "Listing the files of the case")
	all, err := sources.Files(ctx)
	if err != nil {
		done("failed", "The files could not be listed")
		return nil, err
	}

	for _, id := range task.FileIDs {
		if !slices.ContainsFunc(all, func(f api.File) bool { return f.FileID == id && f.AgentReadable }) {
			done("refused", "A named file cannot be read")
			return nil, legal.ErrFileUnreadable
		}
	}

	for _, f := range all {
		switch {
		// A draft of ours is no source: a model would cite what another model wrote.
		case len(task.FileIDs) == 0 && f.Source.Origin == generated,
			len(task.FileIDs) > 0 && !slices.Contains(task.FileIDs, f.FileID):
		case len(b.files) == mostFiles:
			// The numbers of files are bounded, and the limits of the answer say how many had none.
			b.beyond++
		default:
			b.files = append(b.files, f)
			b.learn(f.Name)
		}
	}
	b.learn(task.Prompt)
	if k := task.Container.Case; k != nil {
		b.learn(k.Title)
		b.learn(k.Summary)
	}
	result := "ok"
	if len(b.files) == 0 {
		result = "empty"
	}
	done(result, fmt.Sprintf("%d files, %d readable", len(b.files), b.readable()))

	return b, nil
}

func (b *toolbox) readable() int {
	n := 0

	for _, f := range b.files {
		if f.AgentReadable {
			n++
		}
	}

	return n
}

// places counts the pages and pictures that nobody read in the files that were opened.
func (b *toolbox) places() int {
	n := 0

	for _, f := range b.files {
		if b.opened[f.FileID] {
			n += f.Unread.Count
		}
	}

	return n
}

// learn notes the labels of a text.
func (b *toolbox) learn(text string) {
	// A label that the model was never shown is made up.
	for _, l := range label.All(text) {
		b.record.Labels[l] = true
	}
}

// clean reports whether a text may be shown to a model.
func (b *toolbox) clean(ctx context.Context, text string) bool {
	return len(b.gate.Check(ctx, guard.ModelIn, text)) == 0
}

func (b *toolbox) getCase(ctx context.Context, _ model.Arguments) (outcome, error) {
	text := card(b.task.Container, func(s string) bool { return b.clean(ctx, s) })
	if text == "" {
		return outcome{text: "Nothing is on record about the case.", summary: "Nothing is on record", empty: true}, nil
	}

	return outcome{text: encloseResult(b.code, text), summary: "What is on record was read"}, nil
}

func (b *toolbox) listFiles(ctx context.Context, _ model.Arguments) (outcome, error) {
	var list strings.Builder

	for i, f := range b.files {
		name := f.Name
		if !b.clean(ctx, name) {
			// The file keeps its number, so that the model can still read it.
			name = "(name left out)"
		}
		fmt.Fprintf(&list, "%d: %s", i+1, name)
		if f.DocType != "" {
			fmt.Fprintf(&list, " (%s)", f.DocType)
		}
		if !f.AgentReadable {
			list.WriteString(", cannot be read")
		}
		if n := f.Unread.Count; f.AgentReadable && n > 0 {
			fmt.Fprintf(&list, ", but nobody read %s", wording.Counted(n, "place")+" (pages and pictures)")
		}
		list.WriteString("\n")
		if list.Len() > mostResult {
			list.WriteString("further files are not shown; search_passages finds them too\n")
			break
		}
	}
	if len(b.files) == 0 {
		return outcome{text: "The case has no files.", summary: "No files", empty: true}, nil
	}

	return outcome{
		text:    encloseResult(b.code, list.String()),
		summary: fmt.Sprintf("%d files, %d readable", len(b.files), b.readable()),
	}, nil
}

func (b *toolbox) checklist(ctx context.Context, _ model.Arguments) (outcome, error) {
	list, err := b.sources.Checklist(ctx)
	if err != nil {
		return outcome{}, err
	}
	text := fmt.Sprintf("phase: %s\nthere: %s\nexpected and missing: %s",
		list.Phase, strings.Join(list.Present, ", "), strings.Join(list.Missing, ", "),
	)
	b.record.Computed = append(b.record.Computed, text)

	return outcome{
		text:    encloseResult(b.code, text),
		summary: fmt.Sprintf("%d there, %d missing", len(list.Present), len(list.Missing)),
	}, nil
}

// file returns the file of a number that can be read.
func (b *toolbox) file(number int) (api.File, error) {
	switch {
	case number < 1 || number > len(b.files):
		return api.File{}, mistake("There is no file of this number. list_files gives the numbers.")
	case !b.files[number-1].AgentReadable:
		return api.File{}, mistake("This file cannot be read.")
	}

	return b.files[number-1], nil
}

// open returns the passages of a file.
func (b *toolbox) open(ctx context.Context, f api.File) (fileText, error) {
	if i := slices.IndexFunc(b.texts, func(t fileText) bool { return t.id == f.FileID }); i >= 0 {
		return b.texts[i], nil
	}
	body, err := b.sources.Text(ctx, f.FileID)
	if errors.Is(err, errs.ErrNotFound) {
		return fileText{}, mistake("This file is not there any more.")
	}
	if err != nil {
		return fileText{}, err
	}

	doc := extract.Document{Status: extract.OK, Text: strings.ToValidUTF8(body.Text, "\uFFFD")}
	for _, p := range body.PageStarts {
		doc.PageStarts = append(doc.PageStarts, p.Start)
	}
	t := fileText{f.FileID, body.TextVersion, extract.Passages(doc)}
	// A model goes back to the same few files. The oldest text makes room.
	if len(b.texts) == heldTexts {
		b.texts = b.texts[1:]
	}
	b.texts = append(b.texts, t)

	return t, nil
}

// give puts a passage on record and returns it in its frame, "" when it must not be shown.
func (b *toolbox) give(ctx context.Context, head string, p verify.Passage) string {
	at := p.Source.Place()
	number, seen := b.numbers[at]
	if !seen {
		// The quote goes to the reader with the citation, so the reader's gate judges it too.
		if !b.clean(ctx, p.Text) || len(b.gate.Check(ctx, guard.Event, p.Source.Quote)) > 0 {
			b.withheld++
		} else {
			b.record.Passages = append(b.record.Passages, p)
			number = len(b.record.Passages)
			b.opened[p.Source.FileID] = true
			b.learn(p.Text)
			b.report.Read(1)
		}
		// Zero is kept for what was withheld, so that it is counted once.
		b.numbers[at] = number
	}
	if number == 0 {
		return ""
	}
	if !b.clean(ctx, head) {
		head = "a file"
	}

	return enclose(b.code, number, head, p.Text)
}

// head says where a passage stands.
func (b *toolbox) head(f api.File, page int) string {
	number := slices.IndexFunc(b.files, func(o api.File) bool { return o.FileID == f.FileID }) + 1
	if page > 0 {
		return fmt.Sprintf("file %d, %s, page %d", number, f.Name, page)
	}

	return fmt.Sprintf("file %d, %s", number, f.Name)
}

// nearOnly stands before a passage that is a hint and no match.
const nearOnly = "The next passage has none of these words, only some that are near to one in meaning.\n"

func (b *toolbox) search(ctx context.Context, a model.Arguments) (outcome, error) {
	ids := slices.Clone(b.task.FileIDs)
	if wanted := a.Numbers("files"); len(wanted) > 0 {
		ids = nil

		for _, n := range wanted {
			f, err := b.file(n)
			if err != nil {
				return outcome{}, err
			}
			ids = append(ids, f.FileID)
		}
	}
	found, err := b.sources.Search(ctx, a.Text("query"), ids, a.Whole("limit", usualHits))
	if err != nil {
		return outcome{}, err
	}
	var text strings.Builder
	n := 0

	for _, h := range found.Hits {
		at := slices.IndexFunc(b.files, func(f api.File) bool { return f.FileID == h.Source.FileID && f.AgentReadable })
		if at < 0 {
			continue // it came while the run was under way, or lies beyond the numbered ones
		}
		passage := verify.Passage{Source: h.Source, FileName: h.FileName, Text: h.Text}
		if framed := b.give(ctx, b.head(b.files[at], h.Source.Page), passage); framed != "" {
			n++
			// Without the warning, a model takes a passage that is only near in meaning for an answer.
			if len(h.Near) > 0 && len(h.Near) == len(h.Matched) {
				text.WriteString(nearOnly)
			}
			text.WriteString(framed)
		}
	}
	if n == 0 {
		return outcome{text: "No passage matches these words.", summary: "No passage matches", empty: true}, nil
	}

	return outcome{text: text.String(), summary: fmt.Sprintf("%d passages", n)}, nil
}

func (b *toolbox) read(ctx context.Context, a model.Arguments) (outcome, error) {
	f, err := b.file(a.Whole("file", 0))
	if err != nil {
		return outcome{}, err
	}
	t, err := b.open(ctx, f)
	if err != nil {
		return outcome{}, err
	}
	first := a.Whole("from", 1)
	if first > len(t.passages) {
		return outcome{
			text:    fmt.Sprintf("The file has %d passages.", len(t.passages)),
			summary: "Beyond the end of the file",
			empty:   true,
		}, nil
	}
	var text strings.Builder

	n, last := 0, first-1
	for _, p := range t.passages[first-1 : min(len(t.passages), first-1+a.Whole("count", usualHits))] {
		// The size of the result is checked before each passage, so it goes beyond by one at most.
		if text.Len() > mostResult {
			break
		}
		last++
		if framed := b.give(ctx, b.head(f, p.Page), passageOf(f, t, p)); framed != "" {
			n++
			text.WriteString(framed)
		}
	}
	fmt.Fprintf(&text, "These were the passages %d to %d of %d of the file.\n", first, last, len(t.passages))

	return outcome{text: text.String(), summary: fmt.Sprintf("%d passages", n), empty: n == 0}, nil
}

// passageOf is a passage with its source, whose quote is its beginning.
func passageOf(f api.File, t fileText, p extract.Passage) verify.Passage {
	quote := []rune(p.Text)
	quote = quote[:min(len(quote), facts.MaxQuote)]

	return verify.Passage{FileName: f.Name, Text: p.Text, Source: api.SourceRef{
		FileID:      f.FileID,
		TextVersion: t.version,
		Page:        p.Page,
		Paragraph:   p.Paragraph,
		CharStart:   p.CharStart,
		CharEnd:     p.CharStart + len(quote),
		Quote:       facts.Fold(string(quote)),
	}}
}
