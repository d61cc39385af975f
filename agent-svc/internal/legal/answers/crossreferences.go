package answers

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

var _ = offer(ability{
	intent: "cross_references", prompt: "List the cross-references that point nowhere",
	does: "lists the references to sections, articles, exhibits and schedules that no file of the case has",
	asked: []string{
		"cross-reference",
		"cross reference",
		"dangling reference",
		"broken reference",
		"references that point nowhere",
	},
	run: (*job).crossReferences,
})

var (
	// partReference is a reference to a part of a paper: its sort and its number or letter.
	partReference = regexp.MustCompile(`\b([Ss]ections?|[Aa]rticles?|[Cc]lauses?|[Ee]xhibits?|[Ss]chedules?|[Aa]nnex|` +
		`[Aa]ppendix|[Aa]ttachments?)\s+` +
		`([0-9]+(?:\.[0-9]+)*|[IVXLC]+\b|[A-Z]\b)`)
	// partHeading is a line that begins a part: "4.2 Rent", "Section 4. Rent", "ARTICLE IV", "EXHIBIT A".
	partHeading = regexp.MustCompile(`(?m)^[ \t]*(?:[#*]+[ \t]*)?` +
		`(?:(?i:section|article|clause|exhibit|schedule|annex|appendix|attachment)[ \t]+)?` +
		`([0-9]+(?:\.[0-9]+)*|[IVXLC]+|[A-Z])(?:[.):][ \t\n]|[ \t]*\n|[ \t]+[A-Z–—-])`)
	// otherPaper is what follows a reference to a part of a law or a paper that need not be among the files.
	otherPaper = regexp.MustCompile(`^(?:\([0-9A-Za-z]+\))*,?\s+(?:of|under|in)\s+(?:the|that|an?|its|said)?\s*` +
		`(?:[A-Z][\w'.]*\s+|and\s+|of\s+){0,6}` +
		`(?:Act|Code|Constitution|Statutes?|Rules?|Regulations?|Convention|Directive|Treaty|Title|Plan)\b`)
	// ofLaw is what stands before the number of a section of a law.
	ofLaw = regexp.MustCompile(`(?:U\.S\.C\.|C\.F\.R\.|Code|Act|Stat\.|Rules?),?\s*$`)
)

// part is a part of a paper as it is compared: letters and Roman numbers in capitals, sections and articles by number
// alone.
func part(sort, number string) string {
	switch sort = strings.ToLower(sort); {
	case strings.HasPrefix(sort, "section"),
		strings.HasPrefix(sort, "article"),
		strings.HasPrefix(sort, "clause"),
		sort == "":
		return arabic(number)
	}

	return strings.TrimSuffix(strings.ToLower(sort), "s") + " " + number
}

// arabic writes a Roman number in digits; what is none stays.
func arabic(number string) string {
	values := map[byte]int{'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100}
	total := 0

	for i := range len(number) {
		v := values[number[i]]
		if v == 0 {
			return number
		}
		if i+1 < len(number) && v < values[number[i+1]] {
			// A smaller digit before a larger one is taken off: IV is four.
			v = -v
		}
		total += v
	}

	return fmt.Sprint(total)
}

// pointer is a reference to a part.
type pointer struct {
	part string
	at   casereading.Place
}

// crossReferences lists the references to parts that no file of the case has.
func (j *job) crossReferences(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: read the files, find references and the parts that they point to", "list_files", "read_files")
	parts := map[string]bool{}
	var pointers []pointer
	withheld := 0

	_, h, err := j.survey(ctx, casereading.Keep{}, func(f api.File, body api.FileText) {
		quoter := casereading.NewQuoter(ctx, j.gate, f, body)
		pointers = append(pointers, pointersOf(body.Text, f, quoter, parts)...)
		withheld += quoter.Withheld
	})
	if err != nil {
		return api.PhaseResponse{}, err
	}
	r := legal.NewAnswer(api.KindAnswer)
	r.Text, r.Citations = crossReferencesText(pointers, parts, h)
	r.Limits = append(r.Limits,
		"A part counts as there when a line of any file begins with its number or letter; "+
			"references to laws and to papers that are named were left out.")
	if withheld > 0 {
		r.Limits = append(r.Limits, notQuoted(withheld))
	}
	r.SuggestedNext = suggestions("Summarise the files")

	return r, nil
}

// pointersOf returns the references of a text, and notes in parts what the text has.
func pointersOf(text string, f api.File, quoter *casereading.Quoter, parts map[string]bool) []pointer {
	for _, m := range partHeading.FindAllStringSubmatchIndex(text, -1) {
		line := text[m[0]:m[2]]
		sort := strings.Trim(line, " \t#*\n")
		parts[part(sort, text[m[2]:m[3]])] = true
	}

	for _, m := range partReference.FindAllStringSubmatch(f.Name, -1) {
		parts[part(m[1], m[2])] = true // a file may be the exhibit itself
	}
	var list []pointer

	for _, m := range partReference.FindAllStringSubmatchIndex(text, -1) {
		// A heading names its own part and points nowhere.
		heading := strings.TrimLeft(text[strings.LastIndexByte(text[:m[0]], '\n')+1:m[0]], " \t#*") == ""
		if heading || otherPaper.MatchString(text[m[1]:]) || ofLaw.MatchString(text[max(0, m[0]-20):m[0]]) {
			continue
		}
		list = append(
			list,
			pointer{part(text[m[2]:m[3]], text[m[4]:m[5]]), quoter.Sentence(facts.Span{Start: m[0], End: m[1]})},
		)
	}

	return list
}

func crossReferencesText(pointers []pointer, parts map[string]bool, h holdings) (string, []api.Citation) {
	var b strings.Builder
	var n layout.Notes
	var dangling []pointer

	for _, p := range pointers {
		if !parts[p.part] {
			dangling = append(dangling, p)
		}
	}
	if len(dangling) == 0 {
		fmt.Fprintf(
			&b,
			"%s found, and each points to a part that a file has.\n",
			wording.Count(len(pointers), "reference was", "references were"),
		)
	} else {
		fmt.Fprintf(&b, "%s found; %s to a part that no file has.\n",
			wording.Count(len(pointers), "reference was", "references were"),
			wording.Count(len(dangling), "points", "point"),
		)
	}
	section(&b, "**Pointing nowhere**", dangling, func(p pointer) string {
		return fmt.Sprintf("- **%s** (%s)%s: %s\n",
			layout.Escape(p.part), layout.Where(p.at), n.Mark(p.at.Sources()...), layout.Sentence(p.at),
		)
	})

	return b.String() + "\n" + wording.Capital(h.told()) + "\n", n.List
}
