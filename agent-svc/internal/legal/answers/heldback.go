package answers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/search"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// whatToDo says how a person gets at words that an answer holds back.
const whatToDo = "Open the file in the browser, in the case under “Files”, and read the place. If it names somebody, " +
	"the deep link of this answer leads to where you put a label there and add that version. If it names nobody, " +
	"clear the word there and add the file: answers then quote it."

// readAs says what the gate takes words of a kind for.
var readAs = map[string]string{
	guard.KindPerson:    "the name of a person",
	guard.KindOrg:       "the name of a company or another body",
	guard.KindAddress:   "an address",
	guard.KindPhone:     "a telephone number",
	guard.KindEmail:     "an address of e-mail",
	guard.KindAccount:   "the number of an account",
	guard.KindIDNumber:  "a number that the state or a firm gives to one person",
	guard.KindBirthDate: "a day of birth",
	guard.KindDocket:    "the number of a docket",
	guard.KindVehicle:   "the number of a vehicle",
	guard.KindProperty:  "a parcel of land",
	guard.KindURL:       "the address of a page",
	guard.KindLanguage:  "words in a language that the guard does not know",
}

// heldBack is a passage of which the words that fit best are not shown.
type heldBack struct {
	api.SearchHit
	under string   // the heading above these words, "" where there is none or it may not be shown either
	as    []string // what they were taken for
	part  bool     // other words of the passage are shown
}

// holdBack notes why the words of a hit are not shown, and where they stand.
func (j *job) holdBack(ctx context.Context, h api.SearchHit, part bool) heldBack {
	held := heldBack{SearchHit: h, part: part}
	for _, f := range slices.Concat(
		j.gate.Check(ctx, guard.Event, h.Source.Quote), j.gate.Check(ctx, guard.Event, passage(h)),
	) {
		if as := readAs[f.Kind]; as != "" && !slices.Contains(held.as, as) {
			held.as = append(held.as, as)
		}
	}
	if head := headingOver(h); head != "" && j.clean(ctx, head) {
		held.under = head
	}

	return held
}

// nameFiles names the files of hits by their ids where the gate holds their names back: a place that is not named at
// all cannot be looked up.
func (j *job) nameFiles(ctx context.Context, hits []api.SearchHit) {
	clean := map[string]bool{}

	for i, h := range hits {
		shown, known := clean[h.FileName]
		if !known {
			shown = j.clean(ctx, placeOf(h))
			clean[h.FileName] = shown
		}
		if !shown {
			hits[i].FileName = fmt.Sprintf("file %s (its name is held back too)", h.Source.FileID)
		}
	}
}

// headingOver returns the heading nearest before the quote of a hit, or at its beginning.
func headingOver(h api.SearchHit) string {
	start, ok := passageStart(h)
	runes := []rune(h.Text)
	at := h.Source.CharStart - start
	if !ok || at < 0 || at > len(runes) {
		return ""
	}

	first, _, _ := strings.Cut(string(runes[at:]), "\n")
	lines := append(strings.Split(string(runes[:at]), "\n"), first)

	for _, line := range slices.Backward(lines) {
		if search.IsHeading(line) {
			return search.Fold(line)
		}
	}

	return ""
}

// place names where the held words stand, and what they were taken for.
func (h heldBack) place(withHeading bool) string {
	at := placeOf(h.SearchHit)
	if h.under != "" && withHeading {
		at += ", under “" + layout.Escape(h.under) + "”"
	}

	as := "an identity"
	if len(h.as) > 0 {
		as = strings.Join(h.as, ", or for ")
	}
	if h.part {
		return fmt.Sprintf("%s: the words that fit best were taken for %s; others of the passage are quoted", at, as)
	}

	return fmt.Sprintf("%s: the words were taken for %s", at, as)
}

// heldList lists what is held back, each place once, with what a person can do about it.
func (p foundPassages) heldList() string {
	var list []string
	for _, h := range p.held {
		if at := h.place(p.leftOut < withoutHeadings); !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder

	fmt.Fprintf(&b, "**Held back:**\n\n")

	for _, at := range list[:min(len(list), mostHeld)] {
		fmt.Fprintf(&b, "- %s.\n", at)
	}
	if more := len(list) - mostHeld; more > 0 {
		fmt.Fprintf(&b, "- and %s.\n", wording.Counted(more, "further place"))
	}

	if p.notice != "" {
		b.WriteString("\n" + p.notice + "\n")
	}

	return b.String() + "\n" + whatToDo + "\n\n"
}

// heldFirst says in the first line what is held back, "" where nothing is.
func (p foundPassages) heldFirst() string {
	whole, parts := 0, 0

	for _, h := range p.held {
		if h.part {
			parts++
		} else {
			whole++
		}
	}
	said := ""
	if whole > 0 {
		said = fmt.Sprintf("%s held back, because %s, %s: %s named below, with what to do.",
			wording.Count(whole, "passage that matches was found and is", "passages that match were found and are"),
			oneOf(whole, "its words", "their words"), unshownReason,
			oneOf(whole, "the place is", "the places are"))
	}
	if parts > 0 {
		said += fmt.Sprintf(" Of %s only a part is quoted: the words that fit best, %s. They are named below too.",
			wording.Counted(parts, "passage"), unshownReason)
	}
	if n := len(p.apart); n > 0 {
		said += fmt.Sprintf(" The words of %s %s: beside the others they could be read as an identity.",
			wording.Counted(n, "passage"), api.InSourcesAlone)
	}

	return strings.TrimSpace(said)
}
