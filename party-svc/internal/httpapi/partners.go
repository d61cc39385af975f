package httpapi

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/party-svc/internal/invites"
	"github.com/subrosa-legal/subrosa/party-svc/internal/partners"
	"github.com/subrosa-legal/subrosa/party-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/practicearea"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
	"golang.org/x/text/language"
)

// listed is the gate for searches of the directory: the names that stand there pass.
func (a *API) listed(tenant string) guard.Gate {
	return guard.Allowing{Gate: a.Gate, Words: func(ctx context.Context) guard.Lexicon {
		names, err := a.Catalog.Names(ctx, tenant)
		if err != nil {
			return nil // the search itself will say so
		}

		return names
	}}
}

// partnerParameters are those of a search.
var partnerParameters = []string{
	"q", "jurisdiction", "licensed", "practiceArea", "kind", "language", "tier", "availability", "feeModel",
	"forCaseId", "sort", "cursor", "limit", "includeTotal",
}

func (a *API) listPartners(c *gin.Context) error {
	caller := callerOf(c)
	if err := rights.SearchPartners(caller); err != nil {
		return err
	}
	params, err := httpx.Query(c, partnerParameters...)
	if err != nil {
		return err
	}
	q, err := partnerQuery(params)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	if s, ok := params["q"]; ok {
		if err := inputgate.Check(
			ctx,
			a.listed(caller.Tenant),
			a.Links.To(deeplink.AddIdentity, ""),
			inputgate.Text{Channel: guard.Query, Path: "q", Value: s},
		); err != nil {
			return err
		}
	}
	if id, ok := params["forCaseId"]; ok {
		if err := a.fitToCase(c, &q, id, params); err != nil {
			return err
		}
	}
	total, err := httpx.Flag(params, "includeTotal")
	if err != nil {
		return err
	}
	whole := []any{"partners", caller.Tenant, q.Filter, q.Wanted, q.Order, params["forCaseId"]}
	if q.After, err = a.Cursors.Partners.Place(params["cursor"], whole...); err != nil {
		return err
	}
	found, err := a.Catalog.Search(ctx, caller.Tenant, q)
	if err != nil {
		return err
	}
	out := partnerPage(found, q.Limit)
	if total {
		out.Total, out.TotalCapped = httpx.Capped(found.Total)
	}
	var cursor *string
	if found.More {
		s := a.Cursors.Partners.Next(found.At, whole...)
		cursor = &s
	}

	return httpx.Page(c, cursor, func(next *string) any { out.NextCursor = next; return out })
}

// fitToCase fills in what the caller left open from a case that it may read, and leaves out who is engaged for the case
// or in conflict.
func (a *API) fitToCase(c *gin.Context, q *partners.Query, id string, params map[string]string) error {
	caller := callerOf(c)
	if err := rights.ReadCase(caller); err != nil {
		return err
	}
	if !ids.Valid(id) {
		return errs.ErrNotFound
	}
	if err := a.ownCase(c, id); err != nil {
		return err
	}
	ctx := c.Request.Context()
	kase, err := a.Invites.Cases.Matter(ctx, id)
	if err != nil {
		return err
	}
	if _, given := params["jurisdiction"]; !given {
		q.Jurisdiction = kase.Jurisdiction
	}
	if _, given := params["practiceArea"]; !given && len(kase.Areas) > 0 {
		main := kase.Areas[0]
		if i := slices.IndexFunc(kase.Areas, func(p invites.Area) bool { return p.Primary }); i >= 0 {
			main = kase.Areas[i]
		}
		keys := practicearea.Keys(main.Scheme, main.Code)
		// who works in the whole area is found, who works in this part of it comes first
		q.PracticeKey, q.Wanted = keys[0], keys[len(keys)-1]
	}
	if _, given := params["tier"]; !given {
		q.Tier = kase.Tier
	}
	if _, given := params["language"]; !given && kase.Language != "" {
		q.Language, _, _ = strings.Cut(kase.Language, "-")
	}
	q.Skip, err = a.Invites.Engaged(ctx, caller.Tenant, id)

	return err
}

// partnerQuery reads the parameters of a search.
func partnerQuery(params map[string]string) (partners.Query, error) {
	q := partners.Query{Order: partners.ByRelevance}
	q.Availability = []string{partners.Open, partners.Limited}
	var err error
	if q.Limit, err = httpx.Limit(params); err != nil {
		return q, err
	}

	for _, read := range []func(map[string]string, *partners.Query) error{
		readWords, readPlace, readKinds, readNeeds, readOrder,
	} {
		if err := read(params, &q); err != nil {
			return q, err
		}
	}

	return q, nil
}

func readWords(params map[string]string, q *partners.Query) error {
	s, ok := params["q"]
	if !ok {
		return nil
	}
	if n := utf8.RuneCountInString(strings.TrimSpace(s)); n < 2 || n > 200 {
		return httpx.Parameter("q", "must be 2 to 200 characters")
	}
	if q.Words = partners.Words(s); len(q.Words) == 0 {
		return httpx.Parameter("q", "must hold a word")
	}

	return nil
}

