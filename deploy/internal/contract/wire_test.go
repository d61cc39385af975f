package contract_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// wire names the struct that Go has for a schema of the document. Schemas whose objects are written by other means,
// as pages of lists and errors are, have none.
var wire = map[string]any{
	"Actor":               api.Actor{},
	"Agent":               api.Agent{},
	"AgentCard":           api.AgentCard{},
	"AgentTask":           api.AgentTask{},
	"AppGrant":            api.AppGrant{},
	"AuditEvent":          api.AuditEvent{},
	"Authority":           api.Authority{},
	"BearerToken":         api.BearerToken{},
	"Branch":              api.Branch{},
	"BranchDraft":         api.NewBranch{},
	"BranchSummary":       api.BranchSummary{},
	"Case":                api.CaseWith{},
	"CaseCounts":          api.CaseCounts{},
	"CaseRow":             api.CaseRow{},
	"CaseTombstone":       api.CaseTombstone{},
	"CitedSource":         api.CitedSource{},
	"Clearance":           api.Clearance{},
	"Computation":         api.Computation{},
	"Confidentiality":     api.Confidentiality{},
	"Container":           api.SupportContainer{},
	"ContentChunkEvent":   api.ContentChunkEvent{},
	"DeadlineRules":       api.DeadlineRules{},
	"DirectResponseEvent": api.DirectResponseEvent{},
	"Engine":              api.Engine{},
	"Entry":               api.TimelineEntry{},
	"EntryDraft":          api.NewEntry{},
	"ErrorEvent":          api.ErrorEvent{},
	"Evaluation":          api.Complexity{}, // as a case has it: that of a phase has no override
	"File":                api.File{},
	"FileContent":         api.FileContent{},
	"FileItems":           api.FileItems{},
	"FileText":            api.FileText{},
	"Forum":               api.Forum{},
	"GapEvent":            api.GapEvent{},
	"HeartbeatEvent":      api.HeartbeatEvent{},
	"Invite":              api.Invite{},
	"InviteOffer":         api.InviteOffer{},
	"InviteDraft":         api.NewInvite{},
	"KeyExpiry":           api.KeyExpiry{},
	"LineageStep":         api.LineageStep{},
	"Matter":              api.Matter{},
	"Me":                  api.Me{},
	"Member":              api.Member{},
	"Money":               api.Money{},
	"NextDeadline":        api.NextDeadline{},
	"OAuthFlows":          api.OAuthFlows{},
	"OffboardedMember":    api.OffboardedMember{},
	"Partner":             api.Partner{},
	"Party":               api.Party{},
	"PartyAttributes":     api.PartyAttributes{},
	"Phase":               api.Phase{},
	"PhaseEndEvent":       api.PhaseEndEvent{},
	"PhaseResponse":       api.PhaseResponse{},
	"PhaseStartEvent":     api.PhaseStartEvent{},
	"PhaseSummary":        api.PhaseSummary{},
	"PracticeArea":        api.PracticeArea{},
	"Proposal":            api.Proposal{},
	"RegisterRequest":     api.RegisterRequest{},
	"RegisteredAgent":     api.RegisteredAgent{},
	"RegistrationToken":   api.RegistrationToken{},
	"Retention":           api.Retention{},
	"Review":              api.Review{},
	"Sealed":              api.Sealed{},
	"SealedLabels":        api.SealedLabels{},
	"SessionStatus":       api.SessionStatus{},
	"Settings":            api.Settings{},
	"SignOut":             api.SignOut{},
	"SignedIn":            api.SignedIn{},
	"SignedOut":           api.SignedOut{},
	"SourceRef":           api.SourceRef{},
	"Stage":               api.Stage{},
	"StatusEvent":         api.StatusEvent{},
	"Supervision":         api.Supervision{},
	"Timeline":            api.Timeline{},
	"ToolCall":            api.ToolCall{},
	"UTBMS":               api.UTBMS{},
	"Usage":               api.Usage{},
	"Vault":               api.Vault{},
	"When":                api.When{},
	"Workspace":           api.Workspace[api.Case]{},
	"WrappedKey":          api.WrappedKey{},
}

// TestStructsAreAsTheSchemasSay compares names and presence without any traffic: a field that is in one of the two
// alone, or that a struct may leave out although the schema requires it, shows in no test that happens not to send it.
func TestStructsAreAsTheSchemasSay(t *testing.T) {
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range slices.Sorted(maps.Keys(wire)) {
		schema := doc.Components.Schemas[name]
		if schema == nil {
			t.Errorf("the document has no schema %s", name)
			continue
		}
		documented := map[string]bool{}
		members(schema.Value, documented, true)
		written := map[string]bool{}
		written = fieldsOf(reflect.TypeOf(wire[name]), written)

		for _, field := range slices.Sorted(maps.Keys(written)) {
			if _, ok := documented[field]; !ok {
				t.Errorf("%s.%s is in Go and not in the document", name, field)
			}
		}

		for _, field := range slices.Sorted(maps.Keys(documented)) {
			always, ok := written[field]
			if !ok {
				t.Errorf("%s.%s is in the document and not in Go", name, field)
			} else if documented[field] && !always {
				t.Errorf("%s.%s is required and has omitempty", name, field)
			}
		}
	}
}

// members collects the properties of a schema, and whether each is required in all of its forms.
func members(s *openapi3.Schema, into map[string]bool, whole bool) {
	for name := range s.Properties {
		into[name] = into[name] || whole && slices.Contains(s.Required, name)
	}

	for _, part := range s.AllOf {
		members(part.Value, into, whole)
	}

	for _, forms := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		for _, form := range forms {
			members(form.Value, into, false)
		}
	}
}

// fieldsOf collects the names of a struct's members in JSON, and whether each is always written.
func fieldsOf(t reflect.Type, into map[string]bool) map[string]bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			fieldsOf(f.Type, into)
		case name != "-" && name != "":
			into[name] = !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero")
		}
	}

	return into
}
