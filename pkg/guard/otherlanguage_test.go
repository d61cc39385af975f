package guard_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// Of a text in a language that the guard does not know, the answer says so once. It lists the names that lists hold.
func TestOtherLanguageIsToldOnce(t *testing.T) {
	content, err := os.ReadFile("testdata/otherlanguages.txt")
	if err != nil {
		t.Fatal(err)
	}

	for line := range strings.Lines(string(content)) {
		language, text, parted := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !parted {
			continue
		}
		plain := strings.NewReplacer("{", "", "}", "").Replace(text)

		for _, door := range []guard.Channel{guard.Prompt, guard.FileText} {
			found := (guard.Guard{}).Check(t.Context(), door, plain)
			told := guard.Told(found)
			alone := 0 // words that are listed one by one though they may be no names

			for _, f := range told {
				if f.Kind != guard.KindLanguage && (f.Unread || f.Kind != guard.KindPerson) {
					alone++
				}
			}
			if len(found) == 0 || alone > 2 || len(told) > 4 {
				t.Errorf("%s, %s: %d findings, told as %d\n%s", language, door, len(found), len(told), listed(plain, told))
			}

			for _, name := range inBraces.FindAllString(text, -1) {
				if name = strings.Trim(name, "{}"); !strings.Contains(listed(plain, alonePersons(told)), name) {
					t.Errorf("%s, %s: %s is not told by itself\n%s", language, door, name, listed(plain, told))
				}
			}
		}
	}
}

func alonePersons(told []guard.Finding) (persons []guard.Finding) {
	for _, f := range told {
		if f.Kind == guard.KindPerson && !f.Unread {
			persons = append(persons, f)
		}
	}

	return persons
}

func listed(text string, found []guard.Finding) string {
	var out strings.Builder
	for _, f := range found {
		out.WriteString("    " + f.Kind + " " + text[f.Start:min(f.End, f.Start+60)] + "\n")
	}

	return out.String()
}

// What is in a language that the guard knows is never told as being in another, with names of other countries in it.
func TestKnownLanguagesAreKnown(t *testing.T) {
	files, err := filepath.Glob("testdata/papers/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, "testdata/languages.txt", "testdata/prose.txt", "testdata/doors.txt", "testdata/clean.jsonl")

	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}

		for line := range strings.Lines(string(content)) {
			for _, f := range (guard.Guard{}).Check(t.Context(), guard.Prompt, line) {
				if f.Unread {
					t.Errorf("%s: %q is told as a word of another language in %s", name, line[f.Start:f.End], line)
				}
			}
		}
	}

	text := "Wójcik Meble Sp. z o.o. and João da Silva e Souza met Żaneta Šimić, Đorđe Petrović, Åse Ødegård and Ioan Țurcanu in Zürich."
	if told := guard.Told((guard.Guard{}).Check(t.Context(), guard.FileText, text)); len(told) < 5 {
		t.Errorf("names in English are told as %q", listed(text, told))
	}
}

// A refusal has one detail for all of a text, beside those of other texts and of other kinds.
func TestRefusalTellsALanguageOnce(t *testing.T) {
	text := "Ответчик возражал против иска и просил суд отказать. Писать на x@example.com."
	found := (guard.Guard{}).Check(t.Context(), guard.Prompt, text)
	located := append(guard.At("prompt", found), guard.At("title", []guard.Finding{
		{Kind: guard.KindPerson, Start: 0, End: 2, Unread: true},
	})...)
	refusal := guard.Refusal("", located)
	var got []string

	for _, d := range refusal.Details {
		got = append(got, fmt.Sprintf("%s %s %q", d.Path, d.Kind, text[*d.Start:*d.End]))
	}
	want := []string{
		`prompt email "x@example.com"`,
		`prompt language "Ответчик возражал против иска и просил суд отказать. Писать на"`,
		`title person "О"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("details %q, want %q", got, want)
	}
	if !strings.HasPrefix(refusal.Message, "A text is in a language that this service does not know") {
		t.Errorf("message %q", refusal.Message)
	}
}
