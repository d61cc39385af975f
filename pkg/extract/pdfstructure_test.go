package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdftest"
)

// at draws a text of 12 points at a place of the page.
func at(x, y int, text string) string { return sized(12, x, y, text) }

func sized(size, x, y int, text string) string {
	text = strings.NewReplacer("(", `\(`, ")", `\)`).Replace(text)

	return fmt.Sprintf("BT /F1 %d Tf %d %d Td (%s) Tj ET\n", size, x, y, text)
}

// side draws two columns of text line by line, as some programs do, or one after the other.
func side(left, right []string, byLine bool) string {
	var one, other, both strings.Builder

	for i := range max(len(left), len(right)) {
		for column, lines := range [][]string{left, right} {
			if i < len(lines) {
				drawn := at(72+250*column, 700-14*i, lines[i])
				both.WriteString(drawn)
				[]*strings.Builder{&one, &other}[column].WriteString(drawn)
			}
		}
	}
	if byLine {
		return both.String()
	}

	return one.String() + other.String()
}

var (
	leftColumn = []string{
		"The tenant shall pay the rent on the", "first day of each month, and the", "landlord shall keep the roof and",
		"the heating in good repair at all", "times.",
	}
	rightColumn = []string{
		"Either party may end the lease by a", "written notice of sixty days, and a", "notice by electronic mail is no",
		"notice in writing. The law of the", "state governs, and its courts have", "jurisdiction.",
	}
	columnsInOrder = strings.Join(leftColumn, "\n") + "\n\n" + strings.Join(rightColumn, "\n")
)

