package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

const (
	callTime = time.Minute      // for one call
	longTime = 10 * time.Minute // for moving a file or an archive
)

// answered is an answer of the service: the bytes as they came, and what they say.
type answered[T any] struct {
	raw json.RawMessage
	v   T
}

// call makes one call as c and reads its answer.
func call[T any](sh *shell, c *client.Client, r httpcall.Request) (answered[T], error) {
	ctx, cancel := context.WithTimeout(sh.ctx, callTime)
	defer cancel()

	return callUnder[T](ctx, c, r)
}

func callUnder[T any](ctx context.Context, c *client.Client, r httpcall.Request) (a answered[T], err error) {
	if a.raw, err = c.Answer(ctx, r); err != nil {
		return a, err
	}
	if err := json.Unmarshal(a.raw, &a.v); err != nil {
		return a, fmt.Errorf("the service's answer to %s %s is not of the form that this version of subrosa "+
			"knows; use --json", r.Method, r.Path)
	}

	return a, nil
}

// get is the request that reads what is at a path of these segments.
func get(segments ...string) httpcall.Request {
	return httpcall.Request{Method: http.MethodGet, Path: httpcall.Path(segments...)}
}

// find is get with parameters of a query.
func find(q url.Values, segments ...string) httpcall.Request {
	r := get(segments...)
	r.Query = q

	return r
}

// do makes a call whose answer has no body, and says so by text.
func do(sh *shell, c *client.Client, r httpcall.Request, text string) error {
	ctx, cancel := context.WithTimeout(sh.ctx, callTime)
	defer cancel()
	if err := c.Do(ctx, r); err != nil {
		return err
	}
	if sh.root.JSON {
		// The service answers with no body.
		return nil
	}
	_, err := fmt.Fprintln(sh.Out, text)

	return err
}

// show prints an answer: as it came when JSON was asked for, else by text.
func show[T any](sh *shell, a answered[T], text func(w io.Writer, v T)) error {
	if !sh.root.JSON {
		text(sh.Out, a.v)
		return nil
	}

	return printRaw(sh.Out, a.raw)
}

func printRaw(w io.Writer, raw json.RawMessage) error {
	_, err := fmt.Fprintf(w, "%s\n", strings.TrimRight(string(raw), "\n"))
	return err
}

// array is a JSON array of items as they came.
func array(items []json.RawMessage) json.RawMessage {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = string(item)
	}

	return json.RawMessage("[" + strings.Join(texts, ",") + "]")
}

// one makes a call and prints its answer.
func one[T any](sh *shell, r httpcall.Request, text func(w io.Writer, v T)) error {
	c, err := sh.caller()
	if err != nil {
		return err
	}
	a, err := call[T](sh, c, r)
	if err != nil {
		return err
	}

	return show(sh, a, text)
}

// person is one for what only a person may do: it acts as the user unless --as says otherwise.
func person[T any](sh *shell, r httpcall.Request, text func(w io.Writer, v T)) error {
	c, err := sh.person()
	if err != nil {
		return err
	}
	a, err := call[T](sh, c, r)
	if err != nil {
		return err
	}

	return show(sh, a, text)
}

// paging are the flags of every list.
type paging struct {
	Limit  int    `help:"Rows on a page, 1 to 100." default:"25"`
	All    bool   `help:"Follow all pages."`
	Cursor string `help:"Begin at the page that this nextCursor of an earlier one names." placeholder:"CURSOR"`
}

// Validate refuses a limit that no list takes.
func (p paging) Validate() error { return checkLimit(p.Limit) }

const mostRows = 100 // on a page

func checkLimit(rows int) error {
	if rows < 1 || rows > mostRows {
		return fmt.Errorf("--limit must be from 1 to %d", mostRows)
	}

	return nil
}

func (p paging) query() url.Values {
	q := url.Values{"limit": {strconv.Itoa(p.Limit)}}
	if p.Cursor != "" {
		q.Set("cursor", p.Cursor)
	}

	return q
}

// listed prints a list. JSON is the page as it came, or with --all one array of the items of all pages.
func listed[T any](
	sh *shell, c *client.Client, p paging, path string, q url.Values, text func(w io.Writer, items []T),
) error {
	for name, values := range p.query() {
		q[name] = values
	}
	page, err := call[api.Page[json.RawMessage]](sh, c, httpcall.Request{Method: http.MethodGet, Path: path, Query: q})
	if err != nil {
		return err
	}

	// With --all every page is read before a row is printed: a table needs the widths of all cells.
	items, next := page.v.Items, page.v.NextCursor
	for p.All && next != nil {
		q.Set("cursor", *next)
		more, err := call[api.Page[json.RawMessage]](
			sh,
			c,
			httpcall.Request{Method: http.MethodGet, Path: path, Query: q},
		)
		if err != nil {
			return err
		}
		items, next = append(items, more.v.Items...), more.v.NextCursor
	}
	if sh.root.JSON && p.All {
		return printRaw(sh.Out, array(items))
	}
	if sh.root.JSON {
		return printRaw(sh.Out, page.raw)
	}

	rows := make([]T, len(items))
	for i, item := range items {
		if err := json.Unmarshal(item, &rows[i]); err != nil {
			return errors.New("a row of the list is not of the form that this version of subrosa knows; use --json")
		}
	}
	text(sh.Out, rows)
	if page.v.Total != nil {
		capped := ""
		if page.v.TotalCapped {
			capped = " or more"
		}
		fmt.Fprintf(sh.Out, "%d%s in all\n", *page.v.Total, capped)
	}
	if next != nil {
		fmt.Fprintln(sh.Out, "There are more: --all")
	}

	return nil
}

