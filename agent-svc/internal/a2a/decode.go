package a2a

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"mime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// Limits of a request. A body is bounded before it comes here.
const (
	mostParts   = 100
	longestFile = 255 // of the name of a file, or of its media type
)

var errMalformed = a2aerr.New(
	a2aerr.ParseError,
	"The body is not one JSON object. Send JSON in UTF-8, at most 32 levels deep and without repeated members.",
)

// parse reads one JSON object. Members that are repeated, and halves of characters, are refused: two readers would see
// two requests.
func parse(body []byte) (map[string]any, error) {
	if strictjson.WellFormed(body) != nil {
		return nil, errMalformed
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	// Numbers stay as they were written: a float64 would change an id or an amount beyond 2^53.
	dec.UseNumber()

	var members map[string]any
	if dec.Decode(&members) != nil {
		return nil, errMalformed
	}

	return members, nil
}

// fields reads the members of an object by their names in camelCase; the snake_case of the same name is taken too, and
// members of other names are ignored, both as the protocol asks for. It gathers what is wrong.
type fields struct {
	path   string
	values map[string]any
	wrong  *[]string
	query  bool // they come from a query, where a number has one way to be written
}

func object(values map[string]any) fields { return fields{values: values, wrong: &[]string{}} }

// snake is the other spelling of a name.
func snake(name string) string {
	var b strings.Builder

	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}

	return b.String()
}

// get returns a member; null is the same as none. One that has both spellings says nothing that can be relied on.
func (f fields) get(name string) any {
	v, other := f.values[name], f.values[snake(name)]
	if v == nil {
		return other
	}
	if other != nil && snake(name) != name {
		f.fault(name, "is given in two spellings")
	}

	return v
}

func (f fields) fault(name, what string) {
	if told := f.path + name + " " + what; !slices.Contains(*f.wrong, told) {
		*f.wrong = append(*f.wrong, told)
	}
}

// mostDetails bounds how many wrong fields one error names.
const mostDetails = 20

// err returns what is wrong with the fields, in one error.
func (f fields) err() error {
	if len(*f.wrong) == 0 {
		return nil
	}

	return a2aerr.New(a2aerr.InvalidParams, "Fix these fields and send the request again: "+
		strings.Join((*f.wrong)[:min(len(*f.wrong), mostDetails)], "; ")+".")
}

func (f fields) text(name string, required bool) string {
	v := f.get(name)
	s, ok := v.(string)
	if v != nil && !ok {
		f.fault(name, "must be text")
	}
	if required && s == "" && (ok || v == nil) {
		f.fault(name, "is required")
	}

	return s
}

// name reads an id that the client chose.
func (f fields) name(name string, required bool) string {
	if v := f.get(name); required && (v == nil || v == "") {
		f.fault(name, "is required")
		return ""
	}

	return f.line(name, api.MaxA2AName)
}

// line reads text that belongs on one line, of at most so many characters.
func (f fields) line(name string, most int) string {
	s := f.text(name, false)

	switch {
	case utf8.RuneCountInString(s) > most:
		f.fault(name, fmt.Sprintf("must be one line of at most %d characters", most))
	case strings.ContainsFunc(s, validate.Unprintable):
		f.fault(name, "must be one line "+validate.WithoutMarks)
	}

	return s
}

// number reads a whole number, given as such or, as ProtoJSON allows, as text or with a fraction of zero.
func (f fields) number(name string, least, most int) *int {
	v := f.get(name)
	if v == nil {
		return nil
	}
	n, ok := f.whole(fmt.Sprint(v))
	if _, text := v.(bool); text || !ok || n < least || n > most {
		f.fault(name, fmt.Sprintf("must be a whole number from %d to %d", least, most))
		return nil
	}

	return &n
}

func (f fields) whole(s string) (int, bool) {
	if f.query {
		n, err := httpx.Number(s)
		return n, err == nil
	}
	// ProtoJSON lets 5.0 and "5" stand for 5; past 32 bits the protocol has no numbers.
	if n, err := strconv.Atoi(s); err == nil {
		return n, true
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
		return 0, false
	}

	return int(x), true
}

