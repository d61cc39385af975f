package casereading

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/complexity"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// Bounds of the sources of one feature.
const (
	mostSources = 5
	enough      = 2 // weight from which a topic counts: one place in a pleading, or two elsewhere
)

// Features turns the dossier and the fields of the case into the features of the rubric. What a field of the case gives
// counts as it is. notes say what was left out, and why.
func (d *Dossier) Features(c *api.Case, now time.Time) (f complexity.Features, notes []string) {
	if c == nil {
		c = &api.Case{}
	}
	read := len(d.Files) > 0
	f.Parties = d.parties(c)
	f.Amount, notes = d.amount(c)
	f.Forum = d.forum(c)
	f.Days = d.days(Today(c, now))
	f.Stakes = d.stakes(c)
	f.Type = d.kinds(c, read)
	// Without any file these are unknown. With files and no finding they are known to be none.
	if read {
		f.Claims, f.Pages, f.Authority, f.Coordination = d.claims(), d.pages(), d.authority(), d.coordination()
	}
	// The reader may know of a deadline that this engine is not shown.
	if c.Counts.OpenDeadlines > 0 && !f.Days.Known {
		notes = append(notes, "The case has open deadlines on record, but their dates are not given to this "+
			"engine, and no file names a date to come.")
	}

	return f, notes
}

// Unpleaded reports whether files were read and none of them is a paper of a dispute, while the case names no sum in
// controversy either: an agreement or a memo does not say how hard a case is.
func (d *Dossier) Unpleaded(c *api.Case) bool {
	if len(d.Files) == 0 || c != nil && c.AmountInControversy != nil {
		return false
	}

	return !slices.ContainsFunc(d.Files, func(f File) bool {
		switch f.Kind {
		case facts.Pleading, facts.Motion, facts.AppealDoc, facts.CourtOrder, facts.Notice:
			return true
		}

		return f.System != "" || len(f.Claims) > 0
	})
}

// Today returns the day in the forum's time zone, in UTC when none is given.
func Today(c *api.Case, now time.Time) time.Time {
	if c != nil && c.Forum != nil && c.Forum.TimeZone != "" {
		// A deadline is a day at the forum, which may be another one than in UTC.
		if zone, err := time.LoadLocation(c.Forum.TimeZone); err == nil {
			return now.In(zone)
		}
	}

	return now.UTC()
}

func given() complexity.Evidence { return complexity.Evidence{Basis: complexity.Given} }

func extracted(places ...Place) complexity.Evidence {
	e := complexity.Evidence{Basis: complexity.Extracted}
	for _, p := range places {
		if len(e.Sources) < mostSources {
			e.Sources = append(e.Sources, p.Sources()...)
		}
	}

	return e
}

// parties counts distinct labels of parties, or the records of the case when these are more.
func (d *Dossier) parties(c *api.Case) complexity.Count {
	labels := d.distinct(d.Parties())
	// People have made the records, so these count unless the files name more.
	if c.Counts.Parties >= len(labels) {
		return complexity.Count{Known: c.Counts.Parties > 0, N: c.Counts.Parties, Evidence: given()}
	}

	var places []Place
	for _, l := range labels {
		places = append(places, l.At)
	}

	return complexity.Count{Known: true, N: len(labels), Evidence: extracted(places...)}
}

// claims takes the file with the most counts; a complaint without numbered counts makes one claim. Without either, the
// sections that somebody is said to have broken are the issues.
func (d *Dossier) claims() complexity.Count {
	var most File
	for _, f := range d.Files {
		// An amended complaint repeats the counts of the first one: adding them up would count them twice.
		if len(f.Claims) > len(most.Claims) {
			most = f
		}
	}

	var places []Place
	for _, claim := range most.Claims {
		places = append(places, claim.At)
	}
	if len(places) > 0 {
		return complexity.Count{Known: true, N: len(places), Evidence: extracted(places...)}
	}

	for _, f := range d.Files {
		if opensCase(f) {
			return complexity.Count{Known: true, N: 1, Evidence: extracted(f.TitleAt)}
		}
	}

	for _, issue := range d.Issues {
		places = append(places, issue.Places...)
	}
	if len(places) > 0 {
		return complexity.Count{Known: true, N: len(d.Issues), Evidence: extracted(places...)}
	}

	return complexity.Count{Known: true, Evidence: complexity.Evidence{Basis: complexity.Computed}}
}

// opensCase reports whether a file is what a case begins with.
func opensCase(f File) bool {
	if f.Kind != facts.Pleading {
		return false
	}

	return f.Title == "" || strings.HasSuffix(f.Title, "complaint") || f.Title == "petition" ||
		f.Title == "counterclaim"
}

