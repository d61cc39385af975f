package extract

import "strings"

// languageSample bounds how much text is looked at, in bytes.
const languageSample = 64 << 10

// language names the language of a text by its commonest small words: a BCP 47 code, or "und" when none stands out.
func language(text string) string {
	counts := map[string]int{}

	words := 0
	for word := range strings.FieldsSeq(strings.ToLower(text[:min(len(text), languageSample)])) {
		words++

		for _, code := range spokenIn(strings.Trim(word, ".,;:()[]\"'“”‘’")) {
			counts[code]++
		}
	}
	best, second := "und", 0

	for _, code := range []string{"en", "de", "fr", "es", "it", "pt", "nl"} {
		switch n := counts[code]; {
		case n > counts[best]:
			best, second = code, counts[best]
		case n > second:
			second = n
		}
	}
	if counts[best]*20 < words || counts[best]*4 < second*5 {
		// Fewer than one word in twenty is a small word of a language that we know, or none has a clear lead.
		return "und"
	}

	return best
}

// spokenIn returns the languages that use a small word.
func spokenIn(word string) []string {
	switch word {
	case "the", "of", "and", "to", "that", "shall", "is", "by", "this", "with", "or", "be":
		return []string{"en"}
	case "der", "die", "und", "das", "nicht", "ist", "mit", "von", "auf", "dem":
		return []string{"de"}
	case "den":
		return []string{"de", "nl"}
	case "le", "les", "des", "est", "dans", "et", "du", "une", "au":
		return []string{"fr"}
	case "la":
		return []string{"fr", "es", "it"}
	case "el", "los", "las", "y", "por", "su":
		return []string{"es"}
	case "de":
		return []string{"fr", "es", "pt", "nl"}
	case "que":
		return []string{"fr", "es", "pt"}
	case "del":
		return []string{"es", "it"}
	case "il", "che", "di", "per", "della", "sono", "è", "gli":
		return []string{"it"}
	case "o", "os", "da", "do", "em", "não", "uma", "ao":
		return []string{"pt"}
	case "het", "een", "van", "niet", "zijn", "wordt", "op":
		return []string{"nl"}
	}

	return nil
}
