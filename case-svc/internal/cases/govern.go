package cases

import (
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

func (e *editor) setHoldReason(d Draft) error {
	e.Retention.HoldReason = e.f.Line("retention.holdReason", d.Retention.HoldReason, 0, maxHoldReason)
	if e.Retention.HoldReason != "" && !e.Retention.LegalHold {
		e.f.Add("retention.holdReason", "goes with a legal hold only")
	}

	return nil
}

func (e *editor) setPolicyCode(d Draft) error {
	e.Retention.PolicyCode = d.Retention.PolicyCode
	if e.terms.Retention[e.Retention.PolicyCode] == 0 {
		e.f.Add("retention.policyCode", "must be one of the policies in the tenant's settings")
		return nil
	}
	e.retain() // a closed case has its date by the policy, which is another one now

	return nil
}

func (s *Supervision) check(f *validate.List) {
	s.ResponsibleUserID = f.Line("supervision.responsibleUserId", s.ResponsibleUserID, 1, MaxUserID)
	f.OneOf("supervision.professionalKind", s.ProfessionalKind, vocabulary.ProfessionalKinds.OrNone()...)
	if len(s.LicenceJurisdictions) > 20 || slices.ContainsFunc(
		s.LicenceJurisdictions, func(j string) bool { return !ValidJurisdiction(j) },
	) {
		f.Add("supervision.licenceJurisdictions", "must be at most 20 ISO 3166 codes such as US-CA")
	}
}

// setLegalHold sets or lifts a legal hold. Who set it stays known while it lasts.
func (e *editor) setLegalHold(d Draft) error {
	switch r := &e.Retention; {
	case d.Retention.LegalHold && !r.LegalHold:
		r.LegalHold, r.HoldByUserID = true, e.by.UserID
	case !d.Retention.LegalHold:
		r.LegalHold, r.HoldByUserID, r.HoldReason = false, "", ""
	}

	return nil
}

// retain sets until when a closed matter is kept at least.
func (e *editor) retain() {
	// The time runs from the closing, so a case that is not closed has no date yet.
	closed, err := time.Parse(time.DateOnly, e.ClosedOn)
	if err != nil {
		e.Retention.RetainUntil = ""
		return
	}
	years := e.terms.Retention[e.Retention.PolicyCode]
	if years == 0 { // the policy was removed from the settings meanwhile
		years = e.terms.Retention[DefaultPolicy]
	}
	e.Retention.RetainUntil = closed.AddDate(years, 0, 0).Format(time.DateOnly)
}

func (e *editor) setOverride(d Draft) error {
	o := d.Override
	if o == nil {
		e.Override = nil
		return nil
	}
	if o.Tier < 1 || o.Tier > 4 {
		e.f.Add("complexity.override.tier", "must be 1 to 4")
	}
	if known := e.Override; known != nil && known.Tier == o.Tier && known.Reason == o.Reason {
		return nil // said again: it keeps its author and its time
	}
	e.Override = &Override{
		Tier:     o.Tier,
		Reason:   e.f.Prose("complexity.override.reason", o.Reason, 1, maxReason),
		ByUserID: e.by.UserID,
		At:       instant.Of(e.now),
	}

	return nil
}

// take sets what is given and leaves the defaults for the rest.
func (c *Confidentiality) take(s Confidentiality, f *validate.List) {
	if s.Privilege != "" {
		c.Privilege = f.OneOf("confidentiality.privilege", s.Privilege, vocabulary.Privileges.All()...)
	}
	if s.AIPolicy != "" {
		c.AIPolicy = f.OneOf("confidentiality.aiPolicy", s.AIPolicy, vocabulary.AIPolicies.All()...)
	}
	if s.ClientConsent != "" {
		c.ClientConsent = f.OneOf("confidentiality.clientConsent", s.ClientConsent, vocabulary.ClientConsents.All()...)
	}
	// The two are checked as they are in the end, whichever of them was changed.
	if c.AIPolicy == "model_allowed" && c.ClientConsent == "refused" {
		f.Add("confidentiality.aiPolicy", "must not be model_allowed when the client refused")
	}
}
