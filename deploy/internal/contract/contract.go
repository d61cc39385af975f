// Package contract makes the OpenAPI document a judge of traffic: a transport that looks at every request and every
// answer, and keeps what departs from the document. It is for tests; what it says of a departure quotes the traffic.
package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// Load reads the document and checks that it is valid, its examples included.
func Load(ctx context.Context) (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(api.Contract())
	if err != nil {
		return nil, fmt.Errorf("load the document: %w", err)
	}
	if err := doc.Validate(ctx, openapi3.EnableExamplesValidation()); err != nil {
		return nil, fmt.Errorf("the document: %w", err)
	}
	// Paths alone decide, so that the document judges a service on any port.
	doc.Servers = nil

	return doc, nil
}

// rules are what all judges by one document share. Each schema is compiled once.
type rules struct {
	routes routers.Router
	event  *jsonschema.Schema

	// plain is the document with the version number 3.0. For that version the filter checks parameters by its own
	// code; for 3.1 it would compile a schema for each of them.
	plain *openapi3.T

	mu       sync.Mutex
	compiler *jsonschema.Compiler
}

// Judge holds traffic against a document. It is safe for concurrent use.
type Judge struct {
	*rules
	host string // whose traffic is judged

	mu         sync.Mutex
	departures map[string]string // the first of each sort
	met        map[string]bool
}

// New returns a judge by doc of the traffic with host.
func New(doc *openapi3.T, host string) (*Judge, error) {
	routes, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, fmt.Errorf("route by the document: %w", err)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("write the document: %w", err)
	}
	resource, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	plain := *doc
	plain.OpenAPI = "3.0.3"
	r := &rules{routes: routes, plain: &plain, compiler: jsonschema.NewCompiler()}
	r.compiler.AssertFormat()
	if err := r.compiler.AddResource(resourceName, resource); err != nil {
		return nil, fmt.Errorf("read the document's schemas: %w", err)
	}
	if r.event, err = r.schema("#/components/schemas/Event"); err != nil {
		return nil, err
	}

	return r.of(host), nil
}

func (r *rules) of(host string) *Judge {
	return &Judge{rules: r, host: host, departures: map[string]string{}, met: map[string]bool{}}
}

// Of returns another judge by the same document, of the traffic with host, that has seen nothing yet.
func (j *Judge) Of(host string) *Judge { return j.of(host) }

// resourceName is what the document is called among schemas.
const resourceName = "https://contract.invalid/openapi"

// schema returns a schema of the document, compiled once.
func (r *rules) schema(ref string) (*jsonschema.Schema, error) {
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.compiler.Compile(resourceName + ref)
}

// Departures lists what traffic did that the document does not say, one line of each sort.
func (j *Judge) Departures() []string {
	j.mu.Lock()
	defer j.mu.Unlock()

	return slices.Sorted(maps.Values(j.departures))
}

// Met lists the answers that were seen, as "GET /v1/cases/{caseId} 404".
func (j *Judge) Met() []string {
	j.mu.Lock()
	defer j.mu.Unlock()

	return slices.Sorted(maps.Keys(j.met))
}

func (j *Judge) departs(where, sort string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, known := j.departures[where+sort]; !known {
		j.departures[where+sort] = fmt.Sprintf("%s: %s: %.600s", where, sort, err)
	}
}

// Over returns a transport that judges what goes through next.
func (j *Judge) Over(next http.RoundTripper) http.RoundTripper { return &transport{j, next} }

type transport struct {
	judge *Judge
	next  http.RoundTripper
}

// CloseIdleConnections closes those of the transport below.
func (t *transport) CloseIdleConnections() {
	if closer, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// largest is the most of a body that is held against the document.
const largest = 8 << 20

// RoundTrip passes a request on. What the service accepts the document must allow; what it refuses must be refused in
// the document's form.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	// The transport consumes the body, and the judge reads it afterwards.
	sent := copyOf(req)
	resp, err := t.next.RoundTrip(req)
	if err != nil || req.URL.Host != t.judge.host {
		return resp, err
	}
	route, params, err := t.judge.routes.FindRoute(&http.Request{
		Method: req.Method,
		URL:    &url.URL{Path: req.URL.Path},
		Header: http.Header{},
	})
	if err != nil {
		t.judge.strange(req, resp, err)
		return resp, nil
	}
	if err := t.judge.answer(sent, resp, route, params); err != nil {
		_ = resp.Body.Close()
		return nil, err
	}

	return resp, nil
}

// copyOf returns a request that can be read a second time, without its body when that cannot be had again or is not
// JSON.
func copyOf(req *http.Request) *http.Request {
	sent := req.Clone(context.WithoutCancel(req.Context()))
	sent.Body = nil
	if req.GetBody == nil || req.ContentLength > largest || !strings.HasSuffix(mediaType(req.Header), "json") {
		return sent
	}
	if body, err := req.GetBody(); err == nil {
		sent.Body = body
	}

	return sent
}

// strange judges the answer to what no operation of the document describes.
func (j *Judge) strange(req *http.Request, resp *http.Response, why error) {
	want := http.StatusNotFound
	if errors.Is(why, routers.ErrMethodNotAllowed) {
		want = http.StatusMethodNotAllowed
	}
	if resp.StatusCode < http.StatusBadRequest {
		j.departs(req.Method+" "+req.URL.Path, "answered",
			fmt.Errorf("%d to what the document does not have, want %d", resp.StatusCode, want))
	}
}

