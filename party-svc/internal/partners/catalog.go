package partners

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// Catalog is what searches read: the public directory, kept in memory, and from the store the searching tenant's own.
// It holds nothing of any tenant but Public.
type Catalog struct {
	store   Store
	now     func() time.Time
	loading chan struct{} // full while one search brings the snapshot up to date
	public  atomic.Pointer[snapshot]
}

// NewCatalog returns the catalog of what store keeps.
func NewCatalog(store Store, now func() time.Time) *Catalog {
	return &Catalog{store: store, now: now, loading: make(chan struct{}, 1)}
}

// snapshot is the public directory as it was at an edition.
type snapshot struct {
	edition int64
	until   time.Time
	entries []*Entry
	names   guard.Lexicon
}

// snapshotTime is how long a snapshot is believed though its edition is the newest: it heals what a load left that
// broke off.
const snapshotTime = 5 * time.Minute

// Entry is a partner with what searches compare, made once. It is shared and must not be changed.
type Entry struct {
	Partner
	sortName                             string
	words, name                          []string
	licences, reach, practice, languages []string
	licensed, anywhere, areas            []string // for the facets
}

// Indexed returns p ready to be searched.
func Indexed(p Partner) *Entry {
	same := func(s string) []string { return []string{s} }
	e := &Entry{
		Partner:   p,
		sortName:  strings.ToLower(p.DisplayName),
		words:     p.SearchWords(),
		name:      Words(p.DisplayName),
		licences:  p.LicenceKeys(),
		reach:     p.ReachKeys(),
		practice:  p.PracticeKeys(),
		languages: p.LanguageKeys(),
	}
	e.licensed = gather(p.Licences, func(l Licence) []string {
		if l.Status != ActiveLicence {
			return nil
		}

		return same(l.Jurisdiction)
	})
	e.anywhere = gather(
		append(gather(p.Licences, func(l Licence) []string { return same(l.Jurisdiction) }), p.Jurisdictions...), same,
	)
	e.areas = gather(p.PracticeAreas, func(a Area) []string {
		if a.Scheme != "LIST" {
			return nil
		}

		return same(a.Code[:2])
	})

	return e
}

// find returns the entries that f lets through, of the public directory and the tenant's own.
func (c *Catalog) find(ctx context.Context, tenant string, f Filter) ([]*Entry, error) {
	// The numbers of both directories come in one trip, and tell whether what is in memory is still true.
	editions, err := c.store.Editions(ctx, tenant, Public)
	if err != nil {
		return nil, err
	}
	public, err := c.newest(ctx, editions[Public])
	if err != nil {
		return nil, err
	}

	list := make([]*Entry, 0, len(public.entries))
	for _, e := range public.entries {
		if f.lets(e) {
			list = append(list, e)
		}
	}
	if tenant == Public || editions[tenant] == 0 { // most tenants have no directory of their own
		return list, nil
	}
	own, err := c.store.Find(ctx, tenant, f)
	if err != nil {
		return nil, err
	}

	for _, p := range own {
		list = append(list, Indexed(p))
	}

	return list, nil
}

// newest returns the public directory. When there is a newer edition, one search reads it, and the others go on with
// what there is.
func (c *Catalog) newest(ctx context.Context, edition int64) (*snapshot, error) {
	seen := c.public.Load()
	if c.fresh(seen, edition) {
		return seen, nil
	}
	select {
	case c.loading <- struct{}{}:
	default:
		if seen != nil {
			return seen, nil
		}
		select { // the first searches wait for the first snapshot
		case c.loading <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}

	defer func() { <-c.loading }()
	if seen = c.public.Load(); c.fresh(seen, edition) { // read by another meanwhile
		return seen, nil
	}
	until := c.now().Add(snapshotTime)
	all, err := c.store.Find(ctx, Public, Filter{})
	if err != nil {
		return nil, err
	}

	s := &snapshot{edition: edition, until: until, entries: make([]*Entry, len(all))}
	for i, p := range all {
		s.entries[i] = Indexed(p)
	}
	s.names = namesOf(all)
	c.public.Store(s)

	return s, nil
}

// Names returns the names in the directory that the tenant searches, whole and word by word: they identify
// professionals who are listed there to be found, and no client.
func (c *Catalog) Names(ctx context.Context, tenant string) (guard.Lexicon, error) {
	editions, err := c.store.Editions(ctx, tenant, Public)
	if err != nil {
		return nil, err
	}
	public, err := c.newest(ctx, editions[Public])
	if err != nil {
		return nil, err
	}
	if tenant == Public || editions[tenant] == 0 {
		return public.names, nil
	}
	own, err := c.store.Find(ctx, tenant, Filter{})
	if err != nil {
		return nil, err
	}
	names := namesOf(own)
	maps.Copy(names, public.names)

	return names, nil
}

func namesOf(list []Partner) guard.Lexicon {
	var words []string
	for _, p := range list {
		words = append(append(words, p.DisplayName), strings.Fields(p.DisplayName)...)
	}

	return guard.NewLexicon(words)
}

func (c *Catalog) fresh(s *snapshot, edition int64) bool {
	return s != nil && s.edition >= edition && c.now().Before(s.until)
}

// lets reports whether the filter lets an entry through, as Store.Find does.
func (f Filter) lets(e *Entry) bool {
	for _, asked := range []struct {
		value string
		has   []string
	}{{f.PracticeKey, e.practice}, {f.Language, e.languages}, {f.FeeModel, e.FeeModels}} {
		if asked.value != "" && !slices.Contains(asked.has, asked.value) {
			return false
		}
	}
	places := e.licences
	if f.AnyLicence {
		places = e.reach
	}

	switch {
	case f.Jurisdiction != "" && !slices.Contains(places, f.Jurisdiction),
		f.Tier != 0 && !slices.Contains(e.AcceptsTiers, f.Tier),
		len(f.Kinds) > 0 && !slices.Contains(f.Kinds, e.Kind),
		len(f.Availability) > 0 && !slices.Contains(f.Availability, e.Availability):
		return false
	}

	return !slices.ContainsFunc(f.Words, func(w string) bool { return !slices.Contains(e.words, w) })
}
