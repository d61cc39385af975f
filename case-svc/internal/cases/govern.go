package cases

import (
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// govern takes over what only a person may set.
func (e *editor) govern(field Field, d Draft) {
	switch field {
	case FieldSupervision:
		e.Supervision = *d.Supervision
		e.Supervision.check(&e.f)
	case FieldConfidentiality:
		e.Confidentiality.take(*d.Confidentiality, &e.f)
	case FieldLegalHold:
		e.hold(d.Retention.LegalHold)
	case FieldHoldReason:
		if e.Retention.HoldReason = e.f.Line("retention.holdReason", d.Retention.HoldReason, 0, maxHoldReason); e.Retention.HoldReason != "" && !e.Retention.LegalHold {
			e.f.Add("retention.holdReason", "goes with a legal hold only")
		}
	case FieldPolicyCode:
		if e.Retention.PolicyCode = d.Retention.PolicyCode; e.terms.Retention[e.Retention.PolicyCode] == 0 {
			e.f.Add("retention.policyCode", "must be one of the policies in the tenant's settings")
			return
		}
		e.retain()
	case FieldOverride:
		e.override(d.Override)
	}
}

func (s *Supervision) check(f *validate.List) {
	s.ResponsibleUserID = f.Line("supervision.responsibleUserId", s.ResponsibleUserID, 1, MaxUserID)
	f.OneOf("supervision.professionalKind", s.ProfessionalKind, append([]string{""}, professions...)...)
	if len(s.LicenceJurisdictions) > 20 || slices.ContainsFunc(s.LicenceJurisdictions, func(j string) bool { return !ValidJurisdiction(j) }) {
		f.Add("supervision.licenceJurisdictions", "must be at most 20 ISO 3166 codes such as US-CA")
	}
}

// hold sets or lifts a legal hold. Who set it stays known while it lasts.
func (e *editor) hold(on bool) {
	switch r := &e.Retention; {
	case on && !r.LegalHold:
		r.LegalHold, r.HoldByUserID = true, e.by.UserID
	case !on:
		r.LegalHold, r.HoldByUserID, r.HoldReason = false, "", ""
	}
}

// retain sets until when a closed matter is kept at least.
func (e *editor) retain() {
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

func (e *editor) override(o *Override) {
	if o == nil {
		e.Override = nil
		return
	}
	if o.Tier < 1 || o.Tier > 4 {
		e.f.Add("complexity.override.tier", "must be 1 to 4")
	}
	if known := e.Override; known != nil && known.Tier == o.Tier && known.Reason == o.Reason {
		return // said again
	}
	e.Override = &Override{Tier: o.Tier, Reason: e.f.Prose("complexity.override.reason", o.Reason, 1, maxReason), ByUserID: e.by.UserID, At: Moment(e.now)}
}

// take sets what is given and leaves the defaults for the rest.
func (c *Confidentiality) take(s Confidentiality, f *validate.List) {
	if s.Privilege != "" {
		c.Privilege = f.OneOf("confidentiality.privilege", s.Privilege, privileges...)
	}
	if s.AIPolicy != "" {
		c.AIPolicy = f.OneOf("confidentiality.aiPolicy", s.AIPolicy, aiPolicies...)
	}
	if s.ClientConsent != "" {
		c.ClientConsent = f.OneOf("confidentiality.clientConsent", s.ClientConsent, consents...)
	}
	if c.AIPolicy == "model_allowed" && c.ClientConsent == "refused" {
		f.Add("confidentiality.aiPolicy", "must not be model_allowed when the client refused")
	}
}
