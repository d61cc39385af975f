package extract

import (
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// htmlTable is an open table with the text of its open cell.
type htmlTable struct {
	grid
	cell          *running // nil between cells
	columns, rows int      // that the cell takes
}

// sink returns where text goes: the innermost open cell, or the page.
func (p *page) sink() *running {
	for i := len(p.tables) - 1; i >= 0; i-- {
		if t := p.tables[i]; t.cell != nil {
			return t.cell
		}
	}

	return &p.shown
}

// beginGrid opens a table, or a row or cell of the innermost one.
func (p *page) beginGrid(e *element, t html.Token) {
	if e.name == atom.Table {
		p.endBlocks()
		p.tables = append(p.tables, &htmlTable{grid: grid{budget: &p.budget}})
		e.grid = true

		return
	}
	if len(p.tables) == 0 {
		return
	}
	table := p.tables[len(p.tables)-1]
	e.grid = true
	if e.name == atom.Tr {
		table.beginRow(0)
		return
	}
	table.cell = &running{}
	table.columns, table.rows = spanned(t, "colspan"), spanned(t, "rowspan")
	if table.rows == 0 {
		// A span of 0 reaches to the end of the section.
		table.rows = mostRows
	}
}

// spanned reads how many columns or rows a cell takes.
func spanned(t html.Token, key string) int {
	n, err := strconv.Atoi(tokenAttr(t, key))
	if err != nil || n < 0 {
		return 1
	}

	return n
}

// endGrid closes a table, or a row or cell of the innermost one. A table in a cell is written there.
func (p *page) endGrid(name atom.Atom) {
	if len(p.tables) == 0 {
		return
	}
	table := p.tables[len(p.tables)-1]

	switch {
	case name == atom.Tr:
		table.endRow()
	case cell(name) && table.cell != nil:
		table.add(table.cell.String(), table.columns, table.rows)
		table.cell = nil
	case name == atom.Table:
		p.tables = p.tables[:len(p.tables)-1]
		if p.budget < 0 {
			// The page is refused as too large.
			return
		}
		out := p.sink()
		out.breakLine(2)
		if text := p.marks.table(&table.grid, true); blankRaw(text) {
			out.mark(text)
		} else {
			out.write(text, true)
		}
		out.breakLine(2)
	}
}

// endSection ends a section of the innermost table: its open row, and what cells claim of rows to come.
func (p *page) endSection() {
	if len(p.tables) == 0 {
		return
	}

	for i := len(p.open) - 1; i >= 0 && p.open[i].name != atom.Table; i-- {
		if p.open[i].name == atom.Tr {
			p.closeFrom(i)
		}
	}
	p.tables[len(p.tables)-1].release()
}
