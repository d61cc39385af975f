package timeline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/passages"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/search"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// BranchStore tells where entries hang.
type BranchStore interface {
	Branch(ctx context.Context, tenant string, id string) (phases.Branch, error)
}

// Next is the nearest open deadline of a case.
type Next struct {
	EntryID, DueOn, Title, Status string
}

// Derive has a case take its nearest open deadline and the number of open ones from read, which may be asked several
// times.
type Derive func(
	ctx context.Context, tenant string, caseID string, read func(context.Context) (*Next, int, error),
) error

// Service does what callers ask of timelines. Who may ask is decided before.
type Service struct {
	Store    Store
	Cases    cases.Store
	Branches BranchStore
	Sources  passages.Sources
	Derive   Derive
	Journal  audit.Log
	Gate     guard.Gate
	Links    deeplink.Links
	Now      func() time.Time

	Cleared inputgate.Words // in the files of a case; nil when nobody keeps any
}

// screen sends what is taken from the files of a container through the gate. With cleared a word that a person has
// cleared there is no identity here either.
func (s *Service) screen(ctx context.Context, box phases.Container, cleared bool, texts ...inputgate.Text) error {
	caseID := ""
	if cleared && box.Type == phases.CaseContainer {
		caseID = box.ID
	}

	return inputgate.CheckTaken(ctx, s.Gate, s.link(box), s.Cleared.In(box.Tenant, caseID), texts...)
}

// zone is the time zone of a container's deadlines that state none.
func zone(box phases.Container) string {
	if c := box.Case; c != nil && c.Forum != nil && c.Forum.TimeZone != "" {
		return c.Forum.TimeZone
	}

	return "UTC"
}

func utbms(box phases.Container) *UTBMS {
	if c := box.Case; c != nil {
		return &UTBMS{Phase: c.Stage.Phase, Task: c.Stage.Task}
	}

	return nil
}

func (s *Service) link(box phases.Container) string {
	if box.Type == phases.CaseContainer {
		return s.Links.To(deeplink.AddIdentity, box.ID)
	}

	return s.Links.ToContainer(deeplink.AddIdentity, box.ID)
}

// named checks the id of who is made responsible for a deadline; the caller's own comes from the provider.
func (s *Service) named(ctx context.Context, by audit.Actor, box phases.Container, id string) error {
	if id == by.UserID {
		return nil
	}

	return inputgate.Check(
		ctx, s.Gate, s.link(box), inputgate.Text{Channel: guard.ChosenID, Path: "responsibleUserId", Value: id},
	)
}

// admit checks drafts for box and makes entries of them. With cleared they may say what people have cleared there.
func (s *Service) admit(
	ctx context.Context, box phases.Container, cleared, forAgents bool, drafts []Draft, path func(int) string,
) ([]Entry, error) {
	if box.Case != nil && box.Case.Over() {
		return nil, cases.ErrOver
	}

	var texts []inputgate.Text
	for i, d := range drafts {
		texts = append(texts, d.texts(path(i))...)
	}
	if err := s.screen(ctx, box, cleared, texts...); err != nil {
		return nil, err
	}
	var f validate.List

	all := make([]Entry, len(drafts))
	for i, d := range drafts {
		all[i] = d.entry(path(i), zone(box), &f)
	}
	if err := f.Err(); err != nil {
		return nil, err
	}

	return all, s.quoted(ctx, box, forAgents, all, path)
}

