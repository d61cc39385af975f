package pdf

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// docRune decodes one byte of PDFDocEncoding.
func docRune(c byte) rune {
	const marks = "˘ˇˆ˙˝˛˚˜"
	const signs = "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž"

	switch {
	case c >= 0x18 && c <= 0x1f:
		return []rune(marks)[c-0x18]
	case c >= 0x80 && c <= 0x9e:
		return []rune(signs)[c-0x80]
	case c == 0xa0:
		return '€'
	case c == 0x9f:
		return utf8.RuneError
	}

	return rune(c)
}

// standardEncoding fills a table with Adobe's standard encoding.
func standardEncoding(t *font) {
	for i := ' '; i <= '~'; i++ {
		t.encoding[i] = i
	}
	t.encoding['\''], t.encoding['`'] = '’', '‘'

	upper := map[int]string{
		0xa1: "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ", 0xb1: "–†‡·", 0xb6: "¶•‚„”»…‰", 0xbf: "¿", 0xc1: "`´ˆ˜¯˘˙¨", 0xca: "˚¸", 0xcd: "˝˛ˇ—",
		0xe1: "Æ", 0xe3: "ª", 0xe8: "ŁØŒº", 0xf1: "æ", 0xf5: "ı", 0xf8: "łøœß",
	}
	for first, letters := range upper {
		for i, r := range []rune(letters) {
			t.encoding[first+i] = r
		}
	}
}

// symbolEncoding fills a table with what is common of the encoding of the Symbol font.
func symbolEncoding(t *font) {
	for first, letters := range map[int]string{
		0x20: " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅",
		0x41: "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_",
		0x61: "αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
		0xa2: "′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…",
		0xc5: "⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊",
		0xe5: "∑",
	} {
		for i, r := range []rune(letters) {
			t.encoding[first+i] = r
		}
	}
}

// text returns the text that a glyph of this name shows, or nothing when the name does not say. Names follow Adobe's
// rules: a suffix behind a dot says how the glyph looks, underscores join parts, and uni and u carry code points.
func (names glyphNames) text(glyphName string) string {
	glyphName, _, _ = strings.Cut(glyphName, ".")
	if glyphName == "" || len(glyphName) > 64 {
		return ""
	}
	var out strings.Builder

	for part := range strings.SplitSeq(glyphName, "_") {
		text := names.part(part)
		if text == "" {
			return ""
		}
		out.WriteString(text)
	}

	return out.String()
}

func (names glyphNames) part(part string) string {
	if r, ok := names[part]; ok {
		return string(r)
	}
	if len(part) == 1 {
		if lower := part[0] | 0x20; lower >= 'a' && lower <= 'z' {
			return part
		}
	}
	if hex, ok := strings.CutPrefix(part, "uni"); ok && len(hex) >= 4 && len(hex)%4 == 0 {
		var out strings.Builder
		for ; hex != ""; hex = hex[4:] {
			out.WriteString(codePoint(hex[:4]))
		}

		return out.String()
	}
	if hex, ok := strings.CutPrefix(part, "u"); ok && len(hex) >= 4 && len(hex) <= 6 {
		return codePoint(hex)
	}

	return accented(part)
}

func codePoint(hex string) string {
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return ""
	}

	return string(rune(n))
}

// accented reads a letter with an accent behind it, such as "eacute". The accent is returned as a combining mark; the
// text is composed later, with all other text.
func accented(part string) string {
	for _, accent := range []struct{ name, mark string }{
		{"acute", "\u0301"},
		{"grave", "\u0300"},
		{"circumflex", "\u0302"},
		{"dieresis", "\u0308"},
		{"tilde", "\u0303"},
		{"ring", "\u030a"},
		{"caron", "\u030c"},
		{"cedilla", "\u0327"},
		{"breve", "\u0306"},
		{"macron", "\u0304"},
		{"ogonek", "\u0328"},
		{"dotaccent", "\u0307"},
		{"hungarumlaut", "\u030b"},
		{"commaaccent", "\u0326"},
	} {
		letter, ok := strings.CutSuffix(part, accent.name)
		if ok && len(letter) == 1 && letter[0] >= 'A' && letter[0] <= 'z' {
			return letter + accent.mark
		}
	}

	return ""
}

// glyphNames holds the characters of glyph names.
type glyphNames map[string]rune

// newGlyphNames returns the names of Adobe's lists that are common in Latin text. Letters without an accent stand for
// themselves, and accented ones are put together from their parts, so neither is listed.
func newGlyphNames() glyphNames {
	const ascii = "" +
		"space exclam quotedbl numbersign dollar percent ampersand quotesingle parenleft parenright asterisk plus " +
		"comma hyphen period slash zero one two three four five six seven eight nine colon semicolon less equal " +
		"greater question at"
	const pairs = "bracketleft [ backslash \\ bracketright ] asciicircum ^ underscore _ grave ` braceleft { bar | " +
		"braceright } asciitilde ~ quoteleft ‘ quoteright ’ quotedblleft “ quotedblright ” quotesinglbase ‚ " +
		"quotedblbase „ guilsinglleft ‹ guilsinglright › guillemotleft « guillemotright » exclamdown ¡ " +
		"questiondown ¿ cent ¢ sterling £ fraction ⁄ yen ¥ florin ƒ section § currency ¤ endash – emdash — " +
		"dagger † daggerdbl ‡ periodcentered · paragraph ¶ bullet • ellipsis … perthousand ‰ circumflex ˆ tilde ˜ " +
		"macron ¯ breve ˘ dotaccent ˙ dieresis ¨ ring ˚ cedilla ¸ hungarumlaut ˝ ogonek ˛ caron ˇ acute ´ AE Æ " +
		"ae æ OE Œ oe œ Oslash Ø oslash ø Lslash Ł lslash ł Thorn Þ thorn þ Eth Ð eth ð Dcroat Đ dcroat đ " +
		"germandbls ß dotlessi ı ordfeminine ª ordmasculine º onesuperior ¹ twosuperior ² threesuperior ³ " +
		"onehalf ½ onequarter ¼ threequarters ¾ degree ° plusminus ± multiply × divide ÷ minus − mu µ " +
		"logicalnot ¬ brokenbar ¦ copyright © registered ® trademark ™ Euro € fi ﬁ fl ﬂ ff ﬀ ffi ﬃ ffl ﬄ " +
		"lessequal ≤ greaterequal ≥ notequal ≠ infinity ∞ approxequal ≈ summation ∑ product ∏ radical √ " +
		"integral ∫ partialdiff ∂ arrowleft ← arrowright → arrowup ↑ arrowdown ↓ checkmark ✓ square □ filledbox ■ " +
		"H22073 □ circle ○ lozenge ◊ asteriskmath ∗ sfthyphen - minute ′ second ″ numero № Alpha Α Beta Β Gamma Γ " +
		"Delta Δ Epsilon Ε Theta Θ Lambda Λ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω alpha α beta β gamma γ delta δ " +
		"epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ nu ν xi ξ omicron ο pi π rho ρ sigma σ tau τ " +
		"upsilon υ phi φ chi χ psi ψ omega ω"

	names := glyphNames{"nbspace": '\u00a0', "nonbreakingspace": '\u00a0'}
	for i, word := range strings.Fields(ascii) {
		names[word] = ' ' + rune(i)
	}

	words := strings.Fields(pairs)
	for i := 0; i+1 < len(words); i += 2 {
		names[words[i]], _ = utf8.DecodeRuneInString(words[i+1])
	}

	return names
}
