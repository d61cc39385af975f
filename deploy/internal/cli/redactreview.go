package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// labelling asks a person about each identity that was found in a text, once, however often it stands there.
type labelling struct {
	sh     *shell
	text   string
	labels *guard.LabelMap
	silent bool // ask nothing
	all    bool // accept what is left of what the guard found
	in     *bufio.Reader
}

// identity is one that was found, with all its places.
type identity struct {
	name   string // as it stands in its first place
	kind   string
	why    string
	places []guard.Finding
}

const (
	shownPlaces = 3   // of one identity
	longAnswer  = 200 // bytes
	// shortestName is how many characters a name has that is looked for where the guard did not find it.
	shortestName = 3
)

var errQuit = errors.New("nothing was written")

// run returns the findings to label, whose identities have their labels in the map then. It returns errQuit when the
// person ends it.
func (r *labelling) run(found []guard.Finding) ([]guard.Finding, error) {
	r.in = bufio.NewReader(r.sh.In)
	// A label that stands in the text already must not be given to somebody else.
	r.labels.Reserve(r.text)
	var accepted []guard.Finding
	known, dismissed := 0, 0
	var asked []identity

	for _, id := range r.identities(found) {
		switch _, has := r.labels.Of(id.name); {
		case has:
			known += len(id.places)
			accepted = append(accepted, id.places...)
		case r.labels.Dismissed(id.name):
			dismissed += len(id.places)
		default:
			asked = append(asked, id)
		}
	}
	if known+dismissed > 0 {
		fmt.Fprintf(r.sh.Err, "The map knows %s of identities and %s of none.\n", wording.Counted(known, "place"),
			wording.Counted(dismissed, "place"))
	}
	if len(found) == 0 {
		fmt.Fprintln(r.sh.Err, "The guard found nothing that identifies anybody.")
	}
	if told := guard.Told(found); len(told) < len(found) {
		fmt.Fprintf(r.sh.Err, "The text is in %s. Many of these may be no names, and a name may be missing: "+
			"read it yourself.\n", told[len(told)-1].Why)
	}
	if len(asked) > 0 && !r.all {
		fmt.Fprintln(r.sh.Err, "For each of these: y labels it, n says it is no identity, o gives it another label, "+
			"a labels it and all that follow, q quits without writing anything.")
	}

	for i, id := range asked {
		chosen, err := r.ask(i+1, len(asked), id)
		if err != nil {
			return nil, err
		}
		if chosen == (label.Label{}) {
			r.labels.Dismiss(id.name)
			continue
		}
		if err := r.labels.Assign(id.name, chosen); err != nil {
			return nil, err
		}
		accepted = append(accepted, id.places...)
	}
	more, err := r.elsewhere(found)

	return apart(append(accepted, more...)), err
}

// elsewhere asks about the identities of the map that stand, spelled as there, where the guard lets them pass: in a
// citation, or where nothing around them gives them away. With --yes they are labelled.
func (r *labelling) elsewhere(found []guard.Finding) ([]guard.Finding, error) {
	var accepted []guard.Finding

	for _, e := range r.labels.Data().Labels {
		var places []guard.Finding
		for _, name := range e.Identities {
			places = append(places, r.unnoticed(name, found)...)
		}
		if places = apart(places); len(places) == 0 {
			continue
		}
		fmt.Fprintf(r.sh.Err, "\nThe guard lets %s pass in %s%s\n", e.Label, wording.Counted(len(places), "more place"),
			r.shown(places))
		// A label too many can be put right; a name that is left in cannot be called back.
		if r.silent {
			fmt.Fprintln(r.sh.Err, "  Labelled there too.")
			accepted = append(accepted, places...)

			continue
		}

		for {
			fmt.Fprint(r.sh.Err, "  Label it there too? [y/n/q] ")
			answer, err := r.answer()
			if err != nil {
				return nil, err
			}

			switch strings.ToLower(answer) {
			case "y", "yes":
				accepted = append(accepted, places...)
			case "n", "no":
			case "q", "quit":
				return nil, errQuit
			default:
				continue
			}

			break
		}
	}

	return accepted, nil
}

// unnoticed returns where a name stands by itself outside all that was found.
func (r *labelling) unnoticed(name string, found []guard.Finding) []guard.Finding {
	var places []guard.Finding

	for at := 0; utf8.RuneCountInString(name) >= shortestName; {
		i := strings.Index(r.text[at:], name)
		if i < 0 {
			break
		}
		f := guard.Finding{Kind: guard.KindPerson, Start: at + i, End: at + i + len(name)}
		at = f.End
		// found is in order and does not overlap, so the first finding that ends after the start decides.
		n, _ := slices.BinarySearchFunc(found, f.Start, func(g guard.Finding, start int) int {
			return cmp.Compare(g.End, start+1)
		})
		if alone(r.text, f.Start, f.End) && (n == len(found) || found[n].Start >= f.End) {
			places = append(places, f)
		}
	}

	return places
}

