// Command gen makes reporters.txt, the abbreviations of American reports, and courts.txt, the names of American
// courts.
//
//	go run ./gen -source reporters.json -out reporters.txt
//	go run ./gen -courts courts.json -out courts.txt
//
// It reads data/reporters.json of the PyPI package reporters-db 3.2.67 and data/courts.json of courts-db 0.10.27
// (both BSD 2-clause licence, see NOTICE). Of reports it takes the editions of each reporter and the other spellings
// that are in use, without what has neither a dot nor a digit, which may be a word. Of courts it takes names and
// citation strings, without names of one word and initials such as "S.C.", which people have too.
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
	courts := flag.String("courts", "", "data/courts.json of courts-db")
	out := flag.String("out", "", "file to write")
	flag.Parse()

	path, read := *source, readReporters
	if *courts != "" {
		path, read = *courts, readCourts
	}
	if err := run(path, *out, read); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run writes what read finds in a file, sorted, one a line.
func run(source, out string, read func([]byte) ([]string, error)) error {
	data, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	list, err := read(data)
	if err != nil {
		return fmt.Errorf("read %s: %w", source, err)
	}
	slices.Sort(list)

	return os.WriteFile(out, []byte(strings.Join(slices.Compact(list), "\n")+"\n"), 0o600)
}

// reporter is what is read of an entry.
type reporter struct {
	Editions   map[string]json.RawMessage `json:"editions"`
	Variations map[string]string          `json:"variations"`
}

func readReporters(data []byte) ([]string, error) {
	var all map[string][]reporter
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
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

	return slices.DeleteFunc(list, func(s string) bool { return len(s) < 2 }), nil
}

// court is what is read of an entry.
type court struct {
	Name     string `json:"name"`
	Citation string `json:"citation_string"`
}

// shortestCourt is the length of the shortest name that is kept, in bytes.
const shortestCourt = 5

func readCourts(data []byte) ([]string, error) {
	var all []court
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	var list []string

	for _, c := range all {
		for _, name := range []string{c.Name, c.Citation} {
			name = strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(name, "’", "'")), " "))
			if len(name) >= shortestCourt && (strings.Contains(name, " ") || strings.Count(name, ".") > 2) {
				list = append(list, name)
			}
		}
	}

	return list, nil
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
