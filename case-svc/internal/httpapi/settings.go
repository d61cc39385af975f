package httpapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/case-svc/internal/settings"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

func (a *API) getSettings(c *gin.Context) error {
	if err := rights.ReadSettings(callerOf(c)); err != nil {
		return err
	}
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	s, err := a.Settings.Whole(c.Request.Context(), tenantOf(c))
	if err != nil {
		return err
	}
	stored, err := a.Originals(c.Request.Context(), tenantOf(c))
	if err != nil {
		return err
	}
	out := withOriginals(settingsOf(s), stored)
	if out.Originals == nil && httpx.Unchanged(c, httpx.ETag(s.Version)) { // their counts change without a version
		return nil
	}
	c.Header("ETag", httpx.ETag(s.Version))

	return httpx.JSON(c, http.StatusOK, out)
}

// withOriginals adds what there is of files that were stored before renditions were.
func withOriginals(s api.Settings, stored files.Originals) api.Settings {
	if stored != (files.Originals{}) {
		out := api.StoredOriginals(stored)
		s.Originals = &out
	}

	return s
}

// getAllowedWords answers whoever acts for the tenant, whatever its rights: the words bear on what it may say.
func (a *API) getAllowedWords(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	words, err := a.Settings.AllowedWords(c.Request.Context(), tenantOf(c))
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, api.AllowedWords{Words: filled(words)})
}

// getAuthorities answers whoever acts for the tenant: the citations are public, and bear on what an answer may say.
func (a *API) getAuthorities(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	citations, err := a.Settings.Authorities(c.Request.Context(), tenantOf(c))
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, api.Authorities{Citations: filled(citations)})
}

// getA2ASettings answers whoever acts for the tenant: it says what becomes of the caller's own messages.
func (a *API) getA2ASettings(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	container, err := a.Settings.A2AContainer(c.Request.Context(), tenantOf(c))
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, api.A2ASettings{DefaultContainer: container})
}

func (a *API) patchSettings(c *gin.Context) error {
	caller := callerOf(c)
	if err := rights.ChangeSettings(caller); err != nil {
		return err
	}
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	body, err := mergePatch(c)
	if err != nil {
		return err
	}
	patch, err := readSettingsPatch(body)
	if err != nil {
		return httpx.LinkRefusal(err, a.Links.To(deeplink.AddIdentity, ""))
	}
	change := func(s settings.Settings) (settings.Settings, error) {
		if err := a.screenSettings(c, patch); err != nil {
			return s, err
		}

		return mergeSettings(s, patch.given)
	}

	s, err := a.Settings.Change(c.Request.Context(), tenantOf(c), actorOf(c), httpx.IfMatch(c), change)
	if err != nil {
		return err
	}
	stored, err := a.Originals(c.Request.Context(), tenantOf(c))
	if err != nil {
		return err
	}
	c.Header("ETag", httpx.ETag(s.Version))

	return httpx.JSON(c, http.StatusOK, withOriginals(settingsOf(s), stored))
}

func settingsOf(s settings.Settings) api.Settings {
	out := api.Settings{
		Retention:           s.Retention,
		OpenedBy:            s.OpenedBy,
		ConflictPolicy:      s.ConflictPolicy,
		TierCutPoints:       s.TierCutPoints[:],
		AllowedWords:        filled(s.AllowedWords),
		Authorities:         filled(s.Authorities),
		DefaultAIPolicy:     s.DefaultAIPolicy,
		A2ADefaultContainer: s.A2AContainer,
		RemoveOriginals:     s.RemoveOriginals,
		Version:             int(s.Version),
	}
	if s.ArchiveAfterDays > 0 {
		out.ArchiveAfterDays = &s.ArchiveAfterDays
	}
	if r := s.DeadlineRules; r != nil {
		out.DeadlineRules = deadlineRulesOf(*r)
	}

	return out
}

func deadlineRulesOf(r settings.RuleFile) *api.DeadlineRules {
	return &api.DeadlineRules{
		Version: r.Version, Rules: each(r.Rules, func(r settings.Rule) api.DeadlineRule { return api.DeadlineRule(r) }),
		Holidays: each(r.Holidays, func(h settings.HolidayList) api.HolidayList { return api.HolidayList(h) }),
	}
}

// settingsMembers are all members of settings, those for reading too.
type settingsMembers struct {
	Retention        map[string]*int    `json:"retention"`
	ArchiveAfterDays *int               `json:"archiveAfterDays"`
	OpenedBy         *string            `json:"openedBy"`
	ConflictPolicy   *string            `json:"conflictPolicy"`
	TierCutPoints    []int              `json:"tierCutPoints"`
	DeadlineRules    *api.DeadlineRules `json:"deadlineRules"`
	AllowedWords     []string           `json:"allowedWords"`
	Authorities      []string           `json:"authorities"`
	DefaultAIPolicy  *string            `json:"defaultAiPolicy"`
	A2AContainer     *string            `json:"a2aDefaultContainer"`
	RemoveOriginals  *bool              `json:"removeOriginals"`
	Originals        readOnly           `json:"originals"`
	Version          readOnly           `json:"version"`
}

