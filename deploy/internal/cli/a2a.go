package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type a2aCmd struct {
	Send   a2aSendCmd   `cmd:"" help:"Send a message and wait for the task's result."`
	Stream a2aStreamCmd `cmd:"" help:"Send a message and show each event of the task."`
	Get    a2aGetCmd    `cmd:"" help:"Show a task."`
	List   a2aListCmd   `cmd:"" help:"List your tasks, those that changed last first."`
	Cancel a2aCancelCmd `cmd:"" help:"Cancel a task."`
	Card   a2aCardCmd   `cmd:"" help:"Show the signed card of the service."`
}

// a2aMessage is what both commands that send have.
type a2aMessage struct {
	Text    []string `arg:"" help:"What to do, in plain words and labels."`
	Case    string   `help:"Id of the case that it is about." placeholder:"CASE"`
	Task    string   `help:"Id of the task that this answers." placeholder:"TASK"`
	Context string   `help:"Id of the context that the new task belongs to." placeholder:"ID"`
	REST    bool     `name:"rest" help:"Use the HTTP+JSON binding instead of JSON-RPC."`
}

func (cmd *a2aMessage) request() *a2a.SendMessageRequest {
	m := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(strings.Join(cmd.Text, " ")))
	m.TaskID, m.ContextID = a2a.TaskID(cmd.Task), cmd.Context
	if cmd.Case != "" {
		// The protocol has no field for a case; the service reads it from the metadata.
		m.Metadata = map[string]any{"caseId": cmd.Case}
	}

	return &a2a.SendMessageRequest{Message: m}
}

type a2aSendCmd struct{ a2aMessage }

// Run sends the message.
func (cmd *a2aSendCmd) Run(sh *shell) error {
	return sh.withA2A(cmd.REST, func(c *a2aclient.Client) error {
		result, err := c.SendMessage(sh.ctx, cmd.request())
		if err != nil {
			return sh.left(err, "")
		}
		task, ok := result.(*a2a.Task)
		if !ok {
			return errors.New("the service answered with something other than a task")
		}

		return cmp.Or(sh.showTask(task), completed(task.Status.State))
	})
}

type a2aStreamCmd struct{ a2aMessage }

// Run sends the message and shows what follows.
func (cmd *a2aStreamCmd) Run(sh *shell) error {
	return sh.withA2A(cmd.REST, func(c *a2aclient.Client) error {
		var (
			task  a2a.TaskID
			state a2a.TaskState
		)

		for event, err := range c.SendStreamingMessage(sh.ctx, cmd.request()) {
			if err != nil {
				return sh.left(err, task)
			}
			task = event.TaskInfo().TaskID

			switch e := event.(type) {
			case *a2a.Task:
				state = e.Status.State
			case *a2a.TaskStatusUpdateEvent:
				state = e.Status.State
			}
			if err := sh.showEvent(event); err != nil {
				return err
			}
		}

		return completed(state)
	})
}

type a2aGetCmd struct {
	Task string `arg:"" help:"Id of the task."`
	REST bool   `name:"rest" help:"Use the HTTP+JSON binding instead of JSON-RPC."`
}

// Run shows the task.
func (cmd *a2aGetCmd) Run(sh *shell) error {
	return sh.withA2A(cmd.REST, func(c *a2aclient.Client) error {
		task, err := c.GetTask(sh.ctx, &a2a.GetTaskRequest{ID: a2a.TaskID(cmd.Task)})
		if err != nil {
			return err
		}

		return sh.showTask(task)
	})
}

type a2aListCmd struct {
	Context string `help:"Only tasks of this context." placeholder:"ID"`
	State   string `help:"Only tasks in this state: ${enum}." enum:",${a2aStates}" default:"" placeholder:"STATE"`
	Limit   int    `help:"How many, 1 to 100." default:"25"`
	After   string `help:"Token of the next page, as the list before printed it." placeholder:"TOKEN"`
	REST    bool   `name:"rest" help:"Use the HTTP+JSON binding instead of JSON-RPC."`
}

// Validate refuses a limit that the protocol would take for another: 0 is its usual number there.
func (cmd *a2aListCmd) Validate() error { return checkLimit(cmd.Limit) }

// Run lists tasks.
func (cmd *a2aListCmd) Run(sh *shell) error {
	return sh.withA2A(cmd.REST, func(c *a2aclient.Client) error {
		page, err := c.ListTasks(sh.ctx, &a2a.ListTasksRequest{
			ContextID: cmd.Context, Status: a2a.TaskState(cmd.State), PageSize: cmd.Limit, PageToken: cmd.After,
		})
		if err != nil {
			return err
		}
		if sh.root.JSON {
			return sh.printJSON(page)
		}

		for _, task := range page.Tasks {
			fmt.Fprintf(sh.Out, "%s  %-26s  %s\n", task.ID, task.Status.State, task.ContextID)
		}
		if page.NextPageToken != "" {
			fmt.Fprintf(sh.Out, "more: --after %s\n", page.NextPageToken)
		}

		return nil
	})
}