func readPlace(params map[string]string, q *partners.Query) error {
	if s, ok := params["jurisdiction"]; ok {
		if !partners.IsJurisdiction(s) {
			return httpx.Parameter("jurisdiction", "must be an ISO 3166-1 or 3166-2 code such as US or US-CA")
		}
		q.Jurisdiction = s
	}

	switch s, ok := params["licensed"]; {
	case ok && s == "any":
		q.AnyLicence = true
	case ok && s != "active":
		return httpx.Parameter("licensed", "must be active or any")
	}
	if s, ok := params["practiceArea"]; ok {
		if q.PracticeKey, ok = practicearea.Key(s); !ok {
			return httpx.Parameter(
				"practiceArea", "must be a LIST code, a prefix of one such as HO-02, or a slug such as housing",
			)
		}
	}

	return nil
}

func readKinds(params map[string]string, q *partners.Query) error {
	if s, ok := params["kind"]; ok {
		q.Kinds = strings.Split(s, ",")
		if slices.ContainsFunc(q.Kinds, func(k string) bool { return !vocabulary.PartnerKinds.Has(k) }) {
			return httpx.Parameter("kind", "must be a comma list of kinds such as lawyer or mediator")
		}
	}
	if s, ok := params["availability"]; ok {
		q.Availability = strings.Split(s, ",")
		if slices.ContainsFunc(q.Availability, func(v string) bool { return !vocabulary.Availabilities.Has(v) }) {
			return httpx.Parameter("availability", "must be a comma list of open, limited, closed")
		}
	}

	return nil
}

func readNeeds(params map[string]string, q *partners.Query) error {
	if s, ok := params["language"]; ok {
		tag, err := language.Parse(s)
		if err != nil || len(s) > 35 {
			return httpx.Parameter("language", "must be a BCP 47 tag such as en or es-MX")
		}
		q.Language = tag.String()
	}
	if s, ok := params["tier"]; ok {
		n, err := httpx.Number(s)
		if err != nil || n < 1 || n > 4 {
			return httpx.Parameter("tier", "must be 1 to 4")
		}
		q.Tier = n
	}
	if s, ok := params["feeModel"]; ok {
		if !vocabulary.FeeModels.Has(s) {
			return httpx.Parameter("feeModel", "must be hourly, fixed, contingent, pro_bono or subscription")
		}
		q.FeeModel = s
	}

	return nil
}

func readOrder(params map[string]string, q *partners.Query) error {
	s, ok := params["sort"]
	if !ok {
		return nil
	}
	q.Order = partners.Order(s)
	if q.Order != partners.ByRelevance && q.Order != partners.ByName && q.Order != partners.ByResponse {
		return httpx.Parameter("sort", "must be relevance, name or response")
	}

	return nil
}

func partnerPage(r partners.Result, limit int) api.PartnerPage {
	out := api.PartnerPage{
		Page: api.Page[api.Partner]{Items: []api.Partner{}, Limit: limit},
		Facets: api.PartnerFacets{
			Kind:         facet(r.Kinds),
			Jurisdiction: facet(r.Places),
			PracticeArea: facet(r.Areas),
			Availability: facet(r.Availability),
		},
	}
	for _, f := range r.Page {
		p := partnerOf(f.Partner)

		p.Match = &api.PartnerMatch{Score: f.Score, Reasons: []string{}}
		for _, reason := range f.Reasons {
			p.Match.Reasons = append(p.Match.Reasons, fmt.Sprintf("%s: %d points", reason.Text, reason.Points))
		}
		out.Items = append(out.Items, p)
	}

	return out
}

func facet(counts []partners.Count) map[string]int {
	out := make(map[string]int, len(counts))
	for _, n := range counts {
		out[n.Value] = n.N
	}

	return out
}

// filled keeps lists from being null on the wire.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}

	return list
}

// partnerOf is the entry on the wire. The account behind it stays here.
func partnerOf(p partners.Partner) api.Partner {
	out := api.Partner{
		PartnerID:            p.ID,
		DisplayName:          p.DisplayName,
		Kind:                 p.Kind,
		Licences:             []api.Licence{},
		PracticeAreas:        []api.PartnerArea{},
		Languages:            filled(p.Languages),
		Jurisdictions:        filled(p.Jurisdictions),
		AcceptsTiers:         filled(p.AcceptsTiers),
		Availability:         p.Availability,
		Invitable:            p.Invitable(),
		CapacityNote:         p.CapacityNote,
		TypicalResponseHours: p.ResponseHours,
		FeeModels:            filled(p.FeeModels),
		ProfileURL:           p.ProfileURL,
		AgentCardURL:         p.AgentCardURL,
		UpdatedAt:            api.At(p.UpdatedAt),
	}
	for _, l := range p.Licences {
		wire := api.Licence{Jurisdiction: l.Jurisdiction, Body: l.Body, Kind: l.Kind, Status: l.Status}
		if l.VerifiedAt != nil {
			at := api.At(*l.VerifiedAt)
			wire.VerifiedAt = &at
		}
		out.Licences = append(out.Licences, wire)
	}

	for _, a := range p.PracticeAreas {
		out.PracticeAreas = append(out.PracticeAreas, api.PartnerArea(a))
	}

	return out
}