// alone reports whether no word goes on at either end of a stretch of text.
func alone(text string, start, end int) bool {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])

	return !inWord(before) && !inWord(after)
}

// identities gathers findings of the same identity, in the order in which they first stand in the text.
func (r *labelling) identities(found []guard.Finding) []identity {
	var list []identity
	at := map[string]int{}

	for _, f := range found {
		name := r.text[f.Start:f.End]
		// "Hale" and "HALE" are one identity, and are asked about once.
		folded := guard.FoldIdentity(name)
		i, seen := at[folded]
		if !seen {
			i = len(list)
			at[folded] = i
			list = append(list, identity{name: name, kind: f.Kind, why: f.Why})
		}
		list[i].places = append(list[i].places, f)
	}

	return list
}

// ask shows one identity and returns its label, or none if it is no identity.
func (r *labelling) ask(n, of int, id identity) (label.Label, error) {
	proposed, as, err := r.propose(id)
	if err != nil {
		return label.Label{}, err
	}
	fmt.Fprintf(r.sh.Err, "\n%d of %d  %s: %s", n, of, r.sh.paint(colourOf(id.kind), id.kind), id.why)
	if len(id.places) > 1 {
		fmt.Fprintf(r.sh.Err, ", %d places", len(id.places))
	}
	fmt.Fprint(r.sh.Err, r.shown(id.places))
	if r.all {
		fmt.Fprintf(r.sh.Err, "\n  %s%s\n", proposed, as)
		return proposed, nil
	}

	for {
		fmt.Fprintf(r.sh.Err, "\n  Label it %s%s? [Y/n/o/a/q] ", proposed, as)
		answer, err := r.answer()
		if err != nil {
			return label.Label{}, err
		}

		switch strings.ToLower(answer) {
		case "", "y", "yes":
			return proposed, nil
		case "n", "no":
			return label.Label{}, nil
		case "a", "all":
			r.all = true
			return proposed, nil
		case "q", "quit":
			return label.Label{}, errQuit
		case "o", "other":
			fmt.Fprintf(r.sh.Err, "  A label such as [Witness 2], or the word of a new one (%s): ",
				strings.Join(label.Kinds(), ", "))
			if answer, err = r.answer(); err != nil {
				return label.Label{}, err
			}
		}
		label, err := r.label(answer)
		if err == nil {
			if names := r.labels.Identities(label); len(names) > 0 {
				fmt.Fprintf(r.sh.Err, "  The same as %s.\n", line(names[0]))
			}

			return label, nil
		}
		fmt.Fprintln(r.sh.Err, "  That is neither an answer nor a label.")
	}
}

// shown is the first of some places with the text around them.
func (r *labelling) shown(places []guard.Finding) string {
	var b strings.Builder
	for _, f := range places[:min(len(places), shownPlaces)] {
		b.WriteString(r.sh.passage(r.text, f.Start, f.End))
	}

	return b.String()
}

// propose returns the label of a person who probably is the same, or a new one.
func (r *labelling) propose(id identity) (l label.Label, as string, err error) {
	if l, ok := r.labels.Suggest(id.kind, id.name); ok {
		return l, ", as " + line(r.labels.Identities(l)[0]), nil
	}
	if l, ok := r.alias(id); ok {
		return l, ", as " + line(r.labels.Identities(l)[0]), nil
	}
	// [PARTY 1] in a caption in capitals is meant as [Party 1].
	if id.kind == guard.KindLabel {
		if l, err := r.label(id.name); err == nil {
			return l, ", as it was meant", nil
		}
	}
	l, err = r.labels.Next(guard.LabelWord(id.kind, id.name))

	return l, "", err
}

// alias returns the label of whom the text says to be called by this name too: "Ada Hale, also known as Ida Hall".
func (r *labelling) alias(id identity) (label.Label, bool) {
	// Only what stands just before can say that this is another name of somebody.
	before := strings.TrimRight(r.text[max(0, id.places[0].Start-longAnswer):id.places[0].Start], " \n\"“")

	for _, says := range aliasWords {
		cut := len(before) - len(says)
		if cut <= 0 || !strings.EqualFold(before[cut:], says) {
			continue
		}
		if r, _ := utf8.DecodeLastRuneInString(before[:cut]); unicode.IsLetter(r) || unicode.IsDigit(r) {
			// The word must begin where it is found: "Renee" is no "nee".
			continue
		}
		lead := strings.TrimRight(before[:cut], " ,(\n")

		for _, e := range r.labels.Data().Labels {
			if !tradesAs(says) && !sameWord(e.Label, guard.LabelWord(id.kind, id.name)) {
				continue
			}

			for _, name := range e.Identities {
				if strings.HasSuffix(lead, name) && alone(lead, len(lead)-len(name), len(lead)) {
					l, err := label.Parse(e.Label)
					return l, err == nil
				}
			}
		}
	}

	return label.Label{}, false
}

