// Package auditapi answers GET /v1/audit/{chain}: a tenant's people read the record of one service, event by event with
// its hashes, so that they can check it without us.
package auditapi

import (
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// ErrHuman sends whoever is no person to one.
var ErrHuman = errs.New(
	errs.Forbidden,
	"human_required",
	"Only a person may read the audit record. Ask the user to open the deep link.",
)

// Limits of a page, in events.
const (
	defaultLimit = 25
	maxLimit     = 100
)

// Config says what record is read, and how.
type Config struct {
	Name    string // of the chain
	Chain   *chain.Chain
	Secret  string // that the key of cursors is derived from, the same on all replicas
	Browser string // base address of the browser app, for deep links
	Now     func() time.Time
}

// Handler returns the handler of one chain. Whoever calls it has shown an internal token; of all of them it serves user
// sessions only, and puts the refusal of others on record.
func Handler(cfg Config) (func(*gin.Context) error, error) {
	cursors, err := httpx.NewCursors[int64]("audit "+cfg.Name, cfg.Secret, cfg.Now)
	if err != nil {
		return nil, err
	}
	r := &reader{cfg, cursors}

	return r.list, nil
}

type reader struct {
	cfg     Config
	cursors *httpx.Cursors[int64]
}

func (r *reader) list(c *gin.Context) error {
	c.Header("Cache-Control", "no-store")
	ctx, caller := c.Request.Context(), access.CallerFrom(c.Request.Context())
	if caller.Kind != access.User {
		return r.refuse(c, caller)
	}
	params, err := httpx.Query(c, "resourceId", "action", "from", "to", "cursor", "limit")
	if err != nil {
		return err
	}
	f, err := filterOf(params)
	if err != nil {
		return err
	}
	// A cursor is bound to all of these, so that it cannot be taken to another tenant or filter.
	list := []any{r.cfg.Name, caller.Tenant, f.ResourceID, f.Action, f.From, f.To}
	at, err := r.cursors.Place(params["cursor"], list...)
	if err != nil {
		return err
	}
	if at != nil {
		f.AfterSeq = *at
	}
	limit := f.Limit
	// One event more than the page has tells whether another follows.
	f.Limit++
	events, err := r.cfg.Chain.List(ctx, caller.Tenant, f)
	if err != nil {
		return fmt.Errorf("read the audit record: %w", err)
	}

	page := api.Page[api.AuditEvent]{Items: []api.AuditEvent{}, Limit: limit}
	for _, e := range events[:min(limit, len(events))] {
		page.Items = append(page.Items, record.Wire(e))
	}
	var cursor *string
	if len(events) > limit {
		next := r.cursors.Next(events[limit-1].Seq, list...)
		cursor = &next
	}

	return httpx.Page(c, cursor, func(next *string) any {
		page.NextCursor = next
		return page
	})
}

// refuse sends a machine to a person.
func (r *reader) refuse(c *gin.Context, caller access.Caller) error {
	if caller.Tenant == "" {
		// Without a tenant there is no chain to record it on.
		return access.ErrForbidden
	}
	ctx := c.Request.Context()
	_, err := r.cfg.Chain.Append(ctx, caller.Tenant, record.Event{
		Actor: record.Acting(
			string(caller.Kind),
			caller.ID(),
			caller.UserID,
		), Action: "audit.read", Resource: record.Resource{Type: "audit", ID: r.cfg.Name},
		Outcome: "refused", RequestID: httpx.RequestID(ctx),
	})
	if err != nil {
		return fmt.Errorf("record a refusal: %w", err)
	}

	return ErrHuman.WithDeepLink(strings.TrimRight(r.cfg.Browser, "/") + "/i/audit")
}

var actionForm = regexp.MustCompile(`^[a-z][a-z0-9_.:-]{0,63}$`)

func filterOf(params map[string]string) (chain.Filter, error) {
	f := chain.Filter{ResourceID: params["resourceId"], Action: params["action"], Limit: defaultLimit}
	if s, ok := params["resourceId"]; ok && (s == "" || len(s) > record.MaxID) {
		return f, parameter("resourceId", "must be an id of at most 256 bytes")
	}
	if s, ok := params["action"]; ok && !actionForm.MatchString(s) {
		return f, parameter("action", "must be an action such as case.create")
	}

	for name, at := range map[string]*time.Time{"from": &f.From, "to": &f.To} {
		s, ok := params[name]
		if !ok {
			continue
		}
		t, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			return f, parameter(name, "must be an instant such as 2026-03-04T05:06:07.089Z")
		}
		*at = t.UTC()
	}
	if s, ok := params["limit"]; ok {
		n, err := httpx.Number(s)
		if err != nil || n < 1 || n > maxLimit {
			return f, parameter("limit", "must be 1 to 100")
		}
		f.Limit = n
	}

	return f, nil
}

// parameter refuses one query parameter.
func parameter(name, remedy string) error {
	return httpx.ErrParameter.WithDetails(errs.Detail{Path: name, Message: remedy})
}

// Mount lays the route of the chain on r, whose callers have shown internal tokens.
func Mount(r gin.IRouter, cfg Config, log *slog.Logger) error {
	h, err := Handler(cfg)
	if err != nil {
		return err
	}
	r.GET("/v1/audit/"+cfg.Name, httpx.Handle(log, h))

	return nil
}
