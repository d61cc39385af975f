// Command go works with Subrosa by the agent-to-agent protocol, with the official Go SDK.
//
// Set SUBROSA_URL, SUBROSA_API_KEY and SUBROSA_CASE, and SUBROSA_CA to the file of a local authority. BINDING is
// JSONRPC (the default) or HTTP+JSON.
package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
)

var base, caseID = os.Getenv("SUBROSA_URL"), os.Getenv("SUBROSA_CASE")

// agent adds the agent's bearer to every request. What is refused before its stream begins is a plain answer, which
// this SDK would not see, since it reads only streams over JSON-RPC: it is handed on as the only event of one.
type agent struct {
	next   http.RoundTripper
	bearer string
}

func (a agent) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+a.bearer)

	resp, err := a.next.RoundTrip(r)
	plain := err == nil && strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json")
	if !plain || resp.StatusCode != http.StatusOK || r.Header.Get("Accept") != "text/event-stream" {
		return resp, err
	}
	event := io.MultiReader(strings.NewReader("data: "), resp.Body, strings.NewReader("\n\n"))
	resp.Body = struct {
		io.Reader
		io.Closer
	}{event, resp.Body}

	return resp, nil
}

func main() {
	for _, name := range []string{"SUBROSA_URL", "SUBROSA_API_KEY", "SUBROSA_CASE"} {
		if os.Getenv(name) == "" {
			log.Fatal("set " + name)
		}
	}
	ctx := context.Background()
	client, err := connect(ctx)
	check(err)

	// A message that names no case is asked for one; the id of a case is answer enough.
	asked, _ := last(client.SendStreamingMessage(ctx, message("What is agreed about notice?")), 0)
	fmt.Println("asked:", asked.Status.Message.Parts[0].Text())
	answer := a2a.NewMessageForTask(a2a.MessageRoleUser, asked, a2a.NewTextPart(caseID))
	done, _ := last(client.SendStreamingMessage(ctx, &a2a.SendMessageRequest{Message: answer}), 0)

	whole, err := client.GetTask(ctx, &a2a.GetTaskRequest{ID: done.ID})
	check(err)
	if len(whole.Artifacts) == 0 {
		log.Fatal("no answer: ", whole.Status.State)
	}
	first, _, _ := strings.Cut(whole.Artifacts[0].Parts[0].Text(), "\n")
	fmt.Println("answer:", first)
	page, err := client.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: done.ContextID})
	check(err)
	fmt.Println("tasks of the context:", page.TotalSize)

	// The stream is cut after two events: the task, which has the number 0, and event 1. The rest follows event 1.
	about := message("What is the notice period?")
	about.Message.Metadata = map[string]any{"caseId": caseID}
	cut, seen := last(client.SendStreamingMessage(ctx, about), 2)
	place := a2aclient.ServiceParams{"Last-Event-ID": {strconv.Itoa(seen - 1)}}
	rest := client.SubscribeToTask(a2aclient.AttachServiceParams(ctx, place), &a2a.SubscribeToTaskRequest{ID: cut.ID})
	_, more := last(rest, 0)
	fmt.Println("resumed: events", seen, "to", seen+more-1)

	other, _ := last(client.SendStreamingMessage(ctx, message("Not now.")), 0)
	over, err := client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: other.ID})
	check(err)
	fmt.Println("cancelled:", over.Status.State)
}

// connect exchanges the key for a bearer, reads the card and returns a client for the wanted binding.
func connect(ctx context.Context) (*a2aclient.Client, error) {
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots(), MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
	}
	plain := &http.Client{Transport: transport}
	key := strings.NewReader(`{"api_key":"` + os.Getenv("SUBROSA_API_KEY") + `"}`)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/auth/token", key)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := plain.Do(req)
	if err != nil {
		return nil, err
	}

	defer func() { _ = resp.Body.Close() }()
	var token struct {
		Bearer string `json:"bearer_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&token); err != nil {
		return nil, err
	}

	card, err := agentcard.NewResolver(plain).Resolve(ctx, base)
	if err != nil {
		return nil, err
	}
	binding := a2a.TransportProtocol(cmp.Or(os.Getenv("BINDING"), "JSONRPC"))
	card.SupportedInterfaces = slices.DeleteFunc(card.SupportedInterfaces, func(i *a2a.AgentInterface) bool {
		return i.ProtocolBinding != binding
	})
	own := &http.Client{Transport: agent{transport, token.Bearer}}

	return a2aclient.NewFromCard(ctx, card, a2aclient.WithJSONRPCTransport(own), a2aclient.WithRESTTransport(own))
}

// roots are the certificates of SUBROSA_CA; without it nil, the system's.
func roots() *x509.CertPool {
	pem, err := os.ReadFile(os.Getenv("SUBROSA_CA"))
	pool := x509.NewCertPool()
	if err != nil || !pool.AppendCertsFromPEM(pem) {
		return nil
	}

	return pool
}

func message(text string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))}
}

// last prints what happens and returns the task as it stands at the end, or after most events where most is not 0.
func last(events iter.Seq2[a2a.Event, error], most int) (task *a2a.Task, seen int) {
	for event, err := range events {
		check(err)

		switch event := event.(type) {
		case *a2a.Task:
			task = event
			fmt.Println("task", task.Status.State)
		case *a2a.TaskStatusUpdateEvent:
			fmt.Println("status", event.Status.State)
			if task != nil {
				task.Status = event.Status
			}
		case *a2a.TaskArtifactUpdateEvent:
			fmt.Println("artifact", len(event.Artifact.Parts[0].Text()), "bytes")
		}
		if seen++; seen == most || waits(event) {
			break
		}
	}

	return task, seen
}

// waits reports whether a task waits for somebody: a subscription stays open meanwhile.
func waits(event a2a.Event) bool {
	update, ok := event.(*a2a.TaskStatusUpdateEvent)
	return ok && update.Status.State == a2a.TaskStateInputRequired
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
