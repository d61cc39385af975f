package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// agentTransport adds the agent's bearer to each request. It reads what is refused by its status, of which the official
// client keeps the status alone, and remembers when a request may be sent again, which the client does not keep either.
type agentTransport struct {
	sh   *shell
	next http.RoundTripper
	wait *time.Duration
}

// RoundTrip sends a request as the agent.
func (t agentTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	bearer, err := t.sh.bearer(r.Context())
	if err != nil {
		return nil, err
	}
	// A RoundTripper must not change the request that it was given.
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+bearer)

	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	// Of several requests the last one counts: a wait that is over must not be told.
	*t.wait = 0
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		*t.wait = time.Duration(seconds) * time.Second
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}

	// The body is read here and never handed on, so it is closed here.
	defer func() { _ = resp.Body.Close() }()

	return nil, refusedBy(resp, *t.wait)
}

// errorInfo is what an error of the protocol has beside its sentence.
type errorInfo struct {
	Reason   string            `json:"reason"`
	Metadata map[string]string `json:"metadata"`
}

const maxFailure = 1 << 20 // bytes of an error answer

// refusedBy reads an answer of either binding that has the status of an error.
func refusedBy(resp *http.Response, wait time.Duration) error {
	var answer struct {
		Error struct {
			Message string      `json:"message"`
			Data    []errorInfo `json:"data"`    // of JSON-RPC
			Details []errorInfo `json:"details"` // of HTTP+JSON
		} `json:"error"`
	}

	body, err := io.ReadAll(io.LimitReader(resp.Body, maxFailure))
	if err != nil || json.Unmarshal(body, &answer) != nil || answer.Error.Message == "" {
		return fmt.Errorf("the service answered with the status %s", resp.Status)
	}
	kind := errs.Invalid
	if resp.StatusCode == http.StatusUnauthorized {
		kind = errs.Unauthenticated
	}
	about := errorInfo{Reason: "REFUSED"}
	// Each binding fills one of the two lists; the first entry is ours, by the conventions of the service.
	if told := append(answer.Error.Data, answer.Error.Details...); len(told) > 0 {
		about = told[0]
	}

	return refusal(kind, answer.Error.Message, about, wait)
}

// refusal is an error of the protocol as one of ours: what a person needs to go on is in its metadata.
func refusal(kind errs.Kind, message string, about errorInfo, wait time.Duration) error {
	code := about.Metadata["code"]
	if code == "" {
		code = strings.ToLower(about.Reason)
	}
	var details []errs.Detail

	// Metadata holds texts alone, so details come as detail.1, detail.2 and so on.
	for i := 1; about.Metadata["detail."+strconv.Itoa(i)] != ""; i++ {
		details = append(details, errs.Detail{Message: about.Metadata["detail."+strconv.Itoa(i)]})
	}
	e := errs.New(kind, code, message).WithDetails(details...).WithDeepLink(about.Metadata["deepLink"])

	return e.WithRetryAfter(wait)
}

// plain turns an error of the official client into one of ours.
func plain(err error, wait time.Duration) error {
	var known *a2a.Error
	if !errors.As(err, &known) {
		return err
	}
	about := errorInfo{Reason: a2a.ErrorReason(known), Metadata: map[string]string{}}

	for _, d := range known.TypedDetails {
		switch metadata := d.Value["metadata"].(type) {
		case map[string]any:
			for name, value := range metadata {
				about.Metadata[name] = fmt.Sprint(value)
			}
		case map[string]string:
			about.Metadata = metadata
		}
	}

	return refusal(errs.Invalid, known.Error(), about, wait)
}

// left says what becomes of a task whose sender no longer waits; any other error it returns as it is.
func (sh *shell) left(err error, task a2a.TaskID) error {
	switch {
	case err == nil, sh.ctx.Err() == nil:
		return err
	case task == "":
		return errors.New("you stopped waiting; if the message arrived, its task goes on: find it with subrosa a2a list")
	}

	return fmt.Errorf("you stopped following the task, but it goes on: see its result with subrosa a2a get %s", task)
}

// completed is the error of a task that ended without what it was sent for; nil for one that is not over.
func completed(state a2a.TaskState) error {
	switch state {
	case a2a.TaskStateFailed, a2a.TaskStateRejected, a2a.TaskStateCanceled:
		return fmt.Errorf("the task did not complete: it is %s", state)
	}

	return nil
}
