package lookuptool

import (
	"context"
	"encoding/json"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/catalogue"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// operations tells everything that the interface can do and the way to it. The schemas come with one operation or a
// full answer.
func (d *Service) operations(_ context.Context, q query) (found, error) {
	all := d.Catalogue.All()
	if q.ID != "" {
		if all = d.Catalogue.Named(q.ID); len(all) == 0 {
			return found{}, errs.ErrNotFound
		}
	}

	var f found
	for _, op := range all {
		f.items = append(f.items, d.operation(op, q.ID != "" || q.Detail == "full"))
	}

	return f, nil
}

func (d *Service) operation(op catalogue.Operation, schema bool) Item {
	fields := map[string]any{"endpoint": op.Method + " " + op.Path, "humanOnly": op.HumanOnly}
	if op.Tool != "" {
		fields["tool"], fields["scopes"] = op.Tool, op.Scopes
	}
	if len(op.Views) > 0 {
		fields["view"], fields["views"] = op.Views[0], op.Views
	}
	if op.Verb != "" {
		fields["operation"] = op.Verb
	}
	if schema {
		fields["arguments"] = op.Arguments
	}

	i := Item{
		ID:     op.ID,
		Type:   "operation",
		Title:  op.Summary,
		Fields: fields,
	}
	switch {
	case op.AgentsOnly:
		i.Summary = "Only an external agent calls this, over HTTP, with its own credential."
	case op.HumanOnly:
		i.Summary, i.URL = "Only a signed-in person does this; send the user to url.", d.Links.To(op.Action, "")
		fields["deepLink"] = i.URL
	case op.Tool == catalogue.Lookup:
		i.Summary = "legal_lookup, view " + op.Views[0]
	default:
		i.Summary = "legal_agent, " + op.Verb
	}
	if op.ID == "deleteCase" {
		i.Summary = "Only a person does this, except for an untouched intake that the user's own agent made: " +
			"legal_agent, delete_case."
	}

	return i
}

// service tells what the service is, who the caller is to it, and the settings of the caller's tenant.
func (d *Service) service(ctx context.Context, q query) (found, error) {
	settings, err := get[record](ctx, d.Cases.HTTP, nil, "v1", "settings")
	if err != nil {
		return found{}, err
	}
	card, err := recordOf(api.NewAgentCard(d.Base))
	if err != nil {
		return found{}, err
	}
	caller := access.CallerFrom(ctx)
	me := map[string]any{
		"user":   caller.UserID,
		"tenant": caller.Tenant,
		"kind":   string(caller.Kind),
		"client": caller.ClientID,
		"roles":  filled(caller.Roles),
		"scopes": filled(caller.Scopes),
	}
	if q.Detail == "brief" {
		delete(settings, "deadlineRules")
	}

	return found{items: []Item{
		{
			ID:      "card",
			Type:    "card",
			Title:   card.text("name"),
			Summary: card.text("description"),
			URL:     d.Base + "/.well-known/agent.json",
			Fields:  card,
		},
		{ID: "me", Type: "caller", Title: "You", Summary: "whom calls act for, and what was granted", Fields: me},
		{
			ID:     "settings",
			Type:   "settings",
			Title:  "Settings of the organization",
			URL:    d.Links.To("admin", ""),
			Fields: settings,
		},
	}}, nil
}

func recordOf(v any) (r record, err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}

	return r, json.Unmarshal(text, &r)
}

func filled(list []string) []string {
	if list == nil {
		return []string{}
	}

	return list
}
