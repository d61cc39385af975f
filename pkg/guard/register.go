package guard

import "strings"

// register finds the number of a case as courts of Germany and Austria write it, the chamber, the letters of the
// register, the number and the year: "216 C 88/24", "12 Cg 45/24x". Decisions of the highest courts are cited so.
func (c *codes) register(t *token, _ *lead, _ int) int {
	if t.letters > 0 || t.marks() > 0 || t.digits > longestChamber {
		return 0
	}
	rest, ok := strings.CutPrefix(c.text[t.end:min(len(c.text), t.end+longestRegister)], " ")
	if !ok || rest == "" || !upper(rest[0]) {
		return 0 // most numbers
	}
	letters, number, ok := strings.Cut(rest, " ")
	if !ok || !registers.has(letters) {
		return 0
	}

	end := 0
	for end < len(number) && (digit(number[end]) || number[end] == '/') {
		end++
	}
	serial, year, ok := strings.Cut(number[:end], "/")
	if !ok || serial == "" || len(strings.Trim(year, tenDigits)) > 0 {
		return 0
	}
	if len(year) != 2 && len(year) != 4 {
		return 0
	}

	start := t.end + 1 + len(letters) + 1
	last := tokenAt(c.text, start)
	// A decision that is cited with its court and date is published.
	if c.decided(&last) || citedDecision(c.text[max(0, t.start-longestDecision):t.start]) {
		return 0
	}

	return c.add(kindCode, ruleStroke, t.start, max(start+end, last.end))
}

// citedDecision reports whether lead ends with the court and the date of a decision that is cited: "OLG Düsseldorf, 9
// December 2009, ".
func citedDecision(lead string) bool {
	for _, court := range citedCourts {
		at := strings.LastIndex(lead, court)
		if at < 0 || at > 0 && lead[at-1] != 'O' && wordByte(lead[at-1]) {
			continue
		}

		for _, year := range []string{" 20", " 19", ".20"} {
			if strings.Contains(lead[at:], year) {
				return true
			}
		}
	}

	return false
}

// citedCourts are courts as citations abbreviate them.
var citedCourts = []string{"OLG ", "LG ", "KG, ", "LAG ", "OVG ", "VGH ", "LSG ", "ArbG ", "AG ", "VG ", "FG "}

const (
	longestChamber  = 4                                // digits
	longestRegister = len(" XVII 123456/2024 and so ") // what stands behind the chamber, in bytes
)

// registers are the letters of the registers of civil, family, criminal, labour, administrative, social, insolvency
// and guardianship courts.
var registers = setOf(`A B C F H K L M N O P R S T U V W X BV BVGa Ca Cg Cga Cgs Cs Ds E EK Fam Ga Gs Hv HKO HK IE IK IN
	JNs Js JuJs KFH KH KLs Ks Kls Ls Lw NC NS Nc Ns OH OWi Ps Qs Ra Rs Rw SA Sa SB SO StVK Ta TaBV UF UFH UG VG VI VIII
	VR WEG WF XIV XVI XVII ZK AS AL BA KR Ob ObA Os Pu Se Vr Ur BE PS`)
