package facts

import "strings"

const longestCardinal = 24 // words of a number written out

// Cardinal reads a number in words at byte i, in any case, up to the last word that belongs to it: "twenty-two
// thousand", "fifteen hundred and one", "a million", "half a million". A scale needs a number before it: "thousand"
// alone is none.
func Cardinal(text string, i int) (n int64, end int, ok bool) {
	total, group, at := int64(0), int64(0), i
	// "half a" and "two and a half" wait here for their scale.
	halves := int64(0)

	// The bound keeps the time linear in a text that consists of number words.
	for words := 0; words < longestCardinal; words++ {
		stop := cardinalWordEnd(text, at)
		word := text[at:stop]
		next := halves

		switch small, scale, kind := cardinalWord(word); kind {
		case smallWord:
			if beginsAnew(group, small) {
				return total + group, end, ok
			}
			group += small
		case scaleWord:
			scalable := group > 0 || halves > 0
			// The scales of one number fall: "two million one thousand", never the other way round.
			falling := total == 0 || total >= 1000*scale

			switch {
			case scale == 100 && group > 0 && group < 100:
				// "fifteen hundred" is a group of its own, so a hundred multiplies up to ninety-nine.
				group *= 100
			case scale > 100 && scalable && falling:
				total, group, next = total+group*scale+halves*scale/2, 0, 0
			default:
				return total + group, end, ok
			}
		case articleWord:
			if group > 0 || total > 0 {
				return total + group, end, ok
			}
			// "a" belongs to a number only before a scale: "a million", and not "a tenant".
			after := wordBehind(text, stop)
			if _, _, kind := cardinalWord(text[after:cardinalWordEnd(text, after)]); kind != scaleWord {
				return 0, i, false
			}
			if halves == 0 {
				group = 1
			}
		case halfWord:
			if group > 0 || total > 0 {
				return total + group, end, ok
			}
			next = 1
		case joinWord:
			if !ok {
				return 0, i, false
			}
			if rest, found := foldedAfter(text, wordBehind(text, stop), "a half"); found {
				next, stop = 1, rest
				break
			}
			after := wordBehind(text, stop)
			if _, _, kind := cardinalWord(text[after:cardinalWordEnd(text, after)]); kind != smallWord {
				return total + group, end, ok
			}
		default:
			return total + group, end, ok
		}
		halves = next
		// The number ends behind the last word that belongs to it for certain. An open "and a half" is not such a word.
		if halves == 0 && (total+group > 0) {
			end, ok = stop, true
		}
		if at = wordBehind(text, stop); at == stop {
			break
		}
	}

	return total + group, end, ok
}

// beginsAnew reports whether a number below a hundred begins a number of its own behind group, what was read since the
// last scale: "five" does behind "two", "ten" and "twenty-two", but not behind "twenty" or "two hundred".
func beginsAnew(group, small int64) bool {
	last := group % 100

	return last%10 > 0 || last >= 10 && (small >= 10 || last < 20)
}

// The kinds of words in a number.
const (
	noCardinal  = iota
	smallWord   // one to ninety-nine
	scaleWord   // hundred, thousand, million, billion
	articleWord // a
	halfWord
	joinWord // and
)

func cardinalWord(word string) (small, scale int64, kind int) {
	if len(word) == 0 || len(word) > len("seventy-seventh") {
		return 0, 0, noCardinal
	}

	switch {
	case strings.EqualFold(word, "hundred"):
		return 0, 100, scaleWord
	case strings.EqualFold(word, "thousand"):
		return 0, 1000, scaleWord
	case strings.EqualFold(word, "million"):
		return 0, 1e6, scaleWord
	case strings.EqualFold(word, "billion"):
		return 0, 1e9, scaleWord
	case strings.EqualFold(word, "a"):
		return 0, 0, articleWord
	case strings.EqualFold(word, "half"):
		return 0, 0, halfWord
	case strings.EqualFold(word, "and"):
		return 0, 0, joinWord
	}
	if n, ok := NumberWord(word); ok {
		return int64(n), 0, smallWord
	}

	return 0, 0, noCardinal
}

// cardinalWordEnd returns the end of a word of letters, with the hyphen of "twenty-two".
func cardinalWordEnd(text string, i int) int {
	end := wordAt(text, i)
	if end > i+1 && end+1 < len(text) && text[end] == '-' && text[end-1]|0x20 == 'y' {
		if tail := wordAt(text, end+1); tail > end+1 {
			if _, ok := NumberWord(text[end+1 : tail]); ok {
				return tail
			}
		}
	}

	return end
}

// wordBehind returns where the next word begins, i itself when other things than blanks or one hyphen stand there.
func wordBehind(text string, i int) int {
	at, ok := blanks(text, i)
	if ok && at == i && at < len(text) && text[at] == '-' {
		at++
	}
	if !ok || at >= len(text) || !isLetter(text[at]) {
		return i
	}

	return at
}

// foldedAfter returns the end of words at byte i if they stand there.
func foldedAfter(text string, i int, words string) (end int, ok bool) {
	end = i + len(words)
	return end, foldedPrefix(text, i, words) && (end == len(text) || !isLetter(text[end]))
}

// cardinalBefore reads the number in words that ends at byte i, blanks and a hyphen aside.
func cardinalBefore(text string, i int) (n int64, start int, ok bool) {
	var starts [longestCardinal]int

	count, at := 0, i
	// Walk back over all words that may be of a number, then take the longest run that reads as one up to byte i.
	for count < longestCardinal {
		end := at
		for end > 0 && at-end < maxBlank && (isSpace(text[end-1]) || text[end-1] == '-') {
			end--
		}

		start := end
		for start > 0 && end-start < 12 && isLetter(text[start-1]) {
			start--
		}
		if start == end || end == at && at != i {
			break
		}
		if _, _, kind := cardinalWord(text[start:end]); kind == noCardinal {
			break
		}
		starts[count], at, count = start, start, count+1
	}

	for ; count > 0; count-- {
		if n, end, ok := Cardinal(text, starts[count-1]); ok && strings.Trim(text[end:max(end, i)], " \n\t-") == "" &&
			end <= i {
			return n, starts[count-1], true
		}
	}

	return 0, i, false
}
