package httpapi

import (
	"encoding/json"
	"fmt"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// filled keeps lists from being null on the wire.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}

	return list
}

func areasOf(list []cases.PracticeArea) []api.PracticeArea {
	out := make([]api.PracticeArea, len(list))
	for i, p := range list {
		out[i] = api.PracticeArea(p)
	}

	return out
}

// caseOf is the case on the wire as a caller sees it: an admin who is nothing else sees nothing of what it says.
func caseOf(c cases.Case, caller access.Caller) (api.Case, error) {
	metadata := rights.MetadataOnly(caller)
	out := api.Case{
		CaseID: c.ID, Version: int(c.Version), Status: c.Status, PracticeAreas: []api.PracticeArea{}, Stakes: []string{}, Tags: []string{},
		Supervision: api.Supervision{ResponsibleUserID: c.Supervision.ResponsibleUserID}, Conflict: conflictOf(c.Conflict), Retention: api.Retention(c.Retention),
		NextDeadline: deadlineOf(c, metadata), Counts: api.CaseCounts(c.Counts), TimelineID: c.TimelineID, ActiveBranchID: c.ActiveBranchID, CreatedAt: api.At(c.CreatedAt), UpdatedAt: api.At(c.UpdatedAt),
		CreatedBy: api.Actor(c.CreatedBy), OpenedOn: c.OpenedOn, ClosedOn: c.ClosedOn, CloseReason: c.CloseReason,
	}
	if metadata {
		return out, nil
	}
	if caller.Member() {
		out.Conflict.Reason = c.Conflict.Reason
		for _, h := range c.Conflict.Shown {
			out.Conflict.Hits = append(out.Conflict.Hits, api.ConflictHit(h))
		}
	}
	out.Title, out.TitleBasis, out.Summary, out.MatterKind = c.Title, c.TitleBasis, c.Summary, c.MatterKind
	out.PracticeAreas, out.Jurisdiction, out.Forum, out.Side = areasOf(c.PracticeAreas), c.Jurisdiction, (*api.Forum)(c.Forum), c.Side
	out.ClientPartyID, out.JointRepresentation, out.Stage, out.Stakes = c.ClientPartyID, c.Joint, api.Stage(c.Stage), filled(c.Stakes)
	out.Supervision, out.Confidentiality = api.Supervision(c.Supervision), api.Confidentiality(c.Confidentiality)
	out.Language, out.Tags, out.ExternalRef = c.Language, filled(c.Tags), c.ExternalRef
	if a := c.Amount; a != nil {
		out.AmountInControversy = &api.Controversy{Money: api.Money{Amount: a.Decimal(), Currency: a.Currency}, Basis: a.Basis, Source: sourceRefOf(a.Source)}
	}
	var err error
	out.Complexity, err = complexityOnWire(c)

	return out, err
}

func complexityOnWire(c cases.Case) (*api.Complexity, error) {
	if c.Complexity == nil && c.Override == nil {
		return nil, nil
	}
	out := new(api.Complexity)
	if x := c.Complexity; x != nil {
		out.Evaluation = new(api.Evaluation)
		if err := json.Unmarshal(x.Body, out.Evaluation); err != nil {
			return nil, fmt.Errorf("stored evaluation of case %s is broken", c.ID)
		}
	}
	if o := c.Override; o != nil {
		out.Override = &api.TierOverride{Tier: o.Tier, Reason: o.Reason, ByUserID: o.ByUserID, At: api.At(o.At)}
	}

	return out, nil
}

func conflictOf(k cases.Conflict) api.Conflict {
	out := api.Conflict{Status: k.Status, HitCount: k.HitCount, HitCountCapped: k.Capped, DecidedByUserID: k.DecidedBy}
	if !k.CheckedAt.IsZero() {
		at := api.At(k.CheckedAt)
		out.CheckedAt = &at
	}

	return out
}

// deadlineOf is the nearest deadline on the wire; its title is what the case says.
func deadlineOf(c cases.Case, metadata bool) *api.NextDeadline {
	if c.NextDeadline == nil {
		return nil
	}
	out := api.NextDeadline(*c.NextDeadline)
	if metadata {
		out.Title = ""
	}

	return &out
}

func sourceRefOf(s *cases.SourceRef) *api.SourceRef {
	if s == nil {
		return nil
	}

	return &api.SourceRef{FileID: s.FileID, TextVersion: s.TextVersion, Page: s.Page, Paragraph: s.Paragraph, CharStart: s.Start, CharEnd: s.End, Quote: s.Quote}
}

// rowOf is the case as a row of a list.
func rowOf(c cases.Case, metadata bool) api.CaseRow {
	row := api.CaseRow{
		CaseID: c.ID, Version: int(c.Version), Status: c.Status, PracticeAreas: []api.PracticeArea{}, Counts: api.CaseCounts(c.Counts), Tags: []string{},
		NextDeadline: deadlineOf(c, metadata), LegalHold: c.Retention.LegalHold, ResponsibleUserID: c.Supervision.ResponsibleUserID, CreatedAt: api.At(c.CreatedAt), UpdatedAt: api.At(c.UpdatedAt),
	}
	if metadata {
		return row
	}
	row.Title, row.MatterKind, row.PracticeAreas, row.Jurisdiction = c.Title, c.MatterKind, areasOf(c.PracticeAreas), c.Jurisdiction
	row.Side, row.Stage, row.Tags = c.Side, api.Stage(c.Stage), filled(c.Tags)
	if tier := c.Tier(); tier > 0 {
		row.Tier = &tier
	}
	if x := c.Complexity; x != nil {
		row.Score, row.Urgent = &x.Score, x.Urgent
	}

	return row
}

// tombstoneOf stands for a case that is not there any more.
func tombstoneOf(c cases.Case) api.CaseTombstone {
	return api.CaseTombstone{CaseID: c.ID, Version: int(c.Version), Deleted: true, DeletedAt: api.At(c.Deletion.At), UpdatedAt: api.At(c.UpdatedAt)}
}
