// Command gen makes words.bin, the table of the lexicon.
//
//	go run ./internal/lexicon/gen -scowl /usr/share/dict/scowl
//
// It reads the word lists of SCOWL 2020.12.07 (Debian package scowl; the notice that its licence asks for is in
// NOTICE), which keep proper names apart from words, and the lists beside this folder: given names and surnames of some
// eighty countries (Faker, MIT licence, and the United States census of 1990, public domain), places (the Unicode
// CLDR's names of countries, languages and peoples, the cities of the time zone database, seats of courts), cities
// (GeoNames, CC BY 4.0, without those that are surnames, given names or words), words of other European languages
// (stopwords-iso, MIT licence, and our own), and our own lists of legal and computing words, honorifics, heads of
// institutions, and names that dictionaries hold as words and papers hold as names.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

func main() {
	scowl := flag.String("scowl", "/usr/share/dict/scowl", "folder of SCOWL's word lists")
	lists := flag.String("lists", "internal/lexicon/lists", "folder of the lists that are kept here")
	out := flag.String("out", "internal/lexicon/words.bin", "file to write")
	flag.Parse()
	if err := run(*scowl, *lists, *out, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(scowl, lists, out string, progress io.Writer) error {
	words := map[string]lexicon.Flags{}
	if err := readScowl(scowl, words); err != nil {
		return err
	}

	for name, flag := range map[string]lexicon.Flags{
		"given":      lexicon.Given | lexicon.Proper,
		"surnames":   lexicon.Surname | lexicon.Proper,
		"places":     lexicon.Place,
		"cities":     lexicon.Place,
		"legal":      lexicon.Law,
		"computing":  lexicon.Law,
		"calendar":   lexicon.Calendar,
		"heads":      lexicon.Head,
		"foreign":    lexicon.Foreign,
		"honorifics": lexicon.Honorific,
		"particles":  lexicon.Particle,
	} {
		err := each(filepath.Join(lists, name+".txt"), func(w string) { words[w] |= flag })
		if err != nil {
			return err
		}
	}

	// Dictionaries hold them as words, and papers hardly ever do.
	err := each(filepath.Join(lists, "mostlynames.txt"), func(w string) {
		words[w] = words[w]&^wordFlags | lexicon.Proper | lexicon.KnownProper
	})
	if err != nil {
		return err
	}

	for w, f := range words {
		if f&lexicon.Rare == 0 || f == lexicon.Rare {
			continue
		}
		words[w] = f &^ lexicon.Rare // accounted for already, or a name
	}
	table, err := lexicon.Table(words)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(progress, "%d words\n", len(words)); err != nil {
		return err
	}

	return os.WriteFile(out, table, 0o600)
}

// wordFlags say that a word stands in a dictionary.
const wordFlags = lexicon.Ordinary | lexicon.Common | lexicon.Everyday | lexicon.Rare

// The largest sizes of SCOWL's lists that are read: beyond them are words that text hardly ever holds, and names that
// are words.
const (
	everydaySize = 20
	commonSize   = 50
	ordinarySize = 60
	rareSize     = 70
	knownSize    = 70
	properSize   = 80
)

// listName is how SCOWL calls a list: the spelling, what it holds, and the size from which its words are included.
var listName = regexp.MustCompile(`^(english|american|british(?:_z)?|canadian|australian)(?:_variant_\d)?` +
	`-(words|upper|proper-names|contractions)\.(\d+)$`)

func readScowl(dir string, words map[string]lexicon.Flags) error {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no word lists in %s", dir)
	}

	for _, f := range files {
		m := listName.FindStringSubmatch(filepath.Base(f))
		if m == nil {
			continue
		}
		size, err := strconv.Atoi(m[3])
		if err != nil {
			return err
		}
		if err := each(f, func(w string) {
			w = strings.TrimSuffix(w, "'s")
			for _, form := range []string{w, plain(w)} {
				if f := flagsOf(m[2], size, w); f != 0 {
					words[strings.ToLower(form)] |= f
				}
			}
		}); err != nil {
			return err
		}
	}

	return nil
}

// plain returns cafe for café, as it is written too.
func plain(w string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}

		return r
	}, norm.NFD.String(w))
}

// flagsOf tells what the place of a word in SCOWL says of it, 0 for nothing.
func flagsOf(category string, size int, w string) (f lexicon.Flags) {
	letters := strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
	switch {
	case category == "contractions":
		return lexicon.Ordinary | lexicon.Common | lexicon.Everyday
	case category == "words":
		if size > rareSize || !letters || strings.ToLower(w) != w {
			return 0
		}
		if size > ordinarySize {
			return lexicon.Rare
		}
		f = lexicon.Ordinary
		if size <= commonSize {
			f |= lexicon.Common
		}
		if size <= everydaySize {
			f |= lexicon.Everyday
		}
	case size <= properSize && letters && w != strings.ToLower(w) && w != strings.ToUpper(w):
		f = lexicon.Proper
		if size <= knownSize {
			f |= lexicon.KnownProper
		}
	}

	return f
}

// each calls f for each line of a file in UTF-8, or in Latin 1, which SCOWL uses upstream.
func each(path string, f func(string)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()

	r := bufio.NewScanner(file)
	for r.Scan() {
		line := r.Text()
		if !utf8.ValidString(line) {
			if line, err = charmap.ISO8859_1.NewDecoder().String(line); err != nil {
				return err
			}
		}
		if line != "" {
			f(line)
		}
	}

	return r.Err()
}
