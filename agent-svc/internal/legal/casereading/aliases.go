package casereading

import (
	"regexp"

	"github.com/subrosa-legal/subrosa/pkg/label"
)

// alsoKnown is a place at which a text says that two labels stand for one.
var alsoKnown = regexp.MustCompile(`(\[\p{Lu}\p{L}*(?: \p{L}+)? \d{1,5}\])[,;(\s]+(?i:also known as|a/k/a|aka|` +
	`f/k/a|formerly known as|formerly|n/k/a|now known as|née|d/b/a|doing business as|also spelled|also ` +
	`called|alias)\s+` +
	`(\[\p{Lu}\p{L}*(?: \p{L}+)? \d{1,5}\])`)

// addAliases notes the labels of which the file says that they stand for one.
func (o *open) addAliases() {
	for at := 0; ; {
		m := alsoKnown.FindStringSubmatchIndex(o.text[at:])
		if m == nil {
			return
		}
		first, _, one := label.At(o.text, at+m[2])
		second, _, other := label.At(o.text, at+m[4])
		if one && other {
			o.Same(first, second)
		}
		// The second label may itself be known as a third, so the search goes on at it.
		at += m[4]
	}
}

// Same notes that the label other stands for the one that kept stands for.
func (d *Dossier) Same(kept, other label.Label) {
	if d.same == nil {
		d.same = map[label.Label]label.Label{}
	}
	// Both ends are followed first, so that no circle can arise.
	if kept, other = d.one(kept), d.one(other); kept != other && len(d.same) < mostLabels {
		d.same[other] = kept
	}
}

// one returns the label that stands for all that are the same.
func (d *Dossier) one(l label.Label) label.Label {
	// The bound ends the walk even if a circle were there.
	for range mostLabels {
		next, ok := d.same[l]
		if !ok {
			break
		}
		l = next
	}

	return l
}

// distinct returns the labels without those that stand for one that is among them already.
func (d *Dossier) distinct(list []Label) []Label {
	if len(d.same) == 0 {
		return list
	}
	var kept []Label
	seen := map[label.Label]bool{}

	for _, l := range list {
		if one := d.one(l.Label); !seen[one] {
			seen[one] = true
			kept = append(kept, l)
		}
	}

	return kept
}
