package extract

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// customFormat begins a format that shows its first number, such as custom:001.
const customFormat = "custom:"

// numeral writes a number as a list does.
func numeral(format string, n int) string {
	switch format {
	case "lowerLetter":
		return letters(n)
	case "upperLetter":
		return strings.ToUpper(letters(n))
	case "lowerAlpha":
		return alphabetic(n)
	case "upperAlpha":
		return strings.ToUpper(alphabetic(n))
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperRoman":
		return roman(n)
	case "decimalZero":
		return fmt.Sprintf("%02d", n)
	case "numberInDash":
		return fmt.Sprintf("- %d -", n)
	case "ordinal":
		return ordinal(n)
	case "cardinalText":
		return wording.Capital(cardinalText(n))
	case "ordinalText":
		return wording.Capital(ordinalText(n))
	case "chicago":
		return chicago(n)
	case "decimalEnclosedCircle":
		return enclosed('①', n)
	case "decimalEnclosedParen":
		return enclosed('⑴', n)
	case "decimalEnclosedFullstop":
		return enclosed('⒈', n)
	case "none":
		return ""
	}
	if first, custom := strings.CutPrefix(format, customFormat); custom {
		first, _, _ = strings.Cut(first, ",")
		return fmt.Sprintf("%0*d", min(len(first), 8), n)
	}

	return strconv.Itoa(n)
}

// letters counts a to z, then aa, bb, as Word does.
func letters(n int) string {
	if n < 1 || n > 26*8 {
		return strconv.Itoa(n)
	}

	return strings.Repeat(string(rune('a'+(n-1)%26)), (n-1)/26+1)
}

// alphabetic counts a to z, then aa, ab, as browsers do.
func alphabetic(n int) string {
	if n < 1 {
		return strconv.Itoa(n)
	}
	out := ""

	for ; n > 0; n = (n - 1) / 26 {
		out = string(rune('a'+(n-1)%26)) + out
	}

	return out
}

// spells reports whether the letters of a number could be a word: three or more in a row that are no Roman number and
// not the same letter again and again. A list that counts by letters can begin anywhere, so it can spell a name.
func spells(label string) bool {
	for run := range strings.FieldsFuncSeq(strings.ToLower(label), func(r rune) bool { return !unicode.IsLetter(r) }) {
		first, _ := utf8.DecodeRuneInString(run)
		repeated := strings.Trim(run, string(first)) == ""
		if utf8.RuneCountInString(run) > 2 && !repeated && strings.Trim(run, "ivxlcdm") != "" {
			return true
		}
	}

	return false
}

func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	var out strings.Builder

	for _, digit := range []struct {
		value  int
		letter string
	}{
		{1000, "M"},
		{900, "CM"},
		{500, "D"},
		{400, "CD"},
		{100, "C"},
		{90, "XC"},
		{50, "L"},
		{40, "XL"},
		{10, "X"},
		{9, "IX"},
		{5, "V"},
		{4, "IV"},
		{1, "I"},
	} {
		for ; n >= digit.value; n -= digit.value {
			out.WriteString(digit.letter)
		}
	}

	return out.String()
}

// enclosed writes a number as one character, of which there are twenty that begin with first.
func enclosed(first rune, n int) string {
	if n < 1 || n > 20 {
		return strconv.Itoa(n)
	}

	return string(first + rune(n-1))
}

// chicago counts by the marks of footnotes: *, †, ‡, §, then ** and so on.
func chicago(n int) string {
	if n < 1 || n > 4*8 {
		return strconv.Itoa(n)
	}

	return strings.Repeat([]string{"*", "†", "‡", "§"}[(n-1)%4], (n-1)/4+1)
}

// ordinal writes 1 as 1st.
func ordinal(n int) string {
	ending := "th"

	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		ending = "st"
	case n%10 == 2:
		ending = "nd"
	case n%10 == 3:
		ending = "rd"
	}

	return strconv.Itoa(n) + ending
}

var (
	ones = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen " +
		"fifteen sixteen seventeen eighteen nineteen")
	tens     = strings.Fields("zero ten twenty thirty forty fifty sixty seventy eighty ninety")
	ordinals = map[string]string{
		"one": "first", "two": "second", "three": "third", "five": "fifth",
		"eight": "eighth", "nine": "ninth", "twelve": "twelfth",
	}
)

// cardinalText writes a number below a thousand in words.
func cardinalText(n int) string {
	switch {
	case n < 0 || n > 999:
		return strconv.Itoa(n)
	case n >= 100 && n%100 == 0:
		return ones[n/100] + " hundred"
	case n >= 100:
		return ones[n/100] + " hundred " + cardinalText(n%100)
	case n < len(ones):
		return ones[n]
	case n%10 == 0:
		return tens[n/10]
	}

	return tens[n/10] + "-" + ones[n%10]
}

// ordinalText writes 21 as twenty-first.
func ordinalText(n int) string {
	text := cardinalText(n)
	last := text[strings.LastIndexAny(text, " -")+1:]
	before := strings.TrimSuffix(text, last)

	switch {
	case last == strconv.Itoa(n):
		return ordinal(n)
	case ordinals[last] != "":
		return before + ordinals[last]
	case strings.HasSuffix(last, "y"):
		return before + strings.TrimSuffix(last, "y") + "ieth"
	}

	return text + "th"
}
