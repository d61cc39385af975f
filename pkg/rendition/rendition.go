// Package rendition writes what is kept of a file that was read: Markdown, and for a file of a word processor a Word
// file besides. It holds the parts that were judged and nothing else, so that nothing of a file is kept that nobody has
// read.
//
// A rendition is no second system of coordinates: citations and search count the code points of the extracted text.
// The same document gives the same bytes, whenever and wherever it is rendered.
package rendition

import (
	"context"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// The renderers. A change of what they write for the same document gets a new number.
const (
	MarkdownRenderer = "markdown/2"
	WordRenderer     = "docx/2"
)

// mostDepth is how deep an item of a list may stand; Word has as many levels. It bounds the blanks before an item.
const mostDepth = 9

// Rendition is a file that was written from what was read of another.
type Rendition struct {
	MediaType string
	Renderer  string
	Bytes     []byte
	// Numbers are the stretches of Bytes, in their order, that stand for numbers of paragraphs: the file counts them,
	// and nobody wrote them. They are no words to judge. Markdown alone has them.
	Numbers []extract.Span
	pieces  []piece // in their order
}

// piece is a stretch of a part that stands in the rendition as it is.
type piece struct {
	path     string
	from, to int // bytes of the part
	at       int // byte of the rendition
}

// Needed reports whether a rendition of a file of this media type is kept in place of its bytes: what carries more
// than a reader sees.
func Needed(mediaType string) bool {
	switch essence(mediaType) {
	case extract.HTML, extract.Email, extract.PDF, extract.DOCX, extract.ODT:
		return true
	}

	return false
}

// HasWord reports whether a Word file is kept beside the Markdown of a file of this media type: what came from a word
// processor goes on being edited in one.
func HasWord(mediaType string) bool {
	return essence(mediaType) == extract.DOCX || essence(mediaType) == extract.ODT
}

// essence returns a media type in lower case without parameters.
func essence(mediaType string) string {
	mediaType, _, _ = strings.Cut(mediaType, ";")

	return strings.ToLower(strings.TrimSpace(mediaType))
}

// Place returns where bytes start to end of the part of a path stand in the rendition. Where a mark of the rendition
// stands within them, it is between the two places. It reports false when the part does not hold them or the
// rendition has left them out, as blanks are.
func (r Rendition) Place(path string, start, end int) (from, to int, ok bool) {
	first := true

	for _, p := range r.pieces {
		if p.path != path || p.to <= start || p.from >= end {
			continue
		}
		if first {
			from, first = p.at+max(0, start-p.from), false
		}
		to = p.at + min(end, p.to) - p.from
	}

	return from, to, !first && start < end
}

// pace looks at a context now and then.
type pace struct {
	ctx   context.Context
	steps int
	err   error // of the context, once it has ended
}

// over reports whether the work must end. It looks at the first step, and then at every 256th.
func (p *pace) over() bool {
	// A look at a context takes a lock, and there is a step for each line.
	if p.steps++; p.steps&0xff == 1 && p.err == nil {
		p.err = p.ctx.Err()
	}

	return p.err != nil
}
