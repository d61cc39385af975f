package guard

import (
	"context"
	"slices"
	"strings"
)

// clearable are the kinds of finding that a tenant can declare a false alarm for a word: names, numbers and addresses.
// What is never anybody's but a person's own, and what stands where it may not, stays refused.
var clearable = []string{
	KindPerson, KindOrg, KindAddress, KindPhone, KindEmail, KindAccount, KindDocket, KindVehicle, KindProperty, KindURL,
}

// Clearable reports whether word can be an allowed word: none of its findings is of a kind that cannot be cleared.
func Clearable(word string) bool {
	// Titles are read as prompts are, so that words in small letters are looked at too.
	for _, f := range New().Check(context.Background(), Title, word) {
		if !slices.Contains(clearable, f.Kind) {
			return false
		}
	}

	return true
}

// Lexicon are the allowed words of one tenant, folded.
type Lexicon map[string]bool

// folded makes words alike that differ in case, or in what a finding of a number leaves out before its first digit.
func folded(word string) string { return strings.ToLower(strings.TrimLeft(word, "+＋(")) }

// NewLexicon returns the lexicon of words.
func NewLexicon(words []string) Lexicon {
	l := make(Lexicon, len(words))
	for _, w := range words {
		l[folded(w)] = true
	}

	return l
}

// Allowing is a Gate that drops the findings a tenant has cleared: those of a clearable kind whose whole text is an
// allowed word.
type Allowing struct {
	Gate
	// Words returns the lexicon of the tenant that ctx acts for. It is nil when nothing is allowed, or when the allowed
	// words cannot be read.
	Words func(ctx context.Context) Lexicon
}

// Check asks for the words only when there is a finding to clear. A text with MaxFindings or more is not cleared of
// any.
func (a Allowing) Check(ctx context.Context, door Channel, text string) []Finding {
	found := a.Gate.Check(ctx, door, text)
	// At the limit there may be more findings behind the last one, and nobody has cleared those.
	if len(found) == 0 || len(found) >= MaxFindings {
		return found
	}
	words := a.Words(ctx)
	left := slices.DeleteFunc(found, func(f Finding) bool {
		return slices.Contains(clearable, f.Kind) && words[folded(text[f.Start:f.End])]
	})
	if len(left) == 0 {
		return nil
	}

	return left
}
