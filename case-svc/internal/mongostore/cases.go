package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type caseDoc struct {
	Key             string             `bson:"_id"` // tenant/id
	Tenant          string             `bson:"tenant"`
	ID              string             `bson:"id"`
	Version         int64              `bson:"version"`
	Title           string             `bson:"title"`
	TitleKey        string             `bson:"titleKey"`
	TitleBasis      string             `bson:"titleBasis"`
	Summary         string             `bson:"summary"`
	Status          string             `bson:"status"`
	MatterKind      string             `bson:"matterKind"`
	PracticeAreas   []areaDoc          `bson:"practiceAreas"`
	PracticeKeys    []string           `bson:"practiceKeys"`
	Jurisdiction    string             `bson:"jurisdiction"`
	JurisdictionKey []string           `bson:"jurisdictionKeys"`
	Forum           *forumDoc          `bson:"forum"`
	Side            string             `bson:"side"`
	Joint           bool               `bson:"jointRepresentation"`
	Stage           stageDoc           `bson:"stage"`
	Amount          *amountDoc         `bson:"amount"`
	Stakes          []string           `bson:"stakes"`
	Complexity      *complexityDoc     `bson:"complexity"`
	Tier            int                `bson:"tier"` // 0 for unrated
	Responsible     string             `bson:"responsibleUserId"`
	Profession      string             `bson:"professionalKind"`
	Licences        []string           `bson:"licenceJurisdictions"`
	Confidentiality confidentialityDoc `bson:"confidentiality"`
	Conflict        conflictDoc        `bson:"conflict"`
	Retention       retentionDoc       `bson:"retention"`
	Counts          countsDoc          `bson:"counts"`
	TimelineID      string             `bson:"timelineId"`
	ActiveBranchID  string             `bson:"activeBranchId"`
	Language        string             `bson:"language"`
	Tags            []string           `bson:"tags"`
	ExternalRef     string             `bson:"externalRef"`
	ExternalRefKey  string             `bson:"externalRefKey"` // always filled, and unique within the tenant
	Fingerprint     string             `bson:"fingerprint"`
	CreatedAt       time.Time          `bson:"createdAt"`
	UpdatedAt       time.Time          `bson:"updatedAt"`
	CreatedBy       actorDoc           `bson:"createdBy"`
	Deleted         bool               `bson:"deleted"`
	DeletedBy       *actorDoc          `bson:"deletedBy"`
	DeletedAt       *time.Time         `bson:"deletedAt"`
	PurgeAt         time.Time          `bson:"purgeAt"` // never for what is not deleted, or purged already
}

type areaDoc struct {
	Scheme  string `bson:"scheme"`
	Code    string `bson:"code"`
	Label   string `bson:"label"`
	Primary bool   `bson:"primary"`
}

type forumDoc struct {
	System      string `bson:"system"`
	CourtCode   string `bson:"courtCode"`
	DocketLabel string `bson:"docketLabel"`
	TimeZone    string `bson:"timeZone"`
}

type stageDoc struct {
	CodeSet string `bson:"codeSet"`
	Phase   string `bson:"phase"`
	Task    string `bson:"task"`
}

type amountDoc struct {
	Minor    int64  `bson:"minor"`
	Currency string `bson:"currency"`
	Basis    string `bson:"basis"`
}

type complexityDoc struct {
	PhaseID string  `bson:"phaseId"`
	SHA256  string  `bson:"sha256"`
	Body    []byte  `bson:"body"`
	Tier    int     `bson:"tier"`
	Score   float64 `bson:"score"`
	Urgent  bool    `bson:"urgent"`
}

type confidentialityDoc struct {
	Privilege     string `bson:"privilege"`
	AIPolicy      string `bson:"aiPolicy"`
	ClientConsent string `bson:"clientConsent"`
}

type conflictDoc struct {
	Status   string `bson:"status"`
	HitCount int    `bson:"hitCount"`
}

type retentionDoc struct {
	LegalHold  bool   `bson:"legalHold"`
	PolicyCode string `bson:"policyCode"`
}

