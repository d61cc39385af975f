package facts

import "strings"

const (
	longestRow = 600  // bytes; a longer line is no row of a table
	headReach  = 8000 // bytes above a row in which the head of its table is looked for
	mostColumn = 4    // words of the head of a column
)

// cellMarks part the cells of a row: those of Markdown, of tables that were read from files, and of CSV.
var cellMarks = []string{"|", "\t", ",", ";"}

// columnOf says what the days of a column are by its head: LastDay below "Due", Done below "Served", "" where the day
// stands in no table or the head does not tell. The head is the first of the rows with as many cells.
func columnOf(text string, d Date) Standing {
	row := lineOf(text, d.Start)
	if row.End-row.Start > longestRow {
		return ""
	}

	for _, mark := range cellMarks {
		before := strings.Count(text[row.Start:d.Start], mark)
		cells := strings.Count(row.In(text), mark)
		if cells == 0 || before == 0 && strings.HasPrefix(mark, ",") {
			continue
		}
		if head, ok := headOfTable(text, row, mark); ok {
			return standingOf(head, before)
		}
	}

	return ""
}

// headOfTable returns the head of the table of a row: the first of the lines above it that has the mark as often.
// Commas also stand within a cell, so a row of them may have more.
func headOfTable(text string, row Span, mark string) (head string, ok bool) {
	cells := strings.Count(row.In(text), mark)
	at := row.Start

	for at > 0 && row.Start-at < headReach {
		above := lineOf(text, at-1)
		n := strings.Count(above.In(text), mark)
		if n == 0 || n != cells && mark != "," || n > cells {
			break
		}
		head, ok = above.In(text), true
		cells, at = n, above.Start
	}

	return head, ok
}

// standingOf reads the head of a column, counted from 0 by the marks before it.
func standingOf(head string, column int) Standing {
	mark := "|"

	for _, m := range cellMarks {
		if strings.Contains(head, m) {
			mark = m
			break
		}
	}
	cells := strings.Split(head, mark)
	if column >= len(cells) {
		return ""
	}
	words := plainWords(cells[column])
	if len(words) == 0 || len(words) > mostColumn {
		return ""
	}
	if daysLexicon()[dueColumns].begins(words) {
		return LastDay
	}
	if daysLexicon()[doneColumns].begins(words) {
		return Done
	}

	return ""
}

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

// rowBreak reports whether the line at byte i and the one before it are rows of a table without a mark at their
// beginning: cells apart by tabs or strokes, as many in both.
func rowBreak(text string, i int) bool {
	if i == 0 {
		return false
	}
	row, above := lineOf(text, i).In(text), lineOf(text, i-1).In(text)

	for _, mark := range cellMarks[:2] {
		if n := strings.Count(row, mark); n > 0 && n == strings.Count(above, mark) {
			return true
		}
	}

	return false
}
