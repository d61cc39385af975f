package mongostore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/settings"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type settingsDoc struct {
	Key              string       `bson:"_id"` // tenant/settings
	Tenant           string       `bson:"tenant"`
	Version          int64        `bson:"version"`
	Retention        []policyDoc  `bson:"retention"` // a list: what a tenant writes is never a key
	ArchiveAfterDays int          `bson:"archiveAfterDays"`
	Archives         bool         `bson:"archives"` // of ArchiveAfterDays
	OpenedBy         string       `bson:"openedBy"`
	ConflictPolicy   string       `bson:"conflictPolicy"`
	TierCutPoints    []int        `bson:"tierCutPoints"`
	DeadlineRules    *ruleFileDoc `bson:"deadlineRules"`
	AllowedWords     []string     `bson:"allowedWords"`
	Authorities      []string     `bson:"authorities,omitempty"`
	DefaultAIPolicy  string       `bson:"defaultAiPolicy"`
	A2AContainer     string       `bson:"a2aContainer,omitempty"` // absent in documents from before the setting
	RemoveOriginals  bool         `bson:"removeOriginals"`
	UpdatedAt        time.Time    `bson:"updatedAt"`
	UpdatedBy        actorDoc     `bson:"updatedBy"`
}

type policyDoc struct {
	Code  string `bson:"code"`
	Years int    `bson:"years"`
}

type ruleFileDoc struct {
	Version  string       `bson:"version"`
	Rules    []ruleDoc    `bson:"rules"`
	Holidays []holidayDoc `bson:"holidays"`
}

type ruleDoc struct {
	RuleID       string `bson:"ruleId"`
	Jurisdiction string `bson:"jurisdiction"`
	Trigger      string `bson:"trigger"`
	Act          string `bson:"act"`
	Citation     string `bson:"citation"`
	Count        int    `bson:"count"`
	Unit         string `bson:"unit"`
	Direction    string `bson:"direction"`
	ServiceDays  int    `bson:"serviceDays"`
}

type holidayDoc struct {
	Jurisdiction string   `bson:"jurisdiction"`
	Days         []string `bson:"days"`
}

const settingsID = "settings"

func toSettingsDoc(s settings.Settings) settingsDoc {
	d := settingsDoc{
		Key:              mongox.Key(s.Tenant, settingsID),
		Tenant:           s.Tenant,
		Version:          s.Version,
		ArchiveAfterDays: s.ArchiveAfterDays,
		Archives:         s.ArchiveAfterDays > 0,
		OpenedBy:         s.OpenedBy,
		ConflictPolicy:   s.ConflictPolicy,
		TierCutPoints:    s.TierCutPoints[:],
		AllowedWords:     s.AllowedWords,
		Authorities:      s.Authorities,
		DefaultAIPolicy:  s.DefaultAIPolicy,
		A2AContainer:     s.A2AContainer,
		RemoveOriginals:  s.RemoveOriginals,
		UpdatedAt:        s.UpdatedAt,
		UpdatedBy:        actorDoc(s.UpdatedBy),
	}
	for _, code := range slices.Sorted(maps.Keys(s.Retention)) {
		d.Retention = append(d.Retention, policyDoc{code, s.Retention[code]})
	}
	if r := s.DeadlineRules; r != nil {
		d.DeadlineRules = &ruleFileDoc{
			r.Version, mongox.Each(
				r.Rules, func(r settings.Rule) ruleDoc { return ruleDoc(r) },
			), mongox.Each(r.Holidays, func(h settings.HolidayList) holidayDoc { return holidayDoc(h) }),
		}
	}

	return d
}

func (d settingsDoc) toSettings() settings.Settings {
	s := settings.Settings{
		Tenant:           d.Tenant,
		Version:          d.Version,
		Retention:        map[string]int{},
		ArchiveAfterDays: d.ArchiveAfterDays,
		OpenedBy:         d.OpenedBy,
		ConflictPolicy:   d.ConflictPolicy,
		AllowedWords:     d.AllowedWords,
		Authorities:      d.Authorities,
		DefaultAIPolicy:  d.DefaultAIPolicy,
		A2AContainer:     cmp.Or(d.A2AContainer, settings.A2AAsk),
		RemoveOriginals:  d.RemoveOriginals,
		UpdatedAt:        d.UpdatedAt.UTC(),
		UpdatedBy:        audit.Actor(d.UpdatedBy),
	}
	copy(s.TierCutPoints[:], d.TierCutPoints)

	for _, p := range d.Retention {
		s.Retention[p.Code] = p.Years
	}
	if r := d.DeadlineRules; r != nil {
		s.DeadlineRules = &settings.RuleFile{
			Version: r.Version, Rules: mongox.Each(r.Rules, func(r ruleDoc) settings.Rule { return settings.Rule(r) }),
			Holidays: mongox.Each(
				r.Holidays, func(h holidayDoc) settings.HolidayList { return settings.HolidayList(h) },
			),
		}
	}

	return s
}

// Settings implements settings.Store.
type Settings struct{ docs mongox.Documents[settingsDoc] }

// NewSettings returns the store in db.
func NewSettings(db *mongo.Database) *Settings {
	return &Settings{mongox.In[settingsDoc](db, settingsCollection)}
}

// Get returns a tenant's settings without the authorities.
func (s *Settings) Get(ctx context.Context, tenant string) (settings.Settings, error) {
	docs, err := s.docs.List(ctx, mongox.One(tenant, settingsID), bson.D{mongox.Is("_id", 1)}, 1,
		mongox.Without("authorities"))
	switch {
	case err != nil:
		return settings.Settings{}, err
	case len(docs) == 0:
		return settings.Settings{}, errs.ErrNotFound
	}

	return docs[0].toSettings(), nil
}

// Whole returns a tenant's settings.
func (s *Settings) Whole(ctx context.Context, tenant string) (settings.Settings, error) {
	d, err := s.docs.Find(ctx, mongox.One(tenant, settingsID))
	if err != nil {
		return settings.Settings{}, err
	}

	return d.toSettings(), nil
}

// Put inserts the first settings that differ from the defaults, which have version 1, and replaces those of the version
// before.
func (s *Settings) Put(ctx context.Context, next settings.Settings) error {
	var err error
	if next.Version == 2 {
		err = s.docs.Insert(ctx, toSettingsDoc(next))
	} else {
		err = s.docs.Replace(ctx, mongox.Version(next.Version-1, next.Tenant, settingsID), toSettingsDoc(next))
	}

	return err
}

// Archiving lists tenants that archive by themselves, in the order of their _id.
func (s *Settings) Archiving(ctx context.Context, after string, limit int) ([]settings.Settings, error) {
	filter := bson.D{mongox.Is("archives", true)}
	if after != "" {
		filter = append(filter, mongox.Is("_id", bson.D{mongox.Is("$gt", mongox.Key(after, settingsID))}))
	}
	docs, err := s.docs.List(ctx, filter, bson.D{mongox.Is("_id", 1)}, limit, mongox.Without("deadlineRules",
		"allowedWords", "authorities"))

	return mongox.Each(docs, settingsDoc.toSettings), err
}
