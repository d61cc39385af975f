package guard

import (
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/label"
)

// scan is one pass over a text.
type scan struct {
	text   string
	found  []Finding
	done   int // findings begin at or after this byte, so that they never overlap
	store  [maxGroups]group
	number // the run that is judged
}

// shapeSigns are the bytes at which a shape begins.
var shapeSigns = stopsAt(func(c byte) bool { return digit(c) || c == '@' || c == '[' || c >= utf8.RuneSelf })

// run stops only at the bytes that a rule begins with. Every rule moves forward past what it has read, or reads a
// bounded stretch, which keeps the whole linear.
func (s *scan) run() {
	for i := 0; len(s.found) < MaxFindings; {
		i = shapeSigns.after(s.text, i)
		if i >= len(s.text) {
			return
		}

		c := s.text[i]
		switch {
		case c >= '0' && c <= '9':
			i = s.digits(i)
		case c == '@':
			s.email(i, 1)
			i++
		case c == '[':
			i += s.bracket(i)
		default:
			i = s.wide(i)
		}
	}
}

// wide looks at a rune outside ASCII: the full-width forms of digits and of the at sign count as themselves.
func (s *scan) wide(i int) int {
	r, width := utf8.DecodeRuneInString(s.text[i:])
	if r == '＠' || r == '﹫' {
		s.email(i, width)
	} else if _, ok := digitValue(r); ok {
		return s.digits(i)
	}

	return i + width
}

// bracket steps over a label, records one gone wrong, and returns how many bytes to move on.
func (s *scan) bracket(i int) int {
	if _, width, ok := label.At(s.text, i); ok {
		return width
	}
	if width, ok := nearLabel(s.text, i); ok {
		s.add(KindLabel, i, i+width)
		return width
	}

	return 1
}

// add records a finding, cut so that it does not overlap the one before.
func (s *scan) add(kind string, start, end int) {
	start = max(start, s.done)
	if start >= end || len(s.found) >= MaxFindings {
		return
	}
	s.found = append(s.found, Finding{Kind: kind, Start: start, End: end})
	s.done = end
}

// longestMailbox bounds the part of an e-mail address before the at sign, longestDomain the part behind it.
const (
	longestMailbox = 64
	longestDomain  = 253
)

// email judges the at sign at byte at, which is width bytes long. Up to one space on each side counts as part of the
// address, because text taken from PDF files is often torn there.
func (s *scan) email(at, width int) {
	start := s.mailbox(at)
	if start == at && at > 0 && s.text[at-1] == ' ' {
		if start = s.mailbox(at - 1); start == at-1 {
			return
		}
	}
	from := at + width
	if from < len(s.text) && s.text[from] == ' ' {
		from++
	}
	// Both sides are needed: a handle has no mailbox, and a price no host.
	if end := s.domain(from); start < at && end > from {
		s.add(KindEmail, start, end)
	}
}

// mailbox returns where the name before byte end begins, end itself if there is none.
func (s *scan) mailbox(end int) int {
	start, named := end, false
	for start > 0 && end-start < longestMailbox {
		r, width := utf8.DecodeLastRuneInString(s.text[:start])
		if !mailboxRune(r) {
			break
		}
		named = named || unicode.IsLetter(r) || unicode.IsDigit(r)
		start -= width
	}
	if !named {
		return end
	}

	return start
}

func mailboxRune(r rune) bool {
	switch r {
	case '.', '_', '-', '+', '%', '\'', '~':
		return true
	}

	return unicode.IsLetter(r) || unicode.IsDigit(r) || ignorable(r)
}

// domain returns where the host name at byte start ends, start itself if there is none. A host name has a dot and ends
// in at least two letters.
func (s *scan) domain(start int) int {
	end, label, dots := start, start, 0

	good := start // behind the last part that may end a host name
	for end < len(s.text) && end-start < longestDomain {
		r, width := utf8.DecodeRuneInString(s.text[end:])
		switch {
		case r == '.' && end > label:
			dots++
			label = end + width
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || ignorable(r):
			// The last good end is kept, so that the full stop of the sentence stays outside.
			if dots > 0 && end+width-label >= 2 && unicode.IsLetter(r) {
				good = end + width
			}
		default:
			return good
		}
		end += width
	}

	return good
}

// digitValue returns the value of an ASCII, full-width or mathematical digit.
func digitValue(r rune) (byte, bool) {
	switch {
	case r >= '0' && r <= '9':
		return byte(r - '0'), true
	case r >= '０' && r <= '９':
		return byte(r - '０'), true
	case r >= 0x1d7ce && r <= 0x1d7ff:
		return byte((r - 0x1d7ce) % 10), true
	}

	return 0, false
}

// ignorable reports whether a rune leaves no mark on the page: text is read as if it were not there.
func ignorable(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad, r == 0x34f, r == 0x61c, r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e,
		r >= 0x2060 && r <= 0x206f, r >= 0xfe00 && r <= 0xfe0f, r == 0xfeff, r >= 0xe0000 && r <= 0xe01ef:
		return true
	}

	return false
}
