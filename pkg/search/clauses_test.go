package search_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/search"
)

// A clause that is too long for a quote may end in a semicolon, with nothing but space behind that.
func TestALongClauseThatEndsInASemicolon(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 400)

	for _, text := range []string{
		"rent " + long + " " + long + " paid; \n\n12. On",
		"rent " + long + " " + long + " paid;\n\n\n12. On",
		long + " rent; " + long + " paid; \n \n\n12. On",
	} {
		end := 0
		for _, c := range search.Clauses(text) {
			if c[0] < end || c[1] <= c[0] || c[1] > len(text) {
				t.Errorf("of %d characters: a clause from %d to %d behind %d", len(text), c[0], c[1], end)
			}
			end = c[1]
		}
	}
}

// A German ordinal does not end its sentence.
func TestGermanDaysStayInTheirSentence(t *testing.T) {
	t.Parallel()
	text := "Der Jahresbeitrag beträgt vierundachtzig Euro und ist in jedem Jahr am 15. März fällig. " +
		"Mitglied kann auch werden, wer schon das 14. Lebensjahr vollendet hat."

	if n := len(search.Clauses(text)); n != 2 {
		t.Errorf("%d clauses, want 2", n)
	}
}

// TestAQuoteEndsWithItsOwnParagraph wants no quote to run from one numbered paragraph, item or row into the next, and
// each to go on in the sentences and parts of its own.
func TestAQuoteEndsWithItsOwnParagraph(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct{ name, text, query, want string }{
		{
			"numbered paragraphs",
			"7. The tenant paid the rent in May. It was late.\n\n8. The landlord entered the flat.\n\n9. The locks were new.",
			"rent paid May", "7. The tenant paid the rent in May. It was late.",
		},
		{
			"without a blank line",
			"7) The tenant paid the rent in May.\n8) The landlord entered the flat.\n9) The locks were new.",
			"landlord entered flat", "8) The landlord entered the flat.",
		},
		{
			"the second sentence of a paragraph",
			"7. The tenant was away from the flat for the whole of the month. The tenant paid the rent in the month of " +
				"May by a transfer. It was late.\n\n8. The landlord entered the flat.",
			"rent transfer", "The tenant paid the rent in the month of May by a transfer. It was late.",
		},
		{
			"parts of its own",
			"4.2 The licensee pays a royalty each quarter on all sales of the product.\n\n" +
				"4.2.1 It is two percent.\n\n4.3 The licensee keeps books.",
			"royalty quarter sales", "4.2 The licensee pays a royalty each quarter on all sales of the product. " +
				"4.2.1 It is two percent.",
		},
		{
			"German sections",
			"§ 3 Die Miete ist monatlich im Voraus zu zahlen.\n\n§ 4 Die Kaution beträgt drei Mieten.\n\n§ 5 Haustiere.",
			"Kaution", "§ 4 Die Kaution beträgt drei Mieten.",
		},
		{
			"a lead with its items",
			"The tenant shall not do this in the flat at any time:\n(a) keep a dog;\n(b) smoke a pipe.\n\n9. Other.",
			"tenant shall not flat time", "The tenant shall not do this in the flat at any time: (a) keep a dog; " +
				"(b) smoke a pipe.",
		},
		{
			"what stands below a heading that alone has the word",
			"Background\n\nI started at the hotel in March of that year.\n\nMy Pregnancy\n\nOn that day I told the " +
				"director, who was not glad of it.\n\nHe said so.",
			"pregnancy", "My Pregnancy On that day I told the director, who was not glad of it. He said so.",
		},
		{
			"numbers in bold type",
			"**1.1** The landlord lets the flat on the second floor of the house.\n\n**1.2** The tenant gets two keys.",
			"flat", "**1.1** The landlord lets the flat on the second floor of the house.",
		},
		{
			"items in upper case are no headings",
			"**1.2** The tenant is given these keys:\n\n- 3 Door\n- 1 Cellar\n\n**1.3** No copies.",
			"keys", "**1.2** The tenant is given these keys: - 3 Door - 1 Cellar",
		},
		{
			"a wrapped line within brackets",
			"The duties set forth in that agreement (as defined in Section\n8) will survive the end. The rest ends.",
			"duties survive", "The duties set forth in that agreement (as defined in Section 8) will survive the end. " +
				"The rest ends.",
		},
		{
			"a wrapped line that begins with a sum",
			"The deposit for the flat is\n1.500 Euro, in three parts.",
			"deposit flat", "The deposit for the flat is 1.500 Euro, in three parts.",
		},
		{
			"behind short words in upper case",
			"The fee is\n1.500 Euro, in three parts of the year.",
			"fee", "The fee is 1.500 Euro, in three parts of the year.",
		},
		{
			"with a rate",
			"The interest on what is late amounts to\n3.5 percent in the year.",
			"interest late", "The interest on what is late amounts to 3.5 percent in the year.",
		},
		{
			"with a section",
			"The repairs are listed in section\n4.2 of the annex to this lease.",
			"repairs", "The repairs are listed in section 4.2 of the annex to this lease.",
		},
		{
			"with the sign of a section",
			"The end of the lease is governed by\n§ 551 of the code as it stands.",
			"lease governed", "The end of the lease is governed by § 551 of the code as it stands.",
		},
		{
			"with a part of another paper",
			"The keys are handed out as it is said in\nSection 4.2 of the annex to this lease.",
			"keys", "The keys are handed out as it is said in Section 4.2 of the annex to this lease.",
		},
		{
			"with a dash",
			"The landlord lets the flat on the second floor\n- which is the old one - to the tenant.",
			"landlord flat", "The landlord lets the flat on the second floor - which is the old one - to the tenant.",
		},
		{
			"with a day in German",
			"Der Jahresbeitrag ist in jedem Jahr am\n15. März zu zahlen, wie es Brauch ist.",
			"Jahresbeitrag", "Der Jahresbeitrag ist in jedem Jahr am 15. März zu zahlen, wie es Brauch ist.",
		},
		{
			"a sum within a numbered paragraph",
			"4. The deposit for the flat is\n1.500 Euro, in three parts.",
			"deposit flat", "4. The deposit for the flat is 1.500 Euro, in three parts.",
		},
		{
			"a rate within a numbered paragraph",
			"4.2 The interest on what is late amounts to\n3.5 percent in the year.",
			"interest late", "4.2 The interest on what is late amounts to 3.5 percent in the year.",
		},
		{
			"a section within an item",
			"The tenant pays:\n- the fee for the lift as it is said in section\n4.2 of the annex to this lease.",
			"fee lift", "The tenant pays: - the fee for the lift as it is said in section 4.2 of the annex to this lease.",
		},
		{
			"items that are one subject",
			"Fees\n- the fee for the lift\n- the fee for the cellar\nare 50 dollars each",
			"fee lift", "Fees - the fee for the lift - the fee for the cellar are 50 dollars each",
		},
		{
			"the last of items that are one subject",
			"Fees\n- the fee for the lift\n- the fee for the cellar\nare 50 dollars each",
			"cellar dollars", "Fees - the fee for the lift - the fee for the cellar are 50 dollars each",
		},
		{
			"a paragraph behind a wrapped line without a stop",
			"7. The tenant paid the rent in the month of May\nand the deposit\n8. The landlord entered the flat.\n9. The locks were new.",
			"rent deposit", "7. The tenant paid the rent in the month of May and the deposit",
		},
		{
			"a paragraph behind a heading",
			"Entry\n8. The landlord entered the flat in the month of May.\n9. The locks were new.",
			"landlord entered", "8. The landlord entered the flat in the month of May.",
		},
		{
			"German sections behind a wrapped line",
			"§ 3 Die Miete ist bis zum dritten Werktag\nim Voraus zu zahlen, wie es Brauch ist\n§ 4 Die Kaution ist hoch.",
			"Miete", "§ 3 Die Miete ist bis zum dritten Werktag im Voraus zu zahlen, wie es Brauch ist",
		},
		{
			"an article in capitals",
			"4.2 The deposit is due in the month of signing and not before\nARTICLE V\nKEYS\n5.1 Two keys.",
			"deposit", "4.2 The deposit is due in the month of signing and not before",
		},
		{
			"a row of a table",
			"| Item | Sum |\n|---|---|\n| Deposit for the flat | 500 |\n| Fee for the keys | 40 |\n| Fee for the cat | 20 |",
			"keys", "| Fee for the keys | 40 |",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			index := search.Build([]search.File{{ID: "f", Passages: []search.Passage{{Text: tc.text}}}})
			hits, _ := index.Find(tc.query, search.Options{})
			if len(hits) != 1 {
				t.Fatalf("%d hits", len(hits))
			}
			from, to := hits[0].Quote()
			if got := search.Fold(string([]rune(tc.text)[from:to])); got != tc.want {
				t.Errorf("quote %q, want %q", got, tc.want)
			}
		})
	}
}

// TestGermanLettersTypedOtherwise finds words with umlauts in files that spell them with an e, and the other way round.
func TestGermanLettersTypedOtherwise(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct{ text, query string }{
		{"Bei verspaeteter Rueckgabe ist fuer jede Stunde eine Strafe zu zahlen.", "Rückgabe"},
		{"Bei verspäteter Rückgabe ist für jede Stunde eine Strafe zu zahlen.", "Rueckgabe"},
		{"Die Strasse ist von dem Mieter zu reinigen und wird nicht gesperrt.", "Straße"},
		{"Die Gebuehren sind am Ende von dem Mieter zu zahlen, wie es ist.", "Gebühr"},
		{"Die Steuererklärung ist von dem Mieter abzugeben, und das ist nicht neu.", "Steuererklaerungen"},
	} {
		index := search.Build([]search.File{{ID: "f", Passages: []search.Passage{{Text: tc.text}}}})
		if hits, _ := index.Find(tc.query, search.Options{}); len(hits) != 1 {
			t.Errorf("%q finds %d passages in %q", tc.query, len(hits), tc.text)
		}
	}
}
