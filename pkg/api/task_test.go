package api_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
)

func TestTheFormOfATask(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name   string
		change func(task *api.AgentTask)
		code   string   // "" for a task that is taken
		wrong  []string // paths that are named
	}{
		{"as it should be", func(*api.AgentTask) {}, "", nil},
		{"the longest prompt", func(task *api.AgentTask) { task.Prompt = strings.Repeat("ä", 32_000) }, "", nil},
		{
			"a prompt that is too long",
			func(task *api.AgentTask) { task.Prompt = strings.Repeat("x", 32_001) },
			"prompt_too_long",
			nil,
		},
		{
			"an empty prompt, and a control character in the session",
			func(task *api.AgentTask) { task.Prompt, task.SessionID = " \n", "a\x1b" },
			"validation_failed",
			[]string{"sessionId", "prompt"},
		},
		{"50 files", func(task *api.AgentTask) { task.FileIDs = newIDs(50) }, "", nil},
		{
			"51 files",
			func(task *api.AgentTask) { task.FileIDs = newIDs(51) },
			"validation_failed",
			[]string{"fileIds"},
		},
		{
			"a request type of another container",
			func(task *api.AgentTask) { task.RequestType = api.SalesReq },
			"request_type_mismatch",
			nil,
		},
		{
			"an unknown request type, and no container",
			func(task *api.AgentTask) { task.RequestType, task.ContainerID = "x", "" },
			"validation_failed",
			[]string{"containerId", "requestType"},
		},
		{
			"the shortest time and a dialect",
			func(task *api.AgentTask) { task.Options = &api.TaskOptions{MaxSeconds: 5, Language: "es-MX"} },
			"",
			nil,
		},
		{
			"options that there are not",
			func(task *api.AgentTask) {
				task.Options = &api.TaskOptions{Mode: "fast", MaxSeconds: 4, Language: "la"}
			},
			"validation_failed",
			[]string{"options.mode", "options.maxSeconds", "options.language"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()

			task := api.AgentTask{
				SessionID:     "s",
				SeedPhase:     api.SeedPhase{PhaseID: ids.New()},
				ContainerID:   ids.New(),
				ContainerType: api.ContainerCase,
				RequestType:   api.CaseReq,
				Prompt:        "Which deadlines are open?",
			}
			tc.change(&task)
			code := ""
			var paths []string

			if e := (*errs.Error)(nil); errors.As(task.Validate(), &e) {
				code = e.Code
				for _, d := range e.Details {
					paths = append(paths, d.Path)
				}
			}
			if code != tc.code {
				t.Errorf("the code is %q, want %q", code, tc.code)
			}
			if diff := cmp.Diff(tc.wrong, paths); diff != "" {
				t.Errorf("fields that are wrong (-want +got):\n%s", diff)
			}
		})
	}
}

func newIDs(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = ids.New()
	}

	return all
}

// The document for clients states the limits that are checked.
func TestTheDocumentStatesTheLimitsOfATask(t *testing.T) {
	t.Parallel()

	document, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, task, found := strings.Cut(string(document), "\n    AgentTask:\n")
	if !found {
		t.Fatal("the document has no AgentTask")
	}
	task = task[:4000]

	for _, line := range []string{
		"prompt: {type: string, minLength: 1, maxLength: " + strconv.Itoa(api.MaxPrompt) + "}",
		"sessionId: {type: string, minLength: 1, maxLength: " + strconv.Itoa(api.MaxSession),
		"fileIds: {type: array, maxItems: " + strconv.Itoa(api.MaxTaskFiles),
	} {
		if !strings.Contains(task, line) {
			t.Errorf("the document does not state %q", line)
		}
	}
}
