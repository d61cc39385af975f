package answers_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// TestHeldBack asks for passages that the gate holds back, wholly or in part: the answer says that there are some, in
// which file and below which heading, what they were taken for, and what a person can do.
func TestHeldBack(t *testing.T) {
	const statutes = "SATZUNG\n\n§ 1 Beiträge\n\nDer Jahresbeitrag beträgt 84,00 Euro.\n\n§ 2 Versammlung\n\n" +
		"Die Versammlung findet im ersten Quartal statt.\n\nStimmrecht haben Mitglieder ab 16 Jahren.\n"

	for _, tc := range []struct {
		name, file, text, prompt string
		want                     []string
	}{
		{
			"a false alarm in German", "Satzung.txt", statutes, "Wer hat das Stimmrecht?",
			[]string{
				"held back", "- Satzung.txt, under “§ 2 Versammlung”: the words", "taken for the name of a person",
				"Open the file in the browser", "Es wurde etwas gefunden und zurückgehalten",
			},
		},
		{
			"a number in English", "Letter.txt", "Ring the bank with account number 45127123 today.",
			"Who rings the bank?",
			[]string{
				"1 passage that matches was found and is held back", "- Letter.txt: the words",
				"in the case under “Files”",
			},
		},
		{
			"a part of a passage", "Letter.txt",
			"The bank closes early.\n\nRing the bank about the loan with account number 45127123 today.",
			"What about the bank and its loan?",
			[]string{"only a part is quoted", "> The bank closes early.", "- Letter.txt: the words that fit best"},
		},
		{
			"a file whose name is held back too", "Wohnmobil.txt", statutes, "Wer hat das Stimmrecht?",
			[]string{"- file 00000000-0000-7000-8000-000000000001 (its name is held back too), under “§ 2 Versammlung”: the words"},
		},
		{
			"a number in French", "Lettre.txt",
			"Le loyer est payé par la banque sur le compte FR76 3000 6000 0112 3456 7890 189 chaque mois.",
			"Quel est le compte sur lequel le loyer est payé ?",
			[]string{"held back", "- Lettre.txt: the words", "Un passage a été trouvé et retenu"},
		},
		{
			"a number in Spanish", "Carta.txt",
			"La renta se paga en la cuenta del banco ES91 2100 0418 4502 0005 1332 cada mes por el arrendatario.",
			"¿En qué cuenta se paga la renta?",
			[]string{"held back", "- Carta.txt: the words", "Se encontró un pasaje y se retuvo"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, _ := do(t, task(api.CaseReq, tc.prompt), newCaseFiles().add(tc.file, tc.text))
			for _, want := range tc.want {
				if !strings.Contains(r.Text, want) {
					t.Errorf("no %q in\n%s", want, r.Text)
				}
			}
			if strings.Contains(r.Text, "No passage") || strings.Contains(r.Text, "not shown") {
				t.Errorf("the answer denies or hides what it found:\n%s", r.Text)
			}
			if r.HumanReview.DeepLink != links("redact_file") {
				t.Errorf("deep link %q", r.HumanReview.DeepLink)
			}
			if bad := dirty(r); len(bad) > 0 {
				t.Errorf("the gate would hold back %q", bad)
			}
		})
	}
}

// TestQuotesApart asks for a passage whose words pass by themselves and not within an English answer: they stand in
// the list of sources, and the answer says so.
func TestQuotesApart(t *testing.T) {
	s := newCaseFiles().add("Satzung.txt", "SATZUNG\n\n§ 1 Mitgliedschaft\n\n"+
		"1. Mitglied kann werden, wer das 14. Lebensjahr vollendet hat.\n\n"+
		"2. Über den Antrag entscheidet der Vorstand innerhalb von sechs Wochen.\n")

	r, _ := do(t, task(api.CaseReq, "Wie alt muss ein Mitglied sein?"), s)
	if bad := dirty(r); len(bad) > 0 {
		t.Fatalf("the gate would hold back %q", bad)
	}

	quoted := false
	for _, c := range r.Citations {
		quoted = quoted || strings.Contains(c.Source.Quote, "14. Lebensjahr")
	}
	if !quoted {
		t.Errorf("no source has the words: %+v", r.Citations)
	}
	if !strings.Contains(r.Text, "> 1. Mitglied") && !strings.Contains(r.Text, api.InSourcesAlone) {
		t.Errorf("the answer does not say where the words stand:\n%s", r.Text)
	}
}

// TestQuotesHoldOneParagraph asks all questions of the sets: no quotation holds three numbered paragraphs, and none two
// but where the gate lets one be shown only beside its neighbour.
func TestQuotesHoldOneParagraph(t *testing.T) {
	begins := regexp.MustCompile(`(?:^|\s)(?:§ )?\d{1,2}\.? (?:[A-ZÄÖÜ])`)
	quotes, double := 0, 0

	for _, set := range []string{"", "-second", "-third", "-fourth", "-fifth"} {
		cases := papers(t, "papers"+set+".txt")
		for _, q := range questions(t, "questions"+set+".txt") {
			if q.class != "contract" && q.class != "find" {
				continue
			}

			r, _ := do(t, asOf("2026-11-24", q.prompt, q.forum, q.jurisdiction), cases[q.matter])
			for _, c := range r.Citations {
				quotes++
				numbers := 0

				text := []rune(cases[q.matter].texts[c.Source.FileID])
				for line := range strings.Lines(string(text[c.Source.CharStart:c.Source.CharEnd])) {
					if begins.FindStringIndex(line) != nil && begins.FindStringIndex(line)[0] == 0 {
						numbers++
					}
				}
				if numbers > 2 {
					t.Errorf("%q: %d numbered paragraphs in %q", q.prompt, numbers, c.Source.Quote)
				}
				if numbers == 2 {
					double++
				}
			}
		}
	}
	t.Logf("%d of %d quotes hold two numbered paragraphs", double, quotes)
	if quotes < 200 || double*20 > quotes {
		t.Errorf("%d of %d quotes hold two numbered paragraphs", double, quotes)
	}
}
