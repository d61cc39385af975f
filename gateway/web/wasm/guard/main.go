//go:build js && wasm

// Command guard is the identity guard for the browser: documents are looked through and labelled where they are, before
// anything is sent.
//
// It sets globalThis.subrosaGuard, an object of five functions, and stays for as long as the page or worker that runs
// it. Each call is synchronous and blocks its thread, so it belongs in a worker. A function that fails returns, instead
// of its result, an Error with a code.
//
//	check(text, door)          findings: [{kind, why, unread, start, end, startByte, endByte}]
//	label(text, findings, map) {text, map}: identities replaced by labels, and the map that has them all
//	propose(text, findings, map) a label for each finding, "" for what the map holds for no identity; nothing is labelled yet
//	unlabel(text, map)         the text with identities in the place of labels
//	version()                  the name of the rules, which changes with them
//
// unread says that the place is a word in a language that the guard does not know. start and end count UTF-16 code
// units, as text.slice does; startByte and endByte count bytes of UTF-8, as the service does. label reads kind, start
// and end of findings, so that a page can add what a person marks. A map is a guard.LabelData in the form of its JSON;
// an empty object is an empty one, and no call changes what it is given. A text with half a surrogate pair is refused:
// it could not be put back.
package main

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"syscall/js"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// collectAt is how much the heap may grow by before garbage is collected, in per cent. What stays in use is a few
// megabytes, and a check makes less than another one; the thread that checks has to collect too.
const collectAt = 400

func main() {
	debug.SetGCPercent(collectAt)
	js.Global().Set("subrosaGuard", map[string]any{
		"check":   exported(check),
		"label":   exported(labelled),
		"propose": exported(propose),
		"unlabel": exported(unlabel),
		"version": exported(func([]js.Value) (any, error) { return guard.Version(), nil }),
	})
	select {}
}

var errArguments = errors.New("the arguments are not what this function takes")

// exported is f for JavaScript, which gets errors as values: Go cannot throw, and a panic would end the instance.
func exported(f func(args []js.Value) (any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) (result any) {
		defer func() {
			// syscall/js panics when an argument is missing or of another type.
			if recover() != nil {
				result = failure(errArguments)
			}
		}()
		result, err := f(args)
		if err != nil {
			return failure(err)
		}

		return result
	})
}

func failure(err error) js.Value {
	code := "internal"

	switch {
	case errors.Is(err, errArguments):
		code = "invalid_parameter"
	case errors.Is(err, guard.ErrBadLabelMap):
		code = guard.ErrBadLabelMap.Code
	case errors.Is(err, guard.ErrNoLabelFree):
		code = guard.ErrNoLabelFree.Code
	}
	value := js.Global().Get("Error").New(err.Error())
	value.Set("code", code)

	return value
}

func check(args []js.Value) (any, error) {
	text, err := wellFormed(args[0])
	if err != nil {
		return nil, err
	}
	door, err := doorNamed(args[1].String())
	if err != nil {
		return nil, err
	}
	var found []guard.Finding
	err = guard.Guard{}.CheckReader(context.Background(), door, strings.NewReader(text), func(f guard.Finding) error {
		found = append(found, f)
		return nil
	})
	if err != nil {
		return nil, err
	}

	offsets := make([]int, 0, 2*len(found))
	for _, f := range found {
		offsets = append(offsets, f.Start, f.End)
	}
	// All offsets in one pass: one by one would read the text from its beginning each time.
	offsets = guard.UTF16(text, offsets)

	list := make([]any, len(found))
	for i, f := range found {
		list[i] = map[string]any{
			"kind":      f.Kind,
			"why":       f.Why,
			"unread":    f.Unread,
			"start":     offsets[2*i],
			"end":       offsets[2*i+1],
			"startByte": f.Start,
			"endByte":   f.End,
		}
	}

	return list, nil
}

func doorNamed(name string) (guard.Channel, error) {
	for d := guard.Prompt; d.String() != "unknown"; d++ {
		if d.String() == name {
			return d, nil
		}
	}

	return 0, errArguments
}

