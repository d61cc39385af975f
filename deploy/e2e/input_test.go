package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/gateway"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// operation is a route that takes a JSON body, with a body that is good in form.
type operation struct {
	method, path, bearer, media string
	good                        map[string]any
	fields                      openapi3.Schemas // that the body may have
	optional                    bool             // the body may be left out
	empty                       bool             // an object without fields is good as well
}

// operations lists every built operation of the document that takes a JSON body.
func (w *world) operations(user string, b bindings) []operation {
	w.t.Helper()
	var all []operation

	for _, o := range everyOperation(w.t) {
		if !strings.HasSuffix(o.mediaType, "json") || o.foreign() {
			continue
		}
		op := operation{method: o.method, path: o.address(b), media: o.mediaType, optional: !o.mustHaveBody, empty: len(o.schema.Required) == 0, fields: o.schema.Properties}
		if !o.open() {
			op.bearer = user
		}
		if err := json.Unmarshal([]byte(o.body(w.t, o.examples()[0], b)), &op.good); err != nil {
			w.t.Fatalf("%s: %v", o.id, err)
		}
		all = append(all, op)
	}

	return all
}

// try sends a body as the operation takes it; headers win over that.
func (w *world) try(op operation, body string, headers ...string) answer {
	w.t.Helper()
	return w.send(op.method, op.path, op.bearer, body, append([]string{"Content-Type", op.media}, headers...)...)
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}

// onlyReader hides how long a body is, so that it is sent in chunks.
type onlyReader struct{ io.Reader }

