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
	mt, _, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if err != nil || mt != "application/json" && mt != mergePatchType {
		c.Header("Accept-Patch", mergePatchType+", application/json")

		return nil, httpx.ErrMediaType.WithMessage(
			"Send the change as application/merge-patch+json or application/json.",
		)
	}

	return httpx.ReadBody(c, httpx.MaxBody)
}

// readOnly is a value that the server sets and no caller does.
type readOnly = json.RawMessage

// caseMembers lists every member of a case, read-only ones included; any other member is an error.
type caseMembers struct {
	newCase
	PracticeAreas []areaMembers      `json:"practiceAreas"`
	Complexity    *complexityMembers `json:"complexity"`
	Retention     *retentionMembers  `json:"retention"`

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

// clearable are the paths at which null removes a value. Everything else always has a value.
var clearable = cases.ClearablePaths()

// writable are the names of the members that callers write, by the path of the object that they are in.
var writable = writableMembers()

func writableMembers() map[string][]string {
	members := map[string][]string{string(cases.FieldOverride): {"tier", "reason"}}

	for _, field := range cases.Fields() {
		for path := string(field); path != ""; {
			at, name := parent(path)
			if !slices.Contains(members[at], name) {
				members[at] = append(members[at], name)
			}
			path = at
		}
	}

	return members
}

// parent splits a path into the path of the object that it is in, and its name there.
func parent(path string) (at, name string) {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i], path[i+1:]
	}

	return "", path
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
	p.foreign("", p.given, &f)

	for i, area := range p.body.PracticeAreas {
		if area.Label != nil {
			f.Add("practiceAreas["+strconv.Itoa(i)+"].label", "is set by the server: leave it out")
		}
	}

	for _, path := range []string{"retention", "complexity", string(cases.FieldOverride)} {
		p.foreign(path, p.part(path), &f)
	}

	for _, field := range cases.Fields() {
		at, name := parent(string(field))
		if _, ok := p.part(at)[name]; ok {
			p.fields = append(p.fields, field)
		}
	}
	// Decoding has taken null for absent, so nulls are looked for in the text itself.
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

// foreign notes the members of the object at a path that are not for callers to write.
func (p *casePatch) foreign(at string, given object, f *validate.List) {
	for _, name := range sorted(given) {
		if !slices.Contains(writable[at], name) {
			f.Add(under(at, name), "is set by the server: leave it out")
		}
	}
}

// part returns the object at a path of the patch; nil when it is not there or null.
func (p *casePatch) part(path string) object {
	if path == "" {
		return p.given
	}
	at, name := parent(path)
	var part object
	if json.Unmarshal(p.part(at)[name], &part) != nil {
		return nil
	}

	return part
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

// merge returns the writable part of a case after the patch.
func (p *casePatch) merge(d cases.Draft) (cases.Draft, error) {
	now := wireDraft(d)

	after, err := merged(&now, p.given)
	if err != nil {
		return d, err
	}

	return after.draft(), nil
}

// merged applies a merge patch (RFC 7396) to the JSON of current.
func merged[T any](current *T, patch object) (*T, error) {
	text, err := json.Marshal(current)
	if err != nil {
		return nil, err
	}
	change, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	if text, err = mergeJSON(text, change); err != nil {
		return nil, err
	}
	out := new(T)
	// The patch alone was of the right form; together with what is stored it may not be.
	if err := json.Unmarshal(text, out); err != nil {
		return nil, httpx.ErrValidation
	}

	return out, nil
}

// mergeJSON is the algorithm of RFC 7396.
func mergeJSON(target, patch json.RawMessage) (json.RawMessage, error) {
	var change object
	// A value that is no object replaces what is there, lists too.
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
