package guard_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// Two words of an id that are a name together are found however they are joined.
func TestIDsNameNobody(t *testing.T) {
	for _, id := range []string{
		"John_Smith", "Smith.John.1971-05-03", "John%20Smith", "john_smith", "john-smith", "JohnSmith", "JOHN_SMITH",
		"john+smith", "john&nbsp;smith", `john\u0020smith`, "john%2520smith", "john.w.smith", "maria.garcia", "chat-mary_jones-3",
		"Halvard_Ostrowe", "Halvard.Ostrowe", "Halvard%20Ostrowe", "mr-ostrowe", "Smith-v-Jones", "smith_v_jones",
		"Mr.Smith", "mr-smith", "Mr_Jones", "Mr.\u00a0Smith", "Wei\u00a0Zhang", "Ann\u00a0Lee", "HALVARD\u00a0OSTROWE", "Client:\tWei\tZhang",
		"feature/john-smith-lease", "jane@example.com", "jane%40example.com", "dob-1971-05-03", "JamesWilsonDivorce",
	} {
		if found(t, guard.ChosenID, id) == "" {
			t.Errorf("%q passes", id)
		}
	}
}

// Ids of words pass, and those of programs and of language models.
func TestIDsOfWordsPass(t *testing.T) {
	for _, id := range []string{
		"session-1", "thread_abc123", "msg_01HXYZ", "run-2026-11-27-a", "lease-review-3", "order-workflow-1", "intake_Agent",
		"silent-fox-12", "misty-brook-7", "amber-hill", "autumn-field-9", "brave_curie", "admiring_tesla", "summer-rain",
		"claude-sonnet-4", "gpt-4o-mini", "mistral-large", "command-r-plus", "mr-review", "mr-fix-12", "mr-branch", "mr-main", "Nous-Hermes-2-Mixtral-8x7B-DPO", "roe-v-wade",
		"https://agents.example.com/.well-known/agent-card.json", "1764201600.123456", "main", "draft/lease-2",
	} {
		if got := found(t, guard.ChosenID, id); got != "" {
			t.Errorf("%q: found %s", id, got)
		}
	}
}

// Of ten thousand random ids of each form that programs make hardly one holds a name by chance.
func TestRandomIDsPass(t *testing.T) {
	const (
		each   = 10_000
		most   = 2 // of each form
		letter = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		number = "0123456789"
		crock  = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
		hex    = "0123456789abcdef"
	)
	random := rand.New(rand.NewPCG(37, 1))
	pick := func(from string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(from[random.IntN(len(from))])
		}

		return b.String()
	}
	uuid := func() string {
		return fmt.Sprintf("%s-%s-4%s-a%s-%s", pick(hex, 8), pick(hex, 4), pick(hex, 3), pick(hex, 3), pick(hex, 12))
	}

	for form, next := range map[string]func() string{
		"UUID":      uuid,
		"in large":  func() string { return strings.ToUpper(uuid()) },
		"ULID":      func() string { return "01" + pick(crock, 24) },
		"base64url": func() string { return pick(letter+number+"-_", 43) },
		"base64":    func() string { return base64.StdEncoding.EncodeToString([]byte(pick(letter+number, 18))) },
		"nanoid":    func() string { return pick(letter+number+"-_", 21) },
		"hex":       func() string { return pick(hex, 32) },
		"thread":    func() string { return "thread_" + pick(letter+number, 24) },
		"message":   func() string { return "msg_01" + pick(crock, 22) },
		"chat":      func() string { return "chatcmpl-" + pick(letter+number, 29) },
		"response":  func() string { return "resp_" + pick(hex, 48) },
		"LangChain": func() string { return "lc_run--" + uuid() },
		"Temporal":  func() string { return "order-workflow-" + uuid() + "/" + pick(hex, 8) },
		"Slack":     func() string { return "1764" + pick(number, 6) + "." + pick(number, 6) },
		"cuid":      func() string { return "c" + strings.ToLower(pick(letter+number, 24)) },
		"KSUID":     func() string { return pick(letter+number, 27) },
		"pod":       func() string { return "agent-" + pick("bcdfghjklmnpqrstvwxz2456789", 10) + "-x2x4z" },
		"trace":     func() string { return "00-" + pick(hex, 32) + "-" + pick(hex, 16) + "-01" },
		"context":   func() string { return "ctx-" + pick(letter+number+"-_", 12) },
	} {
		t.Run(form, func(t *testing.T) {
			var refused []string

			for range each {
				id := next()
				if got := found(t, guard.ChosenID, id); got != "" {
					refused = append(refused, id+" "+got)
				}
			}
			if len(refused) > most {
				t.Errorf("%d of %d refused: %s", len(refused), each, refused[:most])
			}
		})
	}
}

// Who chose an id is told to choose another: labels, which text can have, are no ids.
func TestTheRefusalOfAnIDAsksForAnother(t *testing.T) {
	check := func(channel guard.Channel, text string) *errs.Error {
		return guard.Refusal("", guard.At("sessionId", guard.New().Check(t.Context(), channel, text)))
	}
	e := check(guard.ChosenID, "John_Smith")
	start, end := 0, 10
	want := []errs.Detail{{Path: "sessionId", Kind: "person", Start: &start, End: &end}}
	if diff := cmp.Diff(want, e.Details); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
	if e.Code != "identity_refused" || !strings.Contains(e.Message, "such as a UUID") {
		t.Errorf("refused as %s: %s", e.Code, e.Message)
	}
	if e := check(guard.Prompt, "John Smith"); strings.Contains(e.Message, "UUID") || len(e.Details) == 0 {
		t.Errorf("a prompt is refused as %s, %d details", e.Message, len(e.Details))
	}
}
