package partners

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/subrosa-legal/subrosa/pkg/practicearea"
)

// MaxEntries bounds the directory of one tenant, and with it what a search ranks in memory.
const MaxEntries = 10_000

// Filter chooses partners; zero fields choose all.
type Filter struct {
	Words        []string // all of them
	Jurisdiction string
	AnyLicence   bool // Jurisdiction by any licence, or by where work is accepted
	PracticeKey  string
	Kinds        []string
	Language     string
	Tier         int
	Availability []string
	FeeModel     string
}

// Store keeps the directories.
type Store interface {
	// Get returns ErrNotFound if the tenant's own directory has no such partner.
	Get(ctx context.Context, tenant, id string) (Partner, error)
	// Find returns those partners of the tenant's own directory that f lets through, in no order.
	Find(ctx context.Context, tenant string, f Filter) ([]Partner, error)
	// Editions returns the numbers of directories, by tenant. A number rises whenever Reissue is called; 0 before.
	Editions(ctx context.Context, tenants ...string) (map[string]int64, error)
	// Reissue says that the tenant's directory is being changed, or was.
	Reissue(ctx context.Context, tenant string) error
	// Count counts the entries of the tenant's own directory.
	Count(ctx context.Context, tenant string) (int, error)
	// Put saves an entry: a new one, or the next version of the one that is there. Of several at once one wins, and the
	// others get errs.ErrTaken.
	Put(ctx context.Context, p Partner) error
}

// Lookup returns a partner that a tenant can see: its own, or one of the public directory.
func Lookup(ctx context.Context, s Store, tenant, id string) (Partner, error) {
	p, err := s.Get(ctx, tenant, id)
	if err == nil || tenant == Public || !isNotFound(err) {
		return p, err
	}

	return s.Get(ctx, Public, id)
}

// Order is what a search is sorted by.
type Order string

// What partners can be ordered by; name and id decide between equals.
const (
	ByRelevance Order = "relevance"
	ByName      Order = "name"
	ByResponse  Order = "response" // the quickest first, those who do not say last
)

// Query is a search.
type Query struct {
	Filter
	Wanted string // key of the exact area of the matter, where PracticeKey is broader
	Order  Order
	After  *Cursor
	Limit  int
	Skip   map[string]bool // ids to leave out
}

// Cursor is where a page ended.
type Cursor struct {
	Rank int    `json:"r"` // sort key before the name
	Name string `json:"n"`
	ID   string `json:"i"`
}

// Reason is one thing that was asked for and found.
type Reason struct {
	Text   string
	Points int
}

// Found is a partner with why it was found.
type Found struct {
	*Entry
	Score   int
	Reasons []Reason
}

// ranked is a candidate with its place.
type ranked struct {
	*Entry
	at Cursor
}

// Count is how many partners have a value.
type Count struct {
	Value string
	N     int
}

// Result is one page of a search.
type Result struct {
	Page         []Found
	More         bool
	At           Cursor
	Total        int
	Kinds        []Count
	Places       []Count
	Areas        []Count
	Availability []Count
}

// maxFacet bounds the values of a facet.
const maxFacet = 50

// Search finds, ranks and counts.
func (c *Catalog) Search(ctx context.Context, tenant string, q Query) (Result, error) {
	list, err := c.find(ctx, tenant, q.Filter)
	if err != nil {
		return Result{}, err
	}
	list = slices.DeleteFunc(list, func(e *Entry) bool { return q.Skip[e.ID] })
	r := Result{Total: len(list)}
	kinds, places, areas, availability := tally{}, tally{}, tally{}, tally{}

	all := make([]ranked, len(list))
	for i, e := range list {
		all[i] = ranked{e, q.placeOf(e)}
		kinds.add(e.Kind)
		availability.add(e.Availability)
		places.add(q.places(e)...)
		areas.add(e.areas...)
	}
	r.Kinds, r.Places, r.Areas, r.Availability = kinds.counts(), places.counts(), areas.counts(), availability.counts()
	slices.SortFunc(all, func(a, b ranked) int { return a.at.compare(b.at) })
	if q.After != nil {
		// The entry that the page ended with may be gone by now. Then the next one after its place comes first.
		from, exact := slices.BinarySearchFunc(all, *q.After, func(f ranked, at Cursor) int { return f.at.compare(at) })
		if exact {
			from++
		}
		all = all[from:]
	}

	r.More = len(all) > q.Limit
	for _, f := range all[:min(q.Limit, len(all))] {
		r.Page, r.At = append(r.Page, q.explain(f.Entry)), f.at
	}

	return r, nil
}

