package extract

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdf"
)

// What makes a line of a PDF file a heading.
const (
	biggerBy       = 1.15 // its size to that of most text
	longestHeading = 160  // characters
	headingLevels  = 3
)

// What makes a document short: its title may be longer than its text.
const (
	shortDocument = 600 // characters
	leastBody     = 7   // of these, as a divisor, in the size of the text
)

// usualSize is the size of the letters of most text; sizes are rounded to halves of a point. In a short document it is
// the smallest of some text, as long as that leaves no more than every second line for titles.
func usualSize(pages []pdf.Page) float64 {
	chars, lines := map[float64]int{}, map[float64]int{}
	total, most := 0, 0.0

	for _, p := range pages {
		eachLine(p, func(line string, size float64) {
			chars[size] += len(line)
			lines[size]++
			total += len(line)
		})
	}
	sizes := slices.Sorted(maps.Keys(chars))

	for _, size := range sizes {
		if most == 0 || chars[size] > chars[most] {
			most = size
		}
	}
	if total > shortDocument {
		return most
	}

	for i, size := range sizes {
		if chars[size]*leastBody < total {
			continue
		}
		titles, text := 0, 0

		for j, other := range sizes {
			if j > i && other >= biggerBy*size {
				titles += lines[other]
			} else {
				text += lines[other]
			}
		}
		if titles <= text {
			return size
		}

		break
	}

	return most
}

// eachLine calls use for the lines of a page whose size is known.
func eachLine(p pdf.Page, use func(line string, size float64)) {
	i := 0
	for line := range strings.SplitSeq(p.Text, "\n") {
		if i == len(p.Sizes) {
			return
		}
		if p.Sizes[i] > 0 {
			use(line, rounded(p.Sizes[i]))
		}
		i++
	}
}

func rounded(size float64) float64 { return math.Round(size*2) / 2 }

// headingSizes returns the levels of headings by their sizes: the biggest is 1.
func headingSizes(pages []pdf.Page, body float64) map[float64]int {
	var sizes []float64

	for _, p := range pages {
		eachLine(p, func(line string, size float64) {
			if size >= biggerBy*body && titled(line) && !slices.Contains(sizes, size) && len(sizes) < 64 {
				sizes = append(sizes, size)
			}
		})
	}
	slices.SortFunc(sizes, func(a, b float64) int { return cmp.Compare(b, a) })
	levels := map[float64]int{}

	for i, size := range sizes {
		levels[size] = min(i+1, headingLevels)
	}

	return levels
}

// boldHeadings returns the level of headings that are as big as the text and stand out by heavy letters alone, or 0
// when so much of the file has heavy letters that they tell nothing.
func boldHeadings(pages []pdf.Page, levels map[float64]int) int {
	heavy, all, below := 0, 0, 0

	for _, p := range pages {
		for i, line := range strings.Split(p.Text, "\n") {
			all += len(line)
			if i < len(p.Bold) && p.Bold[i] {
				heavy += len(line)
			}
		}
	}

	for _, level := range levels {
		below = max(below, level)
	}
	if heavy*mostHeavy > all {
		return 0
	}

	return min(below+1, headingLevels)
}

// mostHeavy is the part of a file, as a divisor, of which more in heavy letters means nothing.
const mostHeavy = 3

// standsOut returns where the lines of a heading in heavy letters end that begins at line i, or i when none does: they
// stand between lines in other letters and do not end as a sentence does.
func standsOut(p pdf.Page, lines []string, i int) int {
	// Whether line n is as heavy as line i.
	heavy := func(n int) bool {
		if n < 0 || n >= min(len(lines), len(p.Bold)) || !p.Bold[n] {
			return false
		}

		return rounded(p.Sizes[n]) == rounded(p.Sizes[i]) && titled(lines[n]) && p.Tables[n] == 0
	}
	end := i

	for end < i+mostHeadingLines && heavy(end) {
		end++
	}
	if end == i || heavy(i-1) || heavy(end) {
		return i
	}
	last := strings.TrimSpace(lines[end-1])
	if strings.HasSuffix(last, ",") || strings.HasSuffix(last, ";") {
		return i
	}
	if strings.HasSuffix(last, ".") && strings.Contains(strings.TrimSuffix(last, "."), " ") && !leadsHeading(lines[i]) {
		return i
	}

	return end
}