func labelled(args []js.Value) (any, error) {
	text, err := wellFormed(args[0])
	if err != nil {
		return nil, err
	}
	found := findings(text, args[1])
	m, err := mapOf(args[2])
	if err != nil {
		return nil, err
	}
	labelled, err := m.Label(text, found)
	if err != nil {
		return nil, err
	}

	return map[string]any{"text": labelled, "map": plain(m.Data())}, nil
}

// findings reads places of a text, in the order in which they are given.
func findings(text string, from js.Value) []guard.Finding {
	found := make([]guard.Finding, from.Length())

	offsets := make([]int, 0, 2*len(found))
	for i := range found {
		f := from.Index(i)
		found[i].Kind = f.Get("kind").String()
		offsets = append(offsets, f.Get("start").Int(), f.Get("end").Int())
	}

	offsets = guard.FromUTF16(text, offsets)
	for i := range found {
		found[i].Start, found[i].End = offsets[2*i], offsets[2*i+1]
	}

	return found
}

func unlabel(args []js.Value) (any, error) {
	text, err := wellFormed(args[0])
	if err != nil {
		return nil, err
	}
	m, err := mapOf(args[1])
	if err != nil {
		return nil, err
	}

	return m.Unlabel(text), nil
}

// wellFormed returns a text that Go can hold and JavaScript gets back as it was.
func wellFormed(v js.Value) (string, error) {
	if v.Type() != js.TypeString {
		return "", errArguments
	}
	text := v.String()
	// Go turns half of a surrogate pair into this character, so a text with one does not come back equal.
	if strings.ContainsRune(text, '\ufffd') && !js.ValueOf(text).Equal(v) {
		return "", errArguments
	}

	return text, nil
}

// mapOf reads a map. Lists that are not there are empty.
func mapOf(v js.Value) (*guard.LabelMap, error) {
	if v.Type() != js.TypeObject {
		return nil, errArguments
	}
	var d guard.LabelData

	for e := range items(v.Get("labels")) {
		entry := guard.LabelEntry{Label: e.Get("label").String()}
		for identity := range items(e.Get("identities")) {
			entry.Identities = append(entry.Identities, identity.String())
		}
		d.Labels = append(d.Labels, entry)
	}

	for e := range items(v.Get("texts")) {
		t := guard.LabelledText{Key: e.Get("key").String()}
		for which := range items(e.Get("spellings")) {
			t.Spellings = append(t.Spellings, which.Int())
		}
		d.Texts = append(d.Texts, t)
	}

	for word := range items(v.Get("noIdentity")) {
		d.NoIdentity = append(d.NoIdentity, word.String())
	}

	return guard.NewLabelMap(d)
}

// items yields the elements of an array, and nothing when there is none.
func items(v js.Value) func(yield func(js.Value) bool) {
	return func(yield func(js.Value) bool) {
		if v.IsUndefined() {
			return
		}

		for i := range v.Length() {
			if !yield(v.Index(i)) {
				return
			}
		}
	}
}

// plain is a map as JavaScript sees it, without empty lists but that of labels, as in JSON.
func plain(d guard.LabelData) map[string]any {
	out := map[string]any{"labels": list(d.Labels, func(e guard.LabelEntry) any {
		entry := map[string]any{"label": e.Label}
		if len(e.Identities) > 0 {
			entry["identities"] = list(e.Identities, itself[string])
		}

		return entry
	})}
	if len(d.Texts) > 0 {
		out["texts"] = list(d.Texts, func(t guard.LabelledText) any {
			return map[string]any{"key": t.Key, "spellings": list(t.Spellings, itself[int])}
		})
	}
	if len(d.NoIdentity) > 0 {
		out["noIdentity"] = list(d.NoIdentity, itself[string])
	}

	return out
}

func itself[T any](v T) any { return v }

func list[T any](from []T, each func(T) any) []any {
	out := make([]any, len(from))
	for i, v := range from {
		out[i] = each(v)
	}

	return out
}
