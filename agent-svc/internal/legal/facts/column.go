package facts

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

const (
	longestRow = 600  // bytes; a longer line is no row of a table
	headReach  = 8000 // bytes above a row in which the head of its table is looked for
	mostColumn = 4    // words of the head of a column
)

// strokes part the cells of a row of Markdown and of tables that were read from files, commas those of CSV.
var (
	strokes = []string{"|", "\t"}
	commas  = []rune{',', ';'}
)

// cell is a cell of a table that holds a day: where it and its row stand, and what its column says of the day.
type cell struct {
	Span
	row  Span
	says Standing // LastDay below "Due", Done below "Served", "" where the head does not tell
}

// cellOf returns the cell of a table in which a date stands. ok is false where it stands in none.
func cellOf(text string, d Date) (c cell, ok bool) {
	row := lineOf(text, d.Start)
	// A line of prose that never breaks is no row, and a date over two lines stands in none.
	if row.End-row.Start > longestRow || row.End < d.End {
		return cell{}, false
	}

	for _, mark := range strokes {
		if head, found := headOfTable(text, row, mark); found {
			before := strings.Count(text[row.Start:d.Start], mark)
			c = cell{cellAround(text, row, d, mark), row, standingOf(strings.Split(head, mark), before)}

			return c, true
		}
	}

	for _, comma := range commas {
		if c, ok = commaCell(text, row, d, comma); ok {
			return c, true
		}
	}

	return cell{}, false
}

// headOfTable returns the head of the table of a row: the first of the lines above it that has the mark as often.
func headOfTable(text string, row Span, mark string) (head string, ok bool) {
	cells := strings.Count(row.In(text), mark)
	if cells == 0 {
		return "", false
	}
	at := row.Start

	for at > 0 && row.Start-at < headReach {
		above := lineOf(text, at-1)
		// A line with another number of cells ends the table, so the last one that fitted is its head.
		if strings.Count(above.In(text), mark) != cells {
			break
		}
		head, ok = above.In(text), true
		at = above.Start
	}

	return head, ok
}

// cellAround returns the cell of a row that holds a date.
func cellAround(text string, row Span, d Date, mark string) Span {
	s := row
	if n := strings.LastIndex(text[row.Start:d.Start], mark); n >= 0 {
		s.Start += n + len(mark)
	}
	if n := strings.Index(text[d.End:max(d.End, row.End)], mark); n >= 0 {
		s.End = d.End + n
	}

	return s
}

// commaCell returns the cell of a table in CSV in which a date stands. Sentences have commas too, so the lines count as
// a table only where all of them have as many cells and the first one names each column in a few words.
func commaCell(text string, row Span, d Date, comma rune) (c cell, ok bool) {
	start := tableStart(text, row, comma)
	if start == row.Start {
		return cell{}, false
	}
	rows := csv.NewReader(strings.NewReader(text[start:row.End]))
	// Exports of other programs quote carelessly. A strict reader would refuse a table that every person can read.
	rows.Comma, rows.LazyQuotes, rows.TrimLeadingSpace = comma, true, true
	head, err := rows.Read()
	if err != nil || !isHead(head) {
		return cell{}, false
	}

	starts := lastStarts(rows, strings.Count(text[start:row.End], "\n")+1)

	end := row.End
	// From the right, the first cell that begins at or before the date holds it.
	for at, column := range slices.Backward(starts) {
		begin := row.Start + column
		if begin <= d.Start {
			return cell{Span{begin, end}, row, standingOf(head, at)}, d.End <= end
		}
		end = begin
	}

	return cell{}, false
}

// tableStart returns where the first of the lines above a row begins that all have the mark, the beginning of the row
// where there is none or there are too many.
func tableStart(text string, row Span, comma rune) int {
	at := row.Start
	for at > 0 {
		above := lineOf(text, at-1)
		if !strings.ContainsRune(above.In(text), comma) {
			break
		}
		// Without the bound, each date of a long table would read it again from its head.
		if at = above.Start; row.Start-at > headReach {
			return row.Start
		}
	}

	return at
}

// lastStarts reads the rest of a table and returns where the cells of its last row begin, in bytes from the beginning
// of its line. There are none where a row has another number of cells, or the last one does not begin on that line.
func lastStarts(rows *csv.Reader, line int) []int {
	var starts []int

	for {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return starts
		}
		if err != nil {
			return nil
		}
		starts = starts[:0]

		for at := range cells {
			on, column := rows.FieldPos(at)
			// A quoted cell may span lines, and then begins above the row that is asked about.
			if on != line {
				continue
			}
			starts = append(starts, column-1)
		}
	}
}

// isHead reports whether cells can be the head of a table: a few words each; only the first may be empty.
func isHead(cells []string) bool {
	for at, c := range cells {
		words := len(plainWords(c))
		// Lines of prose with equally many commas fail here: their parts are longer than the head of a column.
		if words > mostColumn || words == 0 && at > 0 {
			return false
		}
	}

	return len(cells) > 1
}

