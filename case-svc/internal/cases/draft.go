package cases

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"github.com/subrosa-legal/subrosa/pkg/guard"
	"golang.org/x/text/currency"
	"golang.org/x/text/language"
)

// Limits of a case's fields.
const (
	MaxTitle   = 200
	MaxSummary = 4000
	maxAreas   = 5
	maxStakes  = 6
	maxTags    = 20
	maxTag     = 40
	maxRef     = 64
	maxUserID  = 255
)

// Amount is money as a caller writes it.
type Amount struct {
	Decimal  string
	Currency string
	Basis    string
}

// Draft is what a caller says of a new case. Absent fields get their defaults.
type Draft struct {
	Title           *string
	Summary         *string
	Status          *string // only intake
	MatterKind      *string
	PracticeAreas   []PracticeArea
	Jurisdiction    *string
	Forum           *Forum
	Side            *string
	Joint           bool
	Stage           *Stage
	Amount          *Amount
	Stakes          []string
	Supervision     *Supervision
	Confidentiality *Confidentiality
	Retention       *Retention
	Language        *string
	Tags            []string
	ExternalRef     *string
}

// ForUsersOnly reports whether the draft sets something that only a person may set.
func (d Draft) ForUsersOnly() bool {
	return d.Supervision != nil || d.Confidentiality != nil || d.Retention != nil
}

// HoldOnly reports whether of what only a person may set, the draft sets nothing but a legal hold.
func (d Draft) HoldOnly() bool {
	return d.Supervision == nil && d.Confidentiality == nil && (d.Retention == nil || d.Retention.PolicyCode == "")
}

// Texts returns the free text of the draft, as sent.
func (d Draft) Texts(by Actor) []Text {
	var all []Text
	add := func(path, value string) { all = append(all, Text{guard.Title, path, value}) }
	if d.Title != nil {
		add("title", *d.Title)
	}
	if d.Summary != nil {
		add("summary", *d.Summary)
	}
	for i, t := range d.Tags {
		add("tags["+strconv.Itoa(i)+"]", t)
	}
	if d.ExternalRef != nil {
		add("externalRef", *d.ExternalRef)
	}
	if d.Supervision != nil && d.Supervision.ResponsibleUserID != by.UserID {
		add("supervision.responsibleUserId", d.Supervision.ResponsibleUserID) // the caller's own comes from the provider
	}
	return all
}

// New opens a case from a draft. Wrong fields are ErrInvalid with all of them in its details; a reference that is a docket number
// is guard.ErrRefused. It panics without tenant, id or actor: the caller skipped authentication.
func New(tenant TenantID, id string, by Actor, d Draft, now time.Time) (Case, error) {
	if tenant == "" || by.UserID == "" || !ValidID(id) {
		panic("cases.New: no tenant, no user or no id")
	}
	now = Moment(now)
	c := Case{
		ID: id, Tenant: tenant, Version: 1, Status: Intake, MatterKind: "litigation", Language: "en", Joint: d.Joint,
		Stage: Stage{CodeSet: "litigation", Phase: "L100", Task: "L110"}, Title: Untitled, TitleBasis: TitleDefault,
		Supervision:     Supervision{ResponsibleUserID: by.UserID},
		Confidentiality: Confidentiality{Privilege: "work_product", AIPolicy: "no_model", ClientConsent: "unknown"},
		Retention:       Retention{PolicyCode: "default"}, Conflict: Conflict{Status: "not_run"},
		TimelineID: TimelineOf(id), CreatedAt: now, UpdatedAt: now, CreatedBy: by,
	}
	c.ActiveBranchID = RootBranchOf(c.TimelineID)
	if d.ExternalRef != nil {
		if start, end, found := LooksLikeDocket(*d.ExternalRef); found {
			return Case{}, guard.Refusal("", []guard.Located{{Path: "externalRef", Finding: guard.Finding{Kind: guard.KindDocket, Start: start, End: end}}})
		}
	}
	var f Faults
	c.describe(d, &f)
	c.place(d, &f)
	c.classify(d, &f)
	c.govern(d, &f)
	return c, f.Err()
}

