package guard_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// pieces are invented texts, clean ones and dirty ones, that long texts are made of.
var pieces = []string{
	"Mr Halvard Ostrowe signed. ", "Ostrowe denied it. ", "See Bell Atl. Corp. v. Twombly, 550 U.S. 544, 555-56 (2007). ", "[Party 1] pays $80,000.00 on March 4, 2026.\n\n",
	"Call 212-555-0134\n", "IBAN GB82 WEST 1234 5698 7654 32, ", "J\u200bo\u200bh\u200bn ", "Zoë Ångström-Ødegård, ", "２１２-５５５-０１３４ ", "12 Long Lane, London SE1 4PG. ",
	"Die Klage ist unbegründet. ", "an Torsten Ohlmeier ", "l'appel de la société, ", "Tel. 0171 / 284 66 19 ", "J*o*h*n*n*y ", "D0ğ4n ", "Harbor Freight LLC ",
	"Lindenweg 5, 12527 Berlin ", "One Harbor Plaza, ", "J̶o̶h̶n̶ ",
	"the applicant ", "application no. 71236/09 ", "Рetrоv ", "\n\n", "x", "é", "born on 4 March 1975, ", "jane at mail dot example ", "\xff",
}

func written(t *testing.T, bytes int) string {
	t.Helper()

	var b strings.Builder
	for b.Len() < bytes {
		b.WriteString(pieces[rand.IntN(len(pieces))])
		if rand.IntN(40) == 0 {
			b.WriteString(strings.Repeat("a", rand.IntN(2000)))
		}
	}

	return b.String()
}

// A text whose time is up is no clean text.
func TestWhatWasNotReadIsAFinding(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if found := (guard.Guard{}).Check(ctx, guard.FileText, "Mr Halvard Ostrowe signed."); len(found) != 1 || found[0].Kind != guard.KindPerson {
		t.Errorf("a short text: %+v", found)
	}
	text := strings.Repeat("The lease ends in May.\n", 1<<13)
	found := guard.Guard{}.Check(ctx, guard.FileText, text)
	if len(found) != 1 || found[0].Kind != guard.KindOperation || found[0].Start == 0 || found[0].End != len(text) {
		t.Errorf("a long text: %+v", found)
	}
}

// chunks gives a text in pieces of any size.
type chunks struct{ rest string }

func (c *chunks) Read(p []byte) (int, error) {
	if c.rest == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 1+rand.IntN(9000))], c.rest)
	c.rest = c.rest[n:]

	return n, nil
}

func TestStreamsAndWholeTextsAgree(t *testing.T) {
	for _, size := range []int{0, 1, 100, 64 << 10, 64<<10 + 1, 200 << 10} {
		text := written(t, size)

		want := guard.Guard{}.Check(t.Context(), guard.FileText, text)
		for _, r := range []io.Reader{&chunks{text}, iotest.DataErrReader(strings.NewReader(text)), iotest.HalfReader(strings.NewReader(text))} {
			var got []guard.Finding
			err := guard.Guard{}.CheckReader(t.Context(), guard.FileText, r, func(f guard.Finding) error { got = append(got, f); return nil })
			if err != nil {
				t.Fatal(err)
			}
			if got = got[:min(len(got), guard.MaxFindings)]; !slices.Equal(got, want) {
				t.Fatalf("%d bytes: %d finds from a stream, %d from the whole", size, len(got), len(want))
			}
		}
	}
}

func TestStreamsEndWithTheErrorOfEitherSide(t *testing.T) {
	broken := errors.New("broken")
	none := func(guard.Finding) error { return nil }
	if err := (guard.Guard{}).CheckReader(t.Context(), guard.FileText, iotest.ErrReader(broken), none); !errors.Is(err, broken) {
		t.Errorf("CheckReader = %v, want the reader's error", err)
	}
	err := guard.Guard{}.CheckReader(t.Context(), guard.FileText, strings.NewReader("jane@example.com"), func(guard.Finding) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("CheckReader = %v, want the error of each", err)
	}
}

func TestANameIsKnownInTheBlocksBehindIt(t *testing.T) {
	filler := strings.Repeat("The parties agree on the terms of the lease.\n", 3000)
	text := "Mr Baker signed.\n" + filler + "Then Baker paid.\n"
	found := guard.Guard{}.Check(t.Context(), guard.FileText, text)
	if len(found) != 2 || text[found[1].Start:found[1].End] != "Baker" {
		t.Errorf("Check found %s, want both places", show(text, found))
	}
}
