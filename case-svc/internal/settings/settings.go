// Package settings keeps what a tenant decides for itself: how long matters are kept, who opens them, and the rules
// that work on them goes by. There is one document per tenant; a tenant that has set nothing has the defaults.
package settings

import (
	"context"
	"errors"
	"reflect"
	"regexp"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// Limits of settings.
const (
	MaxPolicies = 50
	maxYears    = 100
	maxDays     = 36500
	maxWords    = 1000
	maxWord     = 100
)

// What happens to a party that meets another on the other side.
const (
	Flag  = "flag"
	Block = "block"
)

// What becomes of a message of the agent-to-agent protocol that names no container.
const (
	A2AAsk     = "ask"
	A2ANewCase = "new_case"
)

// Settings are those of one tenant.
type Settings struct {
	Tenant           string
	Version          int64          // from 1, which is that of the defaults
	Retention        map[string]int // years from closing, by policy code; always with cases.DefaultPolicy
	ArchiveAfterDays int            // from closing; 0 for never
	OpenedBy         string
	ConflictPolicy   string
	TierCutPoints    [3]int
	DeadlineRules    *RuleFile
	AllowedWords     []string
	Authorities      []string // citations that answers of language models may name; only in whole settings
	DefaultAIPolicy  string
	A2AContainer     string // A2AAsk or A2ANewCase
	RemoveOriginals  bool   // files.KeptOriginal after they were set aside for their renditions
	UpdatedAt        time.Time
	UpdatedBy        audit.Actor
}

// Default returns what a tenant has that has set nothing.
func Default(tenant string) Settings {
	terms := cases.DefaultTerms()

	return Settings{
		Tenant:          tenant,
		Version:         1,
		Retention:       terms.Retention,
		OpenedBy:        terms.OpenedBy,
		ConflictPolicy:  Flag,
		TierCutPoints:   [3]int{20, 40, 60},
		DefaultAIPolicy: terms.DefaultAIPolicy,
		A2AContainer:    A2AAsk,
	}
}

var policyForm = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)

// check notes what of the settings cannot be taken.
func (s Settings) check(f *validate.List) {
	if len(s.Retention) > MaxPolicies {
		f.Add("retention", "must be at most "+strconv.Itoa(MaxPolicies)+" policies")
	}
	if s.Retention[cases.DefaultPolicy] == 0 {
		f.Add("retention", "must keep the policy default")
	}

	for code, years := range s.Retention {
		if !policyForm.MatchString(code) || guard.RefusedField(code) || years < 1 || years > maxYears {
			// One is told, without its code: that may be an identity, and a map has no order in which to list them.
			f.Add("retention", "must be whole years from 1 to "+strconv.Itoa(maxYears)+
				" under codes of lower-case letters, digits, _ and -")

			break
		}
	}
	if s.ArchiveAfterDays < 0 || s.ArchiveAfterDays > maxDays {
		f.Add("archiveAfterDays", "must be 1 to "+strconv.Itoa(maxDays)+", or null for never")
	}
	f.OneOf("openedBy", s.OpenedBy, vocabulary.Openers.All()...)
	f.OneOf("conflictPolicy", s.ConflictPolicy, vocabulary.ConflictPolicies.All()...)
	f.OneOf("a2aDefaultContainer", s.A2AContainer, vocabulary.A2AContainers.All()...)
	if p := s.TierCutPoints; p[0] < 1 || p[1] <= p[0] || p[2] <= p[1] || p[2] > 100 {
		f.Add("tierCutPoints", "must be three rising whole numbers from 1 to 100")
	}
	if s.DeadlineRules != nil {
		s.DeadlineRules.check(f)
	}
	checkAuthorities(s.Authorities, f)
	// Each word is normalized below, which a list of any length would make dear.
	if len(s.AllowedWords) > maxWords {
		f.Add("allowedWords", "must be at most "+strconv.Itoa(maxWords))
		return
	}

	for i, w := range s.AllowedWords {
		path := "allowedWords[" + strconv.Itoa(i) + "]"
		if w = f.Line(path, w, 1, maxWord); !guard.Clearable(w) {
			f.Add(
				path,
				"must be a name, a number or an address that identifies no client: "+
					"social security and tax numbers are never allowed",
			)
		}
		s.AllowedWords[i] = w
	}
	if !vocabulary.AIPolicies.Has(s.DefaultAIPolicy) {
		f.Add("defaultAiPolicy", "must be one of no_model, local_model_only, model_allowed")
	}
}

