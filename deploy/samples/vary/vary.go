// Package vary makes variants of a document that say the same in another form, as the files of a case come in: on
// pleading paper, on other paper, as a bad scan gives the text, and with dates and sums written in other ways. It also
// makes garbled ones that nobody can read.
package vary

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/subrosa-legal/subrosa/deploy/samples/typeset"
)

// File is a variant of a document.
type File struct {
	Name string // with the ending that tells its format
	Data []byte
}

// Readable returns the variants of a document that say what it says. The source is in the small part of Markdown that
// typeset reads.
func Readable(name, source string) ([]File, error) {
	var files []File

	for _, printed := range []struct {
		suffix string
		paper  typeset.Paper
		source string
	}{
		{"letter", typeset.Letter(), source},
		{"a4", typeset.A4(), source},
		{"pleading", typeset.Pleading(), source},
		{"reworded-a4", typeset.A4(), reworded(source)},
	} {
		var b bytes.Buffer
		if err := typeset.PDFOn(&b, typeset.Parse(plain(printed.source)), printed.paper); err != nil {
			return nil, fmt.Errorf("set %s on %s: %w", name, printed.suffix, err)
		}
		files = append(files, File{name + "-" + printed.suffix + ".pdf", b.Bytes()})
	}

	return append(files,
		File{name + "-reworded.md", []byte(reworded(source))},
		File{name + "-scan.txt", []byte(scanned(source, 0))},
		File{name + "-scan-reworded.txt", []byte(scanned(reworded(source), 1))},
	), nil
}

// Garbled returns variants of a document that cannot be read.
func Garbled(name, source string) ([]File, error) {
	var b bytes.Buffer
	if err := typeset.PDF(&b, typeset.Parse(plain(source))); err != nil {
		return nil, fmt.Errorf("set %s: %w", name, err)
	}
	pdf := b.Bytes()

	return []File{
		{
			name + "-resaved.pdf",
			[]byte(strings.ToValidUTF8(strings.Repeat(string(pdf)+"\xe2\xe3\xcf\xd3 ", 3), "\uFFFD")),
		},
		{name + "-half.pdf", pdf[:len(pdf)/2]},
		{
			name + "-fontless.txt",
			[]byte(shifted(source, func(i int, r rune) rune { return pick(i%5 < 3, '\uFFFD', r) })),
		},
		{
			name + "-private.txt",
			[]byte(shifted(source, func(i int, r rune) rune { return pick(i%4 == 0, 0xE000+r%64, r) })),
		},
		{
			name + "-signs.txt",
			[]byte(shifted(source, func(i int, r rune) rune { return pick(i%3 > 0, rune("#%&*+=<>~^"[i%10]), r) })),
		},
	}, nil
}

func pick(yes bool, a, b rune) rune {
	if yes {
		return a
	}

	return b
}

// shifted puts another character for letters.
func shifted(source string, other func(int, rune) rune) string {
	n := 0

	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return r
		}
		n++

		return other(n, r)
	}, source)
}

// plain takes out the stars of bold print, which typeset does not know.
func plain(source string) string { return strings.ReplaceAll(source, "**", "") }

// reworded writes dates and sums in other ways, each in turn in the next way that says the same.
func reworded(source string) string {
	var b strings.Builder

	turn := 0

	for i := 0; i < len(source); {
		// A range is left whole: its second date stays, or it could end before it begins.
		begins := i == 0 || !isWord(source[i-1]) && !strings.HasSuffix(source[:i], " to ")
		if old, other, ok := otherDate(source[i:], turn); ok && begins {
			b.WriteString(other)
			i, turn = i+len(old), turn+1

			continue
		}
		if old, other, ok := otherSum(source[i:], turn); ok {
			b.WriteString(other)
			i, turn = i+len(old), turn+1

			continue
		}
		b.WriteByte(source[i])
		i++
	}

	return b.String()
}