// mostHeadingLines is how many lines a heading in heavy letters may have.
const mostHeadingLines = 3

// leadsHeading reports whether a line begins with the number of a heading.
func leadsHeading(line string) bool {
	first, _, more := strings.Cut(strings.TrimSpace(line), " ")

	return more && pdf.Leads(first)
}

// titled reports whether a line can be one of a heading.
func titled(line string) bool {
	return utf8.RuneCountInString(line) <= longestHeading && !strings.Contains(line, "\t") &&
		strings.ContainsFunc(line, unicode.IsLetter)
}

// pdfPage marks the headings and tables of a page.
func (m *marks) pdfPage(p pdf.Page, levels map[float64]int, bold int) string {
	lines := strings.Split(withoutMarks(p.Text), "\n")
	size := func(i int) float64 {
		if i < len(p.Sizes) {
			return rounded(p.Sizes[i])
		}

		return 0
	}
	var out []string

	for i := 0; i < len(lines); {
		end := i + 1

		level := levels[size(i)]
		switch {
		case i < len(p.Tables) && p.Tables[i] > 0:
			end = endOfTable(p.Tables, i)
			out = append(out, m.rows(lines[i:end])...)
		case level > 0 && titled(lines[i]):
			for end < len(lines) && size(end) == size(i) && titled(lines[end]) {
				end++
			}
			out = append(out, m.wrap(Block{Kind: Heading, Level: level}, strings.Join(lines[i:end], "\n")))
		case bold > 0 && standsOut(p, lines, i) > i:
			end = standsOut(p, lines, i)
			out = append(out, m.wrap(Block{Kind: Heading, Level: bold}, strings.Join(lines[i:end], "\n")))
		case i < len(p.Tables) && p.Tables[i] == pdf.NoTable:
			out = append(out, lines[i])
		case columns(lines[i]) > 1:
			if end = endOfColumns(p.Tables, lines, i); end > i+1 {
				out = append(out, m.rows(lines[i:end])...)
			} else {
				out = append(out, lines[i])
			}
		default:
			out = append(out, lines[i])
		}
		i = end
	}

	return strings.Join(out, "\n")
}

// endOfColumns returns where lines with as many columns as the first one end; an empty line may stand between rows.
func endOfColumns(tables []int, lines []string, first int) int {
	end := first + 1

	for next := end; next < len(lines) && next <= end+1; next++ {
		if next < len(tables) && tables[next] != 0 {
			break
		}
		if columns(lines[next]) == columns(lines[first]) {
			end = next + 1
		} else if lines[next] != "" {
			break
		}
	}

	return end
}

// endOfTable returns where the rows of the table of a line end; empty lines may stand between them.
func endOfTable(tables []int, first int) int {
	end := first + 1

	for i := end; i < len(tables) && (tables[i] == 0 && i == end || tables[i] == tables[first]); i++ {
		if tables[i] == tables[first] {
			end = i + 1
		}
	}

	return end
}

// rows marks lines as the rows of a table.
func (m *marks) rows(lines []string) []string {
	out, rows := make([]string, len(lines)), 0

	for i, line := range lines {
		if line != "" {
			rows++
			out[i] = m.row(min(rows, 2), line)
		}
	}

	return out
}

// columns counts the columns of a line; a number or bullet with its item is no row of a table.
func columns(line string) int {
	first, rest, tabbed := strings.Cut(strings.Trim(line, "\t"), "\t")
	more := strings.Count(rest, "\t")
	if !tabbed || more == 0 && pdf.Leads(strings.TrimSpace(first)) {
		return 1
	}

	return more + 2
}
