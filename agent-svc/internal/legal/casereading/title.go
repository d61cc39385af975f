package casereading

import (
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/complexity"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// Title proposes a title of labels and words of ours: the subject, then the first party of each side. It is empty when
// the files do not say enough for one.
func (d *Dossier) Title(c *api.Case) string {
	subject := d.subject(c)

	first, second := d.sides()
	switch {
	// A title without a subject and without two sides would say nothing.
	case len(subject) > longestSubject || subject == "" && second == "":
		return ""
	case subject == "":
		return "Matter of " + first + " and " + second
	case second == "":
		return subject
	}

	return subject + ", " + first + " and " + second
}

const longestSubject = 150 // bytes; a title has at most 200 characters

// sides returns the first party of each side: those of the first file that has sides, else the first two labels.
func (d *Dossier) sides() (first, second string) {
	for _, f := range d.Files {
		if f.First != "" {
			return f.First, f.Second
		}
	}
	if parties := d.Parties(); len(parties) > 1 {
		return parties[0].String(), parties[1].String()
	}

	return "", ""
}

// subject names what the case is about: its practice area, what is plainly at stake, or its main document.
func (d *Dossier) subject(c *api.Case) string {
	if c != nil {
		for _, area := range c.PracticeAreas {
			if area.Primary && area.Label != "" {
				return area.Label + " matter"
			}
		}
	}
	main, ok := d.main()
	if ok && main.Kind == facts.Contract && main.Title != "" {
		return wording.Capital(main.Title) + " matter"
	}

	for _, s := range [...]struct{ stake, words string }{
		{complexity.Custody, "Custody matter"},
		{complexity.Immigration, "Immigration matter"},
		{complexity.Housing, "Eviction matter"},
		{complexity.Employment, "Employment matter"},
		{complexity.Benefits, "Benefits matter"},
		{complexity.CivilRights, "Civil rights matter"},
		{complexity.Safety, "Protection matter"},
		{complexity.Liberty, "Liberty matter"},
		{complexity.Reputation, "Defamation matter"},
	} {
		if d.has(facts.StakesPrefix + s.stake) {
			return s.words
		}
	}
	if ok && main.Title != "" {
		return wording.Capital(main.Title)
	}

	return ""
}

func (d *Dossier) has(topic string) bool {
	for _, t := range d.Topics {
		if t.Name == topic && t.Weight >= enough {
			return true
		}
	}

	return false
}

// main returns the document that the case turns on: the first complaint or petition, else the first pleading, contract
// or other titled one.
func (d *Dossier) main() (File, bool) {
	// Each kind is looked for in all files before the next one is.
	for _, fits := range []func(File) bool{
		opensCase,
		func(f File) bool { return f.Kind == facts.Pleading },
		func(f File) bool { return f.Kind == facts.Contract },
		func(f File) bool { return f.Title != "" },
	} {
		for _, f := range d.Files {
			if fits(f) {
				return f, true
			}
		}
	}

	return File{}, false
}

// Stage proposes the stage that the main document belongs to, nil when it does not say.
func (d *Dossier) Stage() *api.Stage {
	for _, f := range d.Files {
		if f.Kind == facts.AppealDoc {
			return &api.Stage{CodeSet: "litigation", Phase: "L500"}
		}
	}
	main, ok := d.main()
	if ok && main.Kind == facts.Pleading {
		return &api.Stage{CodeSet: "litigation", Phase: "L200", Task: "L210"}
	}

	return nil
}