type a2aCancelCmd struct {
	Task string `arg:"" help:"Id of the task."`
	REST bool   `name:"rest" help:"Use the HTTP+JSON binding instead of JSON-RPC."`
}

// Run cancels the task.
func (cmd *a2aCancelCmd) Run(sh *shell) error {
	return sh.withA2A(cmd.REST, func(c *a2aclient.Client) error {
		task, err := c.CancelTask(sh.ctx, &a2a.CancelTaskRequest{ID: a2a.TaskID(cmd.Task)})
		if err != nil {
			return err
		}

		return sh.showTask(task)
	})
}

type a2aCardCmd struct{}

// Run prints the card as the service serves it.
func (a2aCardCmd) Run(sh *shell) error {
	if err := sh.open(); err != nil {
		return err
	}
	card, err := sh.a2aCard()
	if err != nil {
		return err
	}

	return sh.printJSON(card)
}

func (sh *shell) a2aCard() (*a2a.AgentCard, error) {
	c, err := sh.client(nil)
	if err != nil {
		return nil, err
	}
	text, err := c.Answer(sh.ctx, httpcall.Request{Method: http.MethodGet, Path: "/.well-known/agent-card.json"})
	if err != nil {
		return nil, err
	}
	var card a2a.AgentCard

	return &card, json.Unmarshal(text, &card)
}

var (
	errNoAgent = errors.New("the protocol is for agents, and none was connected from here: run subrosa connect")
	errAsUser  = &misuse{"the protocol is for agents: leave --as user out, or ask as yourself with subrosa ask"}
)

// withA2A runs what speaks the protocol with the official client, as the connected agent.
func (sh *shell) withA2A(rest bool, do func(*a2aclient.Client) error) error {
	// The endpoint takes bearers of agents alone: a token of a user would only be refused over the network.
	if sh.root.As == "user" {
		return errAsUser
	}
	if err := sh.open(); err != nil {
		return err
	}
	if sh.site.Agent == nil {
		return errNoAgent
	}
	card, err := sh.a2aCard()
	if err != nil {
		return err
	}
	wanted := a2a.TransportProtocolJSONRPC
	if rest {
		wanted = a2a.TransportProtocolHTTPJSON
	}
	transport, err := sh.transport()
	if err != nil {
		return err
	}
	var wait time.Duration
	// The official client keeps neither the status of a refusal nor Retry-After, so this transport reads both.
	own := &http.Client{Transport: agentTransport{sh, noted{sh, transport}, &wait}}
	config := a2aclient.Config{PreferredTransports: []a2a.TransportProtocol{wanted}}
	c, err := a2aclient.NewFromCard(
		sh.ctx,
		card,
		a2aclient.WithConfig(config),
		a2aclient.WithJSONRPCTransport(own),
		a2aclient.WithRESTTransport(own),
	)
	if err != nil {
		return err
	}

	err = do(c)

	// do runs before this line and not within it: it sets wait.
	return errors.Join(plain(err, wait), c.Destroy())
}

func (sh *shell) printJSON(v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(sh.Out, "%s\n", text)

	return err
}

func (sh *shell) showTask(task *a2a.Task) error {
	if sh.root.JSON {
		return sh.printJSON(task)
	}
	fmt.Fprintf(sh.Out, "task     %s\ncontext  %s\nstate    %s\n", task.ID, task.ContextID, task.Status.State)
	sh.say(task.Status.Message)

	for _, artifact := range task.Artifacts {
		fmt.Fprintln(sh.Out)

		for _, part := range artifact.Parts {
			if text := part.Text(); text != "" {
				fmt.Fprintln(sh.Out, strings.TrimSpace(text))
			}
		}
	}

	return nil
}

// say shows the words of a message.
func (sh *shell) say(m *a2a.Message) {
	if m == nil {
		return
	}

	for _, part := range m.Parts {
		if text := part.Text(); text != "" {
			fmt.Fprintf(sh.Out, "         %s\n", text)
		}
		if data, ok := part.Data().(map[string]any); ok && data["deepLink"] != nil {
			fmt.Fprintf(sh.Out, "         open %v\n", data["deepLink"])
		}
	}
}

func (sh *shell) showEvent(event a2a.Event) error {
	if sh.root.JSON {
		return sh.printJSON(a2a.StreamResponse{Event: event})
	}

	switch e := event.(type) {
	case *a2a.Task:
		return sh.showTask(e)
	case *a2a.TaskStatusUpdateEvent:
		fmt.Fprintf(sh.Out, "state    %s\n", e.Status.State)
		sh.say(e.Status.Message)
	case *a2a.TaskArtifactUpdateEvent:
		// The last chunk repeats the whole text. What an attempt wrote that did not end is void, so earlier ones are
		// not shown.
		if !e.LastChunk {
			break
		}

		for _, part := range e.Artifact.Parts {
			fmt.Fprint(sh.Out, part.Text())
		}
		fmt.Fprintln(sh.Out)
	}

	return nil
}
