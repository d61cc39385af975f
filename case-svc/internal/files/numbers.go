package files

import (
	"encoding/binary"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// Numbers says where the numbers of paragraphs stand in a rendition, so that a later check takes none for words:
// for each of them the bytes since the one before and its length, as variable-length integers.
type Numbers []byte

// mostNumbers bounds the record of a file. Numbers behind that are judged as words.
const mostNumbers = 64 << 10

// packed returns stretches, which are in their order, in the form that is kept.
func packed(spans []extract.Span) Numbers {
	var n Numbers
	at := 0

	for _, s := range spans {
		if len(n) > mostNumbers-2*binary.MaxVarintLen64 {
			break
		}
		n = binary.AppendUvarint(n, uint64(s.Start-at))
		n = binary.AppendUvarint(n, uint64(s.End-s.Start))
		at = s.End
	}

	return n
}

// spans returns the stretches of the rendition.
func (n Numbers) spans() []extract.Span {
	var list []extract.Span
	at := uint64(0)

	for len(n) > 0 {
		gap, width := binary.Uvarint(n)
		length, also := binary.Uvarint(n[max(0, width):])
		if width <= 0 || also <= 0 {
			break
		}
		n = n[width+also:]
		list = append(list, extract.Span{Start: int(at + gap), End: int(at + gap + length)})
		at += gap + length
	}

	return list
}
