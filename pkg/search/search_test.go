package search_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/subrosa-legal/subrosa/pkg/search"
)

// file makes a file of passages from texts.
func file(id string, texts ...string) search.File {
	f := search.File{ID: id, TextVersion: 1}
	at := 0

	for i, text := range texts {
		n := utf8.RuneCountInString(text)
		f.Passages = append(f.Passages, search.Passage{Page: i + 1, Paragraph: i + 1, CharStart: at, CharEnd: at + n, Text: text})
		at += n + 2
	}

	return f
}

var lease = file("lease",
	"This Lease is made between [Party 1] (the Landlord) and [Party 2] (the Tenant) for the premises at [Address 1].",
	"1. Rent. The Tenant shall pay a monthly rent of $4,500.00 on the first day of each month. What is late bears interest.",
	"2. Security Deposit. The Tenant has paid $9,000 to the Landlord, to be returned within thirty days.",
	"3. Repairs. The Landlord shall keep the roof in repair. The Tenant shall give notice of defects, and the landlord shall be the judge.",
	"4. Default and Notice Period. On default the Landlord may end this Lease after a notice period of ten (10) days, in writing.",
	"5. Governing Law. This Lease is governed by the laws of the State of New York, U.S.C. § 12.3 notwithstanding.",
	"6. Termination by [Party 11]. The broker [Party 11] may cancel its appointment at any time.",
)

var contract = file("contract",
	"EMPLOYMENT AGREEMENT\n\nThe Employer [Org 1] engages [Person 1] as controller.",
	"The employee's salary is $120,000 a year, payable twice a month.",
	"Either party may terminate the employment with sixty days' notice.",
)

// places writes hits as file:page.
func places(hits []search.Hit) []string {
	list := []string{}
	for _, h := range hits {
		list = append(list, fmt.Sprintf("%s:%d", h.FileID, h.Page))
	}

	return list
}

func TestTheRightPassageComesFirst(t *testing.T) {
	x := search.Build([]search.File{lease, contract})
	for question, want := range map[string]string{
		"What is the notice period?":                "lease:5",
		"How much is the rent?":                     "lease:2",
		"how much does the employee earn in salary": "contract:2",
		"Who repairs the roof?":                     "lease:4",
		"Which law governs?":                        "lease:6",
		"security deposit":                          "lease:3",
		"What did the lessee pay as a deposit?":     "lease:3",
		"Can [Party 11] terminate?":                 "lease:7",
		"who is [Party 1]":                          "lease:1",
		"USC 12.3":                                  "lease:6",
		"9000":                                      "lease:3",
		"$9,000.00":                                 "",
		"when can the employment be cancelled":      "contract:3",
		"can one be fired from employment?":         "contract:3",
		`"end this Lease"`:                          "lease:5",
		"“notice period of ten” rent":               "lease:5",
		"EMPLOYMENT agreement":                      "contract:1",
		"compensation":                              "contract:2",
		"zebra":                                     "",
		"":                                          "",
		"?!":                                        "",
		`""`:                                        "",
		`"no such words here"`:                      "",
		"[Party 9]":                                 "",
		"What is it?":                               "",
		"is the":                                    "contract:2",
		strings.Repeat("notice period ", 10000):     "lease:5",
		"\xff\xfenotice\xffperiod \xf0\x28 [Party \xff": "lease:5",
	} {
		hits := x.Search(question, search.Options{})
		got := ""
		if len(hits) > 0 {
			got = places(hits)[0]
		}
		if got != want {
			t.Errorf("%.60q finds %q first, want %q (of %v)", question, got, want, places(hits))
		}
	}
}

func TestALabelIsOneWord(t *testing.T) {
	x := search.Build([]search.File{lease})
	if got, want := places(x.Search("[Party 1]", search.Options{})), []string{"lease:1"}; !slices.Equal(got, want) {
		t.Errorf("[Party 1] finds %v, want %v", got, want)
	}
	if got, want := places(x.Search("[Party 11]", search.Options{})), []string{"lease:7"}; !slices.Equal(got, want) {
		t.Errorf("[Party 11] finds %v, want %v", got, want)
	}
}