func TestBadBodies(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	b := w.furnish(ada, agent.bearer)
	all := w.operations(w.token(ada), b)
	if len(all) < 17 {
		t.Errorf("%d operations take a body", len(all))
	}

	for _, op := range all {
		t.Run(op.method+" "+op.path, func(t *testing.T) {
			t.Parallel()
			w := w.in(t)
			send := func(body string, headers ...string) answer { return w.try(op, body, headers...) }

			good := encoded(t, op.good)
			for name, body := range map[string]string{
				"cut": good[:len(good)-1], "two values": good + good, "array": "[" + good + "]", "text": `"x"`, "number": "1", "null": "null", "word": "true", "page": "<html>", "trailing comma": strings.TrimSuffix(good, "}") + ",}",
				"single quotes": "{'a':1}", "comment": "/* */" + good, "byte order mark": "\xef\xbb\xbf" + good, "not UTF-8": "{\"x\":\"\xff\"}", "zero byte": good + "\x00", "key twice": `{"a":1,"a":2}`,
				"deep": strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000), "deep arrays": `{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}", "infinity": `{"a":NaN}`, "lone surrogate": `{"\ud800":1}`,
			} {
				a := send(body)
				a.refused(t, name, http.StatusBadRequest, "malformed_json", "validation_failed", "unknown_field")
				a.discreet(t, name)
			}
			if !op.optional {
				w.send(op.method, op.path, op.bearer, "").refused(t, "no body", http.StatusUnsupportedMediaType, "unsupported_media_type")
				send(" ").refused(t, "blank body", http.StatusBadRequest, "malformed_json")
			}
			if !op.empty {
				send("{}").refused(t, "empty object", http.StatusBadRequest, "validation_failed")
			}

			for _, media := range []string{"text/plain", "application/x-www-form-urlencoded", "application/xml", "application/json5", "multipart/form-data; boundary=x", "*/*", "json", ""} {
				a := send(good, "Content-Type", media)
				a.refused(t, "media type "+media, http.StatusUnsupportedMediaType, "unsupported_media_type")
			}

			for _, coding := range []string{"gzip", "br", "deflate", "identity, gzip"} {
				a := send(good, "Content-Encoding", coding)
				a.refused(t, "coding "+coding, http.StatusUnsupportedMediaType, "unsupported_media_type")
			}
			send(good, "Content-Range", "bytes 0-1/9").refused(t, "a part", http.StatusBadRequest, "invalid_parameter")
			t.Run("too large", func(t *testing.T) { w.in(t).tooLarge(op, good) })
			t.Run("fields", func(t *testing.T) { w.in(t).badFields(op) })
		})
	}
}

func (w *world) tooLarge(op operation, good string) {
	padded := good + strings.Repeat(" ", 1<<20-len(good)+1)
	w.try(op, padded).refused(w.t, "1 MiB and one byte", http.StatusRequestEntityTooLarge, "body_too_large")

	for name, with := range map[string]*http.Client{"HTTP/2": w.http, "HTTP/1.1": w.http1()} {
		for size, body := range map[string]io.Reader{
			"1 MiB and one byte": strings.NewReader(padded), "much more": io.LimitReader(endless{}, 40<<20),
		} {
			req := w.request(op.method, op.path, op.bearer, onlyReader{body}, "Content-Type", op.media)
			a, err := fetch(with, req)
			if err != nil {
				w.t.Errorf("%s in chunks over %s: %v", size, name, err)
				continue
			}
			a.refused(w.t, size+" in chunks over "+name, http.StatusRequestEntityTooLarge, "body_too_large")
		}
	}
	// Exactly 1 MiB is read: the refusal, if any, is another one.
	if a := w.try(op, padded[:1<<20]); a.status == http.StatusRequestEntityTooLarge {
		w.t.Errorf("exactly 1 MiB: %d %s", a.status, a.body)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}

	return len(p), nil
}

func (w *world) badFields(op operation) {
	for _, field := range []string{"x", "id", "_id", "$where", "__proto__", "tenant", "userId", "role", "createdAt", "version", strings.ToUpper(firstKey(op.good)), firstKey(op.good) + " "} {
		if op.fields[field] != nil {
			continue
		}
		a := w.try(op, encoded(w.t, with(op.good, field, "x")))
		codes := []string{"unknown_field"}
		if op.method != http.MethodPost { // what the server sets alone is known, and refused as a value
			codes = append(codes, "validation_failed")
		}
		a.refused(w.t, "field "+field, http.StatusBadRequest, codes...)
		if len(a.err.Details) != 1 {
			w.t.Errorf("field %s: details = %+v, want the one path", field, a.err.Details)
		}
	}

	for _, field := range []string{"name", "firstName", "last_name", "EMAIL", "phone", "Address", "date-of-birth", "ssn", "taxId", "passport"} {
		for _, value := range []any{"", "Rumpelstiltskin", nil, map[string]any{"a": 1}} {
			body := map[string]any{field: value}
			for k, v := range op.good {
				body[k] = v
			}
			a := w.try(op, encoded(w.t, body))
			a.refused(w.t, "field "+field, http.StatusForbidden, "identity_refused")
			if !strings.HasPrefix(a.err.DeepLink, w.Facts.BaseURL+"/i/add_identity") {
				w.t.Errorf("field %s: deepLink = %q, want one to add_identity", field, a.err.DeepLink)
			}
			if len(a.err.Details) != 1 || a.err.Details[0].Kind != "field_name" || a.err.Details[0].Path != field {
				w.t.Errorf("field %s: details = %+v, want its path and kind field_name", field, a.err.Details)
			}
			if bytes.Contains(a.body, []byte("Rumpel")) {
				w.t.Errorf("field %s: the answer repeats the value: %s", field, a.body)
			}
		}
	}

	for field, good := range op.good {
		for _, value := range []any{"\u200b", 1.5, true, []any{"x"}, map[string]any{"$ne": nil}, map[string]any{"$gt": ""}} {
			if reflect.TypeOf(value) == reflect.TypeOf(good) {
				continue
			}
			a := w.try(op, encoded(w.t, with(op.good, field, value)))
			a.refused(w.t, field+" of another type", http.StatusBadRequest, "validation_failed", "unknown_field")
		}
	}
}

func firstKey(m map[string]any) string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}

	return slices.Min(keys)
}

// methods returns, for each path of the route table, the methods of every template that the path fits: /v1/agents/me is also the
// address of an agent called me.
func methods() map[string][]string {
	all := map[string][]string{}
	for _, r := range gateway.Routes() {
		all[r.Path] = nil
	}

	for path := range all {
		for _, r := range gateway.Routes() {
			literal := !strings.ContainsAny(path, ":*") // then routes with parameters do not count
			if same := r.Path == path; !same && literal || !fits(r.Path, address(path)) {
				continue
			}
			if !slices.Contains(all[path], r.Method) {
				all[path] = append(all[path], r.Method)
			}
		}
	}

	return all
}

// fits reports whether a path is one of a template.
func fits(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}

	for i, part := range want {
		if part != got[i] && !strings.HasPrefix(part, ":") && !strings.HasPrefix(part, "*") {
			return false
		}
	}

	return true
}

func TestS10MethodsThatARouteDoesNotHave(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)

	for path, allowed := range methods() {
		slices.Sort(allowed)

		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "FOO", "get"} {
			if slices.Contains(allowed, method) {
				continue
			}

			path := address(path)
			for who, bearer := range map[string]string{"nobody": "", "an agent": agent.bearer} {
				a := w.send(method, path, bearer, "")
				a.refused(t, method+" "+path+" by "+who, http.StatusMethodNotAllowed, "method_not_allowed")
				got := strings.Split(strings.ReplaceAll(a.header.Get("Allow"), " ", ""), ",")
				if slices.Sort(got); !slices.Equal(got, allowed) {
					t.Errorf("%s %s: Allow = %v, want %v", method, path, got, allowed)
				}
			}
		}
	}

	for header, most := range map[string]int{
		"If-Match": 200, "If-None-Match": 200, "Idempotency-Key": 255, "Last-Event-ID": 100, "Content-Disposition": 2048,
	} {
		a := w.send(http.MethodGet, "/v1/cases/"+caseID, agent.bearer, "", header, strings.Repeat("a", most+1))
		a.refused(t, header+" that is too long", http.StatusBadRequest, "invalid_parameter")
	}

	for _, header := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"} {
		if a := w.send(http.MethodGet, "/v1/cases/"+caseID, agent.bearer, "", header, "DELETE"); a.status != http.StatusOK {
			t.Errorf("GET with %s: DELETE = %d", header, a.status)
		}
	}
	if a := w.send(http.MethodGet, "/v1/cases/"+caseID+"?_method=DELETE", agent.bearer, ""); a.status != http.StatusBadRequest {
		t.Errorf("GET with _method=DELETE = %d, want 400", a.status)
	}
	if a := w.send(http.MethodGet, "/v1/cases/"+caseID, agent.bearer, ""); a.status != http.StatusOK {
		t.Errorf("the case is gone: %d", a.status)
	}
}

func TestEveryRouteIsBuilt(t *testing.T) {
	t.Parallel()

	w := start(t, unlimited())
	for _, r := range gateway.Routes() {
		if a := w.send(r.Method, address(r.Path), w.token(ada), ""); a.status >= http.StatusInternalServerError {
			t.Errorf("%s %s: %d %s", r.Method, r.Path, a.status, a.body)
		}
	}
}

func TestUnknownQueryParameters(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, fileID := w.newCase(agent.bearer)
	ids := strings.NewReplacer(":caseId", caseID, ":fileId", fileID, ":agentId", agent.AgentID, ":phaseId", uuid.NewString())

	for _, r := range gateway.Routes() {
		if !strings.HasPrefix(r.Path, "/v1/") {
			continue
		}
		bearer := w.token(ada)
		if r.Public {
			bearer = ""
		}
		body := ""

		switch r.Path {
		case "/v1/agents/register":
			body = `{"registration_token":"x","agent_card_url":"https://cards.agents.com/"}`
		case "/v1/auth/token":
			body = `{"api_key":"x"}`
		case "/v1/agent":
			body = encoded(t, task(caseID, api.CaseReq, question))
		}

		for _, query := range []string{"x=1", "tenant=o:elm", "userId=ben", "filter[$gt]=", "x", "%zz", "a=1;b=2"} {
			a := w.send(r.Method, ids.Replace(r.Path)+"?"+query, bearer, body)
			a.refused(t, r.Method+" "+r.Path+"?"+query, http.StatusBadRequest, "invalid_parameter")
		}
	}

	for _, query := range []string{"owner=ben", "limit=0", "limit=101", "limit=x", "limit=1&limit=2", "sort=evil", "cursor=x", "status=gone", "tier=5", "updatedSince=now", "caseId=" + caseID + "&limit=5", "includeTotal=1"} {
		a := w.send(http.MethodGet, "/v1/cases?"+query, agent.bearer, "")
		a.refused(t, "GET /v1/cases?"+query, http.StatusBadRequest, "invalid_parameter", "invalid_cursor")
	}
	if a := w.send(http.MethodGet, "/v1/agents/me", w.token(ada), ""); a.status != http.StatusOK {
		t.Errorf("the agent did not survive: %d %s", a.status, a.body)
	}
	if a := w.send(http.MethodGet, "/v1/cases/"+caseID, agent.bearer, ""); a.status != http.StatusOK {
		t.Errorf("the case did not survive: %d %s", a.status, a.body)
	}
}

func TestIdsThatNameNothing(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent, rival := w.connect(ada), w.connect(ben)
	theirs, theirFile := w.newCase(rival.bearer)
	mine, _ := w.newCase(agent.bearer)
	job := task(theirs, api.CaseReq, question)
	checkStream(t, job.SeedPhase.PhaseID, w.post(rival.bearer, job).all())
	cases := []string{uuid.NewString(), theirs, strings.ToUpper(mine), "x", "null", "0", "..", ".", "%00", "%2e%2e", "%2f", mine + "%20", mine + "x", strings.Repeat("a", 2000), "%F0%9F%92%A9", "*", "$ne", "{}", uuid.Nil.String()}
	var constant []byte
	same := func(what string, a answer) {
		t.Helper()
		a.refused(t, what, http.StatusNotFound, "not_found")
		if constant == nil {
			constant = withoutRequestID(a)
		} else if !bytes.Equal(withoutRequestID(a), constant) {
			t.Errorf("%s: %s, want the one body of 404: %s", what, a.body, constant)
		}
	}

	for who, bearer := range map[string]string{"agent": agent.bearer, "user": w.token(ada)} {
		for _, id := range cases {
			for _, suffix := range []string{"", "/files", "/files/" + theirFile, "/files/" + uuid.NewString() + "/text", "/files/x/content"} {
				same(who+": GET /v1/cases/"+id+suffix, w.send(http.MethodGet, "/v1/cases/"+id+suffix, bearer, ""))
			}
			same(who+": DELETE /v1/cases/"+id, w.send(http.MethodDelete, "/v1/cases/"+id, bearer, ""))
			same(who+": upload to "+id, w.send(http.MethodPost, "/v1/cases/"+id+"/files", bearer, "text", "Content-Type", "text/plain"))
		}

		for _, id := range []string{uuid.NewString(), theirFile, "x", "..", "%2f", strings.ToUpper(theirFile)} {
			for _, suffix := range []string{"", "/text", "/content"} {
				same(who+": GET file "+id+suffix, w.send(http.MethodGet, "/v1/cases/"+mine+"/files/"+id+suffix, bearer, ""))
			}
		}

		for _, id := range []string{uuid.NewString(), job.SeedPhase.PhaseID, "x", "..", strings.ToUpper(job.SeedPhase.PhaseID)} {
			same(who+": GET phase "+id, w.send(http.MethodGet, "/v1/agent/"+id, bearer, ""))
			same(who+": DELETE phase "+id, w.send(http.MethodDelete, "/v1/agent/"+id, bearer, ""))
		}

		for _, id := range []string{"agt_" + uuid.NewString(), rival.AgentID, "x", "..", "%2f", "*"} {
			same(who+": health of "+id, w.send(http.MethodGet, "/v1/agents/"+id+"/health", bearer, ""))
		}
	}

	for _, id := range []string{"agt_" + uuid.NewString(), rival.AgentID, "x", "..", "*"} {
		same("disconnect "+id, w.send(http.MethodDelete, "/v1/agents/"+id, w.token(ada), ""))
	}
	same("GET /v1/cases?caseId", w.send(http.MethodGet, "/v1/cases?caseId="+theirs, agent.bearer, ""))

	for _, containerID := range []string{theirs, uuid.NewString()} {
		same("run in "+containerID, w.post(agent.bearer, task(containerID, api.CaseReq, question)).answer)
	}

	for _, bearer := range []string{rival.bearer, w.token(ben)} {
		if a := w.send(http.MethodGet, "/v1/cases/"+theirs, bearer, ""); a.status != http.StatusOK {
			t.Errorf("the rival's case: %d", a.status)
		}
	}
}

func TestOptionsOfATaskAreChecked(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)

	caseID, _ := w.newCase(agent.bearer)
	for path, options := range map[string]string{
		"options.language":   `{"language":"somebody@mail.example"}`,
		"options.mode":       `{"mode":"guess"}`,
		"options.maxSeconds": `{"maxSeconds":4}`,
	} {
		body := fmt.Sprintf(`{"sessionId":"s","seedPhase":{"phaseId":%q},"containerType":"case","containerId":%q,"requestType":"case_req","prompt":"Help","options":%s}`, uuid.NewString(), caseID, options)
		a := w.send(http.MethodPost, "/v1/agent", agent.bearer, body, "Content-Type", "application/json")
		a.refused(t, path, http.StatusBadRequest, "validation_failed")
		if !bytes.Contains(a.body, []byte(`"path":"`+path+`"`)) || bytes.Contains(a.body, []byte("mail.example")) {
			t.Errorf("%s: %s", path, a.body)
		}
	}
}