// Store keeps settings.
type Store interface {
	// Get returns the settings without their authorities, which are large and seldom needed, and errs.ErrNotFound for a
	// tenant that has set nothing.
	Get(ctx context.Context, tenant string) (Settings, error)
	// Whole returns all of the settings, or errs.ErrNotFound.
	Whole(ctx context.Context, tenant string) (Settings, error)
	// Put saves s over the settings of the version before its own, or as the first ones when that is 1. errs.ErrTaken:
	// they are not of that version any more.
	Put(ctx context.Context, s Settings) error
	// Archiving lists up to limit tenants that archive by themselves, in order, those behind after.
	Archiving(ctx context.Context, after string, limit int) ([]Settings, error)
}

// Service reads and changes settings.
type Service struct {
	Store   Store
	Journal audit.Log
	Now     func() time.Time
}

// Get returns a tenant's settings without the authorities.
func (d *Service) Get(ctx context.Context, tenant string) (Settings, error) {
	return orDefault(tenant)(d.Store.Get(ctx, tenant))
}

// Whole returns a tenant's settings with the authorities.
func (d *Service) Whole(ctx context.Context, tenant string) (Settings, error) {
	return orDefault(tenant)(d.Store.Whole(ctx, tenant))
}

func orDefault(tenant string) func(Settings, error) (Settings, error) {
	return func(s Settings, err error) (Settings, error) {
		if errors.Is(err, errs.ErrNotFound) {
			return Default(tenant), nil
		}

		return s, err
	}
}

// AllowedWords returns what the tenant has cleared of false alarms.
func (d *Service) AllowedWords(ctx context.Context, tenant string) ([]string, error) {
	s, err := d.Get(ctx, tenant)
	return s.AllowedWords, err
}

// RemovesOriginals tells whether who runs the tenant has agreed that originals go which were set aside for their
// renditions.
func (d *Service) RemovesOriginals(ctx context.Context, tenant string) (bool, error) {
	s, err := d.Get(ctx, tenant)
	return s.RemoveOriginals, err
}

// A2AContainer tells what becomes of a message of an agent that names no container.
func (d *Service) A2AContainer(ctx context.Context, tenant string) (string, error) {
	s, err := d.Get(ctx, tenant)
	return s.A2AContainer, err
}

// Terms returns what cases go by.
func (d *Service) Terms(ctx context.Context, tenant string) (cases.Terms, error) {
	s, err := d.Get(ctx, tenant)
	return cases.Terms{Retention: s.Retention, DefaultAIPolicy: s.DefaultAIPolicy, OpenedBy: s.OpenedBy}, err
}

// tries bounds how often a change begins again when others write at the same moment.
const tries = 5

// Change applies change to the newest settings. It may run several times.
func (d *Service) Change(
	ctx context.Context, tenant string, by audit.Actor, expected cases.Expected,
	change func(Settings) (Settings, error),
) (Settings, error) {
	for range tries {
		// A change must read all of it, or saving would drop the authorities that the short form leaves out.
		seen, err := d.Whole(ctx, tenant)
		if err != nil {
			return Settings{}, err
		}
		if !expected.Holds(seen.Version) {
			return Settings{}, cases.ErrVersion
		}
		next, err := change(seen)
		if err != nil {
			return Settings{}, err
		}
		var f validate.List
		next.check(&f)
		if err := f.Err(); err != nil {
			return Settings{}, err
		}
		if reflect.DeepEqual(seen, next) {
			return seen, nil
		}
		next.Version, next.UpdatedAt, next.UpdatedBy = seen.Version+1, instant.Of(d.Now()), by
		entry := audit.Entry{Tenant: tenant, Actor: by, Action: "settings.update", ResourceType: "settings"}
		// Agreeing that originals are destroyed is a decision of its own, and has its own name in the record.
		if next.RemoveOriginals && !seen.RemoveOriginals {
			entry.Action = "settings.confirm_removal"
		}
		err = audit.Do(ctx, d.Journal, entry, func() error { return d.Store.Put(ctx, next) })
		if !errors.Is(err, errs.ErrTaken) {
			return next, err
		}
	}

	return Settings{}, cases.ErrBusy
}