// describe takes over the words of a draft.
func (c *Case) describe(d Draft, f *Faults) {
	if d.Title != nil {
		c.Title, c.TitleBasis = f.Line("title", *d.Title, 3, MaxTitle), TitleGiven
	}
	if d.Summary != nil {
		c.Summary = f.Prose("summary", *d.Summary, 0, MaxSummary)
	}
	if d.Status != nil {
		f.OneOf("status", *d.Status, Intake)
	}
	if d.Language != nil {
		tag, err := language.Parse(*d.Language)
		if err != nil || len(*d.Language) > 35 {
			f.Add("language", "must be a BCP 47 tag such as en or es-MX")
		}
		c.Language = tag.String()
	}
	if len(d.Tags) > maxTags {
		f.Add("tags", fmt.Sprintf("must be at most %d", maxTags))
		return
	}
	for i, t := range d.Tags {
		if t = f.Line("tags["+strconv.Itoa(i)+"]", strings.ToLower(t), 1, maxTag); !slices.Contains(c.Tags, t) {
			c.Tags = append(c.Tags, t)
		}
	}
	if d.ExternalRef != nil {
		c.ExternalRef = f.Line("externalRef", *d.ExternalRef, 1, maxRef)
	}
}

// place takes over where the matter is heard.
func (c *Case) place(d Draft, f *Faults) {
	if d.Jurisdiction != nil {
		c.Jurisdiction = *d.Jurisdiction
		if !ValidJurisdiction(c.Jurisdiction) {
			f.Add("jurisdiction", "must be an ISO 3166-1 or 3166-2 code such as US or US-CA")
		}
	}
	if d.Side != nil {
		c.Side = f.OneOf("side", *d.Side, sides...)
	}
	if d.Forum == nil {
		return
	}
	c.Forum = d.Forum
	f.OneOf("forum.system", c.Forum.System, forumSystems...)
	if code := c.Forum.CourtCode; code != "" && !courtCode.MatchString(code) {
		f.Add("forum.courtCode", "must be a court's code such as nysd or cand, never a docket number")
	}
	if l := c.Forum.DocketLabel; l != "" && !(guard.ValidLabel(l) && strings.HasPrefix(l, "[Docket ")) {
		f.Add("forum.docketLabel", "must be a label such as [Docket 1]")
	}
	if z := c.Forum.TimeZone; z != "" && !validZone(z) {
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

// classify takes over what sort of matter it is.
func (c *Case) classify(d Draft, f *Faults) {
	if d.MatterKind != nil {
		c.MatterKind = f.OneOf("matterKind", *d.MatterKind, matterKinds...)
	}
	if d.Stage != nil {
		c.Stage = *d.Stage
		c.Stage.check(f)
	}
	if len(d.Stakes) > maxStakes {
		f.Add("stakes", fmt.Sprintf("must be at most %d", maxStakes))
	} else {
		for i, s := range d.Stakes {
			if s = f.OneOf("stakes["+strconv.Itoa(i)+"]", s, stakes...); !slices.Contains(c.Stakes, s) {
				c.Stakes = append(c.Stakes, s)
			}
		}
	}
	c.PracticeAreas = practiceAreas(d.PracticeAreas, f)
	if d.Amount != nil {
		c.Amount = d.Amount.controversy(f)
	}
}

func (s Stage) check(f *Faults) {
	f.OneOf("stage.codeSet", s.CodeSet, codeSets...)
	if s.CodeSet == "litigation" {
		known, ok := tasks[s.Phase]
		if !ok || s.Task != "" && !slices.Contains(known, s.Task) {
			f.Add("stage", "must be a UTBMS phase L100 to L500 with one of its tasks")
		}
		return
	}
	if !otherUTBMS.MatchString(s.Phase) || s.Task != "" && !otherUTBMS.MatchString(s.Task) {
		f.Add("stage", "must be UTBMS codes of one letter and three digits")
	}
}

func practiceAreas(given []PracticeArea, f *Faults) []PracticeArea {
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
func labelOf(p PracticeArea, path string, f *Faults) string {
	switch p.Scheme {
	case "LIST":
		top, known := areaOf(p.Code)
		if !known || !listCode.MatchString(p.Code) {
			f.Add(path+".code", "must be a LIST code such as HO-02-00-00-00")
			return ""
		}
		if label, ok := listLabels[p.Code]; ok {
			return label
		}
		return top.label
	case "SALI":
		if !saliCode.MatchString(p.Code) {
			f.Add(path+".code", "must be a SALI identifier or IRI")
		}
	case "NSMI":
		if !nsmiCode.MatchString(p.Code) {
			f.Add(path+".code", "must be an NSMI code of seven digits")
		}
	default:
		f.Add(path+".scheme", "must be one of LIST, SALI, NSMI")
	}
	return ""
}

// controversy reads a decimal amount without ever passing it through a float.
func (a Amount) controversy(f *Faults) *Controversy {
	f.OneOf("amountInControversy.basis", a.Basis, amountSources...)
	if a.Basis == "extracted" {
		f.Add("amountInControversy.basis", "must be stated or estimated: an extracted amount comes from a file of the case")
	}
	unit, err := currency.ParseISO(a.Currency)
	if err != nil || unit.String() != a.Currency {
		f.Add("amountInControversy.currency", "must be an ISO 4217 code such as USD")
		return nil
	}
	scale, _ := currency.Standard.Rounding(unit)
	whole, part, _ := strings.Cut(a.Decimal, ".")
	if !decimalAmount.MatchString(a.Decimal) || len(part) > scale {
		f.Add("amountInControversy.amount", fmt.Sprintf("must be a decimal string with at most %d places, such as \"80000\"", scale))
		return nil
	}
	minor, err := strconv.ParseInt(whole+part+strings.Repeat("0", scale-len(part)), 10, 64)
	if err != nil {
		f.Add("amountInControversy.amount", "is too large")
		return nil
	}
	return &Controversy{Minor: minor, Currency: a.Currency, Basis: a.Basis}
}

// Decimal returns the amount as a decimal string with all places of its currency.
func (c Controversy) Decimal() string {
	scale := 2
	if unit, err := currency.ParseISO(c.Currency); err == nil {
		scale, _ = currency.Standard.Rounding(unit)
	}
	digits := fmt.Sprintf("%0*d", scale+1, c.Minor)
	if scale == 0 {
		return digits
	}
	return digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

// govern takes over what only a person may set.
func (c *Case) govern(d Draft, f *Faults) {
	if s := d.Supervision; s != nil {
		c.Supervision = *s
		if s.ResponsibleUserID == "" {
			c.Supervision.ResponsibleUserID = c.CreatedBy.UserID
		}
		c.Supervision.ResponsibleUserID = f.Line("supervision.responsibleUserId", c.Supervision.ResponsibleUserID, 1, maxUserID)
		f.OneOf("supervision.professionalKind", s.ProfessionalKind, append([]string{""}, professions...)...)
		if len(s.LicenceJurisdictions) > 20 || slices.ContainsFunc(s.LicenceJurisdictions, func(j string) bool { return !ValidJurisdiction(j) }) {
			f.Add("supervision.licenceJurisdictions", "must be at most 20 ISO 3166 codes such as US-CA")
		}
	}
	if s := d.Confidentiality; s != nil {
		c.Confidentiality.take(*s, f)
	}
	if r := d.Retention; r != nil {
		c.Retention.LegalHold = r.LegalHold
		if r.PolicyCode != "" && !policyCode.MatchString(r.PolicyCode) {
			f.Add("retention.policyCode", "must be a policy of the tenant's settings: default")
		}
	}
}

// take sets what is given and leaves the defaults for the rest.
func (c *Confidentiality) take(s Confidentiality, f *Faults) {
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