type countsDoc struct {
	Files          int `bson:"files"`
	Parties        int `bson:"parties"`
	Phases         int `bson:"phases"`
	OpenDeadlines  int `bson:"openDeadlines"`
	PendingReviews int `bson:"pendingReviews"`
	Invites        int `bson:"invites"`
}

// never lies behind every sweep.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

func toCaseDoc(c cases.Case) caseDoc {
	d := caseDoc{
		Key: key(c.Tenant, c.ID), Tenant: string(c.Tenant), ID: c.ID, Version: c.Version, Title: c.Title, TitleKey: c.TitleKey(), TitleBasis: c.TitleBasis,
		Summary: c.Summary, Status: c.Status, MatterKind: c.MatterKind, PracticeAreas: each(c.PracticeAreas, func(p cases.PracticeArea) areaDoc { return areaDoc(p) }),
		PracticeKeys: c.PracticeKeys(), Jurisdiction: c.Jurisdiction, JurisdictionKey: c.JurisdictionKeys(), Forum: (*forumDoc)(c.Forum), Side: c.Side,
		Joint: c.Joint, Stage: stageDoc(c.Stage), Amount: (*amountDoc)(c.Amount), Stakes: c.Stakes, Complexity: (*complexityDoc)(c.Complexity), Tier: c.Tier(),
		Responsible: c.Supervision.ResponsibleUserID, Profession: c.Supervision.ProfessionalKind, Licences: c.Supervision.LicenceJurisdictions,
		Confidentiality: confidentialityDoc(c.Confidentiality), Conflict: conflictDoc(c.Conflict), Retention: retentionDoc(c.Retention), Counts: countsDoc(c.Counts),
		TimelineID: c.TimelineID, ActiveBranchID: c.ActiveBranchID, Language: c.Language, Tags: c.Tags, ExternalRef: c.ExternalRef, ExternalRefKey: "case " + c.ID,
		Fingerprint: c.Fingerprint, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, CreatedBy: actorDoc(c.CreatedBy), PurgeAt: never,
	}
	if del := c.Deletion; del != nil {
		d.Deleted, d.DeletedAt, d.DeletedBy, d.PurgeAt = true, &del.At, (*actorDoc)(&del.By), del.PurgeAt
	} else if c.ExternalRef != "" { // a deleted case gives its reference free
		d.ExternalRefKey = refKey(c.ExternalRef)
	}
	return d
}

func refKey(ref string) string { return "ref " + ref }

func (d caseDoc) toCase() cases.Case {
	c := cases.Case{
		ID: d.ID, Tenant: cases.TenantID(d.Tenant), Version: d.Version, Title: d.Title, TitleBasis: d.TitleBasis, Summary: d.Summary, Status: d.Status,
		MatterKind: d.MatterKind, PracticeAreas: each(d.PracticeAreas, func(p areaDoc) cases.PracticeArea { return cases.PracticeArea(p) }),
		Jurisdiction: d.Jurisdiction, Forum: (*cases.Forum)(d.Forum), Side: d.Side, Joint: d.Joint, Stage: cases.Stage(d.Stage),
		Amount: (*cases.Controversy)(d.Amount), Stakes: d.Stakes, Complexity: (*cases.Complexity)(d.Complexity),
		Supervision:     cases.Supervision{ResponsibleUserID: d.Responsible, ProfessionalKind: d.Profession, LicenceJurisdictions: d.Licences},
		Confidentiality: cases.Confidentiality(d.Confidentiality), Conflict: cases.Conflict(d.Conflict), Retention: cases.Retention(d.Retention),
		Counts: cases.Counts(d.Counts), TimelineID: d.TimelineID, ActiveBranchID: d.ActiveBranchID, Language: d.Language, Tags: d.Tags,
		ExternalRef: d.ExternalRef, Fingerprint: d.Fingerprint, CreatedAt: d.CreatedAt.UTC(), UpdatedAt: d.UpdatedAt.UTC(), CreatedBy: cases.Actor(d.CreatedBy),
	}
	if d.Deleted && d.DeletedBy != nil && d.DeletedAt != nil {
		c.Deletion = &cases.Deletion{By: cases.Actor(*d.DeletedBy), At: d.DeletedAt.UTC(), PurgeAt: d.PurgeAt.UTC()}
	}
	return c
}