// Add writes an entry of a person or an agent on the active branch. A repetition with the same id returns the entry
// that is there. What a person writes is confirmed by that, except for deadlines, which begin as proposed whoever
// brings them.
func (s *Service) Add(ctx context.Context, by audit.Actor, box phases.Container, id string, d Draft) (Entry, error) {
	// It comes before all checks: the case may have been closed since the first request, which was answered.
	if made, err := s.Store.Get(ctx, box.Tenant, box.TimelineID, id); !errors.Is(err, ErrNotFound) {
		return made, err
	}
	// Who answers for a deadline is a matter of liability, and no agent puts it on anybody.
	if d.Deadline.ResponsibleUserID != "" && !by.Human() {
		return Entry{}, cases.ErrHuman.WithDeepLink(s.Links.To(deeplink.Review, box.ID))
	}
	if id := d.Deadline.ResponsibleUserID; id != "" {
		if err := s.named(ctx, by, box, id); err != nil {
			return Entry{}, err
		}
	}
	// Who may clear words may use them.
	all, err := s.admit(ctx, box, by.Human(), !by.Human(), []Draft{d}, func(int) string { return "" })
	if err != nil {
		return Entry{}, err
	}
	branch, err := s.Branches.Branch(ctx, box.Tenant, box.ActiveBranchID)
	if err != nil {
		return Entry{}, err
	}
	e := s.placed(all[0], by, box, branch.ID, branch.HeadSequence)
	if e.ID, e.Origin = id, ByAgent; by.Human() {
		e.Origin = ByUser
		// A deadline that nobody has confirmed must look so, whoever typed it in.
		if e.Deadline == nil {
			e.ReviewStatus = Accepted
		}
	}
	record := audit.Entry{Tenant: box.Tenant, Actor: by, Action: "entry.create", ResourceType: "entry", ResourceID: id}
	err = audit.Do(ctx, s.Journal, record, func() error { return s.put(ctx, by, box, e) })
	if err != nil {
		return Entry{}, err
	}

	return e, s.settle(ctx, box, e)
}

func (s *Service) placed(e Entry, by audit.Actor, box phases.Container, branchID string, sequence int) Entry {
	e.Tenant = box.Tenant
	e.TimelineID = box.TimelineID
	e.ContainerID = box.ID
	e.BranchID = branchID
	e.Sequence = sequence
	e.UTBMS, e.CreatedBy, e.CreatedAt = utbms(box), by, instant.Of(s.Now())
	e.UpdatedAt = e.CreatedAt

	return e
}

// put saves new entries of by in a container that stands.
func (s *Service) put(ctx context.Context, by audit.Actor, box phases.Container, fresh ...Entry) error {
	each := func(ctx context.Context, do func(context.Context, Entry) error) error {
		for _, e := range fresh {
			if err := do(ctx, e); err != nil {
				return err
			}
		}

		return nil
	}

	save := func() error { return each(ctx, s.insert) }
	remove := func(ctx context.Context) error { return each(ctx, s.Store.Remove) }

	return cases.Within(ctx, s.Cases, box.Case, by, cases.Case.Stands, save, remove)
}

// insert saves an entry unless it is there already.
func (s *Service) insert(ctx context.Context, e Entry) error {
	// Its id follows from what it says, so what is there is this entry.
	if err := s.Store.Insert(ctx, e); !errors.Is(err, errs.ErrTaken) {
		return err
	}

	return nil
}

// settle brings what the case derives from its deadlines up to date.
func (s *Service) settle(ctx context.Context, box phases.Container, changed ...Entry) error {
	due := slices.ContainsFunc(changed, func(e Entry) bool { return e.Deadline != nil })
	if box.Type != phases.CaseContainer || !due {
		return nil
	}

	return s.recount(ctx, box.Tenant, box.TimelineID, box.ID)
}

func (s *Service) recount(ctx context.Context, tenant string, timelineID, caseID string) error {
	err := s.Derive(
		ctx, tenant, caseID, func(ctx context.Context) (*Next, int, error) { return s.open(ctx, tenant, timelineID) },
	)
	if errors.Is(err, cases.ErrNotFound) || errors.Is(err, cases.ErrBusy) {
		return nil // the case was deleted meanwhile, or others count at this moment
	}

	return err
}

// The zones that lie farthest behind UTC and ahead of it.
const (
	behind = 12 * time.Hour
	ahead  = 14 * time.Hour
)

