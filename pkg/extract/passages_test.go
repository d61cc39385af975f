package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// words returns n words of which the last ends a sentence.
func words(n int) string { return strings.TrimSpace(strings.Repeat("word ", n-1) + "ending.") }

func TestPassages(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		text string
		want []string // paragraph and number of words
	}{
		"one short text":                {words(10), []string{"1:10"}},
		"short paragraphs together":     {strings.Repeat(words(30)+"\n\n", 6), []string{"1:90", "4:90"}},
		"a short rest joins":            {strings.Repeat(words(45)+"\n\n", 3), []string{"1:135"}},
		"a long rest stands alone":      {words(150) + "\n\n" + words(60), []string{"1:150", "2:60"}},
		"never more than 200":           {words(70) + "\n\n" + words(150), []string{"1:70", "2:150"}},
		"long paragraph at sentences":   {strings.Repeat(words(60)+" ", 5), []string{"1:180", "1:120"}},
		"heading stays with its text":   {"Heading here\n\n" + strings.Repeat(words(60)+" ", 5), []string{"1:182", "2:120"}},
		"sentence of 500 words":         {words(500), []string{"1:200", "1:200", "1:100"}},
		"numbered paragraphs":           {"1. " + words(90) + "\n2. " + words(90) + "\n\n3) " + words(90), []string{"1:91", "2:91", "3:91"}},
		"a year does not number":        {words(50) + "\n2024 was\n" + words(50), []string{"1:102"}},
		"abbreviations end no sentence": {strings.Repeat("Roe v. Wade, 410 U.S. at 5, ", 40), []string{"1:200", "1:80"}},
	} {
		t.Run(name, func(t *testing.T) {
			doc := read(t, extract.PlainText, []byte(tc.text))

			var got []string
			for _, p := range extract.Passages(doc) {
				got = append(got, fmt.Sprintf("%d:%d", p.Paragraph, len(strings.Fields(p.Text))))
			}
			if fmt.Sprint(got) != fmt.Sprint(tc.want) {
				t.Errorf("passages = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestPassagesKnowTheirPages(t *testing.T) {
	t.Parallel()

	doc := read(t, extract.PlainText, []byte(words(100)+"\f"+words(100)+"\f"+words(100)))
	for i, p := range extract.Passages(doc) {
		if p.Page != i+1 {
			t.Errorf("passage %d is on page %d", i, p.Page)
		}
	}
}

// TestPassagesQuoteTheBody wants, of any text: passages in order and apart, each exactly what its offsets say, every word in
// one, and none longer than allowed.
func TestPassagesQuoteTheBody(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{" ", "\n", "\n\n", "\f", "word", "§", "1. ", "Ends here.", "é", "𐀀", "\t", words(79), words(150), words(230), "[Party 1]"})
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 1, 60).Draw(rt, "pieces"), "") + " word"
		doc := read(t, extract.PlainText, []byte(text))
		body := []rune(doc.Text)

		last, count := 0, 0
		for _, p := range extract.Passages(doc) {
			if p.CharStart < last || p.CharEnd <= p.CharStart || p.CharEnd > len(body) || string(body[p.CharStart:p.CharEnd]) != p.Text {
				rt.Fatalf("passage %+v after %d of %d", p, last, len(body))
			}
			n := len(strings.Fields(p.Text))
			if n > 200 {
				rt.Fatalf("passage of %d words", n)
			}
			if p.Page != doc.Page(p.CharStart) || p.Paragraph < 1 {
				rt.Fatalf("passage %+v, page %d", p, doc.Page(p.CharStart))
			}
			last, count = p.CharEnd, count+n
		}
		if want := len(strings.Fields(doc.Text)); doc.Status.Readable() && count != want {
			rt.Fatalf("passages hold %d words of %d", count, want)
		}
	})
}

// TestAWrappedLineBeginsNoPassage keeps a sentence whose second line begins with a number and a bracket.
func TestAWrappedLineBeginsNoPassage(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("The tenant keeps the flat clean and pays the rent. ", 12)
	text := words + "The duties set forth there (as defined in Section\n8) will survive the end of the lease.\n\n9) " + words

	for _, p := range extract.Passages(extract.Document{Status: extract.OK, Text: text}) {
		if strings.HasPrefix(p.Text, "8) will") {
			t.Errorf("a passage begins within a sentence: %q", p.Text)
		}
	}
	if n := len(extract.Passages(extract.Document{Status: extract.OK, Text: text})); n != 2 {
		t.Errorf("%d passages, want 2: an item of its own begins one", n)
	}
}
