package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
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
	ClientPartyID   string             `bson:"clientPartyId"`
	Joint           bool               `bson:"jointRepresentation"`
	Stage           stageDoc           `bson:"stage"`
	StageKeys       []string           `bson:"stageKeys"`
	Amount          *amountDoc         `bson:"amount"`
	Stakes          []string           `bson:"stakes"`
	Complexity      *complexityDoc     `bson:"complexity"`
	Override        *overrideDoc       `bson:"override"`
	Tier            int                `bson:"tier"` // that lists go by; 0 for unrated
	Responsible     string             `bson:"responsibleUserId"`
	Profession      string             `bson:"professionalKind"`
	Licences        []string           `bson:"licenceJurisdictions"`
	Confidentiality confidentialityDoc `bson:"confidentiality"`
	Conflict        conflictDoc        `bson:"conflict"`
	Retention       retentionDoc       `bson:"retention"`
	NextDeadline    *deadlineDoc       `bson:"nextDeadline"`
	NextDeadlineOn  string             `bson:"nextDeadlineOn"` // 9999-12-31 for none
	Counts          countsDoc          `bson:"counts"`
	PendingReview   bool               `bson:"pendingReview"` // of Counts
	SearchTokens    []string           `bson:"searchTokens"`
	TimelineID      string             `bson:"timelineId"`
	ActiveBranchID  string             `bson:"activeBranchId"`
	Language        string             `bson:"language"`
	Tags            []string           `bson:"tags"`
	ExternalRef     string             `bson:"externalRef"`
	ExternalRefKey  string             `bson:"externalRefKey"` // always filled, and unique within the tenant
	OpenedOn        string             `bson:"openedOn"`
	ClosedOn        string             `bson:"closedOn"`
	CloseReason     string             `bson:"closeReason"`
	Fingerprint     string             `bson:"fingerprint"`
	CreatedAt       time.Time          `bson:"createdAt"`
	UpdatedAt       time.Time          `bson:"updatedAt"`
	CreatedBy       actorDoc           `bson:"createdBy"`
	Untouched       bool               `bson:"untouched"`
	Deleted         bool               `bson:"deleted"`
	DeletedBy       *actorDoc          `bson:"deletedBy"`
	DeletedAt       *time.Time         `bson:"deletedAt"`
	Tombstone       *stoneDoc          `bson:"stone"`
	PurgeAt         time.Time          `bson:"purgeAt"` // never for what lives, is under legal hold, or was purged
}

type stoneDoc struct {
	CaseSHA256 string   `bson:"caseSha256"`
	FileSHA256 []string `bson:"fileSha256"`
	HeadHashes []string `bson:"headHashes"`
}

type overrideDoc struct {
	Tier     int       `bson:"tier"`
	Reason   string    `bson:"reason"`
	ByUserID string    `bson:"byUserId"`
	At       time.Time `bson:"at"`
}

type deadlineDoc struct {
	DeadlineID string `bson:"deadlineId"`
	DueOn      string `bson:"dueOn"`
	Title      string `bson:"title"`
	Status     string `bson:"status"`
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

	Source *sourceDoc `bson:"source"`
}

type sourceDoc struct {
	FileID      string `bson:"fileId"`
	TextVersion int    `bson:"textVersion"`
	Page        int    `bson:"page"`
	Paragraph   int    `bson:"paragraph"`
	Start       int    `bson:"start"`
	End         int    `bson:"end"`
	Quote       string `bson:"quote"`
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
	Status    string     `bson:"status"`
	HitCount  int        `bson:"hitCount"`
	CheckedAt *time.Time `bson:"checkedAt"`
	DecidedBy string     `bson:"decidedBy"`
	Reason    string     `bson:"reason"`
	Capped    bool       `bson:"hitCountCapped"`
	Shown     []hitDoc   `bson:"shown"`
	Hits      []string   `bson:"hits"`
	Known     []string   `bson:"known"`
}

