package guard_test

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
	"pgregory.net/rapid"
)

func emptyMap(t testing.TB) *guard.LabelMap {
	t.Helper()
	m, err := guard.NewLabelMap(guard.LabelData{})
	if err != nil {
		t.Fatal(err)
	}

	return m
}

// vector is a case of testdata/labelling.json, which the WebAssembly build runs as well.
type vector struct {
	Name     string          `json:"name"`
	Op       string          `json:"op"` // check, label or unlabel
	Text     string          `json:"text"`
	Door     string          `json:"door"`
	Findings []guard.Finding `json:"-"`
	Map      guard.LabelData `json:"map"`
	Want     json.RawMessage `json:"want"`
}

func vectors(t testing.TB) []vector {
	t.Helper()
	content, err := os.ReadFile("testdata/labelling.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		vector
		Findings *[]struct {
			Kind               string
			StartByte, EndByte int
		}
	}
	if err := json.Unmarshal(content, &list); err != nil {
		t.Fatal(err)
	}

	out := make([]vector, len(list))
	for i, v := range list {
		out[i] = v.vector
		if v.Findings == nil {
			out[i].Findings = guard.Guard{}.Check(t.Context(), guard.FileText, v.Text)
			continue
		}

		for _, f := range *v.Findings {
			out[i].Findings = append(out[i].Findings, guard.Finding{Kind: f.Kind, Start: f.StartByte, End: f.EndByte})
		}
	}

	return out
}

func TestLabellingVectors(t *testing.T) {
	for _, v := range vectors(t) {
		if v.Op != "label" {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			var want struct {
				Text string
				Map  guard.LabelData
			}
			if err := json.Unmarshal(v.Want, &want); err != nil {
				t.Fatal(err)
			}
			m, err := guard.NewLabelMap(v.Map)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.Label(v.Text, v.Findings)
			if err != nil || got != want.Text {
				t.Errorf("Label = %q, %v, want %q", got, err, want.Text)
			}
			if diff := cmp.Diff(want.Map, m.Data()); diff != "" {
				t.Errorf("the map afterwards (-want +got):\n%s", diff)
			}
			if back := m.Unlabel(got); back != v.Text {
				t.Errorf("Unlabel = %q, want the text", back)
			}
		})
	}
}

// shreds are what labelled texts are made of in tests: identities that resemble each other, labels, halves of labels, bytes of no text.
var shreds = []string{
	"Jane Roe", "JANE ROE", "jane  roe", "Jane\nRoe", "Roe", "Ærø", "𝒥ane", "😀", "[Party 1]", "[Party 2]", "[Ref 9999]", "[Party 10000]", "[Party", "[", "]", " 1]", "[[Party 1]]", "[Person 3]",
	"\xff", "\xf0\x9f", "é", "e\u0301", "J\u200boe", " ", "\n", ", ", "paid ", "$5",
}

func anyText(t *rapid.T, label string) string {
	if rapid.IntRange(0, 9).Draw(t, label+"Kind") == 0 {
		return string(rapid.SliceOf(rapid.Byte()).Draw(t, label))
	}

	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(shreds), 0, 30).Draw(t, label), "")
}

func anyFindings(t *rapid.T, text string) []guard.Finding {
	kinds := []string{guard.KindPerson, guard.KindOrg, guard.KindPhone, guard.KindLabel, guard.KindFieldName, ""}

	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) guard.Finding {
		start := rapid.IntRange(-2, len(text)+2).Draw(t, "start")
		return guard.Finding{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Start: start, End: start + rapid.IntRange(-2, 20).Draw(t, "length")}
	}), 0, 12).Draw(t, "findings")
}

func TestUnlabelIsTheInverseOfLabel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := emptyMap(t)
		type pair struct{ text, labelled string }
		var done []pair
		valid := true // JSON holds no other text

		for range rapid.IntRange(1, 3).Draw(rt, "texts") {
			text := anyText(rt, "text")
			valid = valid && utf8.ValidString(text)
			labelled, err := m.Label(text, anyFindings(rt, text))
			if err != nil {
				rt.Fatalf("Label(%q): %v", text, err)
			}
			if back := m.Unlabel(labelled); back != text {
				rt.Fatalf("Unlabel(%q) = %q, want %q", labelled, back, text)
			}
			done = slices.DeleteFunc(done, func(p pair) bool { return p.labelled == labelled }) // of texts labelled alike the last comes back
			done = append(done, pair{text, labelled})
		}

		for _, p := range done {
			if back := m.Unlabel(p.labelled); back != p.text {
				rt.Fatalf("later, Unlabel(%q) = %q, want %q", p.labelled, back, p.text)
			}
		}
		if !valid {
			return
		}
		stored, err := json.Marshal(m.Data())
		if err != nil {
			rt.Fatal(err)
		}
		var data guard.LabelData
		if err := json.Unmarshal(stored, &data); err != nil {
			rt.Fatal(err)
		}
		again, err := guard.NewLabelMap(data)
		if err != nil {
			rt.Fatal(err)
		}

		for _, p := range done {
			if back := again.Unlabel(p.labelled); back != p.text {
				rt.Fatalf("from storage, Unlabel(%q) = %q, want %q", p.labelled, back, p.text)
			}
		}
		if diff := cmp.Diff(m.Data(), again.Data()); diff != "" {
			rt.Fatalf("storing changes the map:\n%s", diff)
		}
	})
}

