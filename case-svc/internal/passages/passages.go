// Package passages finds in the files of a case what answers a query. It keeps one index per case in memory, as long as
// there is room, and makes it anew when the files of the case have changed.
package passages

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/search"
	"golang.org/x/sync/singleflight"
)

// buildTime bounds the making of one index.
const buildTime = 30 * time.Second

// Search finds passages.
type Search struct {
	fileStore files.FileStore
	texts     files.Texts
	cache     *cache
	building  singleflight.Group
	builders  chan struct{}
}

// New returns a Search whose indexes take up to bytes of memory, those being built apart: each of these takes at most
// half as much, and two are built at once.
func New(fileStore files.FileStore, texts files.Texts, bytes int) *Search {
	return &Search{fileStore: fileStore, texts: texts, cache: newCache(bytes), builders: make(chan struct{}, 2)}
}

// Request asks for passages of one case.
type Request struct {
	Tenant    string
	CaseID    string
	Query     string
	FileIDs   []string // only in these; none means all
	ForAgents bool     // only in files that agents may read
	Brought   bool     // not in drafts that phases made, unless FileIDs names them
	Broad     bool     // other words count for one that no file has: see search.Options
	Limit     int
}

// Hit is one passage found.
type Hit struct {
	Source   Source
	FileName string
	Text     string // the whole passage
	Score    float64
	Matched  []string
	Near     []string // those of Matched that are only near in meaning to a word of the query

	Generated bool // in a draft of this service
}

// Source points at the words of a passage that matter most.
type Source = cases.SourceRef

// Result says what was found, and what could be read at all.
type Result struct {
	Hits             []Hit
	Read, Unreadable int      // files
	Absent           []string // words of the query that no file of the case has, nor others for them
	Places           int      // pages and pictures, in the files that were read, that nobody read
}

// Find returns the best passages. A file that the case does not have is files.ErrNotFound.
func (s *Search) Find(ctx context.Context, r Request) (Result, error) {
	o, err := s.open(ctx, r)
	if err != nil {
		return Result{}, err
	}

	hits, absent := o.search(r, r.Limit, o.in)

	return Result{
		Hits:       hits,
		Absent:     absent,
		Read:       len(o.in),
		Unreadable: o.unreadable,
		Places:     o.places,
	}, nil
}

// FindInEach returns the best passages of each file that has any, up to r.Limit of each.
func (s *Search) FindInEach(ctx context.Context, r Request) (map[string][]Hit, error) {
	o, err := s.open(ctx, r)
	if err != nil {
		return nil, err
	}
	found := map[string][]Hit{}
	// One search over all files is cheaper than one for each, and usually enough.
	all, _ := o.search(r, search.MaxLimit, o.in)
	if len(all) == search.MaxLimit { // there are more, and those of one file may have crowded out another's
		for _, id := range o.in {
			if hits, _ := o.search(r, r.Limit, []string{id}); len(hits) > 0 {
				found[id] = hits
			}
		}

		return found, nil
	}

	for _, h := range all {
		if id := h.Source.FileID; len(found[id]) < r.Limit {
			found[id] = append(found[id], h)
		}
	}

	return found, nil
}

// Rebuilt says what a new index covers.
type Rebuilt struct {
	Files      int
	Unreadable int // files without text, or beyond the memory for an index
	Passages   int
}

// Rebuild drops the index of a case that this process has and makes it anew. Other processes keep theirs, which they
// make anew whenever the files of the case change.
func (s *Search) Rebuild(ctx context.Context, tenant, caseID string) (Rebuilt, error) {
	held, err := s.held(ctx, tenant, caseID)
	if err != nil {
		return Rebuilt{}, err
	}
	r := Request{Tenant: tenant, CaseID: caseID}
	// The stamp of the files has not changed, so the index that is kept would be taken for current.
	s.cache.remove(tenant + "/" + caseID)
	index, covered, err := s.index(ctx, r, held)
	if err != nil {
		return Rebuilt{}, err
	}

	return Rebuilt{Files: len(covered), Unreadable: len(held) - len(covered), Passages: index.Passages()}, nil
}

