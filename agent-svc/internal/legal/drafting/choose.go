package drafting

import (
	"slices"
	"strings"
	"unicode"

	"github.com/subrosa-legal/subrosa/pkg/label"
)

// Choice is what a prompt is taken to ask for.
type Choice struct {
	Best   Skeleton
	Named  bool       // the prompt names a kind of draft; else Best is empty
	Others []Skeleton // further kinds that it names, if only as what a draft answers to
	Relief Relief     // what the prompt asks the draft to ask for
	To     string     // the label that it names as the other side or addressee, "" for none
}

// named is a place at which a prompt names a kind of draft.
type named struct{ skeleton, at, words int }

// Choose tells which draft a prompt asks for. The first kind that it names counts, of two that begin at the same word
// the longer; what a draft is about or answers to ("an answer to the complaint") is not asked for.
func (t *Templates) Choose(prompt string) Choice {
	all := words(prompt)
	var found []named

	for i, one := range t.all {
		for _, cue := range one.cues {
			for at := range all {
				if follows(all, at, cue) {
					found = append(found, named{i, at, len(cue)})
				}
			}
		}
	}
	// Of two names at one word the longer is meant: "answer to interrogatories" is no answer to a complaint.
	slices.SortStableFunc(found, func(a, b named) int {
		if a.at != b.at {
			return a.at - b.at
		}

		return b.words - a.words
	})
	c := Choice{To: partyIn(prompt), Relief: reliefIn(prompt)}
	var about []Skeleton

	end := 0
	for _, n := range found {
		if n.at < end {
			// The name lies within the one before, whose words it shares.
			continue
		}
		end = n.at + n.words

		one := t.all[n.skeleton]
		switch {
		case one.excluded(all):
		// "an answer to the complaint" asks for the answer.
		case object(all, n.at):
			about = append(about, one)
		case !c.Named:
			c.Named, c.Best = true, one.narrowed(all).titled(c.Relief)
		case one.Name == c.Best.Name,
			slices.ContainsFunc(c.Others, func(o Skeleton) bool { return o.Name == one.Name }):
		default:
			c.Others = append(c.Others, one)
		}
	}
	if !c.Named {
		c.Others = about
	}

	return c
}

// narrowed returns the skeleton as the narrower kind that the words name, if they name one.
func (s Skeleton) narrowed(all []string) Skeleton {
	for _, v := range s.variants {
		for at := range all {
			if follows(all, at, v.cue) {
				s.DocType, s.Title = v.docType, v.title
				return s
			}
		}
	}

	return s
}

// titled returns the skeleton with the relief in its title, where its papers have that.
func (s Skeleton) titled(r Relief) Skeleton {
	if s.relief != "" && r.Words != "" {
		s.Title = strings.Replace(s.relief, "RELIEF", r.title(), 1)
	}

	return s
}

// excluded reports whether the words name another paper whose name holds that of the skeleton's.
func (s Skeleton) excluded(all []string) bool {
	for _, cue := range s.not {
		for at := range all {
			if follows(all, at, cue) {
				return true
			}
		}
	}

	return false
}

// object reports whether the words before i make what follows the object of a draft. In "a set of interrogatories" they
// do not.
func object(all []string, i int) bool {
	for {
		for i > 0 && slices.Contains(beforeNoun, all[i-1]) {
			i--
		}
		if i < 2 || all[i-1] != "of" || !slices.Contains(kindsOfDraft, all[i-2]) {
			break
		}
		i -= 2
	}

	return i > 0 && slices.Contains(prepositions, all[i-1])
}

var (
	// beforeNoun are words that can stand between a preposition and what it governs.
	beforeNoun = []string{
		"the", "a", "an", "our", "their", "his", "her", "its", "this", "that", "plaintiff's", "defendant's",
		"draft", "first", "second", "third", "initial",
	}
	// kindsOfDraft are words whose "of" makes nothing an object: "a set of interrogatories".
	kindsOfDraft = []string{"set", "draft", "version", "outline", "round"}
	prepositions = []string{
		"to", "of", "about", "against", "regarding", "on", "for", "in", "from", "under", "with",
	}
)

func follows(all []string, at int, cue []string) bool {
	return at+len(cue) <= len(all) && slices.Equal(all[at:at+len(cue)], cue)
}

// words returns the words of a prompt in lower case, without what stands in labels.
func words(prompt string) []string {
	var b strings.Builder

	for i := 0; i < len(prompt); {
		if prompt[i] == '[' {
			if _, width, ok := label.At(prompt, i); ok {
				// A label leaves a word that fits no cue, so that names around it do not join.
				b.WriteString(" . ")
				i += width

				continue
			}
		}
		b.WriteByte(prompt[i])
		i++
	}

	return strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(b.String(), "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
}

// partyIn returns the first label of a prompt that can be a party.
func partyIn(prompt string) string {
	for _, l := range label.All(prompt) {
		switch l.Kind {
		case "Party", "Person", "Minor", "Org", "Company":
			return l.String()
		}
	}

	return ""
}