func TestAPhraseMustMatch(t *testing.T) {
	x := search.Build([]search.File{file("f", "notice of the period", "the notice period", "the Notice  Period\nof the lease", "period notice", "notice. Period")})
	for query, want := range map[string][]string{
		`"notice period"`:            {"f:2", "f:5", "f:3"},
		`"NOTICE period" lease`:      {"f:3", "f:2", "f:5"},
		`"notice period" "of the"`:   {"f:3"},
		`"of the"`:                   {"f:1", "f:3"},
		`"notice period" "nowhere"`:  {},
		`notice "period`:             {"f:2", "f:5", "f:4", "f:3", "f:1"},
		`"notices period"`:           {},
		`"period of the lease" zebu`: {"f:3"},
	} {
		got := places(x.Search(query, search.Options{}))
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", query, got, want)
		}
	}
}

// TestWordsThatSayNothing wants a query of such words alone to name them where no file has them.
func TestWordsThatSayNothing(t *testing.T) {
	x := search.Build([]search.File{lease, contract})
	hits, absent := x.Find("What do we have?", search.Options{Broad: true})
	if len(hits) > 0 || len(absent) == 0 || slices.Contains(absent, "") {
		t.Errorf("found %d, absent %q", len(hits), absent)
	}
}

func TestMatchedWords(t *testing.T) {
	x := search.Build([]search.File{lease, contract})
	hits := x.Search("When may the lessor terminate?", search.Options{Limit: 1, FileIDs: []string{"lease"}})
	if len(hits) != 1 || !slices.Equal(hits[0].Matched, []string{"landlord", "end"}) && !slices.Equal(hits[0].Matched, []string{"termination", "cancel"}) {
		t.Errorf("hits = %+v", hits)
	}
	hit := x.Search("appointments of [Party 11]", search.Options{FileIDs: []string{"lease"}})[0]
	if !slices.Equal(hit.Matched, []string{"[Party 11]", "appointment"}) {
		t.Errorf("matched = %q", hit.Matched)
	}
}

// TestAWordOfTheQueryIsNotOnlyNear asks for a word that a file has beside one that is near to it in meaning.
func TestAWordOfTheQueryIsNotOnlyNear(t *testing.T) {
	x := search.Build([]search.File{file("stay", "The guests left the hotel by noon.")})

	for query, near := range map[string][]string{
		"inn hotel": nil, "hotel inn": nil, "lodging hotel": nil, "the inn and the hotels": nil, "inn": {"hotel"},
	} {
		hits, absent := x.Find(query, search.Options{Broad: true})
		if len(hits) != 1 || !slices.Equal(hits[0].Matched, []string{"hotel"}) || !slices.Equal(hits[0].Near, near) {
			t.Errorf("%s: hits %+v, want hotel, near %q", query, hits, near)
		}
		if query == "inn hotel" && !slices.Equal(absent, []string{"inn"}) {
			t.Errorf("absent %q, want inn", absent)
		}
	}
}

// TestFewWordsGetOthers has the words near in meaning to a word that comes first and last of many that no file has.
func TestFewWordsGetOthers(t *testing.T) {
	x := search.Build([]search.File{file("stay", "The guests left the hotel by noon.")})
	many := " mortgage alcohol truck marriage chicken driver statute orchard river mountain"

	for query, want := range map[string]int{"inn" + many: 1, many + " inn": 0} {
		if hits := x.Search(query, search.Options{Broad: true}); len(hits) != want {
			t.Errorf("%s: hits %+v, want %d", query, hits, want)
		}
	}
}

func BenchmarkAbsentWords(b *testing.B) {
	x := search.Build([]search.File{lease, contract})
	words := strings.Fields("mortgage alcohol truck marriage chicken driver statute orchard river mountain hotel lodging " +
		"hospital doctor nurse school teacher student church bishop police officer soldier army weapon gun knife bread " +
		"butter milk cheese apple orange banana tree forest ocean island ship boat train plane engine wheel bridge tower " +
		"castle king queen prince")

	for b.Loop() {
		x.Find(strings.Join(words, " "), search.Options{Broad: true})
	}
}

