package answers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// onlyOn reports whether a report names one person or party, who is the one called and on whom the paper was served,
// and one day: of "served on [Party 2] on May 3 and on [Party 3] on May 5" either may be the day.
func onlyOn(r casereading.Report, called string) bool {
	quote, reached := r.At.Quote, false

	for _, l := range facts.Labels(quote) {
		if !facts.IsParty(l.Label) {
			continue
		}
		if l.String() != called {
			return false
		}
		reached = reached || getsPaper(quote[:l.Start], quote[l.End:])
	}

	return reached && len(facts.Dates(quote)) == 1
}

// Words right before a label, or right behind it, that say that a paper was served on whom it stands for.
var (
	servedOn   = regexp.MustCompile(`(?i)\b(?:up)?on\s+(?:the\s+)?(?:defendant\s+|respondent\s+|tenant\s+)?$`)
	wasServed  = regexp.MustCompile(`(?i)^,?\s+(?:was|were|has been|had been)\s+(?:\w+ly\s+)?served\b`)
	servedSelf = regexp.MustCompile(`(?i)^,?\s+(?:was|were|has been|had been)\s+(?:\w+ly\s+)?served\s+by\b`)
)

// getsPaper reports whether the words around a label say that a paper was served on whom it stands for, and not by them
// or on somebody of theirs.
func getsPaper(before, behind string) bool {
	return servedOn.MatchString(before) || wasServed.MatchString(behind) && !servedSelf.MatchString(behind)
}

// plainService reports whether the sentence of a report says only that a paper was served in person on a day. One that
// says more may tell of a service that does not count, "is quashed", or that was made in another way, "by mail".
func plainService(r casereading.Report) bool {
	quote := []byte(r.At.Quote)
	if strings.ContainsRune(r.At.Quote, '?') {
		return false
	}

	blank := func(s facts.Span) {
		for i := s.Start; i < s.End; i++ {
			quote[i] = ' '
		}
	}
	for _, l := range facts.Labels(r.At.Quote) {
		blank(l.Span)
	}

	for _, d := range facts.Dates(r.At.Quote) {
		blank(d.Span)
	}

	words := strings.FieldsFunc(strings.ToLower(string(quote)), func(c rune) bool {
		return strings.ContainsRune(" \t\n,.;:()“”\"", c)
	})

	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(ofService, w) && !ofClock(w) })
}

// ofClock reports whether a word is a number or part of an hour.
func ofClock(word string) bool {
	return slices.Contains([]string{"a", "p", "m", "am", "pm", "noon"}, word) || word[0] >= '0' && word[0] <= '9'
}

// ofService are the words of a sentence that says only that a paper was served in person.
var ofService = []string{
	"i", "we", "the", "this", "an", "that", "on", "upon", "at", "of", "and", "with", "to", "was", "were", "been", "has",
	"have", "had", "served", "service", "made", "effected", "personally", "duly", "hereby", "within", "named", "certify",
	"declare", "state", "copy", "copies", "true", "summons", "subpoena", "citation", "writ", "complaint", "petition",
	"in", "person", "personal", "by", "hand", "delivery", "defendant", "respondent", "tenant", "proof", "sheriff",
	"deputy", "process", "server", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
}
