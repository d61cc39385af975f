// Command gen makes reporters.txt, the abbreviations of American reports.
//
//	go run ./gen -source reporters.json -out reporters.txt
//
// It reads data/reporters.json of the PyPI package reporters-db 3.2.67 (BSD 2-clause licence, see NOTICE): the
// editions of each reporter and the other spellings that are in use. It leaves out what has neither a dot nor a
// digit, which may be a word.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"
)

func main() {
	source := flag.String("source", "", "data/reporters.json of reporters-db")
	out := flag.String("out", "reporters.txt", "file to write")
	flag.Parse()
	if err := run(*source, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// reporter is what is read of an entry.
type reporter struct {
	Editions   map[string]json.RawMessage `json:"editions"`
	Variations map[string]string          `json:"variations"`
}

func run(source, out string) error {
	data, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	var all map[string][]reporter
	if err := json.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("read the reporters: %w", err)
	}
	var list []string

	for _, entries := range all {
		for _, r := range entries {
			for edition := range r.Editions {
				list = append(list, plain(edition))
			}

			for variation := range r.Variations {
				list = append(list, plain(variation))
			}
		}
	}
	slices.Sort(list)
	list = slices.DeleteFunc(slices.Compact(list), func(s string) bool { return len(s) < 2 })

	return os.WriteFile(out, []byte(strings.Join(list, "\n")+"\n"), 0o600)
}

// plain returns an abbreviation in lower case with its letters and digits only, "" for one that is left out.
func plain(abbreviation string) string {
	if !strings.ContainsAny(abbreviation, ".0123456789") {
		return ""
	}

	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}

		return unicode.ToLower(r)
	}, abbreviation)
}