type hitDoc struct {
	CaseID string   `bson:"caseId"`
	Roles  []string `bson:"roles"`
}

type retentionDoc struct {
	LegalHold    bool   `bson:"legalHold"`
	HoldReason   string `bson:"holdReason"`
	HoldByUserID string `bson:"holdByUserId"`
	RetainUntil  string `bson:"retainUntil"`
	PolicyCode   string `bson:"policyCode"`
}

type countsDoc struct {
	Files          int `bson:"files"`
	Parties        int `bson:"parties"`
	Phases         int `bson:"phases"`
	OpenDeadlines  int `bson:"openDeadlines"`
	PendingReviews int `bson:"pendingReviews"`
	Invites        int `bson:"invites"`
}

// never is later than any sweep.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

func toCaseDoc(c cases.Case) caseDoc {
	d := caseDoc{
		Key:             mongox.Key(c.Tenant, c.ID),
		Tenant:          c.Tenant,
		ID:              c.ID,
		Version:         c.Version,
		Title:           c.Title,
		TitleKey:        c.TitleKey(),
		TitleBasis:      c.TitleBasis,
		Summary:         c.Summary,
		Status:          c.Status,
		MatterKind:      c.MatterKind,
		PracticeAreas:   mongox.Each(c.PracticeAreas, func(p cases.PracticeArea) areaDoc { return areaDoc(p) }),
		PracticeKeys:    c.PracticeKeys(),
		Jurisdiction:    c.Jurisdiction,
		JurisdictionKey: c.JurisdictionKeys(),
		Forum:           (*forumDoc)(c.Forum),
		Side:            c.Side,
		ClientPartyID:   c.ClientPartyID,
		Joint:           c.Joint,
		Stage:           stageDoc(c.Stage),
		StageKeys:       c.StageKeys(),
		Amount:          toAmountDoc(c.Amount),
		Stakes:          c.Stakes,
		Complexity:      (*complexityDoc)(c.Complexity),
		Override:        (*overrideDoc)(c.Override),
		Tier:            c.Tier(),
		Responsible:     c.Supervision.ResponsibleUserID,
		Profession:      c.Supervision.ProfessionalKind,
		Licences:        c.Supervision.LicenceJurisdictions,
		Confidentiality: confidentialityDoc(c.Confidentiality),
		Conflict:        toConflictDoc(c.Conflict),
		Retention:       retentionDoc(c.Retention),
		NextDeadline:    (*deadlineDoc)(c.NextDeadline),
		NextDeadlineOn:  c.DueKey(),
		Counts:          countsDoc(c.Counts),
		PendingReview:   c.Counts.PendingReviews > 0,
		SearchTokens:    c.SearchWords(),
		TimelineID:      c.TimelineID,
		ActiveBranchID:  c.ActiveBranchID,
		Language:        c.Language,
		Tags:            c.Tags,
		ExternalRef:     c.ExternalRef,
		ExternalRefKey:  "case " + c.ID,
		OpenedOn:        c.OpenedOn,
		ClosedOn:        c.ClosedOn,
		CloseReason:     c.CloseReason,
		Fingerprint:     c.Fingerprint,
		CreatedAt:       c.CreatedAt,
		UpdatedAt:       c.UpdatedAt,
		CreatedBy:       actorDoc(c.CreatedBy),
		Untouched:       c.Untouched,
		PurgeAt:         never,
	}
	if at := c.PurgeAt(); !at.IsZero() {
		d.PurgeAt = at
	}
	if del := c.Deletion; del != nil {
		d.Deleted, d.DeletedAt, d.DeletedBy = true, &del.At, (*actorDoc)(&del.By)
		d.Tombstone = (*stoneDoc)(del.Tombstone)
	} else if c.ExternalRef != "" { // a deleted case gives its reference free
		d.ExternalRefKey = refKey(c.ExternalRef)
	}

	return d
}

func toAmountDoc(a *cases.Controversy) *amountDoc {
	if a == nil {
		return nil
	}

	return &amountDoc{a.Minor, a.Currency, a.Basis, (*sourceDoc)(a.Source)}
}