func (j *Judge) answer(sent *http.Request, resp *http.Response, route *routers.Route, params map[string]string) error {
	where := fmt.Sprintf("%s %s %d", sent.Method, route.Path, resp.StatusCode)
	if resp.StatusCode == http.StatusMisdirectedRequest {
		// Any operation can answer so, by the conventions of the document.
		return nil
	}

	j.mu.Lock()
	j.met[where] = true
	j.mu.Unlock()
	older := *route
	older.Spec = j.plain
	in := &openapi3filter.RequestValidationInput{
		Request:    sent,
		PathParams: params,
		Route:      &older,
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true,
			AuthenticationFunc:    openapi3filter.NoopAuthenticationFunc,
			// Bodies are judged by schemas that are compiled once; the filter would compile them for each call.
			ExcludeRequestBody:  true,
			ExcludeResponseBody: true,
		},
	}
	// A request that was refused may be as wrong as it likes.
	if resp.StatusCode < http.StatusMultipleChoices {
		err := openapi3filter.ValidateRequest(sent.Context(), in)
		if err == nil && sent.Body != nil && !rawFile(route) {
			err = j.asked(route, sent)
		}
		if err != nil {
			j.departs(where, "the service accepted a request that the document does not allow", err)
		}
		// Pages take a link as it comes, with whatever a mail program has added.
		if err := undocumented(sent.URL.Query(), route); err != nil && mediaType(resp.Header) != "text/html" {
			j.departs(where, "the service accepted a parameter that the document does not have", err)
		}
	}
	out := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in,
		Status:                 resp.StatusCode,
		Header:                 resp.Header,
		Options:                in.Options,
	}
	if err := openapi3filter.ValidateResponse(sent.Context(), out); err != nil {
		j.departs(where, "the answer is not as the document says", err)
		return nil
	}
	// Events of the MCP endpoint have the form that MCP gives them.
	if mediaType(resp.Header) == "text/event-stream" && strings.HasPrefix(route.Path, "/v1/") {
		resp.Body = &events{ReadCloser: resp.Body, judge: j, where: where}
	}
	kind := mediaType(resp.Header)
	if kind != "application/json" && kind != "application/jwk-set+json" || strings.HasSuffix(route.Path, "/content") {
		return nil
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return err
	}
	// The caller reads the same bytes as if nobody had looked.
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if err := j.answered(route, resp.StatusCode, kind, body); err != nil {
		j.departs(where, "the answer is not as the document says", err)
	}

	return nil
}

// rawFile reports whether an operation takes one file as its body, under the file's own media type.
func rawFile(route *routers.Route) bool {
	body := route.Operation.RequestBody
	return body != nil && body.Value.Content.Get("application/octet-stream") != nil
}

// undocumented finds the first parameter of a query that the operation does not have.
func undocumented(query url.Values, route *routers.Route) error {
	// A path can have parameters that all of its operations share.
	of, shared := route.Operation.Parameters, route.PathItem.Parameters

	for _, name := range slices.Sorted(maps.Keys(query)) {
		own := of.GetByInAndName(openapi3.ParameterInQuery, name)
		if own == nil && shared.GetByInAndName(openapi3.ParameterInQuery, name) == nil {
			return errors.New(name)
		}
	}

	return nil
}

// asked holds a request's JSON against its schema.
func (j *Judge) asked(route *routers.Route, sent *http.Request) error {
	described := route.Operation.RequestBody
	if described == nil {
		return nil
	}
	body, err := io.ReadAll(sent.Body)
	if err != nil {
		return err
	}
	if len(body) == 0 {
		if described.Value.Required {
			return errors.New("a request without the body that it needs")
		}

		return nil
	}

	return j.body(route, described.Value.Content, mediaType(sent.Header), body, "requestBody")
}

// answered holds an answer's JSON against its schema.
func (j *Judge) answered(route *routers.Route, status int, kind string, body []byte) error {
	described := route.Operation.Responses.Status(status)
	if described == nil {
		return errors.New("a status that is not documented")
	}

	return j.body(route, described.Value.Content, kind, body, "responses", strconv.Itoa(status))
}

// body holds JSON against the schema that content has for its kind. at is where the operation has that content.
func (j *Judge) body(
	route *routers.Route, content openapi3.Content, kind string, body []byte, at ...string,
) error {
	described := content.Get(kind)
	if described == nil {
		return errors.New("a body that is not documented")
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	ref := described.Schema.Ref
	if ref == "" {
		steps := slices.Concat([]string{"paths", route.Path, strings.ToLower(route.Method)}, at,
			[]string{"content", kind, "schema"})
		for i, step := range steps {
			steps[i] = url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(step))
		}
		ref = "#/" + strings.Join(steps, "/")
	}
	schema, err := j.schema(ref)
	if err != nil {
		return err
	}

	return schema.Validate(v)
}

func mediaType(h http.Header) string {
	name, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.TrimSpace(name)
}

// events holds each event of a stream against the document while it is read.
type events struct {
	io.ReadCloser
	judge *Judge
	where string
	line  []byte
}

// Read reads from the stream below.
func (e *events) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	for _, b := range p[:n] {
		if b != '\n' {
			e.line = append(e.line, b)
			continue
		}
		if data, ok := bytes.CutPrefix(e.line, []byte("data: ")); ok {
			e.judge.judgeEvent(e.where, data)
		}
		e.line = e.line[:0]
	}

	return n, err
}

func (j *Judge) judgeEvent(where string, data []byte) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		j.departs(where, "an event is not JSON", err)
		return
	}
	if err := j.event.Validate(v); err != nil {
		kind := ""
		if m, ok := v.(map[string]any); ok {
			kind, _ = m["type"].(string)
		}
		j.departs(where, "an event "+kind+" is not as the document says", err)
	}
}
