// Package wording writes small things that many sentences need: a number with its noun, a capital at the beginning.
package wording

import (
	"strconv"
	"strings"
)

// Count writes a number with its noun: "1 file", "2 files".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}

	return strconv.Itoa(n) + " " + many
}

// Counted is Count for a noun whose plural ends in s.
func Counted(n int, noun string) string { return Count(n, noun, noun+"s") }

// Capital writes the first letter of s, which is one of ASCII, as a capital.
func Capital(s string) string {
	if s == "" {
		return ""
	}

	return strings.ToUpper(s[:1]) + s[1:]
}