// open returns the nearest open deadline of a timeline, nil for none, and how many are open. Whether a confirmed one
// has run out without having been swept hangs on its zone around today only: these are read one by one, of all others
// the store tells the first and the number.
func (s *Service) open(ctx context.Context, tenant string, timelineID string) (*Next, int, error) {
	now := s.Now()
	// A deadline that is due yesterday in UTC may be due today in Honolulu, and the other way round in Kiribati.
	today := Due{
		Statuses: []string{Confirmed}, From: now.UTC().Add(-behind).Format(dateForm),
		Before: now.UTC().Add(ahead).Format(dateForm),
	}
	first, err := s.now(s.Store.Deadlines(ctx, tenant, timelineID, today, 0))
	if err != nil {
		return nil, 0, err
	}
	first = slices.DeleteFunc(first, func(e Entry) bool { return !e.Open() })
	n := len(first)

	for _, d := range []Due{{Statuses: []string{Proposed}}, {Statuses: []string{Confirmed}, From: today.Before}} {
		count, err := s.Store.CountDeadlines(ctx, tenant, timelineID, d)
		if err != nil {
			return nil, 0, err
		}
		// The store sorts by dueOn, so the first is the nearest and the rest need not be read.
		nearest, err := s.Store.Deadlines(ctx, tenant, timelineID, d, 1)
		if err != nil {
			return nil, 0, err
		}
		n, first = n+count, append(first, nearest...)
	}
	if len(first) == 0 {
		return nil, 0, nil
	}
	e := slices.MinFunc(first, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Deadline.DueOn, b.Deadline.DueOn), strings.Compare(a.ID, b.ID))
	})

	return &Next{EntryID: e.ID, DueOn: e.Deadline.DueOn, Title: e.Title, Status: e.Deadline.Status}, n, nil
}

// List returns one page of entries as they are now.
func (s *Service) List(ctx context.Context, tenant string, timelineID string, q Query) ([]Entry, error) {
	all := []Entry{}

	for {
		list, err := s.now(s.Store.List(ctx, tenant, timelineID, q))
		if err != nil {
			return nil, err
		}

		for _, e := range list {
			if len(all) < q.Limit && e.says(q.Phrases) {
				all = append(all, e)
			}
		}
		// The store finds words, not phrases, so a page may lose entries and is filled from the next one.
		if len(list) < q.Limit || len(all) == q.Limit {
			return all, nil
		}
		at := q.PlaceOf(list[len(list)-1])
		q.After = &at
	}
}

// says reports whether each phrase stands in the title or the detail.
func (e Entry) says(phrases [][]string) bool {
	if len(phrases) == 0 {
		return true
	}
	title, detail := search.Words(e.Title), search.Words(e.Detail)

	return !slices.ContainsFunc(phrases, func(p []string) bool { return !holds(title, p) && !holds(detail, p) })
}

func holds(words, phrase []string) bool {
	for i := 0; i+len(phrase) <= len(words); i++ {
		if slices.Equal(words[i:i+len(phrase)], phrase) {
			return true
		}
	}

	return false
}

func (s *Service) now(list []Entry, err error) ([]Entry, error) {
	at := s.Now()
	for i, e := range list {
		list[i] = e.asOf(at)
	}

	return list, err
}

// Deadlines returns up to most deadlines by dueOn that are now in one of the states; with none given those that are
// neither met nor vacated. sight narrows them to what is seen from some branches; nil is everywhere.
func (s *Service) Deadlines(
	ctx context.Context, tenant string, timelineID string, sight []Segment, most int, statuses ...string,
) ([]Entry, error) {
	if len(statuses) == 0 {
		statuses = []string{Proposed, Confirmed, Missed}
	}
	list, err := s.now(s.Store.Deadlines(ctx, tenant, timelineID, Due{Statuses: statuses, Sight: sight}, most))

	// A confirmed deadline may have run out since the last sweep, and is missed by now.
	return slices.DeleteFunc(list, func(e Entry) bool { return !slices.Contains(statuses, e.Deadline.Status) }), err
}

