package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type auditCmd struct {
	List   auditListCmd   `cmd:"" help:"List the events of one chain."`
	Verify auditVerifyCmd `cmd:"" help:"Read all four chains and check them here, without trust in the service."`
}

type auditListCmd struct {
	Chain    string `arg:"" enum:"case,party,agents,auth" help:"${enum}."`
	Resource string `help:"Of this thing." placeholder:"ID"`
	Action   string `help:"Such as case.create." placeholder:"ACTION"`
	From     string `help:"At or after." placeholder:"INSTANT"`
	To       string `help:"Before." placeholder:"INSTANT"`
	paging   `embed:""`
}

// Run lists events.
func (cmd *auditListCmd) Run(sh *shell) error {
	q := url.Values{}
	for name, value := range map[string]string{
		"resourceId": cmd.Resource,
		"action":     cmd.Action,
		"from":       cmd.From,
		"to":         cmd.To,
	} {
		params(q).text(name, value)
	}
	c, err := sh.person()
	if err != nil {
		return err
	}

	return listed(sh, c, cmd.paging, httpcall.Path("v1", "audit", cmd.Chain), q,
		func(w io.Writer, events []api.AuditEvent) {
			table(w, []string{"NO", "AT", "WHO", "ACTION", "OUTCOME", "ON"}, func(row func(...any)) {
				for _, e := range events {
					row(e.Seq, local(e.At), who(e.Actor), e.Action, e.Outcome, e.Resource.Type+" "+e.Resource.ID)
				}
			})
		})
}

// chains are those of an installation.
var chains = []string{record.Case, record.Party, record.Agents, record.Auth}

// who names an actor, and whom it acted for.
func who(a api.AuditActor) string {
	if a.UserID == "" {
		return a.Kind + " " + a.ID
	}

	return a.Kind + " " + a.ID + " for " + a.UserID
}

type auditVerifyCmd struct {
	Forget bool `help:"Do not compare with what was seen at the last verification from here."`
}

// seenHead is the end of a chain as it was when it was verified last. It is kept, so that a chain that was cut short is
// noticed.
type seenHead struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// verified says what became of one chain.
type verified struct {
	Chain  string `json:"chain"`
	OK     bool   `json:"ok"`
	Events int64  `json:"events"`
	Head   string `json:"head,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Run verifies.
func (cmd *auditVerifyCmd) Run(sh *shell) error {
	c, err := sh.person()
	if err != nil {
		return err
	}
	me, err := call[api.Me](sh, c, get("v1", "me"))
	if err != nil {
		return err
	}
	results := make([]verified, 0, len(chains))
	heads := map[string]seenHead{}
	broken := 0

	for _, chain := range chains {
		known := sh.site.Heads[me.v.Tenant+"/"+chain]
		if cmd.Forget {
			known = seenHead{}
		}
		got, err := verify(sh, c, chain, me.v.Tenant, known)
		if err != nil {
			return err
		}
		if !got.OK {
			broken++
		} else if got.Events > 0 {
			// Only the head of an intact chain is remembered: a broken one must go on failing.
			heads[me.v.Tenant+"/"+chain] = seenHead{got.Events, got.Head}
		}
		results = append(results, got)
	}
	// The report is printed even if the heads could not be kept: a broken chain is the more important news.
	kept := sh.book.keep(sh.ctx, sh.site, func(s *site) { s.remember(heads) })
	if err := errors.Join(kept, report(sh, results)); err != nil {
		return err
	}
	if broken > 0 {
		return &reported{fmt.Sprintf("%d of %d chains are broken", broken, len(chains))}
	}

	return nil
}

// verify reads a chain from its first event on.
func verify(sh *shell, c *client.Client, name, tenant string, known seenHead) (verified, error) {
	v := record.Verifier{Tenant: tenant}
	q := url.Values{"limit": {"100"}}

	result := verified{Chain: name}
	for {
		page, err := call[api.Page[api.AuditEvent]](sh, c, find(q, "v1", "audit", name))
		if err != nil {
			return result, err
		}

		for _, e := range page.v.Items {
			// The hashes are computed here. That the service calls a chain intact proves nothing.
			if err := v.Add(record.EventOf(e)); err != nil {
				result.Reason = err.Error()
				break
			}
			// A chain that was rewritten from the beginning is consistent in itself; only the remembered hash gives it
			// away.
			if e.Seq == known.Seq && e.Hash != known.Hash {
				result.Reason = fmt.Sprintf("event %d is not the one that was there at the last verification", e.Seq)
				break
			}
		}
		if result.Reason != "" || page.v.NextCursor == nil {
			break
		}
		q.Set("cursor", *page.v.NextCursor)
	}
	result.Events, result.Head = v.Head()
	// A chain that was cut at its end is consistent too.
	if result.Reason == "" && result.Events < known.Seq {
		result.Reason = fmt.Sprintf("it ends at event %d; at the last verification it went to %d",
			result.Events, known.Seq)
	}
	result.OK = result.Reason == ""

	return result, nil
}

func report(sh *shell, results []verified) error {
	if sh.root.JSON {
		whole, err := json.Marshal(results)
		if err != nil {
			return err
		}

		return printRaw(sh.Out, whole)
	}
	table(sh.Out, []string{"CHAIN", "EVENTS", "STATE", "HEAD"}, func(row func(...any)) {
		for _, r := range results {
			state := "whole"
			if !r.OK {
				state = "BROKEN: " + r.Reason
			}
			row(r.Chain, r.Events, state, r.Head)
		}
	})

	return nil
}