// held returns the active files of a case but for sealed originals: these have no text to search, and what is said of a
// search reaches agents, who never learn that there is one.
func (s *Search) held(ctx context.Context, tenant, caseID string) ([]files.Holding, error) {
	all, err := s.fileStore.Holdings(ctx, tenant, caseID)
	return slices.DeleteFunc(all, func(h files.Holding) bool { return h.Sealed }), err
}

// opened is an index with the files in which a request may search.
type opened struct {
	index      *search.Index
	in         []string
	names      map[string]string
	generated  map[string]bool // drafts of this service
	unreadable int
	places     int
}

func (s *Search) open(ctx context.Context, r Request) (opened, error) {
	held, err := s.held(ctx, r.Tenant, r.CaseID)
	if err != nil {
		return opened{}, err
	}

	// A file that is not the case's is told before anything is searched: the caller would take silence for "not found
	// in it".
	for _, id := range r.FileIDs {
		if !slices.ContainsFunc(held, func(h files.Holding) bool { return h.ID == id }) {
			return opened{}, files.ErrNotFound
		}
	}
	index, covered, err := s.index(ctx, r, held)
	if err != nil {
		return opened{}, err
	}
	o := opened{index: index, in: []string{}, names: map[string]string{}, generated: map[string]bool{}}

	for _, h := range held {
		chosen := slices.Contains(r.FileIDs, h.ID)
		if len(r.FileIDs) == 0 {
			chosen = !r.Brought || !h.Generated
		}
		if !chosen {
			continue
		}
		if !covered[h.ID] || r.ForAgents && !h.AgentReadable {
			o.unreadable++
			continue
		}
		o.in, o.names[h.ID], o.generated[h.ID] = append(o.in, h.ID), h.Name, h.Generated
		o.places += h.Unread
	}

	return o, nil
}

// search returns the best passages, and the words of the query that no file has.
func (o opened) search(r Request, limit int, in []string) (hits []Hit, absent []string) {
	found, absent := o.index.Find(r.Query, search.Options{Limit: limit, FileIDs: in, Among: o.in, Broad: r.Broad})

	for _, h := range found {
		hits = append(hits, Hit{
			Source: sourceOf(h), FileName: o.names[h.FileID], Text: h.Text, Score: h.Score,
			Matched: h.Matched, Near: h.Near, Generated: o.generated[h.FileID],
		})
	}

	return hits, absent
}

// built is an index with the files that it covers.
type built struct {
	stamp   string
	index   *search.Index
	covered map[string]bool
}

// index returns the index of the case as its files stand now. Callers that come at the same time wait for one making.
func (s *Search) index(ctx context.Context, r Request, held []files.Holding) (*search.Index, map[string]bool, error) {
	name := r.Tenant + "/" + r.CaseID
	stamp := stampOf(held)
	if b, ok := s.cache.get(name, stamp); ok {
		return b.index, b.covered, nil
	}
	// The stamp is in the name, so that nobody is given an index of files as they were.
	made := s.building.DoChan(name+"/"+stamp, func() (_ any, err error) {
		defer func() {
			if recover() != nil { // here a panic would end the process; its value may hold text
				err = errBroken
			}
		}()

		if b, ok := s.cache.get(name, stamp); ok {
			return b, nil // it was made after this caller had looked, and before it came here
		}

		whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), buildTime) // the others wait for it too
		defer cancel()
		b, err := s.build(whole, r, held)
		if err != nil {
			return nil, err
		}
		b.stamp = stamp
		s.cache.put(name, b)

		return b, nil
	})
	select {
	case got := <-made:
		if got.Err != nil {
			return nil, nil, got.Err
		}
		b, ok := got.Val.(built)
		if !ok {
			panic("passages: an index of another kind")
		}

		return b.index, b.covered, nil
	case <-ctx.Done():
		return nil, nil, fmt.Errorf("wait for the index of a case: %w: %w", errs.ErrUnavailable, ctx.Err())
	}
}

// stampOf changes whenever the files of a case do.
func stampOf(held []files.Holding) string {
	h := sha256.New()
	for _, f := range held {
		fmt.Fprintf(h, "%s %d %d\n", f.ID, f.Version, f.TextVersion)
	}

	return hex.EncodeToString(h.Sum(nil))
}