func TestNothingOfWhatIsFoundIsLeft(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var text string
		findings := []guard.Finding{}

		for range rapid.IntRange(1, 12).Draw(rt, "pieces") {
			start := len(text)
			text += rapid.SampledFrom(shreds).Draw(rt, "shred")
			if rapid.Bool().Draw(rt, "secret") {
				secret := rapid.SampledFrom([]string{"Quill", " Q ", "Q[Party 7]Q", "Qé", "\xffQ"}).Draw(rt, "identity")
				start = rapid.IntRange(start, len(text)).Draw(rt, "start") // findings may begin too early
				text += secret
				findings = append(findings, guard.Finding{Kind: guard.KindPerson, Start: start, End: len(text)})
			}
		}
		findings = rapid.Permutation(findings).Draw(rt, "order")
		m := emptyMap(t)
		labelled, err := m.Label(text, findings)
		if err != nil || strings.Contains(labelled, "Q") {
			rt.Fatalf("%q is labelled %q, %v", text, labelled, err)
		}

		for _, l := range label.All(text) {
			if !strings.Contains(labelled, l.String()) {
				rt.Fatalf("%s of %q is gone from %q", l, text, labelled)
			}
			if len(m.Identities(l)) > 0 {
				rt.Fatalf("%s of %q stands for an identity too", l, text)
			}
		}
	})
}

func TestLabelMap(t *testing.T) {
	m := emptyMap(t)
	roe := label.Label{Kind: "Party", N: 4}
	if err := m.Assign("Jane Roe", roe); err != nil {
		t.Fatal(err)
	}
	if err := m.Assign("Ms Roe", roe); err != nil {
		t.Errorf("another name of the same identity: %v", err)
	}
	if err := m.Assign("jane  ROE", label.Label{Kind: "Party", N: 5}); !errors.Is(err, guard.ErrLabelled) {
		t.Errorf("a second label: %v, want ErrLabelled", err)
	}
	if err := m.Assign("Ann", label.Label{Kind: "Client", N: 1}); !errors.Is(err, label.ErrUnknown) {
		t.Errorf("a label that is none: %v, want ErrUnknown", err)
	}

	for _, identity := range []string{"Jane Roe", "JANE\u00a0ROE", "Ja\u200bne Roe", "Ｊａｎｅ Roe", "ms roe"} {
		if got, ok := m.Of(identity); !ok || got != roe {
			t.Errorf("Of(%q) = %v, %v", identity, got, ok)
		}
	}
	if got := m.Unlabel("[Party 4] and [Party 5]"); got != "Jane Roe and [Party 5]" {
		t.Errorf("Unlabel = %q", got)
	}
	if next, err := m.Next("Party"); err != nil || next.N != 5 {
		t.Errorf("Next = %v, %v, want 5", next, err)
	}
	if err := m.Assign("last", label.Label{Kind: "Party", N: label.MaxNumber}); err != nil {
		t.Fatal(err)
	}
	if next, err := m.Next("Party"); err != nil || next.N != 1 {
		t.Errorf("Next after the last = %v, %v, want the lowest that is free", next, err)
	}
	if _, err := m.Next("Client"); !errors.Is(err, label.ErrUnknown) {
		t.Errorf("Next of no kind: %v", err)
	}
	m.Dismiss("Model T")
	if !m.Dismissed("model t") || m.Dismissed("Model A") {
		t.Error("what was dismissed is not known")
	}

	for name, data := range map[string]guard.LabelData{
		"no label":      {Labels: []guard.LabelEntry{{Label: "Party 1"}}},
		"a label twice": {Labels: []guard.LabelEntry{{Label: "[Party 1]"}, {Label: "[Party 1]"}}},
	} {
		if _, err := guard.NewLabelMap(data); !errors.Is(err, guard.ErrBadLabelMap) {
			t.Errorf("%s: %v, want ErrBadLabelMap", name, err)
		}
	}
}

