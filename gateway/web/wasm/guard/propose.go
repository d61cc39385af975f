//go:build js && wasm

package main

import (
	"strings"
	"syscall/js"

	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

// propose returns one item for each finding, in their order: the label of its identity, else that of the one person
// whom a name probably means, else the next of its kind, or "" for what was dismissed. What it gives to one place
// counts for those that follow.
func propose(args []js.Value) (any, error) {
	text, err := wellFormed(args[0])
	if err != nil {
		return nil, err
	}
	m, err := mapOf(args[2])
	if err != nil {
		return nil, err
	}
	// Labels that stand in the text already must not be given to somebody else.
	m.Reserve(text)
	labels := []any{}

	for _, f := range findings(text, args[1]) {
		identity := text[f.Start:f.End]

		l, known := m.Of(identity)
		switch {
		case known:
		case m.Dismissed(identity):
			labels = append(labels, "")
			continue
		default:
			if l, err = fresh(m, f.Kind, identity); err != nil {
				return nil, err
			}
			// Assigned at once, so that the next place of the same name gets the same label.
			if err := m.Assign(identity, l); err != nil {
				return nil, err
			}
		}
		labels = append(labels, l.String())
	}

	return labels, nil
}

// fresh is the label of an identity that has none: a name may mean somebody who has one, and a bracket that was meant
// as a label means that.
func fresh(m *guard.LabelMap, kind, identity string) (label.Label, error) {
	word := guard.LabelWord(kind, identity)
	if l, ok := m.Suggest(kind, identity); ok {
		return l, nil
	}
	if kind == guard.KindLabel {
		_, number, _ := strings.Cut(strings.Trim(identity, "[] "), " ")
		if l, err := label.Parse("[" + word + " " + strings.TrimSpace(number) + "]"); err == nil {
			return l, nil
		}
	}

	return m.Next(word)
}
