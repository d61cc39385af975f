package a2a

import (
	"math"
	"net/url"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// SendParams are the parameters of SendMessage and SendStreamingMessage.
type SendParams struct {
	Message           Message
	Metadata          map[string]any
	ReturnImmediately bool
	HistoryLength     *int // nil leaves it to us
}

// GetParams are the parameters of GetTask.
type GetParams struct {
	ID            string
	HistoryLength *int
}

// ListParams are the parameters of ListTasks.
type ListParams struct {
	ContextID        string
	Status           string
	PageSize         int
	PageToken        string
	HistoryLength    *int
	Since            time.Time // of the status
	IncludeArtifacts bool
}

// Sizes of a page of tasks.
const (
	usualPage   = 50
	mostPage    = 100
	mostHistory = math.MaxInt32 // more than a task ever has is all of it
)

func sendParams(f fields) (SendParams, error) {
	configuration := f.inner("configuration", false)
	p := SendParams{
		Message:           f.message(),
		Metadata:          f.free("metadata"),
		ReturnImmediately: configuration.flag("returnImmediately"),
		HistoryLength:     configuration.number("historyLength", 0, mostHistory),
	}
	if push := configuration.free("taskPushNotificationConfig"); push != nil {
		return p, a2aerr.New(a2aerr.PushNotSupported, noPush)
	}

	return p, f.err()
}

func taskParams(f fields) (GetParams, error) {
	p := GetParams{ID: f.name("id", true), HistoryLength: f.number("historyLength", 0, mostHistory)}
	return p, f.err()
}

func listParams(f fields) (ListParams, error) {
	p := ListParams{
		ContextID:        f.name("contextId", false),
		Status:           f.text("status", false),
		PageSize:         usualPage,
		PageToken:        f.text("pageToken", false),
		HistoryLength:    f.number("historyLength", 0, mostHistory),
		Since:            f.moment("statusTimestampAfter"),
		IncludeArtifacts: f.flag("includeArtifacts"),
	}
	if n := f.number("pageSize", 1, mostPage); n != nil {
		p.PageSize = *n
	}

	switch {
	case p.Status == "TASK_STATE_UNSPECIFIED":
		p.Status = ""
	case p.Status != "" && !slices.Contains(api.A2AStates(), p.Status):
		f.fault("status", "must be a state of the protocol, such as "+api.A2AWorking)
	}

	return p, f.err()
}

// queryFields reads a query as if it were an object, for the operations that have no body.
func queryFields(query url.Values) (fields, error) {
	values := map[string]any{}

	for name, given := range query {
		// Proxies and servers pick the first or the last of two; what a filter means must not depend on that.
		if len(given) != 1 {
			return fields{}, a2aerr.New(a2aerr.InvalidParams, "Give each parameter once.")
		}
		values[name] = given[0]
		if name == "includeArtifacts" || name == "include_artifacts" {
			if given[0] != "true" && given[0] != "false" {
				return fields{}, a2aerr.New(a2aerr.InvalidParams, "includeArtifacts must be true or false.")
			}
			values[name] = given[0] == "true"
		}
	}

	f := object(values)
	f.query = true

	return f, nil
}
