package extract

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// The thresholds by which text is judged, as ratios of its code points unless they say otherwise.
const (
	ocrCharsPerPage  = 100  // fewer on a page with pictures mean a scan
	ocrReplacement   = 0.10 // more U+FFFD mean broken font tables
	lowReplacement   = 0.02 // more U+FFFD, or more private characters
	lowLetters       = 0.70 // fewer letters and blanks
	maxReencoded     = 1000 // UTF-8 forms of U+FFFD among the bytes of a binary file: it was saved as text once
	estimatedPerPage = 2500 // characters of a page where pages are not marked
)

// finish fills in what follows from the text and judges it. binary is the file when that is binary, pictures says that
// it shows pictures whose share of the pages is not known.
func (d *Document) finish(binary []byte, pictures bool) {
	replaced, private, plain := d.count()
	d.Pages = len(d.PageStarts)
	if d.Pages == 0 {
		d.Pages = max(1, (d.Chars+estimatedPerPage-1)/estimatedPerPage)
	}
	d.CharsPerPage = d.Chars / d.Pages
	ratio := func(n int) float64 { return float64(n) / float64(max(1, d.Chars)) }
	d.ReplacementRatio = ratio(replaced)

	d.Language = language(d.Text)
	switch {
	case bytes.Count(binary, []byte("\ufffd")) > maxReencoded:
		d.Status, d.Reason = Damaged, ReasonReencoded
	case d.Status == Unsupported:
	case d.Chars == 0 && d.Method == "pdf", d.CharsPerPage < ocrCharsPerPage && pictures:
		d.Status, d.Reason = NeedsOCR, ReasonNoText
	case d.ReplacementRatio > ocrReplacement:
		d.Status, d.Reason = NeedsOCR, ReasonGarbled
	case d.ReplacementRatio > lowReplacement, ratio(private) > lowReplacement:
		d.Status, d.Reason = LowQuality, ReasonPartGarbled
	case ratio(plain) < lowLetters:
		d.Status, d.Reason = LowQuality, ReasonFewLetters
	default:
		d.Status = OK
	}
}

// count counts the characters of the body: all of them into Chars, and those that tell about its quality.
func (d *Document) count() (replaced, private, plain int) {
	d.Chars = 0
	for _, r := range d.Text {
		d.Chars++

		switch {
		case r == utf8.RuneError:
			replaced++
		case unicode.Is(unicode.Co, r):
			private++
		case r == ' ', r == '\n', r == '\t', unicode.IsLetter(r), unicode.Is(unicode.M, r):
			plain++
		}
	}

	return replaced, private, plain
}
