package strictjson

import (
	"math/big"
	"strings"
)

// longestNumber is the most characters of a number that is looked at: beyond it no integer of ours reaches.
const longestNumber = 32

// WholeNumbers writes each number of a JSON text that is whole, whatever its form, as digits alone: JSON Schema and
// every language but a few take 24.0 and 2.4e1 for the integer 24. All else stays as it is, byte for byte.
func WholeNumbers(text []byte) []byte {
	var out []byte
	// How much of the text is in out.
	kept := 0

	for at := 0; at < len(text); {
		switch c := text[at]; {
		case c == '"':
			at = afterString(text, at)
		case c == '-' || c >= '0' && c <= '9':
			end := at + 1
			for end < len(text) && strings.IndexByte("0123456789+-.eE", text[end]) >= 0 {
				end++
			}
			if digits, ok := whole(string(text[at:end])); ok {
				out = append(append(out, text[kept:at]...), digits...)
				kept = end
			}
			at = end
		default:
			at++
		}
	}
	if kept == 0 {
		return text
	}

	return append(out, text[kept:]...)
}

// afterString returns the place behind the string that begins at start.
func afterString(text []byte, start int) int {
	for at := start + 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}

	return len(text)
}

// whole returns the digits of a number that has a fraction or an exponent and is an integer of at most 64 bits.
func whole(number string) (digits string, ok bool) {
	if len(number) > longestNumber || !strings.ContainsAny(number, ".eE") {
		return "", false
	}
	_, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	if len(strings.TrimLeft(exponent, "+-0")) > 2 {
		// 1e999999999 would take very long to compute.
		return "", false
	}
	value, ok := new(big.Rat).SetString(number)
	if !ok || !value.IsInt() || !value.Num().IsInt64() {
		return "", false
	}

	if value.Sign() == 0 && number[0] == '-' {
		return "-0", true
	}

	return value.Num().String(), true
}
