package support_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/support"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

func TestAnswer(t *testing.T) {
	catalogue := support.NewCatalogue()

	for _, tc := range []struct{ question, want string }{
		{"What does branch_busy mean?", "branch_busy"},
		{"I get identity_refused when I upload", "identity_refused"},
		{"rate_limited", "rate_limited"},
		{"Why was my upload refused?", "identity_refused"},
		{"My stream broke off, how do I resume?", "stream_broken"},
		{"How do I connect an agent?", "connect_agent"},
		{"The registration token expired", "registration_token_invalid"},
		{"I lost my API key", "lost_key"},
		{"How long is the bearer token valid?", "bearer_expired"},
		{"only heartbeats arrive, the proxy is buffering", "stream_silent"},
		{"is it safe to repeat the POST", "repeat_post"},
		{"How do labels look?", "labels"},
		{"How can I stop a run?", "cancel_run"},
		{"which file formats can I upload", "upload_formats"},
		{"503", "unavailable"},
		{"this is not a name, it is a false alarm", "false_alarm"},
		{"How do I anonymize a document before I upload it?", "redact_first"},
		{"I deleted a case by mistake, can I bring it back?", "restore_case"},
		{"How long do you keep closed cases?", "keep_case"},
		{"Can I trust the audit log?", "audit_record"},
		{"does an AI language model read my case", "which_model"},
		{"How are deadlines counted?", "deadline_rules"},
		{"How do I invite an outside lawyer?", "invite_partner"},
		{"Why can my agent not see a scan?", "read_unreadable"},
		{"How do I approve an answer of the agent?", "review_work"},
		{"can I export a case as a zip", "export_case"},
		{"What is the capital of France?", ""},
		{"Please give me a refund for last month", ""},
		{"zzzz", ""},
	} {
		t.Run(tc.question, func(t *testing.T) {
			got := catalogue.Answer(tc.question)
			if tc.want == "" {
				if len(got) > 0 {
					t.Errorf("answered by %s, want nothing", got[0].Code)
				}

				return
			}
			if len(got) == 0 || !slices.ContainsFunc(got, func(e support.Entry) bool { return e.Code == tc.want }) {
				t.Errorf("answered by %+v, want %s among them", got, tc.want)
			}
		})
	}
}

// errorCodes finds the enumerations of codes in the schemas of errors of the interface.
var errorCodes = regexp.MustCompile(`(?m)^\s+error: \{type: string, enum: \[([a-z0-9_, ]+)\]`)

// TestCatalogueIsWhole wants an entry for each error code of the interface.
func TestCatalogueIsWhole(t *testing.T) {
	var codes []string
	for _, found := range errorCodes.FindAllSubmatch(api.Contract(), -1) {
		codes = append(codes, strings.Split(string(found[1]), ", ")...)
	}
	if len(codes) < 80 {
		t.Fatalf("%d codes were found in openapi.yaml", len(codes))
	}

	seen := map[string]bool{}
	for _, e := range support.NewCatalogue().Entries() {
		if seen[e.Code] {
			t.Errorf("%s stands twice in the catalogue", e.Code)
		}
		seen[e.Code] = true
		if e.Title == "" || e.Cause == "" || e.Remedy == "" {
			t.Errorf("%s lacks a title, cause or remedy", e.Code)
		}
		if e.Fault && !bytes.Contains(api.Contract(), []byte(e.Code)) {
			t.Errorf("%s is no error code of the interface", e.Code)
		}

		for _, text := range []string{e.Title, e.Cause, e.Remedy} {
			if found := guard.New().Check(t.Context(), guard.Event, text); found != nil {
				t.Errorf("%s: the gate finds %+v", e.Code, found)
			}
		}
	}

	for _, code := range codes {
		if !seen[code] {
			t.Errorf("no entry for %s: say in requestfaults.go or statefaults.go what it means and what to do", code)
		}
	}
}
