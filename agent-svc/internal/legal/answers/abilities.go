package answers

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// ability is something that can be asked of a case. Each stands in the file that carries it out, and is added to the
// table there by offer: to add one takes that file and its test.
type ability struct {
	intent intent.Intent
	prompt string // an example of how it is asked for
	does   string // what it does, for the list that Help shows
	// phrases that ask for it in lower case, for what package intent does not read from verbs and objects
	asked []string
	run   func(*job, context.Context) (api.PhaseResponse, error)
}

// table holds the abilities that were offered.
var table []ability

// offer adds an ability to the table.
func offer(a ability) bool {
	table = append(table, a)
	return true
}

// shownFirst orders the list of Help; what it does not name comes after that, by its example.
var shownFirst = []intent.Intent{
	intent.Find, intent.Parties, intent.Dates, intent.Deadlines, intent.Amounts, intent.Authorities, intent.Summary,
	intent.Checklist, intent.Elements,
	intent.Partners, intent.Compare, intent.Draft, intent.NextSteps,
}

// abilities lists what this release can do with a case_req, in the order of Help, which is the last.
func abilities() []ability {
	place := func(a ability) int {
		at := slices.Index(shownFirst, a.intent)
		switch {
		case at >= 0:
			return at
		case a.intent == intent.Help:
			return len(shownFirst) + 1
		}

		return len(shownFirst)
	}

	list := slices.Clone(table)
	slices.SortFunc(list, func(a, b ability) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), strings.Compare(a.prompt, b.prompt))
	})

	return list
}

// Asked tells what a prompt asks for: an ability by one of its phrases, else what its verbs and objects say.
func Asked(prompt string) intent.Reading {
	lower := strings.ToLower(prompt)

	// Phrases that an ability names itself come first: package intent would read their verbs and objects otherwise.
	for _, a := range table {
		if slices.ContainsFunc(a.asked, func(p string) bool { return wordsStand(lower, p) }) {
			return intent.Reading{Best: a.intent}
		}
	}

	return intent.Read(prompt)
}

// perform carries out what was asked for.
func (j *job) perform(ctx context.Context, what intent.Intent) (api.PhaseResponse, error) {
	for _, a := range table {
		if a.intent == what {
			return a.run(j, ctx)
		}
	}

	// Package intent knows more than this release can do.
	return j.unavailable(what), nil
}
