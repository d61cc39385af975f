package mongostore

import (
	"context"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/search"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

const entriesCollection = "entries"

func entryIndexes() []mongox.Index {
	return []mongox.Index{
		{Fields: []string{"tenant", "timelineId", "branchId", "dateKey", "id"}},
		{Fields: []string{"tenant", "timelineId", "branchId", "createdAt", "id"}},
		// which counts need no more than
		{Fields: []string{"tenant", "timelineId", "kind", "status", "dueOn", "id", "reviewStatus"}},
		{Fields: []string{"status", "dueOn"}},
		{Fields: []string{"tenant", "timelineId", "phaseId", "attempt"}},
	}
}

type entryDoc struct {
	Key          string          `bson:"_id"` // tenant/id
	Tenant       string          `bson:"tenant"`
	ID           string          `bson:"id"`
	Version      int64           `bson:"version"`
	TimelineID   string          `bson:"timelineId"`
	ContainerID  string          `bson:"containerId"`
	BranchID     string          `bson:"branchId"`
	Sequence     int             `bson:"sequence"`
	PhaseID      string          `bson:"phaseId"`
	Attempt      int             `bson:"attempt,omitempty"`
	Kind         string          `bson:"kind"`
	When         whenDoc         `bson:"when"`
	DateKey      string          `bson:"dateKey"`
	Words        []string        `bson:"words"`
	Title        string          `bson:"title"`
	Detail       string          `bson:"detail"`
	Amount       *moneyDoc       `bson:"amount"`
	Authority    *authorityDoc   `bson:"authority"`
	Sources      []quoteDoc      `bson:"sources"`
	Origin       string          `bson:"origin"`
	ReviewStatus string          `bson:"reviewStatus"`
	UTBMS        *utbmsDoc       `bson:"utbms"`
	Status       string          `bson:"status"` // of a deadline, else ""
	DueOn        string          `bson:"dueOn"`
	Deadline     *deadlineEnding `bson:"deadline"`
	CreatedBy    actorDoc        `bson:"createdBy"`
	CreatedAt    time.Time       `bson:"createdAt"`
	UpdatedAt    time.Time       `bson:"updatedAt"`
}

type whenDoc struct {
	On            string `bson:"on"`
	Precision     string `bson:"precision"`
	Ambiguous     bool   `bson:"ambiguous"`
	AlternativeOn string `bson:"alternativeOn"`
	Raw           string `bson:"raw"`
}

type moneyDoc struct {
	Minor    int64  `bson:"minor"`
	Currency string `bson:"currency"`
}

type authorityDoc struct {
	Text         string `bson:"text"`
	Kind         string `bson:"kind"`
	Verification string `bson:"verification"`
}

type quoteDoc struct {
	FileID      string `bson:"fileId"`
	TextVersion int    `bson:"textVersion"`
	Page        int    `bson:"page"`
	Paragraph   int    `bson:"paragraph"`
	Start       int    `bson:"charStart"`
	End         int    `bson:"charEnd"`
	Quote       string `bson:"quote"`
}

type utbmsDoc struct {
	Phase    string `bson:"phase"`
	Task     string `bson:"task"`
	Activity string `bson:"activity"`
}

// deadlineEnding is what a deadline has besides its state and date, which lists are ordered by.
type deadlineEnding struct {
	LatestOn    string          `bson:"latestOn,omitempty"`
	DueAt       *time.Time      `bson:"dueAt"`
	TimeZone    string          `bson:"timeZone"`
	Certainty   string          `bson:"certainty"`
	Computation *computationDoc `bson:"computation"`
	Responsible string          `bson:"responsibleUserId"`
}

type computationDoc struct {
	TriggerOn        string    `bson:"triggerOn"`
	TriggerSource    *quoteDoc `bson:"triggerSource"`
	RuleID           string    `bson:"ruleId"`
	RuleCitation     string    `bson:"ruleCitation"`
	Count            int       `bson:"count"`
	Unit             string    `bson:"unit"`
	Direction        string    `bson:"direction"`
	ServiceDaysAdded int       `bson:"serviceDaysAdded"`
	RolledFrom       string    `bson:"rolledFrom"`
	RolledBecause    string    `bson:"rolledBecause"`
	HolidayCalendar  string    `bson:"holidayCalendar"`
	Assumptions      []string  `bson:"assumptions"`
}

// wordsOf returns the distinct words that an entry is found by.
func wordsOf(e timeline.Entry) []string {
	all := append(search.Words(e.Title), search.Words(e.Detail)...)
	slices.Sort(all)

	return slices.Compact(all)
}

func toEntryDoc(e timeline.Entry) entryDoc {
	d := entryDoc{
		Key:          mongox.Key(e.Tenant, e.ID),
		Tenant:       e.Tenant,
		ID:           e.ID,
		Version:      e.Version,
		TimelineID:   e.TimelineID,
		ContainerID:  e.ContainerID,
		BranchID:     e.BranchID,
		Sequence:     e.Sequence,
		PhaseID:      e.PhaseID,
		Attempt:      e.Attempt,
		Kind:         e.Kind,
		When:         whenDoc(e.When),
		DateKey:      e.DateKey(),
		Words:        wordsOf(e),
		Title:        e.Title,
		Detail:       e.Detail,
		Amount:       (*moneyDoc)(e.Amount),
		Authority:    (*authorityDoc)(e.Authority),
		Sources:      mongox.Each(e.Sources, func(s timeline.Source) quoteDoc { return quoteDoc(s) }),
		Origin:       e.Origin,
		ReviewStatus: e.ReviewStatus,
		UTBMS:        (*utbmsDoc)(e.UTBMS),
		CreatedBy:    actorDoc(e.CreatedBy),
		CreatedAt:    e.CreatedAt,
		UpdatedAt:    e.UpdatedAt,
	}
	due := e.Deadline
	if due == nil {
		return d
	}
	d.Status, d.DueOn = due.Status, due.DueOn
	d.Deadline = &deadlineEnding{
		LatestOn:    due.LatestOn,
		TimeZone:    due.TimeZone,
		Certainty:   due.Certainty,
		Responsible: due.ResponsibleUserID,
	}
	if !due.DueAt.IsZero() {
		d.Deadline.DueAt = &due.DueAt
	}
	if c := due.Computation; c != nil {
		d.Deadline.Computation = &computationDoc{
			c.TriggerOn, (*quoteDoc)(c.TriggerSource), c.RuleID, c.RuleCitation, c.Count, c.Unit, c.Direction,
			c.ServiceDaysAdded, c.RolledFrom, c.RolledBecause,
			c.HolidayCalendar, c.Assumptions,
		}
	}

	return d
}

func (d entryDoc) toEntry() timeline.Entry {
	e := timeline.Entry{
		ID:           d.ID,
		Tenant:       d.Tenant,
		Version:      d.Version,
		TimelineID:   d.TimelineID,
		ContainerID:  d.ContainerID,
		BranchID:     d.BranchID,
		Sequence:     d.Sequence,
		PhaseID:      d.PhaseID,
		Attempt:      d.Attempt,
		Kind:         d.Kind,
		When:         timeline.When(d.When),
		Title:        d.Title,
		Detail:       d.Detail,
		Amount:       (*timeline.Money)(d.Amount),
		Authority:    (*timeline.Authority)(d.Authority),
		Sources:      mongox.Each(d.Sources, func(s quoteDoc) timeline.Source { return timeline.Source(s) }),
		Origin:       d.Origin,
		ReviewStatus: d.ReviewStatus,
		UTBMS:        (*timeline.UTBMS)(d.UTBMS),
		CreatedBy:    audit.Actor(d.CreatedBy),
		CreatedAt:    d.CreatedAt.UTC(),
		UpdatedAt:    d.UpdatedAt.UTC(),
	}
	due := d.Deadline
	if due == nil {
		return e
	}
	e.Deadline = &timeline.Deadline{
		DueOn:             d.DueOn,
		LatestOn:          due.LatestOn,
		TimeZone:          due.TimeZone,
		Certainty:         due.Certainty,
		Status:            d.Status,
		ResponsibleUserID: due.Responsible,
	}
	if due.DueAt != nil {
		e.Deadline.DueAt = due.DueAt.UTC()
	}
	if c := due.Computation; c != nil {
		e.Deadline.Computation = &timeline.Computation{
			TriggerOn:        c.TriggerOn,
			TriggerSource:    (*timeline.Source)(c.TriggerSource),
			RuleID:           c.RuleID,
			RuleCitation:     c.RuleCitation,
			Count:            c.Count,
			Unit:             c.Unit,
			Direction:        c.Direction,
			ServiceDaysAdded: c.ServiceDaysAdded,
			RolledFrom:       c.RolledFrom,
			RolledBecause:    c.RolledBecause,
			HolidayCalendar:  c.HolidayCalendar,
			Assumptions:      c.Assumptions,
		}
	}

	return e
}

// Entries implements timeline.Store.
type Entries struct{ docs mongox.Documents[entryDoc] }

// NewEntries returns the store in db.
func NewEntries(db *mongo.Database) *Entries {
	return &Entries{mongox.In[entryDoc](db, entriesCollection)}
}

// Insert saves a new entry.
func (s *Entries) Insert(ctx context.Context, e timeline.Entry) error {
	return s.docs.Insert(ctx, toEntryDoc(e))
}

// Remove deletes an entry.
func (s *Entries) Remove(ctx context.Context, e timeline.Entry) error {
	return s.docs.Remove(ctx, mongox.One(e.Tenant, e.ID))
}

// Get returns an entry of a timeline.
func (s *Entries) Get(ctx context.Context, tenant string, timelineID, id string) (timeline.Entry, error) {
	if !ids.Valid(id) {
		return timeline.Entry{}, timeline.ErrNotFound
	}
	d, err := s.docs.Find(ctx, append(mongox.One(tenant, id), mongox.Is("timelineId", timelineID)))
	if err != nil {
		return timeline.Entry{}, err
	}

	return d.toEntry(), nil
}

// Replace saves the next version.
func (s *Entries) Replace(ctx context.Context, e timeline.Entry) error {
	seen := mongox.Version(e.Version, e.Tenant, e.ID)
	e.Version++

	return s.docs.Replace(ctx, seen, toEntryDoc(e))
}

// seenFrom narrows a filter to what is seen from a branch; nil is everywhere.
func seenFrom(filter bson.D, sight []timeline.Segment) (bson.D, bson.A) {
	if sight == nil {
		return filter, nil
	}

	ids, parts := []string{}, bson.A{}
	for _, s := range sight {
		ids = append(ids, s.BranchID)
		part := bson.D{mongox.Is("branchId", s.BranchID)}
		if !s.Whole {
			part = append(
				part,
				mongox.Is("sequence", bson.D{mongox.Is("$lte", s.Through)}),
				mongox.Is("createdAt", bson.D{mongox.Is("$lte", s.Until)}),
			)
		}
		parts = append(parts, part)
	}
	// It follows from the other condition, and lets the server use its index, which it does not for $or alone.
	filter = append(filter, mongox.Is("branchId", bson.D{mongox.Is("$in", ids)}))
	if len(sight) == 1 && sight[0].Whole {
		return filter, nil
	}

	return filter, bson.A{bson.D{mongox.Is("$or", parts)}}
}

// List returns one page.
func (s *Entries) List(
	ctx context.Context, tenant string, timelineID string, q timeline.Query,
) ([]timeline.Entry, error) {
	filter, both := seenFrom(ofTimeline(tenant, timelineID), q.Sight)
	if len(q.Kinds) > 0 {
		filter = append(filter, mongox.Is("kind", bson.D{mongox.Is("$in", q.Kinds)}))
	}

	for _, equal := range []bson.E{mongox.Is("origin", q.Origin), mongox.Is("reviewStatus", q.ReviewStatus)} {
		if equal.Value != "" {
			filter = append(filter, equal)
		}
	}
	if len(q.Words) > 0 {
		filter = append(filter, mongox.Is("words", bson.D{mongox.Is("$all", q.Words)}))
	}
	if within := between(q.From, q.To); within != nil {
		filter = append(filter, mongox.Is("dateKey", within))
	}
	field := "dateKey"
	if q.Sort == timeline.ByCreated {
		field = "createdAt"
	}
	if p := q.After; p != nil {
		var value any = p.Text
		if q.Sort == timeline.ByCreated {
			value = p.Time
		}
		both = append(both, after(bson.D{}, field, q.Descending, value, p.ID))
	}
	if len(both) > 0 {
		filter = append(filter, mongox.Is("$and", both))
	}
	docs, err := s.docs.List(ctx, filter, order(field, q.Descending), q.Limit, nil)

	return mongox.Each(docs, entryDoc.toEntry), err
}

// between is the range of dates from one to another; what has no date lies in none.
func between(from, to string) bson.D {
	var within bson.D
	if from != "" {
		within = append(within, mongox.Is("$gte", from))
	}

	switch {
	case to != "":
		within = append(within, mongox.Is("$lte", to))
	// An entry without a date has the last day of the calendar as its key, so that it comes last in order.
	case from != "":
		within = append(within, mongox.Is("$lt", "9999-12-31"))
	}

	return within
}

// Proposed lists what attempts of a phase proposed.
func (s *Entries) Proposed(
	ctx context.Context,
	tenant, timelineID, phaseID string,
	below int,
) ([]timeline.Entry, error) {
	attempts := bson.D{mongox.Is("$gte", 1), mongox.Is("$lt", below)}
	filter := bson.D{
		mongox.Is("tenant", tenant),
		mongox.Is("timelineId", timelineID),
		mongox.Is("phaseId", phaseID),
		mongox.Is("attempt", attempts),
	}
	docs, err := s.docs.List(ctx, filter, bson.D{mongox.Is("attempt", 1)}, 0, nil)

	return mongox.Each(docs, entryDoc.toEntry), err
}

// Known finds which of the ids are taken.
func (s *Entries) Known(ctx context.Context, tenant string, ids []string) (map[string]bool, error) {
	known := map[string]bool{}
	if len(ids) == 0 {
		return known, nil
	}
	filter := bson.D{mongox.Is("_id", bson.D{mongox.Is("$in", keys(tenant, ids))}), mongox.Is("tenant", tenant)}

	// Only the ids are wanted, and the texts of many entries are large.
	docs, err := s.docs.List(ctx, filter, bson.D{mongox.Is("_id", 1)}, 0, mongox.Without("words", "detail", "sources"))
	for _, d := range docs {
		known[d.ID] = true
	}

	return known, err
}

func deadlinesOf(tenant string, timelineID string, d timeline.Due) bson.D {
	filter := append(ofTimeline(tenant, timelineID),
		mongox.Is("kind", timeline.DeadlineKind),
		mongox.Is("status", bson.D{mongox.Is("$in", d.Statuses)}),
		mongox.Is("reviewStatus", bson.D{mongox.Is("$ne", timeline.Rejected)}))
	var within bson.D
	if d.From != "" {
		within = append(within, mongox.Is("$gte", d.From))
	}
	if d.Before != "" {
		within = append(within, mongox.Is("$lt", d.Before))
	}
	if within != nil {
		filter = append(filter, mongox.Is("dueOn", within))
	}

	return narrowed(filter, d.Sight)
}

// narrowed narrows a filter to what is seen from a branch; nil is everywhere.
func narrowed(filter bson.D, sight []timeline.Segment) bson.D {
	filter, both := seenFrom(filter, sight)
	if len(both) > 0 {
		filter = append(filter, mongox.Is("$and", both))
	}

	return filter
}

// Deadlines returns deadlines by their dates.
func (s *Entries) Deadlines(
	ctx context.Context, tenant string, timelineID string, d timeline.Due, limit int,
) ([]timeline.Entry, error) {
	docs, err := s.docs.List(ctx, deadlinesOf(tenant, timelineID, d), order("dueOn", false), limit, nil)
	return mongox.Each(docs, entryDoc.toEntry), err
}

// CountDeadlines counts deadlines.
func (s *Entries) CountDeadlines(ctx context.Context, tenant string, timelineID string, d timeline.Due) (int, error) {
	return s.docs.Count(ctx, deadlinesOf(tenant, timelineID, d), 0)
}

// Count counts the entries and the open deadlines.
func (s *Entries) Count(
	ctx context.Context, tenant string, timelineID string, sight []timeline.Segment,
) (all, open int, err error) {
	if all, err = s.docs.Count(ctx, narrowed(ofTimeline(tenant, timelineID), sight), 0); err != nil {
		return 0, 0, err
	}
	open, err = s.CountDeadlines(
		ctx, tenant, timelineID, timeline.Due{Statuses: []string{timeline.Proposed, timeline.Confirmed}, Sight: sight},
	)

	return all, open, err
}

// Overdue lists confirmed deadlines of all tenants that were due before a date.
func (s *Entries) Overdue(ctx context.Context, before string, limit int) ([]timeline.Entry, error) {
	docs, err := s.docs.List(
		ctx,
		bson.D{mongox.Is("status", timeline.Confirmed), mongox.Is("dueOn", bson.D{mongox.Is("$lt", before)})},
		bson.D{mongox.Is("dueOn", 1)},
		limit,
		nil,
	)

	return mongox.Each(docs, entryDoc.toEntry), err
}