// amount takes what the case gives, else the sum that the files demand, in US dollars.
func (d *Dossier) amount(c *api.Case) (complexity.Amount, []string) {
	if a := c.AmountInControversy; a != nil {
		// The steps of the rubric are in US dollars.
		if a.Currency != "USD" {
			return complexity.Amount{}, []string{
				"The amount in controversy is given in " + currencyName(a.Currency) + "; " +
					"there are no exchange rates here, so it counts as unknown.",
			}
		}
		cents, ok := cents(a.Amount)
		e := given()
		if a.Source != nil {
			e.Sources = []api.SourceRef{*a.Source}
		}

		return complexity.Amount{Known: ok, Cents: cents, Evidence: e}, nil
	}
	var dollars []facts.Demand
	var places []Place

	var notes []string
	for _, x := range d.Demands {
		if x.Currency == "USD" {
			dollars, places = append(dollars, x.Demand), append(places, x.At)
		} else if notes == nil {
			notes = []string{"A demand in another currency than US dollars was not counted; " +
				"there are no exchange rates here."}
		}
	}
	at, ok := facts.Controversy(dollars)
	if !ok {
		return complexity.Amount{}, notes
	}

	return complexity.Amount{Known: true, Cents: dollars[at].Cents, Evidence: extracted(places[at])}, notes
}

func currencyName(code string) string {
	if len(code) == 3 {
		return code
	}

	return "another currency"
}

// cents reads a decimal string; what is finer than a cent is cut off.
func cents(decimal string) (int64, bool) {
	whole, fraction, _ := strings.Cut(decimal, ".")

	// The sum must not overflow, but its form is still checked to the end.
	n, ok := int64(0), whole != "" && len(whole) <= 15
	for _, c := range []byte(whole + (fraction + "00")[:2]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		if ok {
			n = n*10 + int64(c-'0')
		}
	}

	return n, ok
}

// pages adds up the pages of the files that were read. Its sources are the first words of the largest of them.
func (d *Dossier) pages() complexity.Count {
	n := 0
	largest := slices.Clone(d.Files)
	slices.SortStableFunc(largest, func(a, b File) int { return b.Pages - a.Pages })
	var places []Place

	for _, f := range largest {
		n += f.Pages
		places = append(places, f.TitleAt)
	}
	e := extracted(places...)
	e.Basis = complexity.Computed

	return complexity.Count{Known: true, N: n, Evidence: e}
}

// authority counts distinct cases and statutes; regulations and court rules are neither.
func (d *Dossier) authority() complexity.Count {
	n := 0
	var places []Place

	for _, a := range d.Authorities {
		if a.Kind == facts.CaseLaw || a.Kind == facts.Statute {
			n++
			places = append(places, a.At)
		}
	}
	if n == 0 {
		return complexity.Count{Known: true, Evidence: complexity.Evidence{Basis: complexity.Computed}}
	}

	return complexity.Count{Known: true, N: n, Evidence: extracted(places...)}
}

// forum takes the system that the case gives, else the court of a caption, that of a pleading first, and adds what the
// files say of other jurisdictions and foreign law.
func (d *Dossier) forum(c *api.Case) complexity.Marks {
	var m complexity.Marks
	add := func(kind string, e complexity.Evidence) {
		m.Known = true
		m.Have = append(m.Have, complexity.Mark{Kind: kind, Evidence: e})
	}

	switch {
	case c.Forum != nil && c.Forum.System != "":
		add(c.Forum.System, given())
	// The kind of matter says where it is heard when the forum is not on record.
	case c.MatterKind == "arbitration":
		add(complexity.Arbitration, given())
	case c.MatterKind == "administrative":
		add(complexity.Agency, given())
	default:
		if f, ok := d.captioned(); ok {
			add(f.System, extracted(f.SystemAt))
		}
	}
	if places := d.states(); len(places) > 1 {
		add(complexity.Multiple, extracted(places...))
	}

	for _, t := range d.Topics {
		switch {
		case t.Weight < enough:
		case t.Name == facts.MultipleTopic:
			add(complexity.Multiple, extracted(t.Places...))
		case t.Name == facts.ForeignTopic:
			add(complexity.Foreign, extracted(t.Places...))
		}
	}

	return m
}

// Court returns the system of courts in which a case is: what the case gives, else what the caption of a file names,
// which at then is. system is "" when neither says.
func (d *Dossier) Court(c *api.Case) (system string, at Place) {
	if c != nil && c.Forum != nil && c.Forum.System != "" {
		return c.Forum.System, Place{}
	}
	if f, ok := d.captioned(); ok {
		return f.System, f.SystemAt
	}

	return "", Place{}
}

// captioned returns the file whose caption counts: that of the first pleading, else the first.
func (d *Dossier) captioned() (File, bool) {
	at := -1
	for i, f := range d.Files {
		// Exhibits have captions of other cases, so that of a pleading counts more.
		if f.System != "" && (at < 0 || f.Kind == facts.Pleading && d.Files[at].Kind != facts.Pleading) {
			at = i
		}
	}
	if at < 0 {
		return File{}, false
	}

	return d.Files[at], true
}

