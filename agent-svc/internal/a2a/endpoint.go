package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// Endpoint serves the operations over HTTP in both bindings.
type Endpoint struct {
	Service *Service
	// Owner names whose tasks a request is about.
	Owner func(ctx context.Context) string
	// Enter counts a request that stays open, and refuses it where there is no room.
	Enter    func(ctx context.Context) (leave func(), err error)
	Patience time.Duration // a reader that takes longer for one write is cut off
	// Observe takes each call when it has ended, or is nil.
	Observe func(ctx context.Context, c Call)
	Log     *slog.Logger
	// Statuses are other statuses of HTTP than ours, by the code of an error: kits follow one version of the text or
	// another.
	Statuses map[int]int
}

// MaxBody bounds the body of a request, in bytes.
const MaxBody = httpx.MaxBody

// request is a request of either binding after the checks that both have.
type request struct {
	*http.Request

	operation string // its name in the protocol, as the request has it

	body  []byte
	known bool   // the client knows the extension for phases
	key   string // Idempotency-Key
}

// versions are those that are spoken: patches of a version are the same protocol.
var versions = regexp.MustCompile(`^1\.0(\.\d{1,4})?$`)

// guard does what comes before any operation: version, extensions, the body and its type.
func (e *Endpoint) guard(w http.ResponseWriter, r *http.Request) (request, error) {
	w.Header().Set("A2A-Version", Version)
	in := request{Request: r}

	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if unspoken := versionOf(r); unspoken != nil {
		in.body = body // so that the refusal can name the request
		return in, unspoken
	}
	in.known = e.extensions(w, r)

	var over *http.MaxBytesError

	switch {
	case errors.As(err, &over):
		return in, a2aerr.New(
			a2aerr.TooLarge,
			"The request is larger than 1 MiB. Add large files by POST /v1/cases/{caseId}/files and name their ids.",
		)
	case err != nil:
		return in, a2aerr.New(a2aerr.InvalidRequest, "The body could not be read. Send the request again.")
	}
	in.body = body
	if len(body) > 0 && !jsonType(r.Header.Get("Content-Type")) {
		return in, a2aerr.New(a2aerr.BodyNotSupported, "Send the body as application/json.")
	}
	in.key = r.Header.Get("Idempotency-Key")
	if len(in.key) > 255 || strings.ContainsFunc(in.key, func(c rune) bool { return c < 0x20 || c > 0x7e }) {
		return in, a2aerr.New(a2aerr.InvalidParams, "Idempotency-Key must be 1 to 255 printable ASCII characters.")
	}

	return in, nil
}

// versionOf refuses a request of a version that is not spoken here.
func versionOf(r *http.Request) error {
	// A client that cannot set headers, such as a browser's EventSource, gives the version as a parameter (A2A 1.0,
	// 3.6).
	version := r.Header.Get("A2A-Version")
	if version == "" {
		version = r.URL.Query().Get("A2A-Version")
	}
	if versions.MatchString(version) {
		return nil
	}

	why := "Only A2A " + Version + " is spoken here. Send the header A2A-Version: " + Version + "."
	if version == "" {
		why += " Without it a request is of version 0.3."
	}
	f := a2aerr.New(a2aerr.VersionNotSupported, why)
	f.Meta = map[string]string{"supportedVersions": Version}

	return f
}

func jsonType(header string) bool {
	media, _, err := mime.ParseMediaType(header)
	return err == nil && (media == "application/json" || media == "application/a2a+json")
}

// extensions activates what the client asks for and is offered, and tells it.
func (e *Endpoint) extensions(w http.ResponseWriter, r *http.Request) (phases bool) {
	var active []string

	for _, header := range r.Header.Values("A2A-Extensions") {
		for asked := range strings.SplitSeq(header, ",") {
			asked = strings.TrimSpace(asked)
			name := strings.TrimPrefix(asked, e.Service.Base)
			if (name == api.A2ALegalPhase || name == api.A2AResumable) && !slices.Contains(active, asked) {
				active = append(active, asked)
				phases = phases || name == api.A2ALegalPhase
			}
		}
	}
	if len(active) > 0 {
		w.Header().Set("A2A-Extensions", strings.Join(active, ", "))
	}

	return phases
}

// place reads Last-Event-ID, nil for none.
func (in request) place() (*int, error) {
	s := in.Header.Get("Last-Event-ID")
	if s == "" {
		return nil, nil
	}
	n, err := httpx.Number(s)
	if err != nil || n < 0 {
		return nil, a2aerr.New(a2aerr.InvalidParams, "Last-Event-ID must be the id of an event of this task.")
	}

	return &n, nil
}

// stay runs a long call: it takes a place for a stream and gives back that for a short call.
func (e *Endpoint) stay(ctx context.Context, work func() error) error {
	leave, err := e.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	httpx.StepAside(ctx)

	return work()
}

// tell turns err of an operation into a failure of the protocol, and logs it if it is our fault.
func (e *Endpoint) tell(ctx context.Context, operation string, err error) *a2aerr.Failure {
	var told *a2aerr.Failure
	if !errors.As(err, &told) {
		// errs.From finds the first of the two, which is told; the second is what the log gets.
		err = errors.Join(httpcall.Told(ctx, reads(operation), errs.From(err)), err)
	}
	f := a2aerr.OfOperation(err)
	if status := e.Statuses[f.Code]; status > 0 {
		other := *f
		other.Status = status
		f = &other
	}
	// A client that left is no fault of ours.
	if f.Kind == a2aerr.InternalError && ctx.Err() == nil {
		e.Log.ErrorContext(ctx, "an operation of the agent-to-agent protocol failed", "err", err)
	}

	return f
}

func write(w http.ResponseWriter, media string, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{}`)
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// A client that left needs no answer.
	_, _ = w.Write(append(text, '\n'))
}
