package guard

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// BenchmarkLayers shows where the time goes on prose without identities: normalising, patterns with normalising and citations, and all.
func BenchmarkLayers(b *testing.B) {
	text := prose(b, 64<<10)

	typographic := strings.NewReplacer("'", "\u2019", " - ", " \u2013 ", "Party 1]", "Party\u00a01]").Replace(text)
	for name, layer := range map[string]func(string){
		"normalising": func(s string) { newView(s) },
		"patterns": func(s string) {
			v := newView(s)
			cited := citations{text: v.text}
			cited.scan()
			patterns(v.text, &cited)
			shapes(s)
		},
		"all": func(s string) { find(s, refused(FileText), newMemory()) },
	} {
		for form, s := range map[string]string{"ascii": text, "typographic": typographic} {
			b.Run(name+"/"+form, func(b *testing.B) {
				b.SetBytes(int64(len(s)))
				b.ReportAllocs()

				for b.Loop() {
					layer(s)
				}
			})
		}
	}
}

// BenchmarkLongLineOfACourt shows what a long line with the word of a court costs, whose every word asks for its line.
func BenchmarkLongLineOfACourt(b *testing.B) {
	for _, word := range []string{"COURT ", " COURT"} {
		b.Run(word, func(b *testing.B) {
			text := strings.Repeat(word, (64<<10)/len(word))
			b.SetBytes(int64(len(text)))

			for b.Loop() {
				find(text, refused(FileText), newMemory())
			}
		})
	}
}

// A line is read for roles once, not once for each of its words: what it held later is not seen, and the next line is
// read by itself.
func TestALineIsReadForRolesOnce(t *testing.T) {
	text := "COURT COURT COURT\nCOURT Buyer\nCOURT"
	n := names{text: text, lower: strings.ToLower(text), words: readWords(text, false, nil)}
	if n.roleInLine(0) {
		t.Fatal("a role in a line without one")
	}

	n.lower = "buyer buyer buyer" + n.lower[len("court court court"):]
	for i, want := range []bool{false, false, false, true, true, false} {
		if got := n.roleInLine(i); got != want {
			t.Errorf("word %d: %t, want %t", i, got, want)
		}
	}
}

// prose returns at least so many bytes of the clean set, in paragraphs, without what is not ASCII.
func prose(b *testing.B, size int) string {
	b.Helper()
	file, err := os.Open("testdata/clean.jsonl")
	if err != nil {
		b.Fatal(err)
	}

	defer func() { _ = file.Close() }()
	var text strings.Builder

	for lines := bufio.NewScanner(file); lines.Scan(); {
		var sample struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &sample); err != nil {
			b.Fatal(err)
		}
		text.WriteString(strings.Map(func(r rune) rune {
			if r > 0x7f {
				return -1
			}

			return r
		}, sample.Text) + "\n\n")
	}

	return strings.Repeat(text.String(), 1+size/text.Len())
}