// places are those that the facet of jurisdictions counts a partner under.
func (q Query) places(e *Entry) []string {
	if q.AnyLicence {
		return e.anywhere
	}

	return e.licensed
}

func (q Query) placeOf(e *Entry) Cursor {
	at := Cursor{Name: e.sortName, ID: e.ID}

	switch q.Order {
	case ByName:
	case ByResponse:
		// Those who do not say come behind the slowest who does.
		at.Rank = maxHours + 1
		if e.ResponseHours != nil {
			at.Rank = *e.ResponseHours
		}
	default:
		// Ranks rise and points fall, so that one comparison serves every order.
		q.judge(e, func(points int, _, _ string) { at.Rank -= points })
	}

	return at
}

func (p Cursor) compare(o Cursor) int {
	return cmp.Or(cmp.Compare(p.Rank, o.Rank), cmp.Compare(p.Name, o.Name), cmp.Compare(p.ID, o.ID))
}

// Points of the reasons.
const (
	pointsName     = 30
	pointsWords    = 15
	pointsLicence  = 30
	pointsReach    = 10
	pointsArea     = 25
	pointsNearArea = 15
	pointsLanguage = 10
	pointsTier     = 10
	pointsFee      = 5
	pointsOpen     = 10
	pointsLimited  = 5
	pointsQuick    = 5
	quickHours     = 24
)

// explain says why a partner was found.
func (q Query) explain(e *Entry) Found {
	f := Found{Entry: e}
	q.judge(e, func(points int, text, what string) {
		f.Score += points
		f.Reasons = append(f.Reasons, Reason{text + what, points})
	})

	return f
}

// judge gives points for what fits, each with a text and what it is about. What was not asked for gives none, but for
// being free and quick.
func (q Query) judge(e *Entry, give func(points int, text, what string)) {
	add := func(holds bool, points int, text, what string) bool {
		if holds {
			give(points, text, what)
		}

		return holds
	}
	if len(q.Words) > 0 {
		inName := !slices.ContainsFunc(q.Words, func(w string) bool { return !slices.Contains(e.name, w) })
		if !add(inName, pointsName, "the name has all the words", "") {
			give(pointsWords, "the entry has all the words", "")
		}
	}
	if j := q.Jurisdiction; j != "" {
		if !add(slices.Contains(e.licences, j), pointsLicence, "active licence in ", j) {
			give(pointsReach, "works in ", j)
		}
	}
	if key := cmp.Or(q.Wanted, q.PracticeKey); key != "" {
		if !add(slices.Contains(e.practice, key), pointsArea, "works in ", key) {
			give(pointsNearArea, "works in ", q.PracticeKey)
		}
	}
	add(q.Language != "", pointsLanguage, "speaks ", q.Language)
	if q.Tier != 0 {
		give(pointsTier, "accepts tier ", strconv.Itoa(q.Tier))
	}
	add(q.FeeModel != "", pointsFee, "offers ", q.FeeModel)
	if !add(e.Availability == Open, pointsOpen, "is open for work", "") {
		add(e.Availability == Limited, pointsLimited, "has limited capacity", "")
	}
	add(e.ResponseHours != nil && *e.ResponseHours <= quickHours, pointsQuick, "answers within a day", "")
}

// tally counts values.
type tally map[string]int

func (t tally) add(values ...string) {
	for _, v := range values {
		t[v]++
	}
}

func (t tally) counts() []Count {
	list := []Count{}
	for v, n := range t {
		list = append(list, Count{v, n})
	}
	slices.SortFunc(list, func(a, b Count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Value, b.Value)) })

	return list[:min(len(list), maxFacet)]
}

// Words splits text into the lower-case words by which an entry is found.
func Words(text string) []string {
	var list []string
	for _, w := range strings.FieldsFunc(
		text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) },
	) {
		if w = strings.ToLower(w); !slices.Contains(list, w) {
			list = append(list, w)
		}
	}

	return list
}

// SearchWords returns the words by which the partner is found: of its name, its kind and the names of its areas.
func (p Partner) SearchWords() []string {
	text := p.DisplayName + " " + p.Kind
	for _, a := range p.PracticeAreas {
		text += " " + strings.Join(practicearea.Names(a.Scheme, a.Code), " ")
	}

	return Words(text)
}
