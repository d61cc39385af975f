package extract_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdftest"
)

// ruled draws lines across and down the page: strokes at these places, over these stretches.
func ruled(across, down []int) string {
	var out strings.Builder

	for _, y := range across {
		out.WriteString(drawnLine(down[0], y, down[len(down)-1], y))
	}

	for _, x := range down {
		out.WriteString(drawnLine(x, across[0], x, across[len(across)-1]))
	}

	return out.String()
}

func drawnLine(x0, y0, x1, y1 int) string { return fmt.Sprintf("%d %d m %d %d l S\n", x0, y0, x1, y1) }

// cellLines draws the lines of a cell below each other.
func cellLines(x, y int, lines ...string) string {
	var out strings.Builder

	for i, text := range lines {
		out.WriteString(at(x, y-12*i, text))
	}

	return out.String()
}

// The grid that a page draws says which words are a cell, whatever gaps they have. Where none is drawn, the rows around
// a row say where its columns are.
func TestTablesOfAPDF(t *testing.T) {
	t.Parallel()
	grid := ruled([]int{640, 665, 690, 715}, []int{70, 200, 250, 300})

	for name, tc := range map[string]struct{ drawn, want string }{
		"cells of several lines": {
			grid + at(72, 700, "Item") + at(210, 700, "2023") + at(260, 700, "2024") +
				at(72, 679, "Heating of all the") + at(72, 668, "rooms") + at(255, 679, "$1.00") +
				at(72, 650, "Total") + at(201, 650, "$20.00") + at(251, 650, "$1.00"),
			"| Item | 2023 | 2024 |\n|---|---|---|\n| Heating of all the rooms | | $1.00 |\n| Total | $20.00 | $1.00 |",
		},
		"lines as thin rectangles": {
			"70 640 0.5 50 re f 150 640 0.5 50 re f 230 640 0.5 50 re f 70 640 160 0.5 re f 70 665 160 0.5 re f 70 690 160 0.5 re f " +
				at(72, 675, "Rent paid") + at(152, 675, "2024") + at(72, 650, "Late fees") + at(152, 650, "2025"),
			"| Rent paid | 2024 |\n|---|---|\n| Late fees | 2025 |",
		},
		"a box around a text": {
			ruled([]int{640, 720}, []int{70, 500}) + at(72, 700, "NOTICE TO THE TENANT") +
				at(72, 686, "Pay the rent now."),
			"NOTICE TO THE TENANT\nPay the rent now.",
		},
		"a clip is no line": {
			"70 640 80 50 re W n 150 640 80 50 re W n " + at(72, 675, "The rent is") + at(153, 675, "due."),
			"The rent is\tdue.",
		},
		"a figure that stands close": {
			at(72, 700, "Lost profit of the shop") + at(201, 700, "2021") + at(260, 700, "$1.00") +
				at(72, 686, "Rent") + at(201, 686, "2022") + at(260, 686, "$2.00") +
				at(72, 672, "Fees") + at(201, 672, "2023") + at(260, 672, "$3.00"),
			"| Lost profit of the shop | 2021 | $1.00 |\n|---|---|---|\n| Rent | 2022 | $2.00 |\n| Fees | 2023 | $3.00 |",
		},
		"cells of several lines without a grid": {
			cellLines(72, 700, "Heating of all", "the rooms") + cellLines(200, 700, "Paid by the", "landlord alone",
				"until May") +
				cellLines(330, 700, "$1.00") + cellLines(72, 650, "Repairs") + cellLines(200, 650, "Paid by the",
				"tenant") +
				cellLines(330, 650, "$2.00") + cellLines(72, 615, "Fees") + cellLines(200, 615, "Not agreed") +
				cellLines(330, 615, "$3.00"),
			"| Heating of all the rooms | Paid by the landlord alone until May | $1.00 |\n|---|---|---|\n" +
				"| Repairs | Paid by the tenant | $2.00 |\n| Fees | Not agreed | $3.00 |",
		},
		"cells of several lines that stand close": {
			at(72, 700, "Number") + at(143, 700, "Subject") + at(330, 700, "Amount") +
				at(72, 680, "SUB000123") + at(143, 680, "Heating of all") + at(143, 668, "the rooms") + at(330, 680,
				"$1.00") +
				at(72, 640, "SUB000124") + at(143, 640, "Repair of the") + at(143, 628, "roof") + at(330, 640,
				"$2.00"),
			"| Number | Subject | Amount |\n|---|---|---|\n| SUB000123 | Heating of all the rooms | $1.00 |\n" +
				"| SUB000124 | Repair of the roof | $2.00 |",
		},
		"cells that are drawn line by line": {
			at(72, 700, "Heating of all") + at(200, 700, "Landlord") + at(330, 700, "$1.00") + at(72, 688,
				"the rooms") +
				at(72, 664, "Repairs") + at(200, 664, "Tenant alone") + at(330, 664, "$2.00") + at(200, 652,
				"until May") +
				at(72, 628, "Fees") + at(200, 628, "Not agreed") + at(330, 628, "$3.00"),
			"| Heating of all the rooms | Landlord | $1.00 |\n|---|---|---|\n" +
				"| Repairs | Tenant alone until May | $2.00 |\n| Fees | Not agreed | $3.00 |",
		},
		"groups of rows are no cells": {
			at(72, 700, "Income") + at(200, 700, "2023") + at(72, 688, "Rent") + at(200, 688, "$1.00") + at(72, 676,
				"Fees") + at(200, 676, "$2.00") +
				at(72, 652, "All of it") + at(200, 652, "$3.00") + at(72, 640, "Paid") + at(200, 640, "$3.00"),
			"| Income | 2023 |\n|---|---|\n| Rent | $1.00 |\n| Fees | $2.00 |\n" +
				"| All of it | $3.00 |\n| Paid | $3.00 |",
		},
		"rows that stand evenly": {
			at(72, 700, "Rent") + at(200, 700, "2023") + at(330, 700, "$1.00") + at(72, 686, "Late fees") + at(200,
				686, "2024") + at(72, 672, "Water") +
				at(200, 672, "2023") + at(330, 672, "$3.00"),
			"| Rent | 2023 | $1.00 |\n|---|---|---|\n| Late fees | 2024 | |\n| Water | 2023 | $3.00 |",
		},
		"columns of a page": {
			cellLines(72, 700, "The tenant pays the", "rent on the first", "day of each month.") + cellLines(300,
				700, "The landlord keeps", "the roof in repair", "at all times."),
			"The tenant pays the\nrent on the first\nday of each month.\n" +
				"The landlord keeps\nthe roof in repair\nat all times.",
		},
		"text above a table keeps its blanks": {
			at(72, 700, "The rent that is due") + at(178, 700, "by then is as follows for all of the rooms:") +
				at(72, 686, "Rent") + at(220, 686, "$2.00") + at(72, 672, "Fees") + at(220, 672, "$3.00"),
			"The rent that is due by then is as follows for all of the rooms:\n| Rent | $2.00 |\n|---|---|\n| Fees | $3.00 |",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := pdftest.New()
			f.Page(f.Stream("", []byte(tc.drawn)), "", "")
			got := string(markdown(t, read(t, extract.PDF, f.Bytes())).Bytes)
			if strings.ReplaceAll(got, "\n\n", "\n") != tc.want {
				t.Errorf("Markdown:\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// Real producers draw the same table each in its way.
func TestTablesOfProducers(t *testing.T) {
	t.Parallel()
	const grid = "| Item | 2023 | 2024 | 2025 |\n|---|---|---|---|\n| Rent of the premises | | $200.00 | 1,300 |\n"
	const gaps = "| Lost profit of the shop | 2021 | $1,200 |\n|---|---|---|\n| Rent | 2022 | |\n| Repair of the roof | | $90 |\n| Fees | 2024 | $5 |"

	// Cells of one line stand in the middle of their row, once with a grid and once without one.
	const row = "| A | Heating of the rooms upstairs and of the cellar through the winter months, and the repair of the boiler |"

	centredRows := []string{
		"| Item | What it covers | Amount | Year |\n|---|---|---|---|\n" + row + " $1,200.00 | 2024 |\n| B | Water | $90.00 | 2024 |\n",
		"\n\nThe parties agree on this.\n\n| Item | What it covers | Amount | Year |\n|---|---|---|---|\n" + row + " $1,200.00 | 2024 |\n",
		" premises | $310.00 | 2025 |\n\nThe parties agree on this.",
	}

	for producer, want := range map[string][]string{
		"libreoffice": {"# Damages of the first year\n", grid, "\n| Heating of the rooms upstairs of the cellar | $1.00 | | 2024 |\n", "\n| All of it | | | 9 |\n"},
		"chromium":    {"## A. Damages of the first year\n", grid, "\n| Heating of the rooms upstairs and of the cellar | $1.00 | | 2024 |\n", "\n| All of it | | | 9 |\n", gaps},
		"weasyprint":  {"## A. Damages of the first year\n", grid, "\n| Heating of the rooms upstairs and of the cellar | $1.00 | | 2024 |\n", "\n| All of it | | | 9 |\n", gaps},
		"fpdf2":       centredRows,
		"xhtml2pdf":   centredRows,
		"reportlab":   {"## A. Damages of the first year\n", grid, "\n| Heating of the rooms | $1.00 | | 2024 |\n", gaps},
	} {
		t.Run(producer, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile("testdata/tables/" + producer + ".pdf")
			if err != nil {
				t.Fatal(err)
			}
			got := string(markdown(t, read(t, extract.PDF, data)).Bytes)

			for _, w := range want {
				if !strings.Contains(got, w) {
					t.Errorf("it does not say\n%s\nbut\n%s", w, got)
				}
			}
		})
	}
}