func TestLabelsRunOut(t *testing.T) {
	var data guard.LabelData
	for n := 1; n <= label.MaxNumber; n++ {
		data.Labels = append(data.Labels, guard.LabelEntry{Label: label.Label{Kind: "Party", N: n}.String()})
	}
	m, err := guard.NewLabelMap(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Label("Roe", []guard.Finding{{Kind: guard.KindPerson, End: 3}}); !errors.Is(err, guard.ErrNoLabelFree) {
		t.Errorf("Label = %v, want ErrNoLabelFree", err)
	}
}

func TestUTF16(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := anyText(rt, "text")
		want, offsets := []int{0}, []int{0}

		for i, units := 0, 0; i < len(text); {
			r, width := utf8.DecodeRuneInString(text[i:])
			i += width
			units += len(utf16.Encode([]rune{r}))
			offsets, want = append(offsets, i), append(want, units)
		}
		if got := guard.UTF16(text, offsets); !slices.Equal(got, want) {
			rt.Fatalf("UTF16(%q, %v) = %v, want %v", text, offsets, got, want)
		}
		if got := guard.FromUTF16(text, want); !slices.Equal(got, offsets) {
			rt.Fatalf("FromUTF16(%q, %v) = %v, want %v", text, want, got, offsets)
		}
		slices.Reverse(offsets)
		slices.Reverse(want)
		if got := guard.UTF16(text, offsets); !slices.Equal(got, want) {
			rt.Fatalf("UTF16 of descending offsets of %q = %v, want %v", text, got, want)
		}
	})
	if got := guard.FromUTF16("a😀b", []int{2, 9, -1}); !slices.Equal(got, []int{2, 6, 0}) {
		t.Errorf("FromUTF16 = %v, want a place inside the rune, the end, the beginning", got)
	}
}

func FuzzLabel(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.Text, 0, 5, 3, 9)
	}

	for _, s := range shreds {
		f.Add(s+s, 0, len(s), 1, 3)
	}
	f.Fuzz(func(t *testing.T, text string, a, b, c, d int) {
		findings := append(guard.Guard{}.Check(t.Context(), guard.FileText, text),
			guard.Finding{Kind: guard.KindPerson, Start: a, End: b}, guard.Finding{Kind: guard.KindLabel, Start: c, End: d})
		m := emptyMap(t)
		labelled, err := m.Label(text, findings)
		if err != nil {
			t.Fatal(err)
		}
		if back := m.Unlabel(labelled); back != text {
			t.Errorf("Unlabel(%q) = %q, want %q", labelled, back, text)
		}
		if utf8.ValidString(text) && !utf8.ValidString(labelled) {
			t.Errorf("%q is labelled %q, which is not valid", text, labelled)
		}
	})
}

func TestSuggest(t *testing.T) {
	for _, tc := range []struct {
		name  string
		known []string // [Party 1], [Party 2], …; | between names of one person
		asked string
		want  int // 0 for nobody
	}{
		{"a surname alone", []string{"Halvard Ostrowe", "Jane Roe"}, "Ostrowe", 1},
		{"a title", []string{"Halvard Ostrowe", "Jane Roe"}, "Ms. Roe", 2},
		{"an initial", []string{"Jane Roe"}, "J. Roe", 1},
		{"inverted", []string{"Jane Roe"}, "ROE, Jane", 1},
		{"a possessive", []string{"Jane Roe"}, "Roe's", 1},
		{"the longer name comes later", []string{"Mr Ostrowe"}, "Halvard Ostrowe", 1},
		{"a middle name", []string{"Jane M. Roe"}, "Jane Roe", 1},
		{"a given name alone", []string{"Jane Roe"}, "Jane", 1},
		{"another given name", []string{"Jane Roe"}, "Ann Roe", 0},
		{"another initial", []string{"Jane Roe"}, "A. Roe", 0},
		{"a given name known of one who has only a surname elsewhere", []string{"Roe|Jane Roe"}, "Ann Roe", 0},
		{"the first of two surnames", []string{"José Ángel Fuentes Vidal"}, "J. A. Fuentes", 1},
		{"neither of two surnames", []string{"José Ángel Fuentes Vidal"}, "J. A. Mora", 0},
		{"a title in French", []string{"M. Benoît Chevalier"}, "B. Chevalier", 1},
		{"two of that name", []string{"Jane Roe", "Ann Roe"}, "Roe", 0},
		{"the other sex", []string{"Mr Roe"}, "Mrs Roe", 0},
		{"nobody of that name", []string{"Jane Roe"}, "Doe", 0},
		{"a title and nothing else", []string{"Jane Roe"}, "Ms.", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := emptyMap(t)

			for i, names := range tc.known {
				for _, name := range strings.Split(names, "|") {
					if err := m.Assign(name, label.Label{Kind: "Party", N: i + 1}); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := m.Assign("Roe Ltd", label.Label{Kind: "Org", N: 1}); err != nil {
				t.Fatal(err)
			}
			if got, _ := m.Suggest(guard.KindPerson, tc.asked); got.N != tc.want {
				t.Errorf("Suggest(%q) = %v, want %d", tc.asked, got, tc.want)
			}
		})
	}
}