// table prints rows under their heads.
func table(w io.Writer, head []string, rows func(row func(...any))) {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, strings.Join(head, "\t"))
	rows(func(cells ...any) {
		texts := make([]string, len(cells))
		for i, c := range cells {
			texts[i] = oneLine(c)
			if texts[i] == "" {
				texts[i] = "-"
			}
		}
		fmt.Fprintln(tab, strings.Join(texts, "\t"))
	})
	_ = tab.Flush()
}

// oneLine is a value on one line, without what a terminal would obey or show in another order: others have written it.
func oneLine(v any) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r == '\u200d' || unicode.IsSpace(r) || unicode.IsPrint(r) {
			return r
		}

		// The replacement character shows that something was there.
		return '\ufffd'
	}, fmt.Sprint(v))), " ")
}

// sheet prints what is known of one thing: name, value, name, value. What is empty is left out.
func sheet(w io.Writer, pairs ...any) {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)

	for i := 0; i+1 < len(pairs); i += 2 {
		// What was never set would only be noise.
		if value := oneLine(pairs[i+1]); value != "" {
			fmt.Fprintf(tab, "%v\t%s\n", pairs[i], value)
		}
	}
	_ = tab.Flush()
}

const minute = "2006-01-02 15:04"

func local(at api.Instant) string {
	if at.IsZero() {
		return ""
	}

	return at.Local().Format(minute)
}

func localOf(at *api.Instant) string {
	if at == nil {
		return ""
	}

	return local(*at)
}

func deref[T any](p *T) T {
	var none T
	if p == nil {
		return none
	}

	return *p
}

// fields is the body of a request, of which only what was given is sent.
type fields map[string]any

func (f fields) text(name, value string) {
	if value != "" {
		f[name] = value
	}
}

func (f fields) texts(name string, values []string) {
	if len(values) > 0 {
		f[name] = values
	}
}

// decided sets a bool from yes, no or nothing.
func (f fields) decided(name, value string) {
	if value != "" {
		f[name] = value == "yes"
	}
}

// part sets an object unless nothing of it was given.
func (f fields) part(name string, value fields) {
	if len(value) > 0 {
		f[name] = value
	}
}

// merged puts a JSON object over f, member by member; a text that begins with @ names a file that holds it.
func (f fields) merged(set string) error {
	if set == "" {
		return nil
	}
	text := []byte(set)
	if name, ok := strings.CutPrefix(set, "@"); ok {
		var err error
		if text, err = os.ReadFile(name); err != nil {
			return fmt.Errorf("--set: %w", err)
		}
	}
	var over map[string]any
	if err := json.Unmarshal(text, &over); err != nil || over == nil {
		return &misuse{`--set takes a JSON object, such as '{"tags":["lease"]}', or @FILE that holds one`}
	}
	f.over(over)

	return nil
}

func (f fields) over(patch map[string]any) {
	for name, value := range patch {
		inner, isObject := value.(map[string]any)
		// Objects are merged, so that --set can add one member to a part that flags have set; everything else replaces.
		if below, ok := f[name].(fields); ok && isObject {
			below.over(inner)
			continue
		}
		f[name] = value
	}
}

// params are query parameters, of which only what was given is sent.
type params url.Values

func (p params) text(name, value string) {
	if value != "" {
		url.Values(p).Set(name, value)
	}
}

func (p params) texts(name string, values []string) {
	if len(values) > 0 {
		url.Values(p).Set(name, strings.Join(values, ","))
	}
}

func (p params) flag(name string, on bool) {
	if on {
		url.Values(p).Set(name, "true")
	}
}

func (p params) decided(name, value string) {
	if value != "" {
		url.Values(p).Set(name, strconv.FormatBool(value == "yes"))
	}
}

// match is the header that holds a change to one version.
func match(version int) http.Header {
	if version == 0 {
		return nil
	}

	// Versions are entity tags, which RFC 9110 wants in quotation marks.
	return http.Header{"If-Match": {`"` + strconv.Itoa(version) + `"`}}
}