// Failures of our own.
var (
	errTextGone = errors.New("the text of a file is missing")
	errBroken   = errors.New("a case could not be indexed")
)

// build makes an index of the texts, the oldest file first, as far as they fit in half the memory.
func (s *Search) build(ctx context.Context, r Request, held []files.Holding) (built, error) {
	select {
	case s.builders <- struct{}{}:
		defer func() { <-s.builders }()
	case <-ctx.Done():
		return built{}, fmt.Errorf("wait to index a case: %w: %w", errs.ErrUnavailable, ctx.Err())
	}
	var all []search.File
	covered := map[string]bool{}

	// Two indexes are built at once, and neither may push the other out of memory.
	room := s.cache.most / 2
	left := slices.DeleteFunc(slices.Clone(held), func(h files.Holding) bool { return h.TextVersion == 0 })

	for len(left) > 0 && room > 0 {
		batch := together(left, room)
		if len(batch) == 0 { // too large for what room is left
			left = left[1:]
			continue
		}
		left = left[len(batch):]
		texts, err := s.read(ctx, r, batch)
		if err != nil {
			return built{}, err
		}

		for _, t := range texts {
			if room -= len(t.Body); room < 0 {
				break
			}
			covered[t.FileID] = true
			all = append(all, fileOf(t))
		}
	}

	return built{index: search.Build(all), covered: covered}, nil
}

// Bounds of what is read of a case at once: as little as one file, whatever its size.
const (
	batchFiles = 50
	batchChars = 4 << 20
)

// together returns the first of held that are read at once; none when already the first has no room.
func together(held []files.Holding, room int) []files.Holding {
	chars := 0
	for i, h := range held {
		if chars += h.Chars; chars > room || i == batchFiles || i > 0 && chars > batchChars {
			return held[:i]
		}
	}

	return held
}

// read returns the texts of files in the order of these.
func (s *Search) read(ctx context.Context, r Request, batch []files.Holding) ([]files.Text, error) {
	names := make([]files.TextName, len(batch))
	for i, h := range batch {
		names[i] = files.TextName{FileID: h.ID, Version: h.TextVersion}
	}
	texts, err := s.texts.Among(ctx, r.Tenant, names)
	if err != nil {
		return nil, err
	}
	at := func(fileID string) int {
		return slices.IndexFunc(batch, func(h files.Holding) bool { return h.ID == fileID })
	}

	for _, h := range batch {
		if !slices.ContainsFunc(texts, func(t files.Text) bool { return t.FileID == h.ID }) {
			return nil, fmt.Errorf("index case %s, file %s: %w", r.CaseID, h.ID, errTextGone)
		}
	}
	// The order of files decides between equal passages, and has to be the same in every process.
	slices.SortFunc(texts, func(a, b files.Text) int { return at(a.FileID) - at(b.FileID) })

	return texts, nil
}

// fileOf cuts a text into its passages.
func fileOf(t files.Text) search.File {
	out := search.File{ID: t.FileID, TextVersion: t.Version}

	cut := cutter{text: t.Body}
	for _, p := range t.Passages {
		from := cut.at(p.Start)
		out.Passages = append(out.Passages, search.Passage{
			Page:      p.Page,
			Paragraph: p.Paragraph,
			CharStart: p.Start,
			CharEnd:   p.End,
			Text:      t.Body[from:cut.at(p.End)],
		})
	}

	return out
}

// cutter turns offsets of code points, which only grow, into offsets of bytes.
type cutter struct {
	text  string
	chars int
	bytes int
}

func (c *cutter) at(char int) int {
	// Passages come in order, so the walk goes on where the last one ended and the text is passed once.
	for i := range c.text[c.bytes:] {
		if c.chars == char {
			c.bytes += i
			return c.bytes
		}
		c.chars++
	}
	c.bytes = len(c.text)

	return c.bytes
}

// sourceOf points at the part of a passage that is quoted.
func sourceOf(h search.Hit) Source {
	from, to := h.Quote()

	return Source{
		FileID: h.FileID, TextVersion: h.TextVersion, Page: h.Page, Paragraph: h.Paragraph, Start: h.CharStart + from,
		End:   h.CharStart + to,
		Quote: search.Fold(string([]rune(h.Text)[from:to])),
	}
}
