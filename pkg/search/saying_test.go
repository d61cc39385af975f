package search_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/search"
)

// TestASayingIsFoundAsItStands finds each saying of the list in a file that has its very words.
func TestASayingIsFoundAsItStands(t *testing.T) {
	list, err := os.ReadFile("words/sayings.txt")
	if err != nil {
		t.Fatal(err)
	}

	for line := range strings.Lines(string(list)) {
		said, _, ok := strings.Cut(line, "=")
		if !ok || line[0] == '#' {
			continue
		}
		verbatim := file("a", "Zebras, zebras, "+said+", zebras.")
		x := search.Build([]search.File{verbatim, file("b", "The weather was fine.")})

		hits, absent := x.Find(said, search.Options{Broad: true})
		if len(hits) == 0 || hits[0].FileID != "a" || len(absent) > 0 {
			t.Errorf("%q gives %v, absent %q; want the file that has it", said, places(hits), absent)
		}
	}
}

// TestASayingBesideItsWords finds both the saying and what papers say for it.
func TestASayingBesideItsWords(t *testing.T) {
	workers := file("a", "Forty workers were laid off on May 3, 2026.")
	x := search.Build([]search.File{workers, file("b", "The employment was terminated.")})

	hits, _ := x.Find("Who was laid off?", search.Options{Broad: true})
	for _, want := range []string{"a:1", "b:1"} {
		if !slices.Contains(places(hits), want) {
			t.Errorf("%v, want %s among them", places(hits), want)
		}
	}

	hits, _ = search.Build([]search.File{workers}).Find("Who was laid off?", search.Options{Broad: true})
	if len(hits) != 1 {
		t.Errorf("%v, want the passage that has the saying alone", places(hits))
	}
}

// TestOtherFilesTellNothing wants the same answer of some files whatever stands in others.
func TestOtherFilesTellNothing(t *testing.T) {
	open := []search.File{
		file("a", "Either party may terminate this lease on notice."),
		file("b", "Der Vertrag endet durch Kündigung. Der Mieter zahlt die Nettomiete und die Nebenkosten."),
	}

	for _, question := range []string{
		"can we quit?", "May the tenant walk away?", "Was somebody laid off?", "Kündigungsfrist", "Urlaubsanspruch",
		"What does the inn charge?", "redundancy and severance", "Miete",
	} {
		for _, other := range []string{
			"They quit, walk away, and are laid off with redundancy and severance from the inn.",
			"Die Kündigungsfrist, der Urlaubsanspruch, die Miete und die Warmmiete stehen im Gesetz, und das ist alles.",
		} {
			opt := search.Options{Broad: true, FileIDs: []string{"a", "b"}}
			alone, absent := search.Build(open).Find(question, opt)
			beside, absentBeside := search.Build(append(slices.Clone(open), file("c", other))).Find(question, opt)
			if !slices.Equal(places(alone), places(beside)) || !slices.Equal(absent, absentBeside) {
				t.Errorf("%q gives %v without %q alone and %v without %q beside a file that is not asked",
					question, places(alone), absent, places(beside), absentBeside)
			}
		}
	}
}

// TestOneFileOfSeveral widens a word only where none of the files that decide has it.
func TestOneFileOfSeveral(t *testing.T) {
	x := search.Build([]search.File{
		file("a", "Either party may terminate this lease on notice."), file("b", "We quit the lease."),
	})
	if hits := x.Search("quit", search.Options{Broad: true, FileIDs: []string{"a"}}); len(hits) == 0 {
		t.Error("the word is not widened where the file that is asked does not have it")
	}
	opt := search.Options{Broad: true, FileIDs: []string{"a"}, Among: []string{"a", "b"}}
	if hits := x.Search("quit", opt); len(hits) != 0 {
		t.Errorf("%v, want nothing: another file that may be read has the word", places(hits))
	}
}