func (d *amountDoc) toAmount() *cases.Controversy {
	if d == nil {
		return nil
	}

	return &cases.Controversy{
		Minor:    d.Minor,
		Currency: d.Currency,
		Basis:    d.Basis,
		Source:   (*cases.SourceRef)(d.Source),
	}
}

func toConflictDoc(k cases.Conflict) conflictDoc {
	d := conflictDoc{
		Status:    k.Status,
		HitCount:  k.HitCount,
		Capped:    k.Capped,
		Shown:     mongox.Each(k.Shown, func(h cases.Hit) hitDoc { return hitDoc(h) }),
		DecidedBy: k.DecidedBy,
		Reason:    k.Reason,
		Hits:      k.Hits,
		Known:     k.Known,
	}
	if !k.CheckedAt.IsZero() {
		d.CheckedAt = &k.CheckedAt
	}

	return d
}

func (d conflictDoc) toConflict() cases.Conflict {
	k := cases.Conflict{
		Status:    d.Status,
		HitCount:  d.HitCount,
		Capped:    d.Capped,
		Shown:     mongox.Each(d.Shown, func(h hitDoc) cases.Hit { return cases.Hit(h) }),
		DecidedBy: d.DecidedBy,
		Reason:    d.Reason,
		Hits:      d.Hits,
		Known:     d.Known,
	}
	if d.CheckedAt != nil {
		k.CheckedAt = d.CheckedAt.UTC()
	}

	return k
}

func (d *overrideDoc) toOverride() *cases.Override {
	if d == nil {
		return nil
	}

	return &cases.Override{Tier: d.Tier, Reason: d.Reason, ByUserID: d.ByUserID, At: d.At.UTC()}
}

func refKey(ref string) string { return "ref " + ref }

func (d caseDoc) toCase() cases.Case {
	c := cases.Case{
		ID:         d.ID,
		Tenant:     d.Tenant,
		Version:    d.Version,
		Title:      d.Title,
		TitleBasis: d.TitleBasis,
		Summary:    d.Summary,
		Status:     d.Status,
		MatterKind: d.MatterKind,
		PracticeAreas: mongox.Each(
			d.PracticeAreas, func(p areaDoc) cases.PracticeArea { return cases.PracticeArea(p) },
		),
		Jurisdiction:  d.Jurisdiction,
		Forum:         (*cases.Forum)(d.Forum),
		Side:          d.Side,
		ClientPartyID: d.ClientPartyID,
		Joint:         d.Joint,
		Stage:         cases.Stage(d.Stage),
		Amount:        d.Amount.toAmount(),
		Stakes:        d.Stakes,
		Complexity:    (*cases.Complexity)(d.Complexity),
		Override:      d.Override.toOverride(),
		Supervision: cases.Supervision{
			ResponsibleUserID: d.Responsible, ProfessionalKind: d.Profession, LicenceJurisdictions: d.Licences,
		},
		Confidentiality: cases.Confidentiality(d.Confidentiality),
		Conflict:        d.Conflict.toConflict(),
		Retention:       cases.Retention(d.Retention),
		NextDeadline:    (*cases.NextDeadline)(d.NextDeadline),
		Counts:          cases.Counts(d.Counts),
		TimelineID:      d.TimelineID,
		ActiveBranchID:  d.ActiveBranchID,
		Language:        d.Language,
		Tags:            d.Tags,
		ExternalRef:     d.ExternalRef,
		OpenedOn:        d.OpenedOn,
		ClosedOn:        d.ClosedOn,
		CloseReason:     d.CloseReason,
		Fingerprint:     d.Fingerprint,
		CreatedAt:       d.CreatedAt.UTC(),
		UpdatedAt:       d.UpdatedAt.UTC(),
		CreatedBy:       audit.Actor(d.CreatedBy),
		Untouched:       d.Untouched,
	}
	if d.Deleted && d.DeletedBy != nil && d.DeletedAt != nil {
		c.Deletion = &cases.Deletion{
			By: audit.Actor(*d.DeletedBy), At: d.DeletedAt.UTC(), Tombstone: (*cases.Tombstone)(d.Tombstone),
		}
	}

	return c
}