func (f fields) flag(name string) bool {
	v := f.get(name)
	b, ok := v.(bool)
	if v != nil && !ok {
		f.fault(name, "must be true or false")
	}

	return b
}

func (f fields) moment(name string) time.Time {
	s := f.text(name, false)
	if s == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		f.fault(name, "must be a time such as 2026-11-24T12:00:00.000Z")
	}

	return at
}

func (f fields) texts(name string) []string {
	list, ok := f.get(name).([]any)
	if f.get(name) != nil && !ok {
		f.fault(name, "must be a list of texts")
	}

	var all []string

	for _, v := range list {
		s, ok := v.(string)
		if !ok {
			f.fault(name, "must be a list of texts")
			break
		}
		all = append(all, s)
	}

	return all
}

// inner reads a member that is an object; a missing one has no members.
func (f fields) inner(name string, required bool) fields {
	v := f.get(name)
	values, ok := v.(map[string]any)
	if v != nil && !ok || required && v == nil {
		f.fault(name, "must be an object")
	}

	return fields{path: f.path + name + ".", values: values, wrong: f.wrong}
}

// free reads a member whose own members nobody but an extension knows.
func (f fields) free(name string) map[string]any {
	v := f.get(name)
	values, ok := v.(map[string]any)
	if v != nil && !ok {
		f.fault(name, "must be an object")
	}

	return values
}

// message reads the message of a request.
func (f fields) message() Message {
	m := f.inner("message", true)
	if m.values == nil {
		return Message{}
	}
	out := Message{
		MessageID:        m.name("messageId", true),
		ContextID:        m.name("contextId", false),
		TaskID:           m.name("taskId", false),
		Role:             m.text("role", true),
		Metadata:         m.free("metadata"),
		Extensions:       m.texts("extensions"),
		ReferenceTaskIDs: m.texts("referenceTaskIds"),
	}
	if out.Role != "" && out.Role != RoleUser {
		m.fault("role", "must be "+RoleUser)
	}

	list, ok := m.get("parts").([]any)
	if !ok || len(list) == 0 || len(list) > mostParts {
		m.fault("parts", "must be a list of 1 to 100 parts")
	}

	for i, v := range list[:min(len(list), mostParts)] {
		out.Parts = append(out.Parts, m.part(i, v))
	}

	return out
}

func (f fields) part(i int, v any) Part {
	values, ok := v.(map[string]any)
	here := fmt.Sprintf("parts[%d]", i)
	p := fields{path: f.path + here + ".", values: values, wrong: f.wrong}
	if !ok {
		f.fault(here, "must be an object")
		return Part{}
	}
	out := Part{
		URL:       p.text("url", false),
		Data:      p.get("data"),
		Metadata:  p.free("metadata"),
		Filename:  p.line("filename", longestFile),
		MediaType: p.line("mediaType", longestFile),
	}
	if _, _, err := mime.ParseMediaType(out.MediaType); out.MediaType != "" && err != nil {
		p.fault("mediaType", "must be a media type such as text/plain")
	}
	given := 0

	if text, there := values["text"]; there && text != nil {
		given++
		s := p.text("text", false)
		out.Text = &s
	}
	if raw := p.text("raw", false); raw != "" {
		given++
		out.Raw = p.bytes("raw", raw)
	}

	// Text may be "" and still be given; the other three count by what they hold.
	for _, there := range []bool{out.URL != "", out.Data != nil} {
		if there {
			given++
		}
	}
	if given != 1 {
		f.fault(here, "must have exactly one of text, raw, url and data")
	}

	return out
}

// bytes reads base64 in either alphabet, with or without padding, as ProtoJSON does.
func (f fields) bytes(name, s string) []byte {
	s = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(s), "=")

	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		f.fault(name, "must be base64")
	}

	return b
}