// Outcome says what became of a proposed entry.
type Outcome struct {
	ID    string
	Added bool // false when it was there already
}

// Propose puts what a phase found into the timeline, unreviewed. Ids follow from kind, date and source, so doing it
// again adds nothing.
func (s *Service) Propose(
	ctx context.Context, by audit.Actor, box phases.Container, p phases.Phase, origin string, drafts []Draft,
) ([]Outcome, error) {
	at := func(i int) string { return "entries[" + strconv.Itoa(i) + "]." }
	var f validate.List
	f.OneOf("origin", origin, Extracted, Computed)

	for i, d := range drafts {
		// Whoever reviews it has to be able to look where it stands.
		if origin == Extracted && len(d.Sources) == 0 {
			f.Add(at(i)+"sources", "must be given for what was extracted")
		}
		if d.Deadline.ResponsibleUserID != "" {
			f.Add(at(i)+"responsibleUserId", "must be left to a person")
		}
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	all, err := s.admit(ctx, box, true, true, drafts, at)
	if err != nil {
		return nil, err
	}

	ids := make([]string, len(all))
	for i, e := range all {
		e = s.placed(e, by, box, p.BranchID, p.Sequence)
		e.PhaseID, e.Attempt, e.Origin = p.ID, p.Attempt, origin
		e.ID = derivedID(e)
		all[i], ids[i] = e, e.ID
	}
	known, err := s.Store.Known(ctx, box.Tenant, ids)
	if err != nil {
		return nil, err
	}
	// An earlier attempt of the phase may have brought it. For the caller it is new all the same.
	again, err := s.taken(ctx, p, ids)
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(all))
	var fresh []Entry

	for i, e := range all {
		// Two drafts of one request may be the same entry, so what was seen is remembered on the way.
		outcomes[i] = Outcome{ID: e.ID, Added: !known[e.ID] || again[e.ID]}
		if !known[e.ID] {
			fresh, known[e.ID] = append(fresh, e), true
		}
	}
	if len(fresh) == 0 {
		return outcomes, nil
	}
	record := audit.Entry{
		Tenant: box.Tenant, Actor: by, Action: "entry.propose",
		ResourceType: "phase", ResourceID: p.ID, ContentSHA256: digest(fresh),
	}
	err = audit.Do(ctx, s.Journal, record, func() error { return s.put(ctx, by, box, fresh...) })
	if err != nil {
		return nil, err
	}

	return outcomes, s.settle(ctx, box, fresh...)
}

// derivedID is the id of an entry that was extracted or computed: it follows from its timeline, kind, date and sources,
// or from its rule and title when it has none.
func derivedID(e Entry) string {
	h := sha256.New()

	write := func(parts ...any) {
		for _, p := range parts {
			// The length goes before each part, or two different lists of parts could read the same.
			text := fmt.Sprint(p)
			fmt.Fprintf(h, "%d:%s", len(text), text)
		}
	}
	for _, src := range e.Sources {
		write(src.FileID, src.TextVersion, src.Start, src.End)
	}
	if d := e.Deadline; d != nil && d.Computation != nil {
		write(d.Computation.RuleID, d.Computation.TriggerOn)
	}
	if len(e.Sources) == 0 {
		write(e.Title)
	}

	return cases.DerivedID("entry", e.TimelineID, e.Kind, e.When.On, hex.EncodeToString(h.Sum(nil)))
}

func digest(all []Entry) string {
	h := sha256.New()
	for _, e := range all {
		fmt.Fprintf(h, "%s:%d:%s:%d:%s", e.ID, len(e.Title), e.Title, len(e.Detail), e.Detail)
	}

	return hex.EncodeToString(h.Sum(nil))
}
