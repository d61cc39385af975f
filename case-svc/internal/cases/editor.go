package cases

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
	"github.com/subrosa-legal/subrosa/pkg/practicearea"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
	"golang.org/x/text/language"
)

// editor writes a draft into a case field by field.
type editor struct {
	Case
	by    audit.Actor
	now   time.Time
	terms Terms
	f     validate.List
}

func valueOf(s *string) string {
	if s == nil {
		return ""
	}

	return *s
}

// setExternalRef takes over the caller's own reference, which must not be a court's.
func (e *editor) setExternalRef(d Draft) error {
	if d.ExternalRef == nil {
		e.ExternalRef = ""
		return nil
	}
	if start, end, found := LooksLikeDocket(*d.ExternalRef); found {
		docket := guard.Finding{Kind: guard.KindDocket, Start: start, End: end}
		return guard.Refusal("", []guard.Located{{Path: "externalRef", Finding: docket}})
	}
	e.ExternalRef = e.f.Line("externalRef", *d.ExternalRef, 1, MaxRef)

	return nil
}

func (e *editor) setTitle(d Draft) error {
	e.Title, e.TitleBasis = Untitled, TitleDefault
	if d.Title != nil {
		e.Title, e.TitleBasis = e.f.Line("title", *d.Title, 3, MaxTitle), TitleGiven
	}

	return nil
}

func (e *editor) setLanguage(d Draft) error {
	tag, err := language.Parse(valueOf(d.Language))
	if err != nil || len(valueOf(d.Language)) > 35 {
		e.f.Add("language", "must be a BCP 47 tag such as en or es-MX")
	}
	e.Language = tag.String()

	return nil
}

func (e *editor) setTags(d Draft) error {
	e.Tags = nil
	if len(d.Tags) > maxTags {
		e.f.Add("tags", fmt.Sprintf("must be at most %d", maxTags))
		return nil
	}

	for i, t := range d.Tags {
		if t = e.f.Line("tags["+strconv.Itoa(i)+"]", strings.ToLower(t), 1, MaxTag); !slices.Contains(e.Tags, t) {
			e.Tags = append(e.Tags, t)
		}
	}

	return nil
}

func (e *editor) setJurisdiction(d Draft) error {
	if e.Jurisdiction = valueOf(d.Jurisdiction); d.Jurisdiction != nil && !ValidJurisdiction(e.Jurisdiction) {
		e.f.Add("jurisdiction", "must be an ISO 3166-1 or 3166-2 code such as US or US-CA")
	}

	return nil
}

func (e *editor) setSide(d Draft) error {
	if e.Side = valueOf(d.Side); d.Side != nil {
		e.f.OneOf("side", e.Side, vocabulary.CaseSides.All()...)
	}

	return nil
}

func (e *editor) setForum(d Draft) error {
	if e.Forum = d.Forum; d.Forum != nil {
		d.Forum.check(&e.f)
	}

	return nil
}

func (m Forum) check(f *validate.List) {
	f.OneOf("forum.system", m.System, vocabulary.ForumSystems.All()...)
	if m.CourtCode != "" && !courtCode.MatchString(m.CourtCode) {
		f.Add("forum.courtCode", "must be a court's code such as nysd or cand, never a docket number")
	}
	if l := m.DocketLabel; l != "" && !(label.Valid(l) && strings.HasPrefix(l, "[Docket ")) {
		f.AddLabel("forum.docketLabel", "must be a label such as [Docket 1]")
	}
	if m.TimeZone != "" && !validZone(m.TimeZone) {
		f.Add("forum.timeZone", "must be an IANA zone such as America/New_York")
	}
}

func validZone(name string) bool {
	if len(name) > 64 || name == "Local" {
		return false
	}
	_, err := time.LoadLocation(name)

	return err == nil
}

func (e *editor) setAmount(d Draft) error {
	if e.Amount = nil; d.Amount != nil {
		e.Amount = d.Amount.controversy(&e.f)
	}

	return nil
}

func (e *editor) setStakes(d Draft) error {
	e.Stakes = nil
	if len(d.Stakes) > maxStakes {
		e.f.Add("stakes", fmt.Sprintf("must be at most %d", maxStakes))
		return nil
	}

	for i, s := range d.Stakes {
		if s = e.f.OneOf("stakes["+strconv.Itoa(i)+"]", s, vocabulary.Stakes.All()...); !slices.Contains(e.Stakes, s) {
			e.Stakes = append(e.Stakes, s)
		}
	}

	return nil
}

func (s Stage) check(f *validate.List) {
	f.OneOf("stage.codeSet", s.CodeSet, vocabulary.StageCodeSets.All()...)
	if s.CodeSet == "litigation" {
		known, ok := tasks[s.Phase]
		if !ok || s.Task != "" && !slices.Contains(known, s.Task) {
			f.Add("stage", "must be a UTBMS phase L100 to L500 with one of its tasks")
		}

		return
	}
	ofSet := func(code string) bool {
		return otherUTBMS.MatchString(code) && strings.HasPrefix(code, codeLetters[s.CodeSet])
	}
	if !ofSet(s.Phase) || s.Task != "" && !ofSet(s.Task) {
		f.Add(
			"stage",
			"must be UTBMS codes of the code set's letter (counseling C, project P, bankruptcy B) and three digits",
		)
	}
}

func practiceAreas(given []PracticeArea, f *validate.List) []PracticeArea {
	if len(given) > maxAreas {
		f.Add("practiceAreas", fmt.Sprintf("must be at most %d", maxAreas))
		return nil
	}
	var list []PracticeArea
	primaries := 0

	for i, p := range given {
		path := "practiceAreas[" + strconv.Itoa(i) + "]"
		p.Label = labelOf(p, path, f)
		if slices.ContainsFunc(list, func(o PracticeArea) bool { return o.Scheme == p.Scheme && o.Code == p.Code }) {
			f.Add(path, "must not be given twice")
		}
		if p.Primary {
			primaries++
		}
		list = append(list, p)
	}
	if primaries > 1 {
		f.Add("practiceAreas", "must have one primary area")
	}
	if primaries == 0 && len(list) > 0 {
		list[0].Primary = true
	}

	return list
}

// labelOf checks the code of a practice area and returns what our vocabulary calls it.
func labelOf(p PracticeArea, path string, f *validate.List) string {
	switch {
	case practicearea.Valid(p.Scheme, p.Code):
		return practicearea.Label(p.Scheme, p.Code)
	case p.Scheme == "LIST":
		f.Add(path+".code", "must be a LIST code such as HO-02-00-00-00")
	case p.Scheme == "SALI":
		f.Add(path+".code", "must be a SALI identifier or IRI")
	case p.Scheme == "NSMI":
		f.Add(path+".code", "must be an NSMI code of seven digits")
	default:
		f.Add(path+".scheme", "must be one of LIST, SALI, NSMI")
	}

	return ""
}
