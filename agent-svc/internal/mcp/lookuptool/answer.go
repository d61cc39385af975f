package lookuptool

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/protocol"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// Answer is what a lookup gives back, in the form of the tool's schema.
type Answer struct {
	View string `json:"view"`
	// RetrievedAt is when the records were read; each names itself by its id and says when it changed last.
	RetrievedAt api.Instant `json:"retrievedAt"`
	Items       []Item      `json:"items"`
	NextCursor  string      `json:"nextCursor,omitempty"`
	Truncated   bool        `json:"truncated"`
	Notice      string      `json:"notice,omitempty"`
}

// Item is one record.
type Item struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"`
	Title     string         `json:"title"`
	Summary   string         `json:"summary,omitempty"`
	URL       string         `json:"url,omitempty"`
	UpdatedAt string         `json:"updatedAt,omitempty"`
	Fields    map[string]any `json:"fields,omitempty"`
}

// found is what a view found at the services.
type found struct {
	items  []Item
	next   string // cursor of the service's next page
	links  []protocol.Link
	notice string
}

// longest bounds an answer in characters; hosts cut what is longer.
const (
	longest   = 60_000
	reserved  = 2_000 // for what stands around the items
	roundSize = 2     // characters between two items
)

const (
	noticeMore  = "There is more: nextCursor with the same other arguments gives it."
	noticeCases = "The text of files is searched only with caseId."
	noticeShort = "Long texts and lists within a record were shortened; a passage, " +
		"or the record by itself with detail full, has more of it."
)

// answer fits what was found into one answer. Items that do not fit are left to the next one; an item that is too long
// by itself has its texts and lists shortened.
func (f found) answer(q query) Answer {
	a := Answer{View: q.View, Items: []Item{}, Notice: f.notice}
	rest := f.items[min(q.place.skip, len(f.items)):]
	room, taken := longest-reserved, 0
	tell := func(notice string) { a.Notice = strings.TrimSpace(notice + " " + f.notice) }

	for _, item := range rest {
		size := sizeOf(item)
		// The rest of a record that is too long by itself can be read by its own view, so no page is lost to it.
		if size > longest-reserved {
			item, size = shortened(item)
			a.Truncated = true
			tell(noticeShort)
		}
		if size > room || taken == q.Limit {
			break
		}
		a.Items, room, taken = append(a.Items, item), room-size-roundSize, taken+1
	}

	switch {
	case taken < len(rest):
		a.NextCursor, a.Truncated = place{q.place.cursor, q.size(), q.place.skip + taken}.String(), true
		tell(noticeMore)
	case f.next != "":
		a.NextCursor = place{cursor: f.next, size: q.size()}.String()
	}
	// A cursor that is longer than one may be could not be sent back.
	if len(a.NextCursor) > longestCursor {
		a.NextCursor, a.Truncated = "", true
		tell("There is more, which filters bring within reach.")
	}

	return a
}

func sizeOf(item Item) int {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// Only what was read as JSON is in it, so it can always be encoded.
	if err := enc.Encode(item); err != nil {
		panic("lookup: " + err.Error())
	}

	return utf8.RuneCount(b.Bytes())
}

// shortened returns an item that fits, with its size: the bounds on texts and lists within it fall until it does.
func shortened(item Item) (Item, int) {
	fields := item.Fields

	for _, most := range shorter {
		item.Title, item.Summary = protocol.Cut(item.Title, most.text), protocol.Cut(item.Summary, most.text)
		item.Fields, _ = bounded(fields, most.text, most.list).(map[string]any)
		if size := sizeOf(item); size <= longest-reserved {
			return item, size
		}
	}
	item.Fields = nil

	return item, sizeOf(item)
}

// shorter are the bounds that are tried on the texts and lists of a record, in code points and items.
var shorter = []struct{ text, list int }{
	{20_000, 200},
	{8_000, 100},
	{4_000, 50},
	{2_000, 30},
	{1_000, 20},
	{400, 10},
	{100, 5},
	{40, 2},
}

// bounded returns a value with no text and no list longer than that.
func bounded(v any, text, list int) any {
	switch v := v.(type) {
	case string:
		return protocol.Cut(v, text)
	case []any:
		kept := slices.Clone(v[:min(len(v), list)])
		for i := range kept {
			kept[i] = bounded(kept[i], text, list)
		}

		return kept
	case map[string]any:
		kept := make(map[string]any, len(v))
		for name, member := range v {
			kept[name] = bounded(member, text, list)
		}

		return kept
	}

	return v
}
