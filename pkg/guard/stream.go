package guard

import (
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// blockSize is how much text is looked at at a time, in bytes. A block ends at its last blank line, else its last line,
// else its last sentence, else its last blank, in its second half, so that where it ends depends on the text alone and
// not on how it arrives. Names learnt in one block are known in those behind it.
const blockSize = 64 << 10

// blockEnd returns where the first block of text ends. text holds a whole block, or all that is left.
func blockEnd(text string) int {
	if len(text) <= blockSize {
		return len(text)
	}

	half := text[blockSize/2 : blockSize]
	for _, sep := range []string{"\n\n", "\n", ". ", " "} {
		if i := strings.LastIndex(half, sep); i >= 0 {
			return blockSize/2 + i + len(sep)
		}
	}

	end := blockSize
	// A block without any blank is cut between two runes.
	for end > blockSize-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}

	return end
}

// Guard is the Gate that knows names, numbers, addresses and disguises. The zero value is ready to use, by any number
// of goroutines.
type Guard struct{}

// New returns the Gate.
func New() Guard { return Guard{} }

// Check implements Gate. When ctx ends before the whole text was read, the rest is one finding of KindOperation, since
// nobody has looked at it. The first block is always read.
func (Guard) Check(ctx context.Context, door Channel, text string) []Finding {
	var found []Finding
	m := newMemory()

	for at := 0; at < len(text) && len(found) < MaxFindings; {
		// A refusal rather than a pass: nobody has looked at the rest.
		if at > 0 && ctx.Err() != nil {
			return append(found, Finding{
				Kind: KindOperation, Start: at, End: len(text), Why: "time ran out before this part was read",
			})
		}

		end := blockEnd(text[at:])
		for _, s := range find(text[at:at+end], refused(door), m) {
			if len(found) == MaxFindings {
				break
			}
			f := s.finding(at)
			f.Chosen = onlyID(text, refused(door))
			found = append(found, f)
		}
		at += end
	}

	return found
}

func (s span) finding(at int) Finding {
	return Finding{
		Kind: s.kind.wire(), Start: at + s.start, End: at + s.end, Why: reasons[s.rule], Unread: s.rule == ruleUnread,
	}
}

// readError is the error of a reader. Package fmt, which would make one in a line, is a tenth of what browsers load.
type readError struct{ err error }

func (e *readError) Error() string { return "read text: " + e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

// CheckReader is Check for text of any length, in memory bounded by a constant: it calls each for every find, in order,
// with offsets into all that was read, and finds what Check finds. It returns the error of the reader, of each or of
// ctx.
func (Guard) CheckReader(ctx context.Context, door Channel, r io.Reader, each func(Finding) error) error {
	buf := make([]byte, 0, blockSize+utf8.UTFMax)
	m := newMemory()

	for at, more := 0, true; more || len(buf) > 0; {
		for more && len(buf) < cap(buf) {
			n, err := r.Read(buf[len(buf):cap(buf)])
			buf = buf[:len(buf)+n]
			if errors.Is(err, io.EOF) {
				more = false
			} else if err != nil {
				return &readError{err}
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		text := string(buf)

		end := blockEnd(text)
		for _, s := range find(text[:end], refused(door), m) {
			if err := each(s.finding(at)); err != nil {
				return err
			}
		}
		at += end
		// What lies behind the end of the block begins the next one.
		buf = buf[:copy(buf, buf[end:])]
	}

	return nil
}