// Cases implements cases.Store.
type Cases struct{ docs documents[caseDoc] }

// NewCases returns the store in db.
func NewCases(db *mongo.Database) *Cases { return &Cases{in[caseDoc](db, casesCollection)} }

// Create inserts a case. Both its id and its reference are unique; which of them is taken is found out afterwards.
func (s *Cases) Create(ctx context.Context, c cases.Case) error {
	err := s.docs.insert(ctx, toCaseDoc(c))
	if !errors.Is(err, errTaken) {
		return err
	}
	_, err = s.docs.find(ctx, one(c.Tenant, c.ID))
	switch {
	case err == nil:
		return cases.ErrExists
	case errors.Is(err, cases.ErrNotFound):
		return cases.ErrRefTaken
	}
	return err
}

// Get returns a case that is not deleted.
func (s *Cases) Get(ctx context.Context, tenant cases.TenantID, id string) (cases.Case, error) {
	if !cases.ValidID(id) {
		return cases.Case{}, cases.ErrNotFound
	}
	d, err := s.docs.find(ctx, one(tenant, id))
	if err == nil && d.Deleted {
		err = cases.ErrNotFound
	}
	if err != nil {
		return cases.Case{}, err
	}
	return d.toCase(), nil
}

// Update replaces the version that change was applied to.
func (s *Cases) Update(ctx context.Context, tenant cases.TenantID, id string, change func(*cases.Case) error) (cases.Case, error) {
	for range tries {
		c, err := s.Get(ctx, tenant, id)
		if err != nil {
			return cases.Case{}, err
		}
		seen := append(one(tenant, id), is("version", c.Version))
		if err := change(&c); err != nil {
			return cases.Case{}, err
		}
		c.Version++
		err = s.docs.replace(ctx, seen, toCaseDoc(c))
		if err == nil {
			return c, nil
		}
		if !errors.Is(err, errTaken) {
			return cases.Case{}, err
		}
	}
	return cases.Case{}, cases.ErrBusy
}

// heavy are the fields that no list shows.
var heavy = []string{"summary", "complexity.body"}

// List returns one page.
func (s *Cases) List(ctx context.Context, tenant cases.TenantID, q cases.Query) ([]cases.Case, error) {
	field := map[cases.SortField]string{cases.ByUpdated: "updatedAt", cases.ByCreated: "createdAt", cases.ByTitle: "titleKey"}[q.Sort]
	filter := caseFilter(tenant, q.Filter)
	if p := q.After; p != nil {
		var value any = p.Time
		if q.Sort == cases.ByTitle {
			value = p.Text
		}
		filter = after(filter, field, q.Descending, value, p.ID)
	}
	docs, err := s.docs.list(ctx, filter, order(field, q.Descending), q.Limit, heavy...)
	return each(docs, caseDoc.toCase), err
}

// Count counts up to most cases.
func (s *Cases) Count(ctx context.Context, tenant cases.TenantID, f cases.Filter, most int) (int, error) {
	return s.docs.count(ctx, caseFilter(tenant, f), most)
}

func caseFilter(tenant cases.TenantID, f cases.Filter) bson.D {
	filter := bson.D{is("tenant", string(tenant)), is("deleted", false)}
	if len(f.Statuses) > 0 {
		filter = append(filter, is("status", bson.D{is("$in", f.Statuses)}))
	}
	if len(f.Tiers) > 0 {
		filter = append(filter, is("tier", bson.D{is("$in", f.Tiers)}))
	}
	for _, equal := range []bson.E{
		is("matterKind", f.MatterKind), is("jurisdictionKeys", f.Jurisdiction), is("practiceKeys", f.PracticeKey), is("side", f.Side), is("tags", f.Tag),
		is("responsibleUserId", f.ResponsibleID),
	} {
		if equal.Value != "" {
			filter = append(filter, equal)
		}
	}
	if f.ExternalRef != "" {
		filter = append(filter, is("externalRefKey", refKey(f.ExternalRef)))
	}
	if !f.UpdatedSince.IsZero() {
		filter = append(filter, is("updatedAt", bson.D{is("$gte", f.UpdatedSince)}))
	}
	return filter
}