func isWord(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// otherDate rewrites a date of the form "January 2, 2006" at the beginning of s.
func otherDate(s string, turn int) (old, other string, ok bool) {
	const form = "January 2, 2006"
	if s[0] < 'A' || s[0] > 'S' {
		return "", "", false
	}
	comma := strings.IndexByte(s[:min(len(s), len("September 30,"))], ',')
	if comma < 0 || comma+len(", 2006") > len(s) {
		return "", "", false
	}
	old = s[:comma+len(", 2006")]
	day, err := time.Parse(form, old)
	if err != nil {
		return "", "", false
	}
	forms := []string{"2 January 2006", "2006-01-02", "Jan. 2, 2006", "January 2 2006", "2-Jan-2006"}
	if day.Day() > 12 {
		forms = append(forms, "1/2/2006", "02.01.2006", "1/2/06")
	}
	if way := turn % (len(forms) + 1); way < len(forms) {
		return old, day.Format(forms[way]), true
	}

	return old, "the " + ordinal(day.Day()) + " day of " + day.Format("January, 2006"), true
}

func ordinal(n int) string {
	ending := "th"
	if n/10 != 1 {
		switch n % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}

	return strconv.Itoa(n) + ending
}

// otherSum rewrites a sum of the form "$1,234" or "$1,234.56" at the beginning of s.
func otherSum(s string, turn int) (old, other string, ok bool) {
	if s[0] != '$' {
		return "", "", false
	}

	end := 1
	for digitAt(s, end) || digitAt(s, end+1) && strings.ContainsRune(",.", rune(s[end])) {
		end++
	}
	rest := s[end:]
	if end == 1 || strings.HasPrefix(rest, " million") || strings.HasPrefix(rest, " billion") {
		return "", "", false
	}
	number := s[1:end]

	switch turn % 5 {
	case 0:
		other = "USD " + number
	case 1:
		other = "US$" + number
	case 2:
		other = number + " dollars"
	case 3:
		if other = "$" + number; !strings.Contains(number, ".") {
			other += ".00"
		}
	default:
		other = "$ " + strings.ReplaceAll(number, ",", "")
		if head, ok := strings.CutSuffix(number, ",000,000"); ok {
			other = "$" + head + " million"
		}
	}

	return s[:end], other, true
}

// scanned writes a text as a scan gives it: in short lines, with more blanks than there were, with the endings of
// ordinals apart, blanks before commas, and letters for some digits of years and sums.
func scanned(source string, shift int) string {
	var b strings.Builder
	column, words := 0, shift

	for line := range strings.Lines(source) {
		if strings.TrimSpace(line) == "" {
			b.WriteString("\n\n")
			column = 0

			continue
		}

		for word := range strings.FieldsSeq(line) {
			if words++; column > 0 && column+len(word) > 64 {
				b.WriteByte('\n')
				column = 0
			} else if column > 0 {
				b.WriteString(pad(words))
			}
			word = blurred(word, words)
			b.WriteString(word)
			column += len(word) + 1
		}
	}

	return b.String()
}

func pad(n int) string {
	if n%17 == 0 {
		return "  "
	}

	return " "
}

// blurred misreads one word in some.
func blurred(word string, n int) string {
	amount := len(word) >= 4 && strings.HasPrefix(word, "$") && strings.Contains(word, ",0")
	day := word != "" && word[0] >= '1' && word[0] <= '3' && digitAt(word, 1)
	ordinal := strings.HasSuffix(word, "th") || strings.HasSuffix(word, "st")

	switch {
	case amount && n%3 == 0:
		return strings.Replace(word, ",0", ",O", 1)
	case day && ordinal && len(word) == 4:
		return word[:3] + " " + word[3:]
	case day && n%4 == 1 && len(word) == 3 && word[2] == ',':
		return word[:2] + " ,"
	}

	return word
}

// digitAt says whether s has a digit at a place, which may be beyond its end.
func digitAt(s string, at int) bool { return at < len(s) && s[at] >= '0' && s[at] <= '9' }
