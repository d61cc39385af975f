package model

import "strings"

// Growing is a reply as it comes in, held to the bounds of a reply. The zero value is an empty one.
type Growing struct {
	text  strings.Builder
	calls []*growingCall
}

type growingCall struct {
	id, name  string
	arguments strings.Builder
}

// AddText adds a piece of text; false means that the bounds are passed.
func (g *Growing) AddText(piece string) bool {
	g.text.WriteString(piece)
	return g.text.Len() <= MaxText
}

// Open begins the next call and returns its number; ok is false when there are too many.
func (g *Growing) Open(id, name string) (number int, ok bool) {
	if len(g.calls) == MaxCalls {
		return 0, false
	}
	g.calls = append(g.calls, &growingCall{id: id, name: name})

	return len(g.calls) - 1, true
}

// Name gives a call what came after it was opened: an id or name where it has none yet.
func (g *Growing) Name(number int, id, name string) {
	c := g.calls[number]
	if c.id == "" {
		c.id = id
	}
	if c.name == "" {
		c.name = name
	}
}

// Unnamed reports whether a call has no id yet, or this one.
func (g *Growing) Unnamed(number int, id string) bool {
	return g.calls[number].id == "" || g.calls[number].id == id
}

// AddArguments adds a piece of a call's arguments; false means that the bounds are passed.
func (g *Growing) AddArguments(number int, piece string) bool {
	b := &g.calls[number].arguments
	b.WriteString(piece)

	return b.Len() <= MaxArguments
}

// Reply returns what has grown. ok is false when a call lacks its id or name.
func (g *Growing) Reply(stop Stop, usage Usage) (r Reply, ok bool) {
	r = Reply{Text: g.text.String(), Stop: stop, Usage: usage}
	for _, c := range g.calls {
		if c.id == "" || c.name == "" {
			return r, false
		}
		r.Calls = append(r.Calls, Call{ID: c.id, Name: c.name, Arguments: c.arguments.String()})
	}
	// Some providers end a reply with calls as they end any other.
	if len(r.Calls) > 0 && stop == Ended {
		r.Stop = Called
	}

	return r, true
}