func TestOptions(t *testing.T) {
	x := search.Build([]search.File{lease, contract})
	for name, tc := range map[string]struct {
		opt  search.Options
		want int
	}{
		"default":      {search.Options{}, 6},
		"limit":        {search.Options{Limit: 2}, 2},
		"negative":     {search.Options{Limit: -5}, 6},
		"huge":         {search.Options{Limit: 1 << 30}, 6},
		"one file":     {search.Options{FileIDs: []string{"contract"}}, 1},
		"two files":    {search.Options{FileIDs: []string{"contract", "lease"}}, 6},
		"no such file": {search.Options{FileIDs: []string{"other"}}, 0},
		"no file":      {search.Options{FileIDs: []string{}}, 0},
	} {
		if got := len(x.Search("notice tenant", tc.opt)); got != tc.want {
			t.Errorf("%s: %d hits, want %d", name, got, tc.want)
		}
	}
}

func TestLimits(t *testing.T) {
	texts := make([]string, 300)
	for i := range texts {
		texts[i] = "the same words everywhere"
	}
	x := search.Build([]search.File{file("f", texts...)})
	if got := len(x.Search("words", search.Options{Limit: 1000})); got != search.MaxLimit {
		t.Errorf("%d hits, want %d", got, search.MaxLimit)
	}
	if got := len(x.Search("words", search.Options{})); got != search.DefaultLimit {
		t.Errorf("%d hits, want %d", got, search.DefaultLimit)
	}
}

func TestEqualPassagesKeepTheirOrder(t *testing.T) {
	x := search.Build([]search.File{file("b", "same text", "same text"), file("a", "same text")})
	for range 20 {
		if got, want := places(x.Search("text", search.Options{})), []string{"b:1", "b:2", "a:1"}; !slices.Equal(got, want) {
			t.Fatalf("hits = %v, want %v", got, want)
		}
	}
}

func TestHitsCarryTheirPlace(t *testing.T) {
	x := search.Build([]search.File{{ID: "f", TextVersion: 7, Passages: []search.Passage{{Page: 3, Paragraph: 12, CharStart: 100, CharEnd: 109, Text: "the lease"}}}})
	want := []search.Hit{{FileID: "f", TextVersion: 7, Passage: search.Passage{Page: 3, Paragraph: 12, CharStart: 100, CharEnd: 109, Text: "the lease"}, Matched: []string{"lease"}, QuoteEnd: 9}}
	got := x.Search("leases", search.Options{})
	if len(got) == 1 {
		want[0].Score = got[0].Score
	}
	if !reflect.DeepEqual(got, want) || got[0].Score <= 0 {
		t.Errorf("hits = %+v, want %+v", got, want)
	}
}

func TestAnEmptyIndex(t *testing.T) {
	for _, files := range [][]search.File{nil, {{ID: "f"}}, {file("f", "")}} {
		x := search.Build(files)
		if hits := x.Search("anything", search.Options{}); len(hits) != 0 {
			t.Errorf("hits = %v", hits)
		}
	}
}

func TestSizeGrowsWithTheText(t *testing.T) {
	small, large := search.Build([]search.File{lease}), search.Build([]search.File{lease, contract})
	if small.Size() <= 0 || large.Size() <= small.Size() || small.Passages() != 7 || large.Passages() != 10 {
		t.Errorf("sizes %d and %d, passages %d and %d", small.Size(), large.Size(), small.Passages(), large.Passages())
	}
}