// states returns one place for each state whose code is cited.
func (d *Dossier) states() []Place {
	var places []Place
	seen := map[string]bool{}

	for _, a := range d.Authorities {
		state, _, _ := strings.Cut(a.Key, " ")
		if state == "ilcs" {
			state = "IL"
		}
		if a.Kind == facts.Statute && len(state) == 2 && !seen[state] {
			seen[state] = true
			places = append(places, a.At)
		}
	}

	return places
}

// Days of a deadline count from the day on; one that has passed may have been met, so only those to come say something.
func (d *Dossier) days(today time.Time) complexity.Count {
	best := complexity.Count{}

	for _, x := range d.Deadlines {
		if !x.HasDate || x.Date.Ambiguous {
			continue
		}
		n := facts.DaysFrom(today, x.Date.Time())
		// A day that has passed may have been met.
		if n < 0 || best.Known && n >= best.N {
			continue
		}
		best = complexity.Count{Known: true, N: n, Evidence: extracted(x.At)}
		if x.Computed {
			best.Basis = complexity.Computed
		}
	}

	return best
}

func (d *Dossier) kinds(c *api.Case, read bool) complexity.Marks {
	m := complexity.Marks{Known: read}
	if c.MatterKind == "appeal" {
		m.Known = true
		m.Have = append(m.Have, complexity.Mark{Kind: complexity.Appeal, Evidence: given()})
	}

	for _, f := range d.Files {
		if f.Kind == facts.AppealDoc {
			m.Have = append(m.Have, complexity.Mark{Kind: complexity.Appeal, Evidence: extracted(f.TitleAt)})
			break
		}
	}

	for _, t := range d.Topics {
		kind, ok := strings.CutPrefix(t.Name, "type.")
		if ok && t.Weight >= enough {
			m.Have = append(m.Have, complexity.Mark{Kind: kind, Detail: t.Detail, Evidence: extracted(t.Places...)})
		}
	}

	return m
}

// stakes takes those that the case gives; else those that the files speak of, and money where a sum is demanded.
func (d *Dossier) stakes(c *api.Case) complexity.Marks {
	var m complexity.Marks

	add := func(kind string, e complexity.Evidence) {
		m.Known = true
		m.Have = append(m.Have, complexity.Mark{Kind: kind, Evidence: e})
	}
	for _, s := range c.Stakes {
		add(s, given())
	}
	// What a person has set is not added to by what words suggest.
	if m.Known {
		return m
	}

	for _, t := range d.Topics {
		if kind, ok := strings.CutPrefix(t.Name, facts.StakesPrefix); ok && t.Weight >= enough {
			add(kind, extracted(t.Places...))
		}
	}

	for _, a := range d.Authorities {
		if kind := stakeOfStatute(a.Key); kind != "" {
			add(kind, extracted(a.At))
		}
	}
	if len(d.Demands) > 0 {
		add(complexity.Money, extracted(d.Demands[0].At))
	}

	return m
}

// stakeOfStatute returns what is at stake where a statute is relied on, "" when it does not say.
func stakeOfStatute(key string) string {
	switch {
	case key == "usc 42 1983":
		return complexity.CivilRights
	case key == "usc 8 1158":
		return complexity.Immigration
	case strings.HasPrefix(key, "usc 42 2000e"), key == "usc 29 207", key == "usc 29 216", key == "usc 29 623":
		return complexity.Employment
	case key == "usc 28 2254", key == "usc 28 2255":
		return complexity.Liberty
	}

	return ""
}

const manyWitnesses = 10

func (d *Dossier) coordination() complexity.Marks {
	m := complexity.Marks{Known: true}

	for _, t := range d.Topics {
		kind, ok := strings.CutPrefix(t.Name, "coordination.")
		if ok && t.Weight >= enough {
			m.Have = append(m.Have, complexity.Mark{Kind: kind, Evidence: extracted(t.Places...)})
		}
	}
	// A text may number witnesses that no label stands for.
	if n := max(d.of("Witness"), d.Witnesses); n >= manyWitnesses {
		var places []Place

		for _, l := range d.Labels {
			if l.Kind == "Witness" {
				places = append(places, l.At)
			}
		}
		m.Have = append(m.Have, complexity.Mark{
			Kind:     complexity.Witnesses,
			Detail:   fmt.Sprintf("%d", n),
			Evidence: extracted(places...),
		})
	}

	for _, lang := range d.Languages {
		if base, _, _ := strings.Cut(lang, "-"); base != "en" {
			m.Have = append(m.Have, complexity.Mark{
				Kind:     complexity.Translation,
				Detail:   "text in " + base,
				Evidence: complexity.Evidence{Basis: complexity.Computed},
			})
		}
	}

	return m
}
