package facts_test

import (
	"slices"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// TestLater counts a period from the day named before it when something is due, and not in a story.
func TestLater(t *testing.T) {
	for _, tc := range []struct {
		text string
		want []string // the counted days
	}{
		{"The accident happened on May 3, 2027. Two weeks later [Party 1] saw a doctor.", nil},
		{"[Party 1] moved out on May 3, 2027; ten days later [Party 2] changed the locks.", nil},
		{"[Party 1] fell ill on May 3, 2027, and at most two days later the fever rose.", nil},
		{"[Party 1] was hired on May 3, 2027. Within two weeks thereafter she was dismissed.", nil},
		{"The notice was mailed on May 3, 2027. Ten days later [Party 2] was ordered to pay the rent.", nil},
		{"[Party 1] lost his job on May 3, 2027. Two weeks later [Party 1] was able to pay.", nil},
		{"Responses are due by May 3, 2027, replies one week later.", []string{"2027-05-10"}},
		{"The hearing is set for May 3, 2027. Briefs are in one week later.", []string{"2027-05-10"}},
		{"The summons was served on May 3, 2027. [Party 2] must answer 21 days thereafter.", []string{"2027-05-24"}},
		{"The order was entered on May 3, 2027. The answer: two weeks later.", []string{"2027-05-17"}},
		{"The order was entered on May 3, 2027. Two weeks later [Party 1] shall report.", []string{"2027-05-17"}},
	} {
		t.Run(tc.text, func(t *testing.T) {
			var got []string

			for _, d := range facts.NewReader().Read(tc.text, "").Deadlines {
				if d.Computed {
					got = append(got, d.Date.String())
				}
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("counted days %q, want %q", got, tc.want)
			}
		})
	}
}

// TestDutyBehindAStory keeps a period whose event only is told, and drops one whose own clause is.
func TestDutyBehindAStory(t *testing.T) {
	for text, want := range map[string]int{
		"Within 10 days after [Party 1] delivered the goods on May 3, 2027, [Party 2] pays the price.": 1,
		"Ten days after May 3, 2027 [Party 2] changed the locks.":                                      0,
	} {
		if got := len(facts.NewReader().Read(text, "").Deadlines); got != want {
			t.Errorf("%s: %d deadlines, want %d", text, got, want)
		}
	}
}

// TestNewHour takes the hour to which a hearing is moved on its day.
func TestNewHour(t *testing.T) {
	const text = "The hearing set for May 3, 2027 at 9:00 a.m. is moved to 2:00 p.m."
	list := facts.NewReader().Read(text, "").Deadlines
	if len(list) != 1 || list[0].Clock.In(text) != "2:00 p.m." {
		t.Errorf("%+v, want one at 2:00 p.m.", list)
	}
}
