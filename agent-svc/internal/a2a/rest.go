package a2a

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
)

// ServeREST serves the HTTP+JSON binding; the path of the request is that below the address of the binding.
func (e *Endpoint) ServeREST(w http.ResponseWriter, r *http.Request) {
	e.watched(r.Context(), Call{Binding: BindingREST, Method: namedPath(r)}, func(c *Call) { c.Failure = e.rest(w, r) })
}

func (e *Endpoint) rest(w http.ResponseWriter, r *http.Request) *a2aerr.Failure {
	media := "application/json"
	if strings.Contains(r.Header.Get("Accept"), "application/a2a+json") {
		media = "application/a2a+json"
	}

	in, err := e.guard(w, r)
	in.operation = namedPath(r)
	if err == nil {
		err = e.route(w, in, media)
	}
	if err == nil {
		return nil
	}
	f := e.tell(r.Context(), in.operation, err)
	noteRefusal(r.Context(), f)
	if again := f.RetryAfter(); again != "" {
		w.Header().Set("Retry-After", again)
	}
	write(w, media, f.Status, f.REST())

	return f
}

// resource is what a path names.
type resource struct {
	name string // such as message, tasks
	id   string
	one  bool   // something of that name, whose id may be empty
	verb string // what follows a colon
	rest []string
}

// pathOf reads a path: /message:send, /tasks, /tasks/ID, /tasks/ID:cancel and so on. One segment before it names a
// tenant by the protocol; callers here have one of their own, so it says nothing.
func pathOf(path string) resource {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	known := slices.Contains([]string{"message:send", "message:stream", "tasks", "extendedAgentCard"}, segments[0])
	if !known && len(segments) > 1 {
		segments = segments[1:]
	}
	var r resource
	r.name, r.verb, _ = strings.Cut(segments[0], ":")
	if len(segments) > 1 {
		r.id, r.verb, _ = strings.Cut(segments[1], ":")
		r.rest = segments[2:]
	}
	r.one = len(segments) > 1 || r.name == "tasks" && strings.HasSuffix(path, "/")

	return r
}

// ways are the operations of the binding by resource and verb, with the methods that do each.
var ways = map[string][]string{
	"message:send":      {http.MethodPost},
	"message:stream":    {http.MethodPost},
	"tasks":             {http.MethodGet},
	"task":              {http.MethodGet},
	"task:cancel":       {http.MethodPost},
	"task:subscribe":    {http.MethodGet, http.MethodPost},
	"configs":           {http.MethodGet, http.MethodPost},
	"config":            {http.MethodGet, http.MethodDelete},
	"extendedAgentCard": {http.MethodGet},
}

// operation names what a path is about, by the keys of ways.
func (r resource) operation() string {
	name := r.name
	switch {
	case r.name == "tasks" && len(r.rest) == 1 && r.rest[0] == "pushNotificationConfigs" && r.verb == "":
		return "configs"
	case r.name == "tasks" && len(r.rest) == 2 && r.rest[0] == "pushNotificationConfigs" && r.verb == "":
		return "config"
	case len(r.rest) > 0:
		return ""
	case r.name == "tasks" && r.one:
		name = "task"
	}
	if r.verb != "" {
		name += ":" + r.verb
	}

	return name
}

func (e *Endpoint) route(w http.ResponseWriter, in request, media string) error {
	ctx, at := in.Context(), pathOf(in.URL.Path)
	operation := at.operation()

	methods, ok := ways[operation]
	switch {
	case !ok:
		return a2aerr.New(
			a2aerr.MethodNotFound,
			"There is no such path. Operations of this binding are POST /message:send, POST /message:stream, "+
				"GET /tasks, GET /tasks/{id}, POST /tasks/{id}:cancel and GET or POST /tasks/{id}:subscribe.",
		)
	case !slices.Contains(methods, in.Method):
		w.Header().Set("Allow", strings.Join(methods, ", "))
		return a2aerr.New(a2aerr.NotAllowed, "Send this request by "+strings.Join(methods, " or ")+".")
	}
	if at.one && at.id == "" {
		return errNoTask
	}
	params, err := in.params(at.id)
	if err != nil {
		return err
	}
	answer := func(result any, err error) error {
		if err == nil {
			write(w, media, http.StatusOK, result)
		}

		return err
	}

	switch operation {
	case "message:send":
		reply, err := e.send(in, params)
		return answer(reply, err)
	case "message:stream":
		return e.restStream(w, in, e.streaming(in, params))
	case "task:subscribe":
		return e.restStream(w, in, e.subscribing(in, params))
	case "tasks":
		p, err := listParams(params)
		if err != nil {
			return err
		}
		page, err := e.Service.List(ctx, p)

		return answer(page, err)
	case "task", "task:cancel":
		p, err := taskParams(params)
		if err != nil {
			return err
		}
		do := e.Service.Get
		if operation == "task:cancel" {
			do = e.Service.Cancel
		}
		task, err := do(ctx, p)

		return answer(task, err)
	case "extendedAgentCard":
		return errNoExtended
	}

	return a2aerr.New(a2aerr.PushNotSupported, noPush)
}

var errQuery = a2aerr.New(
	a2aerr.InvalidParams,
	"The query cannot be read. Percent-encode its values, and put & between parameters.",
)

// params are those of the body, where there is one, else those of the query; the id of the path holds in any case.
func (in request) params(id string) (params fields, err error) {
	if in.Method == http.MethodPost && (len(in.body) > 0 || id == "") {
		params, err = in.bodyFields()
	} else {
		params, err = in.queryFields()
	}
	if err == nil && id != "" {
		params.values["id"] = id
	}

	return params, err
}

func (in request) bodyFields() (fields, error) {
	if len(in.body) == 0 {
		return fields{}, errMalformed
	}
	body, err := parse(in.body)

	return object(body), err
}

func (in request) queryFields() (fields, error) {
	query, err := url.ParseQuery(in.URL.RawQuery)
	if err != nil { // a filter that cannot be read must not become none
		return fields{}, errQuery
	}
	query.Del("A2A-Version")

	return queryFields(query)
}

func (e *Endpoint) restStream(w http.ResponseWriter, in request, work func(Sink) error) error {
	plain := func(reply any) any { return reply }
	refuse := func(f *a2aerr.Failure) any { return f.REST() }

	return e.stream(in, w, plain, work, refuse)
}
