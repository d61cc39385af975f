package parties

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"
)

// Page is one page of parties. More says that the list goes on after At.
type Page struct {
	Parties []Party
	At      Cursor // where the page ended
	More    bool
}

const (
	scanPage   = 100 // parties read at once from all cases
	scanRounds = 20  // such pages read for one answer
)

// Visible tells which of some cases the caller of ctx can see.
type Visible func(ctx context.Context, caseIDs []string) (map[string]bool, error)

// Everywhere returns a page of the parties of all cases that visible lets through, grouped by case. A party outlives
// the deletion of its case, which can be restored, so what is deleted is left out when it is read. A page can be
// shorter than limit and yet not be the last.
func (s *Service) Everywhere(
	ctx context.Context, tenant string, f Filter, after *Cursor, limit int, visible Visible,
) (Page, error) {
	var page Page
	if after != nil {
		page.At = *after
	}
	known := map[string]bool{}

	for range scanRounds {
		found, err := s.Store.List(ctx, tenant, f, after, scanPage)
		if err != nil {
			return Page{}, err
		}
		if err := learn(ctx, known, found, visible); err != nil {
			return Page{}, err
		}

		for _, p := range found {
			if !known[p.CaseID] {
				continue
			}
			// One more than the page holds is there, so the caller is told that the list goes on.
			if len(page.Parties) == limit {
				page.More = true
				return page, nil
			}
			page.Parties = append(page.Parties, p)
			page.At = Cursor{p.CaseID, p.Ordinal}
		}
		if len(found) < scanPage {
			return page, nil
		}
		last := found[len(found)-1]
		after = &Cursor{last.CaseID, last.Ordinal}
	}
	// The caller sees few of the cases that were read. What was read counts as the page, so that one call is not
	// without end.
	page.At, page.More = *after, true

	return page, nil
}

// learn asks about the cases of found that are not known yet.
func learn(ctx context.Context, known map[string]bool, found []Party, visible Visible) error {
	var unknown []string
	for _, p := range found {
		if _, asked := known[p.CaseID]; !asked && !slices.Contains(unknown, p.CaseID) {
			unknown = append(unknown, p.CaseID)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	seen, err := visible(ctx, unknown)
	if err != nil {
		return err
	}

	for _, id := range unknown {
		known[id] = seen[id]
	}

	return nil
}

// Roster is what the parties of a case say about it.
type Roster struct {
	Parties []Party  // the first ones, in order of creation, without what a browser keeps
	Active  int      // how many are active
	Clients []string // ids of the active clients
	Tokens  bool     // whether any party has conflict tokens
	Hits    []Hit    // the newest first
	// Unlisted is how many parties of other cases stand against this one, counted up to maxCounted, when that is more
	// than Hits is made from; else 0.
	Unlisted int
}

// Hit is a case in which a token of this case stands on the other side, with the roles that it has there.
type Hit struct {
	CaseID string
	Roles  []string
	at     time.Time // since when
}

// maxCounted bounds how many parties against a case are counted.
const maxCounted = 10_000

// Roster reads the parties of a case. most bounds those it returns; all are counted.
func (s *Service) Roster(ctx context.Context, tenant, caseID string, most int) (Roster, error) {
	all, err := s.Store.List(ctx, tenant, Filter{CaseID: caseID, Plain: true}, nil, MaxParties)
	if err != nil {
		return Roster{}, err
	}

	r := Roster{Parties: all[:min(most, len(all))]}
	for _, p := range all {
		if p.Status == Active {
			r.Active++
		}
		if p.Client() {
			r.Clients = append(r.Clients, p.ID)
		}
		r.Tokens = r.Tokens || len(p.Tokens) > 0
	}

	for _, side := range []string{Ours, Adverse} {
		if err := s.oppose(ctx, &r, tenant, caseID, side, tokensOf(all, side)); err != nil {
			return Roster{}, err
		}
	}
	slices.SortFunc(
		r.Hits, func(a, b Hit) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(a.CaseID, b.CaseID)) },
	)

	return r, nil
}

// tokensOf returns the tokens that parties have on a side, and since when.
func tokensOf(all []Party, side string) map[string]time.Time {
	tokens := map[string]time.Time{}

	for _, p := range all {
		if p.Side != side {
			continue
		}

		for _, t := range p.Tokens {
			// Of two parties with one token the later one decides since when there is a conflict.
			if p.ComparedAt.After(tokens[t]) || tokens[t].IsZero() {
				tokens[t] = p.ComparedAt
			}
		}
	}

	return tokens
}

// oppose adds to r what stands against the tokens of a side.
func (s *Service) oppose(ctx context.Context, r *Roster, tenant, caseID, side string, own map[string]time.Time) error {
	if len(own) == 0 {
		return nil
	}
	tokens := slices.Sorted(maps.Keys(own))
	found, err := s.Matches.Across(ctx, tenant, caseID, opposite(side), tokens, maxHits)
	if err != nil {
		return err
	}

	for _, m := range found {
		at := m.At
		for _, t := range m.Tokens {
			// A conflict begins when the later of the two parties got the token.
			if since := own[t]; since.After(at) {
				at = since
			}
		}
		r.Hits = withHit(r.Hits, m, at)
	}
	// Only a full answer can hide more, so the second query is rare.
	if len(found) == maxHits {
		n, err := s.Matches.CountAcross(ctx, tenant, caseID, opposite(side), tokens, maxCounted)
		if err != nil {
			return err
		}
		if n > maxHits {
			r.Unlisted += n
		}
	}

	return nil
}

func withHit(hits []Hit, m Match, at time.Time) []Hit {
	i := slices.IndexFunc(hits, func(h Hit) bool { return h.CaseID == m.CaseID })
	if i < 0 {
		return append(hits, Hit{CaseID: m.CaseID, Roles: []string{m.Role}, at: at})
	}
	h := &hits[i]
	if !slices.Contains(h.Roles, m.Role) {
		h.Roles = append(h.Roles, m.Role)
		slices.Sort(h.Roles)
	}
	if at.After(h.at) {
		h.at = at
	}

	return hits
}
