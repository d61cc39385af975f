package httpapi

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

func (a *API) patchCase(c *gin.Context) error {
	id, err := httpx.PathID(c, "caseId")
	if err != nil {
		return err
	}
	caller := callerOf(c)
	if err := rights.ChangeCase(caller); err != nil {
		return err
	}
	query, err := httpx.Query(c, "acknowledgePending")
	if err != nil {
		return err
	}
	acknowledged, err := httpx.Flag(query, "acknowledgePending")
	if err != nil {
		return err
	}
	body, err := mergePatch(c)
	if err != nil {
		return err
	}
	patch, err := readCasePatch(body)
	if err != nil {
		return httpx.LinkRefusal(err, a.Links.To(deeplink.AddIdentity, id))
	}
	if err := a.mayTouch(caller, id, patch.fields); err != nil {
		return err
	}
	kase, err := a.Cases.Change(c.Request.Context(), tenantOf(c), actorOf(c), id, httpx.IfMatch(c), cases.Edit{
		Fields:             patch.fields,
		Merge:              patch.merge,
		AcknowledgePending: acknowledged && caller.Kind == access.User,
		Owner:              caller.HasRole(access.RoleOwner),
	})
	if err != nil {
		return err
	}

	return writeCase(c, kase, caller)
}

// mayTouch decides by the fields of a change alone; what a state allows comes later.
func (a *API) mayTouch(caller access.Caller, id string, fields []cases.Field) error {
	switch {
	case caller.Kind != access.User && slices.ContainsFunc(fields, cases.Field.ForUsersOnly):
		return cases.ErrHuman.WithDeepLink(a.Links.To(deeplink.CaseSettings, id))
	case rights.MetadataOnly(caller) && slices.ContainsFunc(fields, func(f cases.Field) bool { return !f.Hold() }):
		return access.ErrForbidden
	}

	return nil
}

func writeCase(c *gin.Context, kase cases.Case, caller access.Caller) error {
	wire, err := caseOf(kase, caller)
	if err != nil {
		return err
	}
	c.Header("ETag", httpx.ETag(kase.Version))

	return httpx.JSON(c, http.StatusOK, wire)
}

// mergePatchType is the media type of RFC 7396.
const mergePatchType = "application/merge-patch+json"

// mergePatch reads the body of a PATCH: either media type means a merge patch.
func mergePatch(c *gin.Context) ([]byte, error) {
	if mt, _, err := mime.ParseMediaType(c.GetHeader("Content-Type")); err != nil || mt != "application/json" && mt != mergePatchType {
		c.Header("Accept-Patch", mergePatchType+", application/json")
		return nil, httpx.ErrMediaType.WithMessage("Send the change as application/merge-patch+json or application/json.")
	}

	return httpx.ReadBody(c, httpx.MaxBody)
}

// readOnly is a value that the server sets and no caller does.
type readOnly = json.RawMessage

// caseMembers are all members of a case, those for reading too: what is none of them is unknown.
type caseMembers struct {
	newCase
	JointRepresentation *bool              `json:"jointRepresentation"`
	PracticeAreas       []areaMembers      `json:"practiceAreas"`
	Complexity          *complexityMembers `json:"complexity"`
	Retention           *retentionMembers  `json:"retention"`

	CaseID       readOnly `json:"caseId"`
	Version      readOnly `json:"version"`
	TitleBasis   readOnly `json:"titleBasis"`
	Conflict     readOnly `json:"conflict"`
	NextDeadline readOnly `json:"nextDeadline"`
	Counts       readOnly `json:"counts"`
	TimelineID   readOnly `json:"timelineId"`
	OpenedOn     readOnly `json:"openedOn"`
	ClosedOn     readOnly `json:"closedOn"`
	CreatedAt    readOnly `json:"createdAt"`
	UpdatedAt    readOnly `json:"updatedAt"`
	CreatedBy    readOnly `json:"createdBy"`
	Parties      readOnly `json:"parties"`
	Deadlines    readOnly `json:"deadlines"`
}

type areaMembers struct {
	newArea
	Label readOnly `json:"label"`
}

type complexityMembers struct {
	Override *overrideMembers `json:"override"`

	Tier          readOnly `json:"tier"`
	TierName      readOnly `json:"tierName"`
	Score         readOnly `json:"score"`
	Range         readOnly `json:"range"`
	KnownWeight   readOnly `json:"knownWeight"`
	Confidence    readOnly `json:"confidence"`
	Urgent        readOnly `json:"urgent"`
	RubricVersion readOnly `json:"rubricVersion"`
	Breakdown     readOnly `json:"breakdown"`
	Floors        readOnly `json:"floors"`
	Missing       readOnly `json:"missing"`
	Questions     readOnly `json:"questions"`
	Suggested     readOnly `json:"suggested"`
}

type overrideMembers struct {
	newOverride
	ByUserID readOnly `json:"byUserId"`
	At       readOnly `json:"at"`
}

type retentionMembers struct {
	newRetention
	HoldByUserID readOnly `json:"holdByUserId"`
	RetainUntil  readOnly `json:"retainUntil"`
}

