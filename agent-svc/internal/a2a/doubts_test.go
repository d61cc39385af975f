package a2a_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// doubtful are tasks of which nobody knows what became of a call.
type doubtful struct{ a2a.Tasks }

func (doubtful) A2ATask(context.Context, string) (api.A2ATask, error) {
	return api.A2ATask{}, errs.ErrUncertain
}

func (doubtful) A2ATasks(context.Context, api.A2AQuery) (api.A2ATaskPage, error) {
	return api.A2ATaskPage{}, errs.ErrUncertain
}

// TestWhoeverReadsHearsNoDoubt: what a service did further in for a caller who only reads is not the caller's.
func TestWhoeverReadsHearsNoDoubt(t *testing.T) {
	b := play(t, script, func(e *a2a.Endpoint) { e.Service.Tasks = doubtful{e.Service.Tasks} })
	const nothing, doubt = "nothing was changed", "may have been carried out"
	one := object{"id": "3f0c6a1e-1111-4222-8333-444455556666"}

	for _, tc := range []struct {
		operation string
		params    object
		want      string
	}{
		{"GetTask", one, nothing},
		{"ListTasks", object{}, nothing},
		{"SubscribeToTask", one, nothing},
		{"CancelTask", one, doubt},
	} {
		for binding, call := range map[string]func() reply{
			"JSON-RPC":  func() reply { return b.rpc(tc.operation, tc.params, nil) },
			"HTTP+JSON": func() reply { return b.restCall(tc.operation, tc.params, nil) },
		} {
			r := call()
			said, err := json.Marshal(r.body)
			if err != nil || !r.failed || !strings.Contains(string(said), tc.want) {
				t.Errorf("%s by %s: %s, %v, want %q", tc.operation, binding, said, err, tc.want)
			}
		}
	}
}