// Cases implements cases.Store.
type Cases struct{ docs mongox.Documents[caseDoc] }

// NewCases returns the store in db.
func NewCases(db *mongo.Database) *Cases { return &Cases{mongox.In[caseDoc](db, casesCollection)} }

// Create inserts a case. Both its id and its reference are unique; which of them is taken is found out afterwards.
func (s *Cases) Create(ctx context.Context, c cases.Case) error {
	return insertUnique(ctx, s.docs, toCaseDoc(c), mongox.One(c.Tenant, c.ID), cases.ErrExists, cases.ErrRefTaken)
}

// Get returns a case that is not deleted.
func (s *Cases) Get(ctx context.Context, tenant string, id string) (cases.Case, error) {
	if !ids.Valid(id) {
		return cases.Case{}, cases.ErrNotFound
	}
	d, err := s.docs.Find(ctx, mongox.One(tenant, id))
	if err == nil && d.Deleted {
		err = cases.ErrNotFound
	}
	if err != nil {
		return cases.Case{}, err
	}

	return d.toCase(), nil
}

// Update replaces the version that change was applied to.
func (s *Cases) Update(
	ctx context.Context, tenant string, id string, change func(*cases.Case) error,
) (cases.Case, error) {
	return s.update(ctx, tenant, id, change, func() (cases.Case, error) { return s.Get(ctx, tenant, id) })
}

// Swap replaces the version of seen.
func (s *Cases) Swap(ctx context.Context, seen, next cases.Case) (cases.Case, error) {
	next.Version = seen.Version + 1

	err := s.docs.Replace(
		ctx,
		mongox.Version(seen.Version, seen.Tenant, seen.ID),
		toCaseDoc(next),
	)
	switch {
	case err == nil:
		return next, nil
	case errors.Is(err, errs.ErrTaken):
		return cases.Case{}, err
	}

	return cases.Case{}, s.taken(ctx, next, err) // a restored case takes its old reference again
}

// Restore is Update for deleted cases.
func (s *Cases) Restore(
	ctx context.Context, tenant string, id string, change func(*cases.Case) error,
) (cases.Case, error) {
	return s.update(ctx, tenant, id, change, func() (cases.Case, error) {
		if !ids.Valid(id) {
			return cases.Case{}, cases.ErrNotFound
		}
		d, err := s.docs.Find(ctx, mongox.One(tenant, id))
		if err == nil && (!d.Deleted || d.Tombstone != nil) {
			err = cases.ErrNotFound
		}
		if err != nil {
			return cases.Case{}, err
		}

		return d.toCase(), nil
	})
}

func (s *Cases) update(
	ctx context.Context, tenant string, id string, change func(*cases.Case) error, get func() (cases.Case, error),
) (cases.Case, error) {
	for range tries {
		c, err := get()
		if err != nil {
			return cases.Case{}, err
		}
		next := c
		if err := change(&next); err != nil {
			return cases.Case{}, err
		}
		next, err = s.Swap(ctx, c, next)
		if !errors.Is(err, errs.ErrTaken) {
			return next, err
		}
	}

	return cases.Case{}, cases.ErrBusy
}

// taken finds out whether a replacement failed because another case has the reference: not every server says so.
func (s *Cases) taken(ctx context.Context, c cases.Case, failed error) error {
	if c.ExternalRef == "" || errors.Is(failed, errs.ErrUnavailable) {
		return failed
	}
	d, err := s.docs.Find(
		ctx, bson.D{mongox.Is("tenant", c.Tenant), mongox.Is("externalRefKey", refKey(c.ExternalRef))},
	)
	if err == nil && d.ID != c.ID {
		return cases.ErrRefTaken
	}

	return failed
}