// tradesAs reports whether an alias may be of another kind than its bearer: a person trades as a firm.
func tradesAs(says string) bool { return says == "d/b/a" || says == "doing business as" }

// sameWord reports whether a label in brackets begins with a word: "[Org 1]" with "Org".
func sameWord(l, word string) bool { return strings.HasPrefix(strings.TrimPrefix(l, "["), word+" ") }

// aliasWords stand between two names of one person or firm.
var aliasWords = []string{
	"also known as", "a/k/a", "aka", "a.k.a.", "formerly known as", "f/k/a", "now known as", "n/k/a", "née", "nee",
	"doing business as", "d/b/a", "alias",
}

// label reads a label with or without brackets in any case, or a word that begins one.
func (r *labelling) label(answer string) (label.Label, error) {
	word, number, numbered := strings.Cut(strings.TrimSpace(strings.Trim(answer, "[] \t")), " ")

	for _, known := range label.Kinds() {
		switch {
		case !strings.EqualFold(word, known):
		case numbered:
			return label.Parse("[" + known + " " + strings.TrimSpace(number) + "]")
		default:
			return r.labels.Next(known)
		}
	}

	return label.Label{}, label.ErrUnknown
}

// answer reads a line. The end of the input, or of the command, is the end of the review: nobody agreed to what is
// left.
func (r *labelling) answer() (string, error) {
	text, err := r.sh.line(r.in, longAnswer)
	if err != nil {
		return "", errQuit
	}

	return text, nil
}

// apart orders findings and drops those inside others.
func apart(found []guard.Finding) []guard.Finding {
	slices.SortStableFunc(found, func(a, b guard.Finding) int {
		// Of two that begin at one place the longer comes first, and takes the shorter one in.
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})

	out := found[:0]
	for _, f := range found {
		if n := len(out); n > 0 && f.Start < out[n-1].End {
			out[n-1].End = max(out[n-1].End, f.End)
			continue
		}
		out = append(out, f)
	}

	return out
}

// wordsIn returns the places of a text where words stand by themselves, in any case.
func wordsIn(text, words string) []guard.Finding {
	var found []guard.Finding

	for i := range text {
		end := i
		// Letters are compared one by one, because in another case they may have another number of bytes.
		for _, want := range words {
			r, width := utf8.DecodeRuneInString(text[end:])
			if width == 0 || !strings.EqualFold(string(r), string(want)) {
				end = -1
				break
			}
			end += width
		}
		if end > i && alone(text, i, end) {
			found = append(found, guard.Finding{Kind: guard.KindPerson, Start: i, End: end, Why: "you named it"})
		}
	}

	return found
}

// The colours of a terminal.
const (
	plainText = "0"
	magenta   = "35"
	cyan      = "36"
	yellow    = "33"
	marked    = "1;7" // bold and reversed
)

// colourOf tells persons and organizations, places to reach them, and numbers apart.
func colourOf(kind string) string {
	switch kind {
	case guard.KindPerson, guard.KindOrg:
		return magenta
	case guard.KindAddress, guard.KindPhone, guard.KindEmail, guard.KindURL:
		return cyan
	}

	return yellow
}

// paint colours s where there is a terminal that shows it.
func (sh *shell) paint(colour, s string) string {
	if !sh.Colour {
		return s
	}

	return "\x1b[" + colour + "m" + s + "\x1b[" + plainText + "m"
}

const around = 30 // bytes shown before and after a finding

// passage shows what stands at a finding, with a little around it; "" when the text cannot be had here.
func (sh *shell) passage(text string, start, end int) string {
	if start < 0 || end > len(text) || start >= end {
		return ""
	}

	// The bounds move to the next whole character.
	from, to := max(start-around, 0), min(end+around, len(text))
	for from < start && !utf8.RuneStart(text[from]) {
		from++
	}

	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	middle := ">>" + line(text[start:end]) + "<<"
	if sh.Colour {
		middle = sh.paint(marked, line(text[start:end]))
	}

	return fmt.Sprintf("\n  line %d: …%s%s%s…", 1+strings.Count(text[:start], "\n"), line(text[from:start]), middle,
		line(text[end:to]))
}

// line shows a text in one line.
func line(s string) string { return strings.NewReplacer("\n", " ", "\t", " ").Replace(s) }
