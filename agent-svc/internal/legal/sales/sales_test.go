package sales_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/sales"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

func file(facts string) string { return `{"version":"1","facts":[` + facts + `]}` }

func fact(topic, title, text, words string) string {
	return fmt.Sprintf(`{"topic":%q,"title":%q,"text":%q,"words":%q}`, topic, title, text, words)
}

func TestRead(t *testing.T) {
	good := fact("plans", "Team", "It costs 40 dollars.", "")
	for _, tc := range []struct{ name, file, want string }{
		{"good", file(good), ""},
		{"not JSON", "version: 1", "must be JSON"},
		{"an unknown field", `{"version":"1","price":3,"facts":[]}`, "must be JSON"},
		{"two values", file(good) + "{}", "behind the JSON value"},
		{"no facts", file(""), "1 to 200"},
		{"too many facts", file(strings.TrimSuffix(strings.Repeat(good+",", 201), ",")), "1 to 200"},
		{"no version", `{"facts":[` + good + `]}`, "version must be"},
		{"no text", file(good + "," + fact("plans", "Team", " ", "")), "facts[1].text"},
		{"a long text", file(fact("plans", "Team", strings.Repeat("a", 2001), "")), "facts[0].text"},
		{"a title of two lines", file(fact("plans", "Te\nam", "x", "")), "facts[0].title"},
		{"an address", file(fact("plans", "Team", "Write to jane.roe@example.com for an offer.", "")), "facts[0].text holds what could be a real identity"},
		{"too large", strings.Repeat(" ", sales.MaxBytes+1), "at most"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := sales.Read(t.Context(), strings.NewReader(tc.file), guard.New())
			if tc.want == "" && (err != nil || s == nil) || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("Read = %v, want %q", err, tc.want)
			}
			if err != nil && strings.Contains(err.Error(), "jane") {
				t.Errorf("the error quotes the file: %v", err)
			}
		})
	}
}

func TestAnswer(t *testing.T) {
	s, err := sales.Read(t.Context(), strings.NewReader(file(strings.Join([]string{
		fact("plans", "The team plan", "It costs 40 dollars for each person and month.", "price cost much"),
		fact("limits", "Files", "A file has at most 25 MiB.", "size upload large"),
		fact("plans", "Trial", "The first month is free of charge.", "try test"),
	}, ","))), guard.New())
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Topics(); !slices.Equal(got, []string{"plans", "limits"}) || s.Version() != "1" {
		t.Errorf("topics %v of version %s", got, s.Version())
	}

	for question, want := range map[string]string{
		"How much does the team plan cost?": "The team plan", "How large may an upload be?": "Files", "Is the first month free?": "Trial", "Do you win every case?": "",
	} {
		got := s.Answer(question)
		if want == "" && len(got) > 0 || want != "" && (len(got) == 0 || got[0].Title != want) {
			t.Errorf("%q is answered by %+v, want %q", question, got, want)
		}
	}
}
