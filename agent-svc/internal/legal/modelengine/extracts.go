package modelengine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/verify"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

// finding is a place in a passage with what it says there, in words of ours.
type finding struct {
	facts.Span
	says string
}

func dates(text string) []finding {
	var list []finding

	for _, d := range facts.Dates(text) {
		says := d.String()
		if d.Ambiguous {
			says += " or " + d.Swapped().String()
		}
		list = append(list, finding{d.Span, says})
	}

	return list
}

func sums(text string) []finding {
	var list []finding
	for _, a := range facts.Amounts(text) {
		list = append(list, finding{a.Span, a.Currency + " " + a.Decimal()})
	}

	return list
}

func authorities(text string) []finding {
	var list []finding
	for _, c := range facts.Citations(text) {
		list = append(list, finding{c.Span, c.Kind})
	}

	return list
}

// extract lists what is found in a file, each with its sentence as a passage.
func (b *toolbox) extract(
	ctx context.Context,
	number, from int,
	what string,
	find func(string) []finding,
) (outcome, error) {
	f, err := b.file(number)
	if err != nil {
		return outcome{}, err
	}
	t, err := b.open(ctx, f)
	if err != nil {
		return outcome{}, err
	}
	var text strings.Builder
	seen, given := 0, 0

	for _, p := range t.passages {
		for _, place := range find(p.Text) {
			// All findings are counted, though few are given: the model has to know that there are more.
			if seen++; seen < from || given == mostFacts || text.Len() > mostResult {
				continue
			}
			if framed := b.give(ctx, b.head(f, p.Page)+": "+place.says, sentenceOf(f, t, p, place.Span)); framed != "" {
				given++
				text.WriteString(framed)
			}
		}
	}
	if given == 0 {
		return outcome{text: "None was found.", summary: "None found", empty: true}, nil
	}
	fmt.Fprintf(&text, "The file has %d %s; these are %d of them, from number %d.\n", seen, what, given, from)

	return outcome{text: text.String(), summary: fmt.Sprintf("%d of %d", given, seen)}, nil
}

// sentenceOf is the sentence of a passage that holds a span, as a passage of its own.
func sentenceOf(f api.File, t fileText, p extract.Passage, s facts.Span) verify.Passage {
	around := facts.Around(p.Text, s)
	// Sources are in characters of the file, spans in bytes of the passage.
	start := p.CharStart + utf8.RuneCountInString(p.Text[:around.Start])
	text := around.In(p.Text)

	return verify.Passage{FileName: f.Name, Text: text, Source: api.SourceRef{
		FileID:      f.FileID,
		TextVersion: t.version,
		Page:        p.Page,
		CharStart:   start,
		CharEnd:     start + utf8.RuneCountInString(text),
		Quote:       facts.Fold(text),
	}}
}

// listParties counts the labels of the files and says their roles.
func (b *toolbox) listParties(ctx context.Context, _ model.Arguments) (outcome, error) {
	type known struct {
		label        label.Label
		role         string
		count, files int
	}
	var list []*known
	read, left := 0, 0

	for _, f := range b.files {
		switch {
		case !f.AgentReadable:
			continue
		// A case of 500 files would take the time of the whole run for one listing.
		case read == mostSurveyed:
			left++
			continue
		}
		t, err := b.open(ctx, f)
		if _, gone := err.(mistake); gone { //nolint:errorlint // it is ours and never wrapped
			continue
		}
		if err != nil {
			return outcome{}, err
		}
		read++
		met := map[label.Label]bool{}

		for _, p := range t.passages {
			for _, l := range facts.Labels(p.Text) {
				at := slices.IndexFunc(list, func(k *known) bool { return k.label == l.Label })
				if at < 0 {
					if len(list) == mostLabels {
						continue
					}
					list, at = append(list, &known{label: l.Label}), len(list)
				}
				k := list[at]
				k.count++
				if !met[l.Label] {
					met[l.Label] = true
					k.files++
				}
				if k.role == "" {
					k.role = facts.RoleOf(p.Text, l)
				}
			}
		}
	}
	var text strings.Builder

	for _, k := range list {
		// From here on the answer may use the label.
		b.record.Labels[k.label] = true
		role := k.role
		if role == "" {
			role = "role not said"
		}
		fmt.Fprintf(&text, "%s: %s, %d times in %d files\n", k.label, role, k.count, k.files)
	}
	if left > 0 {
		fmt.Fprintf(&text, "%d further files were not read for this.\n", left)
	}
	if len(list) == 0 {
		return outcome{text: "No label stands in the files.", summary: "No labels", empty: true}, nil
	}
	b.record.Computed = append(b.record.Computed, text.String())

	return outcome{text: encloseResult(b.code, text.String()), summary: fmt.Sprintf("%d labels", len(list))}, nil
}