// standingOf reads the head of a column, counted from 0. "Filed" tells of what was done, "Filed by" of what is due, and
// "Issued / due" may tell of either.
func standingOf(head []string, column int) Standing {
	if column >= len(head) {
		return ""
	}
	words := plainWords(head[column])
	if len(words) == 0 || len(words) > mostColumn {
		return ""
	}

	switch written := strings.Join(words, " "); {
	case daysLexicon()[dueColumns].begins(words):
		return LastDay
	case daysLexicon()[doneColumns].phrases[written]:
		return Done
	// "Issued / due" may tell of either. To leave it open keeps the day on the list.
	case strings.ContainsAny(head[column], "/&"), slices.ContainsFunc(words, joinsHeads):
		return ""
	case slices.ContainsFunc(words, limits), strings.Contains(written, "later than"):
		return LastDay
	}

	return ""
}

// joinsHeads reports whether a word joins two things that a column can tell.
func joinsHeads(word string) bool { return word == "and" || word == "or" }

// limits reports whether a word of a head says that something must be done by the days below it.
func limits(word string) bool { return word == "by" || word == "due" || word == "deadline" }

// inCell says what the day of a cell is: by the words of the cell, and where it has none by the head of its column.
// Where the two differ it is Listed, "filed on May 4" below "Due" too; "" leaves it to the words of the row. from and
// to are where the dates before and behind it stand.
func (r *reading) inCell(c cell, from, to int, before *reading) Standing {
	if c.says == "" {
		return ""
	}
	text, d := r.text, r.date
	own := *r
	own.clause, own.headed = c.Span, false
	own.lead = plainWords(text[c.Start:d.Start])
	own.left = plainWords(text[max(from, c.Start):d.Start])
	own.tail = tailOf(text[max(from, c.Start):d.Start])
	own.right = plainWords(withoutClocks(text[d.End:max(d.End, min(to, c.End))]))
	words := append(plainWords(c.In(text)[:d.Start-c.Start]), plainWords(text[d.End:c.End])...)
	row := append(plainWords(text[c.row.Start:d.Start]), plainWords(text[d.End:c.row.End])...)

	switch said := own.judge(before); {
	// The words of the cell itself outweigh its head.
	case said == LastDay, said == Appear, said == c.says:
		return said
	case said == Done:
		return Listed
	// A duty in the row, or a cell with a sentence, casts doubt on the head: a lost day is worse than a listed one.
	case c.says == Done && (len(words) > mostOwnWords || r.names(row, dutyWords)):
		return Listed
	case c.says == LastDay && slices.ContainsFunc(words, reports):
		return Listed
	case c.says == LastDay && r.names(row, hearingWords):
		return Appear
	}

	return c.says
}

const mostOwnWords = 3 // of a cell beside its day, below a head such as "Filed"

// reports reports whether a word tells of what was, "withdrawn; was May 4".
func reports(word string) bool { return slices.Contains(passives, word) || participle(word) }

// lineOf returns the line that holds a byte, without its end: as much of it as is within the length of a row to either
// side.
func lineOf(text string, at int) Span {
	s := Span{max(0, at-longestRow), min(len(text), at+longestRow)}
	if n := strings.LastIndexByte(text[s.Start:at], '\n'); n >= 0 {
		s.Start += n + 1
	}
	if n := strings.IndexByte(text[at:s.End], '\n'); n >= 0 {
		s.End = at + n
	}

	return s
}

// edged reports whether a date is a cell of CSV by the marks beside it: no blank parts it from them, as one does in a
// sentence. The lines around such a row say nothing of its days.
func edged(text string, d Span) bool {
	// Exports put dates in quotes.
	before := strings.TrimSuffix(text[:d.Start], `"`)
	after := strings.TrimPrefix(text[d.End:], `"`)
	if before != "" && strings.IndexByte(",;", before[len(before)-1]) >= 0 {
		return true
	}

	return len(after) > 1 && strings.IndexByte(",;", after[0]) >= 0 && !isSpace(after[1])
}

// partsCells reports whether the marks between two dates part cells of a table.
func partsCells(between string) bool {
	return strings.ContainsAny(between, "|\t\"") || between == "," || between == ";"
}

// rowBreak reports whether the line at byte i and the one before it are rows of a table without a mark at their
// beginning: cells apart by tabs or strokes, as many in both.
func rowBreak(text string, i int) bool {
	if i == 0 {
		return false
	}
	// Equally many marks in two lines are what is left of a table whose cells were joined.
	row, above := lineOf(text, i).In(text), lineOf(text, i-1).In(text)

	for _, mark := range strokes {
		if n := strings.Count(row, mark); n > 0 && n == strings.Count(above, mark) {
			return true
		}
	}

	return false
}
