package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/compare"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

const first = `LEASE

1. The term begins on March 1, 2026 and ends after thirty days' notice.

2. [Party 2] shall pay $1,200.00 a month to [Party 1] (the "Rent").

3. Pets are not allowed in the dwelling.

4. This lease is governed by the laws of the State of Ohio.
`

const second = `LEASE

1. The term begins on April 1, 2026 and ends after sixty days' notice.

2. [Party 2] shall pay $1,350.00 a month to [Party 1] (the "Base Rent").

3. This lease is governed by the laws of the State of Ohio.

4. [Party 2] shall insure the dwelling against fire.
`

func TestTextsSaysWhatDiffers(t *testing.T) {
	r := compare.Texts(first, second)

	var got []string
	for _, c := range r.Changes {
		got = append(got, fmt.Sprintf("%.12q %.12q %v %v %v %v", strings.TrimSpace(c.Before.In(first)), c.After.In(second), c.Dates, c.Sums, c.Numbers, c.Terms))
	}

	for i, want := range []struct {
		changed, telling bool
		dates, sums      compare.Pair
		terms            compare.Pair
	}{
		{changed: true, telling: true, dates: compare.Pair{Before: []string{"2026-03-01"}, After: []string{"2026-04-01"}}},
		{changed: true, telling: true, sums: compare.Pair{Before: []string{"1200.00 USD"}, After: []string{"1350.00 USD"}}, terms: compare.Pair{Before: []string{"Rent"}, After: []string{"Base Rent"}}},
		{},
	} {
		if i >= len(r.Changes) {
			t.Fatalf("changes %q", got)
		}
		c := r.Changes[i]
		if c.Changed() != want.changed || c.Telling() != want.telling || !same(c.Dates, want.dates) || !same(c.Sums, want.sums) || !same(c.Terms, want.terms) {
			t.Errorf("change %d is %s, want %+v", i, got[i], want)
		}
	}
	last := r.Changes[len(r.Changes)-1]
	if last.Changed() || !strings.Contains(last.After.In(second), "insure") {
		t.Errorf("changes %q; want the new sentence last", got)
	}
}

func same(a, b compare.Pair) bool {
	return slices.Equal(a.Before, b.Before) && slices.Equal(a.After, b.After)
}

func TestNumbersInWordsAndFigures(t *testing.T) {
	for _, tt := range []struct{ before, after, gone, come string }{
		{"Notice of thirty days is due.", "Notice of sixty days is due.", "[thirty]", "[sixty]"},
		{"Section 4.2 applies to it.", "Section 4.3 applies to it.", "[4.2]", "[4.3]"},
		{"1. It lasts 5 years in all.", "2. It lasts 5 years in all.", "[]", "[]"},
		{"He pays $40,000 within thirty days of May 1, 2026.", "He pays $45,000 within twenty days of May 2, 2026.", "[thirty]", "[twenty]"},
		{"[Party 1] owes it in 5 days.", "[Party 2] owes it in 5 days.", "[]", "[]"},
	} {
		r := compare.Texts(tt.before, tt.after)
		if len(r.Changes) != 1 || fmt.Sprint(r.Changes[0].Numbers.Before) != tt.gone || fmt.Sprint(r.Changes[0].Numbers.After) != tt.come {
			t.Errorf("%q and %q differ by %+v", tt.before, tt.after, r.Changes)
		}
	}
}

// TestNothingIsLost wants every sentence of both texts to be the same, changed, or on one side only, exactly once; and a text to be like
// itself.
func TestNothingIsLost(t *testing.T) {
	texts := []string{"", first, second, first + second, strings.Repeat(first, 3), "One. Two! Three?\n\nFour", "(a) one\n(b) two\n- three"}
	for _, a := range texts {
		for _, b := range texts {
			r := compare.Texts(a, b)
			inA, _ := facts.Sentences(a)
			inB, _ := facts.Sentences(b)
			onlyA, onlyB := 0, 0

			for _, c := range r.Changes {
				if c.Before.End > 0 {
					onlyA++
				}
				if c.After.End > 0 {
					onlyB++
				}
			}
			if r.Same+onlyA != len(inA) || r.Same+onlyB != len(inB) {
				t.Errorf("%.20q and %.20q: %d the same, %d and %d others, of %d and %d", a, b, r.Same, onlyA, onlyB, len(inA), len(inB))
			}
			if a == b && len(r.Changes) > 0 {
				t.Errorf("%.20q differs from itself", a)
			}
		}
	}
}

func FuzzTexts(f *testing.F) {
	f.Add(first, second)
	f.Add("a\x80b. C", "1) x\n\f2) y")
	f.Fuzz(func(t *testing.T, a, b string) {
		r := compare.Texts(a, b)
		for _, c := range r.Changes {
			if c.Before.End > len(a) || c.After.End > len(b) || c.Before.Start > c.Before.End || c.After.Start > c.After.End {
				t.Fatalf("change %+v of texts of %d and %d bytes", c, len(a), len(b))
			}
		}
	})
}

// BenchmarkTexts compares a long text with a changed one, beside the mere cutting of both into sentences.
func BenchmarkTexts(b *testing.B) {
	var one, two strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&one, "%d. [Party %d] shall pay $%d within %d days of the notice.\n\n", i, i%7+1, 100+i, i%60)
		fmt.Fprintf(&two, "%d. [Party %d] shall pay $%d within %d days of the notice.\n\n", i, i%7+1, 100+i+i/100%2, i%60)
	}
	b.Run("compare", func(b *testing.B) {
		b.SetBytes(int64(one.Len() + two.Len()))

		for b.Loop() {
			compare.Texts(one.String(), two.String())
		}
	})
	b.Run("cut", func(b *testing.B) {
		b.SetBytes(int64(one.Len() + two.Len()))

		for b.Loop() {
			facts.Sentences(one.String())
			facts.Sentences(two.String())
		}
	})
}
