package httpapi

import (
	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// entryOf is the entry on the wire.
func entryOf(e timeline.Entry) api.TimelineEntry {
	out := api.TimelineEntry{
		EntryID:      e.ID,
		Version:      int(e.Version),
		Kind:         e.Kind,
		When:         api.When(e.When),
		Title:        e.Title,
		Detail:       e.Detail,
		Authority:    (*api.Authority)(e.Authority),
		Sources:      []api.SourceRef{},
		Origin:       e.Origin,
		ReviewStatus: e.ReviewStatus,
		BranchID:     e.BranchID,
		PhaseID:      e.PhaseID,
		UTBMS:        (*api.UTBMS)(e.UTBMS),
		CreatedBy:    api.Actor(e.CreatedBy),
		CreatedAt:    api.At(e.CreatedAt),
		UpdatedAt:    api.At(e.UpdatedAt),
	}
	for _, s := range e.Sources {
		out.Sources = append(out.Sources, refOf(s))
	}
	if a := e.Amount; a != nil {
		out.Amount = &api.Money{Amount: a.Decimal(), Currency: a.Currency}
	}
	if d := e.Deadline; d != nil {
		out.Deadline = &api.Deadline{
			DueOn: d.DueOn, LatestOn: d.LatestOn, DueAt: api.Known(d.DueAt), TimeZone: d.TimeZone,
			Certainty: d.Certainty, Status: d.Status, ResponsibleUserID: d.ResponsibleUserID,
			Computation: computationOf(d.Computation),
		}
	}

	return out
}

func computationOf(c *timeline.Computation) *api.Computation {
	if c == nil {
		return nil
	}
	out := &api.Computation{
		TriggerOn:        c.TriggerOn,
		RuleID:           c.RuleID,
		RuleCitation:     c.RuleCitation,
		Count:            c.Count,
		Unit:             c.Unit,
		Direction:        c.Direction,
		ServiceDaysAdded: c.ServiceDaysAdded,
		RolledFrom:       c.RolledFrom,
		RolledBecause:    c.RolledBecause,
		HolidayCalendar:  c.HolidayCalendar,
		Assumptions:      filled(c.Assumptions),
	}
	if c.TriggerSource != nil {
		ref := refOf(*c.TriggerSource)
		out.TriggerSource = &ref
	}

	return out
}

func entriesOf(list []timeline.Entry) []api.TimelineEntry {
	all := make([]api.TimelineEntry, len(list))
	for i, e := range list {
		all[i] = entryOf(e)
	}

	return all
}

// entryFrom is what the domain makes an entry of.
func entryFrom(n api.EntryContent) timeline.Draft {
	d := timeline.Draft{
		Kind:      n.Kind,
		When:      (*timeline.When)(n.When),
		Title:     n.Title,
		Detail:    n.Detail,
		Authority: (*timeline.Authority)(n.Authority),
		Deadline: timeline.Deadline{
			DueOn:     n.DueOn,
			LatestOn:  n.LatestOn,
			TimeZone:  n.TimeZone,
			Certainty: n.Certainty,
		},
	}
	if n.DueAt != nil {
		d.Deadline.DueAt = n.DueAt.Time
	}
	if a := n.Amount; a != nil {
		d.Amount = &timeline.Amount{Decimal: a.Amount, Currency: a.Currency}
	}

	for _, s := range n.Sources {
		d.Sources = append(d.Sources, sourceFrom(s))
	}
	if c := n.Computation; c != nil {
		d.Deadline.Computation = &timeline.Computation{
			TriggerOn:        c.TriggerOn,
			RuleID:           c.RuleID,
			RuleCitation:     c.RuleCitation,
			Count:            c.Count,
			Unit:             c.Unit,
			Direction:        c.Direction,
			ServiceDaysAdded: c.ServiceDaysAdded,
			RolledFrom:       c.RolledFrom,
			RolledBecause:    c.RolledBecause,
			HolidayCalendar:  c.HolidayCalendar,
			Assumptions:      c.Assumptions,
		}
		if c.TriggerSource != nil {
			source := sourceFrom(*c.TriggerSource)
			d.Deadline.Computation.TriggerSource = &source
		}
	}

	return d
}