// object is a JSON object whose members are not read yet.
type object map[string]json.RawMessage

// casePatch is a merge patch of a case: checked in its form, not yet merged with anything.
type casePatch struct {
	body   caseMembers
	given  object
	fields []cases.Field // in the order in which they are taken over
}

// caseFields are the members that stand for one field each, in the order in which they are taken over.
var caseFields = []cases.Field{
	cases.FieldTitle, cases.FieldSummary, cases.FieldStatus, cases.FieldMatterKind, cases.FieldPracticeAreas, cases.FieldJurisdiction, cases.FieldForum,
	cases.FieldSide, cases.FieldClientPartyID, cases.FieldJoint, cases.FieldStage, cases.FieldAmount, cases.FieldStakes, cases.FieldSupervision,
	cases.FieldConfidentiality, cases.FieldLanguage, cases.FieldTags, cases.FieldExternalRef, cases.FieldCloseReason, cases.FieldActiveBranchID,
}

// clearable are the paths at which null takes something away. Everything else always has a value.
var clearable = []string{
	"title", "summary", "jurisdiction", "forum", "forum.courtCode", "forum.docketLabel", "forum.timeZone", "side", "clientPartyId", "stage.task",
	"amountInControversy", "amountInControversy.source", "amountInControversy.source.page", "amountInControversy.source.paragraph", "practiceAreas", "stakes",
	"complexity.override", "supervision.professionalKind", "supervision.licenceJurisdictions", "retention.holdReason", "tags", "externalRef", "closeReason",
}

// writable are the members of the parts of a case that callers write.
var writable = map[string][]string{
	"":                    {"complexity", "retention"},
	"complexity":          {"override"},
	"complexity.override": {"tier", "reason"},
	"retention":           {"legalHold", "holdReason", "policyCode"},
}

// readCasePatch checks the form of a merge patch: unknown members, those for reading, wrong types, and null where there
// must be a value.
func readCasePatch(body []byte) (*casePatch, error) {
	p := &casePatch{}
	if err := strictjson.Decode(body, &p.body); err != nil {
		return nil, withoutTypes(err)
	}
	if err := json.Unmarshal(strictjson.WholeNumbers(body), &p.given); err != nil {
		return nil, httpx.ErrMalformed
	}
	var f validate.List

	for _, field := range caseFields {
		if _, ok := p.given[string(field)]; ok {
			p.fields = append(p.fields, field)
		}
	}
	own := append(slices.Clone(writable[""]), each(caseFields, func(f cases.Field) string { return string(f) })...)
	p.foreign("", p.given, own, &f)

	for i, area := range p.body.PracticeAreas {
		if area.Label != nil {
			f.Add("practiceAreas["+strconv.Itoa(i)+"].label", "is set by the server: leave it out")
		}
	}
	retention, complexity := p.part("retention", p.given, &f), p.part("complexity", p.given, &f)
	p.part("complexity.override", complexity, &f)

	for _, field := range []cases.Field{cases.FieldLegalHold, cases.FieldHoldReason, cases.FieldPolicyCode} {
		if _, ok := retention[string(field)[len("retention."):]]; ok {
			p.fields = append(p.fields, field)
		}
	}
	if _, ok := complexity["override"]; ok {
		p.fields = append(p.fields, cases.FieldOverride)
	}
	nulls("", p.given, &f)

	return p, f.Err()
}

// withoutTypes takes out of the details' paths the names of embedded types, which nobody sent.
func withoutTypes(err error) error {
	var e *errs.Error
	if !errors.As(err, &e) {
		return err
	}

	details := slices.Clone(e.Details)
	for i, d := range details {
		for _, name := range []string{"newCase.", "newArea.", "newOverride.", "newRetention."} {
			d.Path = strings.ReplaceAll(d.Path, name, "")
		}
		details[i].Path = d.Path
	}

	return e.WithDetails(details...)
}

func each[A, B any](list []A, to func(A) B) []B {
	out := make([]B, len(list))
	for i, v := range list {
		out[i] = to(v)
	}

	return out
}

// foreign notes members that are not for callers to write.
func (p *casePatch) foreign(at string, given object, own []string, f *validate.List) {
	for _, name := range sorted(given) {
		if !slices.Contains(own, name) {
			f.Add(under(at, name), "is set by the server: leave it out")
		}
	}
}

// part returns an object within another, whose members it checks; nil when it is not there or null.
func (p *casePatch) part(path string, in object, f *validate.List) object {
	name := path
	if i := lastDot(path); i >= 0 {
		name = path[i+1:]
	}
	var part object
	if json.Unmarshal(in[name], &part) != nil {
		return nil
	}
	p.foreign(path, part, writable[path], f)

	return part
}

func lastDot(path string) int {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' {
			return i
		}
	}

	return -1
}

func under(at, name string) string {
	if at == "" {
		return name
	}

	return at + "." + name
}

func sorted(o object) []string {
	names := make([]string, 0, len(o))
	for name := range o {
		names = append(names, name)
	}
	slices.Sort(names)

	return names
}

