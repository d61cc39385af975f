package casereading

import (
	"cmp"
	"slices"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// Conflict is one act for which sentences give different days.
type Conflict struct {
	What, Object, Who string
	Acts              []Act // one for each day, the earliest first
}

// addActs keeps what was done on a day.
func (o *open) addActs() {
	if !o.keep.Dates {
		return
	}

	for _, a := range facts.Acts(o.text, o.said.Dates) {
		if len(o.Dossier.Acts) == mostActs {
			o.Dropped++
			continue
		}
		o.Dossier.Acts = append(o.Dossier.Acts, Act{a, o.Sentence(a.Span)})
	}
}

// Conflicts returns the acts to which different sentences give different days: the same act, of the same object, by the
// same one. They may be two acts all the same.
func (d *Dossier) Conflicts() []Conflict {
	type key struct{ what, object, who string }
	at := map[key]int{}
	var list []Conflict

	for _, a := range d.Acts {
		k := key{a.What, a.Object, a.Who}
		i, known := at[k]
		if !known {
			i = len(list)
			at[k] = i
			list = append(list, Conflict{What: a.What, Object: a.Object, Who: a.Who})
		}
		c := &list[i]
		if !slices.ContainsFunc(c.Acts, func(b Act) bool {
			// One sentence with two days is a range or a report of two acts.
			return b.Date.String() == a.Date.String() ||
				!a.At.Withheld && b.At.FileID == a.At.FileID && b.At.CharStart == a.At.CharStart
		}) {
			c.Acts = append(c.Acts, a)
		}
	}

	list = slices.DeleteFunc(list, func(c Conflict) bool { return len(c.Acts) < 2 })
	for _, c := range list {
		slices.SortStableFunc(c.Acts, func(a, b Act) int { return cmp.Compare(a.Date.String(), b.Date.String()) })
	}

	return list
}