type settingsPatch struct {
	body  settingsMembers
	given object
}

// clearableSettings are those that need not be there.
var clearableSettings = []string{"archiveAfterDays", "deadlineRules", "allowedWords", "authorities"}

// readSettingsPatch checks the form of a merge patch of settings.
func readSettingsPatch(body []byte) (*settingsPatch, error) {
	p := &settingsPatch{}
	if err := strictjson.Decode(body, &p.body); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(strictjson.WholeNumbers(body), &p.given); err != nil {
		return nil, httpx.ErrMalformed
	}
	var f validate.List

	// The order of names makes the answer to the same mistake the same each time.
	for _, name := range sorted(p.given) {
		switch raw := string(p.given[name]); {
		case name == "version" || name == "originals":
			f.Add(name, "is set by the server: leave it out")
		case raw == "null" && !slices.Contains(clearableSettings, name):
			f.Add(name, "cannot be cleared: give it another value")
		}
	}
	if _, ok := p.given["tierCutPoints"]; ok && len(p.body.TierCutPoints) != 3 {
		f.Add("tierCutPoints", "must be three rising whole numbers from 1 to 100")
	}
	if n := p.body.ArchiveAfterDays; n != nil && *n < 1 {
		f.Add("archiveAfterDays", "must be at least 1, or null for never")
	}

	return p, f.Err()
}

// screenSettings sends what people put in words through the gate: codes of policies, and a rule file, whose words come
// back with computed deadlines. What stands in the place of a code is told as retention, since the code itself is what
// is refused.
func (a *API) screenSettings(c *gin.Context, p *settingsPatch) error {
	var texts []inputgate.Text
	for _, code := range slices.Sorted(maps.Keys(p.body.Retention)) {
		texts = append(texts, inputgate.Text{Channel: guard.Title, Path: "retention", Value: code})
	}
	if rules := p.body.DeadlineRules; rules != nil {
		texts = append(texts, inputgate.Text{Channel: guard.Title, Path: "deadlineRules.version", Value: rules.Version})
		for i, r := range rules.Rules {
			at := "deadlineRules.rules[" + strconv.Itoa(i) + "]."
			for _, said := range [][2]string{
				{"ruleId", r.RuleID}, {"trigger", r.Trigger}, {"act", r.Act}, {"citation", r.Citation},
			} {
				texts = append(texts, inputgate.Text{Channel: guard.Title, Path: at + said[0], Value: said[1]})
			}
		}
	}

	// What is beyond the limit is refused by its number later, so the gate need not read it.
	for i, citation := range p.body.Authorities[:min(len(p.body.Authorities), settings.MaxAuthorities)] {
		at := "authorities[" + strconv.Itoa(i) + "]"
		texts = append(texts, inputgate.Text{Channel: guard.Title, Path: at, Value: citation})
	}

	return inputgate.Check(c.Request.Context(), a.Gate, a.Links.To(deeplink.AddIdentity, ""), texts...)
}

// mergeSettings applies a patch whose form was checked.
func mergeSettings(s settings.Settings, given object) (settings.Settings, error) {
	now := settingsOf(s)

	want, err := merged(&now, given)
	if err != nil {
		return s, err
	}
	s.Retention = maps.Clone(want.Retention)
	s.OpenedBy = want.OpenedBy
	s.ConflictPolicy = want.ConflictPolicy
	s.DefaultAIPolicy = want.DefaultAIPolicy
	s.RemoveOriginals, s.A2AContainer = want.RemoveOriginals, want.A2ADefaultContainer
	if s.Retention == nil {
		s.Retention = map[string]int{}
	}
	s.ArchiveAfterDays = 0
	if want.ArchiveAfterDays != nil {
		s.ArchiveAfterDays = *want.ArchiveAfterDays
	}
	copy(s.TierCutPoints[:], want.TierCutPoints)
	if s.AllowedWords = want.AllowedWords; len(s.AllowedWords) == 0 {
		s.AllowedWords = nil
	}
	if s.Authorities = want.Authorities; len(s.Authorities) == 0 {
		s.Authorities = nil
	}
	s.DeadlineRules = nil
	if r := want.DeadlineRules; r != nil {
		s.DeadlineRules = &settings.RuleFile{
			Version: r.Version, Rules: each(
				r.Rules, func(r api.DeadlineRule) settings.Rule { return settings.Rule(r) },
			),
			Holidays: each(r.Holidays, func(h api.HolidayList) settings.HolidayList { return settings.HolidayList(h) }),
		}
	}

	return s, nil
}