// What a reader of a page sees decides, in whatever order a program has drawn it.
func TestOrderOfAPDF(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct{ drawn, want string }{
		"numbers drawn at the end": {
			at(90, 700, "The tenant pays.") + at(90, 686, "The landlord repairs:") + at(120, 672, "the roof;") +
				at(120, 658, "the heating.") + at(90, 644, "Both sign.") + at(72, 700, "1.") + at(72, 686, "2.") +
				at(100, 672, "(a)") + at(100, 658, "(b)") + at(72, 644, "3."),
			"1. The tenant pays.\n2. The landlord repairs:\n\n(a) the roof;\n(b) the heating.\n3. Both sign.",
		},
		"points drawn first": {
			at(72, 700, "\x95") + at(72, 686, "\x95") + at(90, 700, "one point") + at(90, 686, "another point"),
			"• one point\n• another point",
		},
		"a number without an item": {
			at(72, 700, "The rent is due.") + at(72, 660, "1.") + at(72, 600, "Signed."),
			"The rent is due.\n1.\n\nSigned.",
		},
		"columns drawn one after the other": {side(leftColumn, rightColumn, false), columnsInOrder},
		"columns drawn line by line":        {side(leftColumn, rightColumn, true), columnsInOrder},
		"a table under columns": {
			side(leftColumn, rightColumn, true) + at(72, 580, "Item") + at(322, 580, "Amount") + at(72, 566, "Rent") +
				at(322, 566, "$100.00") + at(72, 552, "Repair of the roof") + at(322, 552, "$20.00"),
			columnsInOrder + "\n\n| Item | Amount |\n|---|---|\n| Rent | $100.00 |\n| Repair of the roof | $20.00 |",
		},
		"entries side by side": {
			side([]string{"Repair of the boiler", "Heaters", "Pipes in the cellar", "Total"},
				[]string{"$1.00", "$2.00", "$3.00", "$6.00"}, true),
			"| Repair of the boiler | $1.00 |\n|---|---|\n| Heaters | $2.00 |\n| Pipes in the cellar | $3.00 |\n| Total | $6.00 |",
		},
		"empty cells": {
			at(300, 700, "2024") + at(400, 700, "2025") + at(500, 700, "2026") + at(72, 686, "Rent of the premises") +
				at(395, 686, "$200.00") + at(490, 672, "$1,300.00") + at(72, 658, "Heating") + at(296, 658, "$1.00") +
				at(490, 658, "$2.00") + at(72, 644, "Total") + at(296, 644, "$1.00") + at(395, 644, "$200.00") +
				at(490, 644, "$1,302.00") + at(72, 610, "So ordered."),
			"| | 2024 | 2025 | 2026 |\n|---|---|---|---|\n| Rent of the premises | | $200.00 | |\n" +
				"| | | | $1,300.00 |\n| Heating | $1.00 | | $2.00 |\n| Total | $1.00 | $200.00 | $1,302.00 |\n\nSo ordered.",
		},
		"cells of two columns in each row": {
			at(72, 700, "A1") + at(400, 700, "C1") + at(220, 686, "B2") + at(400, 686, "C2"),
			"A1\tC1\nB2\tC2",
		},
		"cells of two columns with the same first": {
			at(72, 700, "A1") + at(220, 700, "B1") + at(72, 686, "A2") + at(400, 686, "C2"),
			"A1\tB1\nA2\tC2",
		},
		"columns that other rows tell apart": {
			at(72, 700, "A1") + at(400, 700, "C1") + at(220, 686, "B2") + at(400, 686, "C2") + at(72, 672, "A3") +
				at(220, 672, "B3"),
			"| A1 | | C1 |\n|---|---|---|\n| | B2 | C2 |\n| A3 | B3 | |",
		},
		"missing cells under a full row": {
			at(72, 700, "Name") + at(220, 700, "Amount") + at(400, 700, "Note") + at(72, 686, "Rent") +
				at(72, 672, "Heating") + at(400, 672, "late") + at(220, 658, "$2.00") + at(72, 644, "Roof") +
				at(220, 644, "$3.00"),
			"| Name | Amount | Note |\n|---|---|---|\n| Rent | | |\n| Heating | | late |\n| | $2.00 | |\n| Roof | $3.00 | |",
		},
		"a heading beside its figures": {
			at(72, 700, "Item") + at(320, 700, "Due") + at(72, 686, "Rent") + at(360, 686, "$1.00") +
				at(72, 672, "Roof") + at(360, 672, "$2.00"),
			"| Item | Due |\n|---|---|\n| Rent | $1.00 |\n| Roof | $2.00 |",
		},
		"labels that are indented": {
			at(72, 700, "All") + at(320, 700, "$3.00") + at(102, 686, "Tin") + at(320, 686, "$1.00") +
				at(102, 672, "Roof") + at(320, 672, "$2.00"),
			"| All | $3.00 |\n|---|---|\n| Tin | $1.00 |\n| Roof | $2.00 |",
		},
		"text under a table": {
			at(72, 700, "Rent") + at(320, 700, "$3.00") + at(72, 686, "Roof") + at(320, 686, "$1.00") +
				at(72, 672, "All of it is due.") + at(72, 658, "So ordered."),
			"| Rent | $3.00 |\n|---|---|\n| Roof | $1.00 |\n\nAll of it is due.\nSo ordered.",
		},
		"numbers far from their items": {
			side([]string{"1.", "2.", "Article III"}, []string{"Definitions", "Payment", "Term"}, true),
			"1.\tDefinitions\n2.\tPayment\nArticle III\tTerm",
		},
		"a title longer than its text": {
			sized(18, 72, 700, "ORDER ON THE MOTION TO COMPEL ANSWERS") + at(72, 660, "Granted."),
			"# ORDER ON THE MOTION TO COMPEL ANSWERS\n\nGranted.",
		},
		"a small foot under a short text": {
			at(72, 700, "The motion is granted.") + at(72, 686, "So ordered.") +
				sized(8, 72, 60, "A note in small letters"),
			"The motion is granted.\nSo ordered.\n\nA note in small letters",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := pdftest.New()
			f.Page(f.Stream("", []byte(tc.drawn)), "", "")
			if got := string(markdown(t, read(t, extract.PDF, f.Bytes())).Bytes); got != tc.want {
				t.Errorf("Markdown:\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}
