package facts

import (
	"regexp"
	"strings"
)

var (
	// publicLaw is "Pub. L. No. 107-150" and its like.
	publicLaw = regexp.MustCompile(`^(Pub(?:lic|\.)|Priv(?:ate|\.)|Pvt\.)[\s\n]?(?:Laws?|L\.)[\s\n](?:(?:No\.|Nos\.|` +
		`Number|Numbers)[\s\n])?(\d{1,3})[-–](\d{1,3})`)
	// spelledCode is "18, United States Code, Section 853", from behind its title.
	spelledCode = regexp.MustCompile(`^,?[\s\n](?:of the )?United States Code(?: Annotated)?,?[\s\n](?:[Ss]ections?|` +
		`[Ss]ecs?\.|§§?)[\s\n]?(\d+[a-z]*(?:-\d+)?)`)
	// decided is the number under which a board decided: "ASBCA No. 43466".
	decided = regexp.MustCompile(`^(ASBCA|CFTC|SBA|GSBCA|CBCA|PSBCA|IBCA|DOTBCA|AGBCA|VABCA|NLRB|MSPB|EEOC|` +
		`TTAB)[\s\n]Nos?\.[\s\n]([A-Z]{0,4}-?\d[\dA-Z-]*)`)
)

// numberedLaw reads a law or a decision of a board that is cited by its number, at a capital letter.
func numberedLaw(text string, i int) (Citation, bool) {
	rest := text[i:min(len(text), i+longestReporter)]
	// The indexes below need a few bytes.
	if len(rest) < len("SBA No. 1") {
		return Citation{}, false
	}
	if strings.HasPrefix(rest, "Pub") || strings.HasPrefix(rest, "Pvt") || strings.HasPrefix(rest, "Priv") {
		if m := publicLaw.FindStringSubmatch(rest); m != nil {
			s := Span{i, i + len(m[0])}

			return Citation{
				Span: s, Core: s, Kind: Statute,
				Key:    strings.ToLower(m[1][:2]) + " law " + m[2] + "-" + m[3],
				FormOK: true,
			}, true
		}
	}
	if !isUpper(rest[1]) || !isUpper(rest[2]) {
		return Citation{}, false
	}
	if m := decided.FindStringSubmatch(rest); m != nil {
		s := Span{i, i + len(m[0])}
		return Citation{Span: s, Core: s, Kind: CaseLaw, Key: strings.ToLower(m[1] + " " + m[2]), FormOK: true}, true
	}

	return Citation{}, false
}

// spelled reads a section of the United States Code whose name is written out, from its title up to byte end.
func spelled(text string, i, end int) (Citation, bool) {
	rest := text[end:min(len(text), end+longestCode)]
	// The plain look for "Unit" spares nearly all numbers the expression.
	if end-i > 2 || !strings.Contains(rest[:min(len(rest), 12)], "Unit") {
		return Citation{}, false
	}
	m := spelledCode.FindStringSubmatch(rest)
	if m == nil {
		return Citation{}, false
	}
	s := Span{i, end + len(m[0])}
	title, _, _ := number(text, i, 2)

	return Citation{
		Span: s, Core: s, Kind: Statute, Key: "usc " + text[i:end] + " " + strings.ToLower(m[1]),
		FormOK: hasTitle("usc", title),
	}, true
}
