package facts

import "strings"

// Systems of courts and of what stands in their place, as a case's forum has them.
const (
	FederalCourt = "federal"
	StateCourt   = "state"
	TribalCourt  = "tribal"
	AgencyForum  = "agency"
	Arbitral     = "arbitration"
	ForeignCourt = "foreign"
)

// Caption is the head of a document that is filed somewhere.
type Caption struct {
	Forum  Span   // the line that names the court
	System string // empty when no court is named
	// First and Second are the first label before the "v." of the caption and the first behind it; they are empty when
	// there is none.
	First, Second Span
}

const (
	captionLines = 30
	captionBytes = 5000
)

// CaptionOf reads the head of a text.
func CaptionOf(text string) Caption {
	var c Caption
	n := 0
	top := head(text, captionBytes)
	eachLine(top, func(line Span) bool {
		n++
		// A sentence that mentions a court is not a caption: the names of courts stand in the capitals of a title.
		if line.End-line.Start <= longestTitle && titleLike(line.In(top)) {
			if system := systemOf(strings.ToLower(Fold(line.In(top)))); system != "" {
				c.Forum, c.System = line, system
				return false
			}
		}

		return n < captionLines
	})
	c.First, c.Second = opponents(top)

	return c
}

// District returns the next line after byte i of a caption if it says to which district, county or division the court
// belongs; its End is 0 when it does not.
func District(text string, i int) Span {
	var next Span
	eachLine(text[i:min(len(text), i+captionBytes)], func(line Span) bool {
		words := strings.ToUpper(text[i+line.Start : i+line.End])
		if line.End-line.Start <= longestTitle && !strings.Contains(words, "[") &&
			holdsAny(strings.ToLower(words), "district of", "county", "division", "circuit", "department") {
			next = Span{i + line.Start, i + line.End}
		}

		return false
	})

	return next
}

// systemOf returns the system of the court that a line in lower case names.
func systemOf(line string) string {
	// The first that matches counts: federal and agency names stand before the words of state courts.
	for _, s := range [...]struct{ system, words string }{
		{FederalCourt, "united states district court"},
		{FederalCourt, "united states court of"},
		{FederalCourt, "united states bankruptcy court"},
		{FederalCourt, "supreme court of the united states"},
		{FederalCourt, "united states tax court"},
		{FederalCourt, "u.s. district court"},
		{AgencyForum, "immigration court"},
		{AgencyForum, "immigration review"},
		{AgencyForum, "board of immigration appeals"},
		{AgencyForum, "labor relations board"},
		{AgencyForum, "employment opportunity commission"},
		{AgencyForum, "social security administration"},
		{AgencyForum, "administrative hearings"},
		{AgencyForum, "compensation appeals board"},
		{AgencyForum, "federal trade commission"},
		{AgencyForum, "before the department of"},
		{AgencyForum, "human rights commission"},
		{AgencyForum, "public utilities commission"},
		{Arbitral, "american arbitration association"},
		{Arbitral, "jams"},
		{Arbitral, "international chamber of commerce"},
		{Arbitral, "finra"},
		{Arbitral, "arbitration tribunal"},
		{Arbitral, "in the matter of the arbitration"},
		{Arbitral, "demand for arbitration"},
		{TribalCourt, "tribal court"},
		{TribalCourt, "navajo nation"},
		{TribalCourt, "court of indian offenses"},
		{ForeignCourt, "high court of justice"},
		{ForeignCourt, "court of king's bench"},
		{ForeignCourt, "landgericht"},
		{ForeignCourt, "tribunal de "},
		{StateCourt, "superior court"},
		{StateCourt, "circuit court"},
		{StateCourt, "court of common pleas"},
		{StateCourt, "supreme court of the state"},
		{StateCourt, "district court"},
		{StateCourt, "county court"},
		{StateCourt, "municipal court"},
		{StateCourt, "justice court"},
		{StateCourt, "housing court"},
		{StateCourt, "chancery"},
		{StateCourt, "family court"},
		{StateCourt, "probate court"},
		{StateCourt, "surrogate's court"},
		{StateCourt, "civil court"},
		{StateCourt, "small claims"},
		{StateCourt, "supreme court"},
		{StateCourt, "court of appeal"},
		{StateCourt, "probate and family court"},
	} {
		if holdsAny(line, s.words) {
			return s.system
		}
	}

	return ""
}

// opponents finds the first party label before the "v." of a caption and the first behind it.
func opponents(top string) (first, second Span) {
	versus := -1

	for _, mark := range [...]string{"v.", "vs.", "-against-", "V.", "VS.", "versus"} {
		// The mark may be the end of a word such as "Nov.", so the search goes on behind it.
		for from := 0; ; {
			at := strings.Index(top[from:], mark)
			if at < 0 {
				break
			}
			at += from
			if !wordBefore(top, at) && (versus < 0 || at < versus) {
				versus = at
				break
			}
			from = at + 1
		}
	}
	if versus < 0 {
		return Span{}, Span{}
	}

	for _, l := range Labels(top) {
		switch {
		case !IsParty(l.Label):
		case l.Start < versus && first.End == 0:
			first = l.Span
		case l.Start > versus && second.End == 0:
			second = l.Span
		}
	}
	// One side alone says nothing: a draft would put the party on the wrong side.
	if first.End == 0 || second.End == 0 {
		return Span{}, Span{}
	}

	return first, second
}
