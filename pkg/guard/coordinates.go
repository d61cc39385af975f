package guard

import (
	"strings"
	"unicode/utf8"
)

// Coordinates lead to a door as a street and its number do. They are written in decimal degrees with four digits
// or more behind the point, which is ten metres, or in degrees, minutes and seconds.

// finePlaces is how many decimal places of a degree tell one house from the next.
const finePlaces = 4

// coordinates finds a latitude with a longitude behind it.
func (c *codes) coordinates(t *token, _ *lead, _ int) int {
	if t.letters > 0 {
		return 0
	}
	if rest, ok := strings.CutPrefix(c.text[t.end:], "°"); ok && t.digits <= 7 && t.slashes+t.colons == 0 {
		return c.sexagesimal(t.start, len(c.text)-len(rest))
	}
	// Latitudes end at 90 degrees, longitudes at 180: other pairs of decimals are measurements.
	if !fineDegrees(t.text, 90) {
		return 0
	}

	next := t.end
	for next < len(c.text) && next-t.end < 3 && strings.IndexByte(" ,;", c.text[next]) >= 0 {
		next++
	}
	if next == t.end {
		return 0
	}
	if c.text[next:] != "" && c.text[next] == '-' {
		next++
	}

	end := next
	for end < len(c.text) && (digit(c.text[end]) || c.text[end] == '.') {
		end++
	}

	for end > next && c.text[end-1] == '.' {
		end-- // of a sentence
	}
	if !fineDegrees(c.text[next:end], 180) {
		return 0
	}
	start := t.start
	if start > 0 && c.text[start-1] == '-' {
		start--
	}

	return c.add(kindAddress, ruleCoordinates, start, end)
}

// fineDegrees reports whether s is a number of degrees up to most, with finePlaces decimals or more.
func fineDegrees(s string, most int) bool {
	whole, places, ok := strings.Cut(s, ".")
	if !ok || len(whole) > 3 || len(places) < finePlaces {
		return false
	}
	degrees, ok := value([]byte(whole))

	return ok && degrees <= most && strings.Trim(places, tenDigits) == ""
}

// sexagesimal finds minutes and seconds behind the sign of degrees that ends at byte at.
func (c *codes) sexagesimal(start, at int) int {
	const longest = 40 // bytes of one coordinate
	limit := min(len(c.text), at+longest)
	digits, signs, end := 0, 0, at

	for end < limit {
		r, width := utf8.DecodeRuneInString(c.text[end:])
		if r >= '0' && r <= '9' {
			digits++
		} else if strings.ContainsRune("'′’\"″”", r) {
			signs++
		} else if r != ' ' && r != '.' || signs == 2 && r == ' ' {
			break
		}
		end += width
	}
	// Degrees without minutes are a temperature or an angle.
	if digits == 0 || signs == 0 {
		return 0 // 20° C, or an angle
	}

	for end < limit && (c.text[end] == ' ' || strings.IndexByte("NSEWO", c.text[end]) >= 0) {
		end++
	}

	return c.add(kindAddress, ruleCoordinates, start, end)
}