// nulls notes each null that would take away what there must be. Lists are replaced whole, so what is in them does not
// matter here.
func nulls(at string, given object, f *validate.List) {
	for _, name := range sorted(given) {
		path, raw := under(at, name), given[name]

		var inner object
		switch {
		case string(raw) == "null" && !slices.Contains(clearable, path):
			f.Add(path, "cannot be cleared: give it another value")
		case len(raw) > 0 && raw[0] == '{' && json.Unmarshal(raw, &inner) == nil:
			nulls(path, inner, f)
		}
	}
}

// merge is the writable part of a case after the patch.
func (p *casePatch) merge(d cases.Draft) (cases.Draft, error) {
	b := p.body
	var err error

	for _, field := range p.fields {
		switch field {
		case cases.FieldTitle:
			d.Title = b.Title
		case cases.FieldSummary:
			d.Summary = b.Summary
		case cases.FieldStatus:
			d.Status = b.Status
		case cases.FieldMatterKind:
			d.MatterKind = b.MatterKind
		case cases.FieldPracticeAreas:
			d.PracticeAreas = practiceAreas(each(b.PracticeAreas, func(a areaMembers) newArea { return a.newArea }))
		case cases.FieldJurisdiction:
			d.Jurisdiction = b.Jurisdiction
		case cases.FieldSide:
			d.Side = b.Side
		case cases.FieldClientPartyID:
			d.ClientPartyID = b.ClientPartyID
		case cases.FieldJoint:
			d.Joint = *b.JointRepresentation
		case cases.FieldStakes:
			d.Stakes = b.Stakes
		case cases.FieldLanguage:
			d.Language = b.Language
		case cases.FieldTags:
			d.Tags = b.Tags
		case cases.FieldExternalRef:
			d.ExternalRef = b.ExternalRef
		case cases.FieldCloseReason:
			d.CloseReason = b.CloseReason
		case cases.FieldActiveBranchID:
			d.ActiveBranchID = b.ActiveBranchID
		default:
			err = p.mergePart(field, &d)
		}
		if err != nil {
			return d, err
		}
	}

	return d, nil
}

// mergePart merges a field that is an object, member by member.
func (p *casePatch) mergePart(field cases.Field, d *cases.Draft) error {
	var err error

	switch field {
	case cases.FieldForum:
		var m *newForum
		m, err = merged((*newForum)(d.Forum), p.given["forum"])
		d.Forum = (*cases.Forum)(m)
	case cases.FieldStage:
		var m *newStage
		m, err = merged((*newStage)(d.Stage), p.given["stage"])
		d.Stage = (*cases.Stage)(m)
	case cases.FieldAmount:
		var now *newAmount
		if a := d.Amount; a != nil {
			now = &newAmount{Amount: a.Decimal, Currency: a.Currency, Basis: a.Basis, Source: (*newSource)(a.Source)}
		}
		now, err = merged(now, p.given["amountInControversy"])
		d.Amount = now.amount()
	case cases.FieldSupervision:
		var m *newSupervision
		m, err = merged((*newSupervision)(d.Supervision), p.given["supervision"])
		d.Supervision = (*cases.Supervision)(m)
	case cases.FieldConfidentiality:
		var m *newConfidentiality
		m, err = merged((*newConfidentiality)(d.Confidentiality), p.given["confidentiality"])
		d.Confidentiality = (*cases.Confidentiality)(m)
	case cases.FieldLegalHold, cases.FieldHoldReason, cases.FieldPolicyCode:
		r := d.Retention
		now, failed := merged(&newRetention{LegalHold: r.LegalHold, HoldReason: r.HoldReason, PolicyCode: r.PolicyCode}, p.given["retention"])
		d.Retention, err = now.retention(), failed
	case cases.FieldOverride:
		var now newComplexity
		if o := d.Override; o != nil {
			now.Override = &newOverride{Tier: o.Tier, Reason: o.Reason}
		}
		after, failed := merged(&now, p.given["complexity"])
		if err = failed; err == nil {
			d.Override = after.Override.override()
		}
	}

	return err
}

// merged applies a merge patch (RFC 7396) to the JSON of current, which may be nil; nil means that it was taken away.
func merged[T any](current *T, patch json.RawMessage) (*T, error) {
	if string(patch) == "null" {
		return nil, nil
	}
	text, err := json.Marshal(current)
	if err != nil {
		return nil, err
	}
	if text, err = mergeJSON(text, patch); err != nil {
		return nil, err
	}
	out := new(T)
	if err := json.Unmarshal(text, out); err != nil {
		return nil, httpx.ErrValidation
	}

	return out, nil
}

// mergeJSON is the algorithm of RFC 7396.
func mergeJSON(target, patch json.RawMessage) (json.RawMessage, error) {
	var change object
	if len(patch) == 0 || patch[0] != '{' || json.Unmarshal(patch, &change) != nil {
		return patch, nil
	}
	var out object
	if json.Unmarshal(target, &out) != nil || out == nil {
		out = object{}
	}

	for name, raw := range change {
		if string(raw) == "null" {
			delete(out, name)
			continue
		}
		inner, err := mergeJSON(out[name], raw)
		if err != nil {
			return nil, err
		}
		out[name] = inner
	}

	return json.Marshal(out)
}
