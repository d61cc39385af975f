// Package pdf reads the text of PDF files that nobody vouches for.
//
// It reads what a page shows (text, form fields), what a reader gets beside that (notes, addresses of links,
// replacement text), counts what else can be reached by kinds, and says whether there is something that it cannot
// read (encryption, attached files). It draws nothing, runs nothing and fetches nothing. All work and memory are
// bounded by Limits, loops in the file's structure are found, and the context is looked at all the time, so that
// reading needs no goroutine of its own that could outlive its caller. It is strict where a viewer would guess: a
// file whose structure is broken is damaged, since its text could not be trusted.
//
// It stands in for a library because of what no recover can contain: a reader that allocates what a file asks for (a
// few hundred bytes can ask for a row of terabytes) ends the process, and one that follows a chain of tables which
// leads back to itself never ends.
package pdf

import (
	"context"
	"errors"
	"fmt"
)

// The reasons for which a file cannot be read. All are wrapped with what was being read; none holds text of the file.
var (
	ErrDamaged   = errors.New("damaged PDF")
	ErrEncrypted = errors.New("encrypted PDF")
	ErrPages     = errors.New("too many pages in PDF")
	ErrTooMuch   = errors.New("PDF unpacks to more than allowed")
)

// Limits bound what one file may cost.
type Limits struct {
	Pages    int   // pages in the page tree
	Inflated int64 // bytes of all unpacked streams together; one stream may be an eighth of it
	Text     int64 // bytes of text
	Cells    int64 // objects parsed, each number and name of an array or dictionary being one
	Nesting  int   // of objects, forms, and references that lead to references
}

// Document is what a file says.
type Document struct {
	Pages       []Page
	Comments    []string       // notes
	Alts        []string       // what stands for parts of a page when it is read aloud or copied
	Drawn       []string       // text that notes, stamps and fields draw and that stands nowhere else
	Hidden      []string       // text without a mark on the page
	Links       []string       // addresses behind links
	Dropped     map[string]int // what no reader sees as text, counted by kinds: the names of package extract
	Attachments bool           // the file carries other files
	Dynamic     bool           // a program draws its pages anew from a form
}

// Page is what a page says.
type Page struct {
	Text  string    // lines ended by \n, paragraphs set apart by an empty line
	Sizes []float64 // of the letters of each line of Text; 0 for an empty one
	Bold  []bool    // whether all letters of each line of Text are heavy
	// Tables tell of which table each line of Text is a row, with a tab before each column but the first; 0 for none,
	// or NoTable.
	Tables   []int
	Pictures int  // that show enough to be read, and were not
	Unread   bool // it shows something, and none or next to none of it is text
}

// Read reads a whole file. The error is one of the package's, or the context's.
func Read(ctx context.Context, data []byte, lim Limits) (doc *Document, err error) {
	f := &file{
		ctx:      ctx,
		data:     data,
		lim:      lim,
		inflated: lim.Inflated,
		cells:    lim.Cells,
		text:     lim.Text,
		fonts:    map[ref]*font{},
		forms:    map[ref][]byte{},
		dropped:  map[string]int{},
		spans:    map[int]int{},
		linked:   map[str]bool{},
		told:     map[str]string{},
		painted:  map[int]bool{},
	}

	defer func() {
		// The parser ends by panics of its own, so that it needs no error in each function; any other is a mistake of
		// ours.
		if r := recover(); r != nil {
			doc, err = nil, f.onPage(failureOf(r))
		}
	}()
	f.readStructure()

	return f.readDocument(), nil
}

// PageError is ErrDamaged with the number of the page that cannot be read, from 1.
type PageError struct {
	Page int
	err  error
}

func (e *PageError) Error() string { return fmt.Sprintf("page %d: %v", e.Page, e.err) }

// Unwrap returns what is wrong with the page.
func (e *PageError) Unwrap() error { return e.err }

// onPage adds to an error on which page it came up, if it is damage and came up on one.
func (f *file) onPage(err error) error {
	if f.page == 0 || !errors.Is(err, ErrDamaged) {
		return err
	}

	return &PageError{f.page, err}
}

// failure carries an error up to Read, so that the parser needs no error result in every function.
type failure struct{ err error }

// damaged ends the reading of the file.
func damaged(what string) {
	panic(failure{fmt.Errorf("%w: %s", ErrDamaged, what)})
}

// failureOf turns what a parser panicked with into an error. A run-time error is a mistake of ours that only a broken
// file can have brought out, so it counts as damage too; its text could quote the file and is left out.
func failureOf(r any) error {
	if f, ok := r.(failure); ok {
		return f.err
	}

	return fmt.Errorf("%w: unexpected structure", ErrDamaged)
}

// file is one file while it is being read.
type file struct {
	ctx  context.Context
	data []byte
	lim  Limits
	page int // that is being read, from 1; 0 while none is

	dropped map[string]int
	linked  map[str]bool   // addresses that have been read
	told    map[str]string // strings of fields that are dealt with: empty for those read, else their kind
	painted map[int]bool   // forms that have been drawn, by their numbers
	spans   map[int]int    // where the objects begin and end that have been read
	revised bool           // the table that is read has an object that a newer one has too

	xref    map[int]entry
	trailer dict
	objects map[int]any // parsed objects, emptied when they grow too many
	kept    int64       // cells since objects was emptied
	packed  map[int]*objectStream
	loading int // references being followed
	glyphs  glyphNames
	fonts   map[ref]*font
	mapped  int            // codes that the kept fonts map
	forms   map[ref][]byte // unpacked forms
	formed  int            // bytes of these

	inflated, cells, text int64 // what is left of the limits
	steps                 int   // since the context was looked at
}

// step counts one unit of work and looks at the context now and then.
func (f *file) step() {
	if f.steps++; f.steps&0x3ff == 0 {
		if err := f.ctx.Err(); err != nil {
			panic(failure{err})
		}
	}
}

// cell counts one parsed object.
func (f *file) cell() {
	f.step()
	f.kept++
	if f.cells--; f.cells < 0 {
		panic(failure{ErrTooMuch})
	}
}

// pieceBytes is what a line or text of its own counts for beside its bytes, so that many small ones are bounded too.
const pieceBytes = 64

// textBytes counts bytes of text kept, in pieces of their own.
func (f *file) textBytes(n, pieces int) {
	if f.text -= int64(n) + int64(pieces)*pieceBytes; f.text < 0 {
		panic(failure{ErrTooMuch})
	}
}