func TestManyReaders(t *testing.T) {
	x := search.Build([]search.File{lease, contract})
	want := x.Search("notice period of the tenant", search.Options{})

	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if got := x.Search("notice period of the tenant", search.Options{}); !reflect.DeepEqual(got, want) {
					t.Errorf("hits = %v, want %v", places(got), places(want))
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestSearchHolds wants, of any texts and query: no more hits than asked for, falling scores, only passages of the index, and
// that whoever searches for a passage's own rare word finds it.
func TestSearchHolds(t *testing.T) {
	word := rapid.SampledFrom([]string{"rent", "Notice", "period.", "[Party 1]", "[Party 2]", "the", "§ 12.3", "Tenant's", "terminate", "\n\nHEADING\n", `"`, "é", "U.S.C."})
	rapid.Check(t, func(rt *rapid.T) {
		var texts []string
		for i, words := range rapid.SliceOfN(rapid.SliceOfN(word, 1, 30), 1, 12).Draw(rt, "texts") {
			texts = append(texts, strings.Join(words, " ")+fmt.Sprintf(" rare%d", i))
		}
		x := search.Build([]search.File{file("f", texts...)})
		query := strings.Join(rapid.SliceOfN(word, 0, 8).Draw(rt, "query"), " ")
		limit := rapid.IntRange(1, 20).Draw(rt, "limit")
		hits := x.Search(query, search.Options{Limit: limit})
		if len(hits) > limit {
			rt.Fatalf("%d hits for a limit of %d", len(hits), limit)
		}

		for i, h := range hits {
			if h.Text != texts[h.Page-1] || h.Score <= 0 || i > 0 && h.Score > hits[i-1].Score {
				rt.Fatalf("hit %d: %+v", i, h)
			}
		}

		for i := range texts {
			if got := x.Search(fmt.Sprintf("rare%d", i), search.Options{}); len(got) != 1 || got[0].Page != i+1 {
				rt.Fatalf("rare%d finds %v", i, places(got))
			}
		}
	})
}

func FuzzSearch(f *testing.F) {
	f.Add("The [Party 1] shall pay $4,500.00.\n\nNOTICE\nof U.S.C. tenants' end", `what is the "notice of" [Party 1]`)
	f.Add("[Party", `"`)
	f.Add("a.b.c. 1,2.3 x'", "“a” ‘b’")
	f.Fuzz(func(t *testing.T, text, query string) {
		x := search.Build([]search.File{file("f", text, "other words")})
		for _, h := range x.Search(query, search.Options{}) {
			if h.Score <= 0 || len(h.Matched) == 0 {
				t.Errorf("hit %+v", h)
			}
		}
	})
}

// corpus makes about n passages of 150 words.
func corpus(n int) []search.File {
	vocabulary := make([]string, 5000)
	for i := range vocabulary {
		vocabulary[i] = fmt.Sprintf("%c%cword%d", 'a'+i%26, 'a'+i/26%26, i)
	}
	common := strings.Fields("the tenant shall pay rent to landlord on notice of default under this lease [Party 1] and [Party 2] agree that")
	state := uint64(1)
	var texts []string

	for range n {
		var b strings.Builder

		for i := range 150 {
			state = state*6364136223846793005 + 1442695040888963407
			if i%2 == 0 {
				b.WriteString(common[state>>33%uint64(len(common))])
			} else {
				r := state >> 33 % 5000
				b.WriteString(vocabulary[r*r/5000])
			}
			b.WriteByte(' ')
		}
		texts = append(texts, b.String())
	}

	return []search.File{file("f", texts...)}
}

func BenchmarkBuild(b *testing.B) {
	files := corpus(10000)

	bytes := 0
	for _, p := range files[0].Passages {
		bytes += len(p.Text)
	}
	b.SetBytes(int64(bytes))

	for b.Loop() {
		x := search.Build(files)
		b.ReportMetric(float64(x.Size())/float64(bytes), "size/text")
	}
}

func BenchmarkSearch(b *testing.B) {
	x := search.Build(corpus(10000))

	for name, query := range map[string]string{
		"rare": "what of abword27", "common": "When shall the tenant pay rent to the landlord?", "phrase": `"notice of default"`, "absent phrase": `"lease tenant agree rent that"`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				x.Search(query, search.Options{})
			}
		})
	}
}
