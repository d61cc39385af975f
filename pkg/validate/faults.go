// Package validate checks the fields of an input and gathers what is wrong with them, so that a caller can mend all of
// it in one round.
package validate

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/label"
	"golang.org/x/text/unicode/norm"
)

// ErrInvalid refuses fields whose values cannot be taken; its details name each of them.
var ErrInvalid = errs.New(
	errs.Invalid,
	"validation_failed",
	"One or more fields are invalid. Fix the fields listed in details.",
)

// List gathers what is wrong with an input, so that a caller can mend all of it in one round. The zero value is ready.
type List struct {
	details []errs.Detail
	labels  int // how many of them are of fields that take a label
}

// maxFaults bounds the details of one answer.
const maxFaults = 50

// Add notes that the value at path cannot be taken. remedy says what would be; it must not quote the value.
func (f *List) Add(path, remedy string) {
	if len(f.details) < maxFaults {
		f.details = append(f.details, errs.Detail{Path: path, Message: remedy})
	}
}

// AddLabel is Add for a field that takes a label and holds something else.
func (f *List) AddLabel(path, remedy string) {
	before := len(f.details)
	f.Add(path, remedy)
	f.labels += len(f.details) - before
}

// Err returns ErrInvalid with all faults, label.ErrUnknown when all of them are of labels, or nil when there are none.
func (f *List) Err() error {
	switch len(f.details) {
	case 0:
		return nil
	case f.labels:
		return label.ErrUnknown.WithDetails(f.details...)
	}

	return ErrInvalid.WithDetails(f.details...)
}

// Line returns s as one line of text: trimmed, in Unicode's composed form, without control characters, of least to most
// code points.
func (f *List) Line(path, s string, least, most int) string {
	s = norm.NFC.String(strings.TrimSpace(s))
	n := utf8.RuneCountInString(s)

	switch {
	case !utf8.ValidString(s) || n < least || n > most:
		f.Add(path, fmt.Sprintf("must be one line of %d to %d characters", least, most))
	case strings.ContainsFunc(s, Unprintable):
		f.Add(path, "must be one line "+WithoutMarks)
	}

	return s
}

// Prose returns s as text of any number of lines: in Unicode's composed form, with \n for every line end, without other
// control characters than tabs, of least to most code points.
func (f *List) Prose(path, s string, least, most int) string {
	s = norm.NFC.String(strings.ReplaceAll(s, "\r\n", "\n"))
	n := utf8.RuneCountInString(s)
	control := func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }
	if !utf8.ValidString(s) || n < least || n > most || strings.ContainsFunc(s, control) {
		f.Add(path, fmt.Sprintf("must be text of %d to %d characters without control characters", least, most))
	}

	return s
}

// OneOf checks that s is one of allowed; the empty string passes when it is listed.
func (f *List) OneOf(path, s string, allowed ...string) string {
	if !slices.Contains(allowed, s) {
		named := slices.DeleteFunc(slices.Clone(allowed), func(a string) bool { return a == "" })
		f.Add(path, "must be one of "+strings.Join(named, ", "))
	}

	return s
}

// WithoutMarks says what Unprintable finds, to whoever has sent it.
const WithoutMarks = "without control characters, and without marks that turn the direction of text, such as U+202E"

// Unprintable finds what does not belong on one line: control characters, line and paragraph separators, and the marks
// that turn the direction of text, by which a name can be made to look like another.
func Unprintable(r rune) bool {
	turns := r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
	return turns || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}

// Date checks that s is a calendar date such as 2026-03-04; "" passes as none.
func (f *List) Date(path, s string) string {
	if s == "" {
		return ""
	}
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		f.Add(path, "must be a date such as 2026-03-04")
	}

	return s
}
