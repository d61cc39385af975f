package cases

import (
	"slices"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// Limits of a case's fields.
const (
	MaxTitle   = 200
	MaxSummary = 4000
	maxAreas   = 5
	maxStakes  = 6
	maxTags    = 20
	MaxTag     = 40
	MaxRef     = 64
	MaxUserID  = 255

	maxHoldReason = 300
)

// Case is a matter. Its id is also the id of its container.
type Case struct {
	ID              string
	Tenant          string
	Version         int64 // from 1
	Title           string
	TitleBasis      string
	Summary         string
	Status          string
	MatterKind      string
	PracticeAreas   []PracticeArea
	Jurisdiction    string
	Forum           *Forum
	Side            string
	ClientPartyID   string
	Joint           bool
	Stage           Stage
	Amount          *Controversy
	Stakes          []string
	Complexity      *Complexity
	Override        *Override
	Supervision     Supervision
	Confidentiality Confidentiality
	Conflict        Conflict
	Retention       Retention
	NextDeadline    *NextDeadline
	Counts          Counts
	TimelineID      string
	ActiveBranchID  string
	Language        string
	Tags            []string
	ExternalRef     string
	OpenedOn        string // date of the first opening
	ClosedOn        string // date
	CloseReason     string
	Fingerprint     string // of the request that made it, when it came with an Idempotency-Key
	CreatedAt       time.Time
	UpdatedAt       time.Time
	CreatedBy       audit.Actor
	Untouched       bool // an agent made it, and since then only agents of the same user have worked on it
	Deletion        *Deletion
}

// Draft is what a caller says of a case. In a new case, fields that are absent get their defaults.
type Draft struct {
	Title           *string
	Summary         *string
	Status          *string
	MatterKind      *string
	PracticeAreas   []PracticeArea
	Jurisdiction    *string
	Forum           *Forum
	Side            *string
	ClientPartyID   *string
	Joint           bool
	Stage           *Stage
	Amount          *Amount
	Stakes          []string
	Override        *Override // its tier and reason
	Supervision     *Supervision
	Confidentiality *Confidentiality
	Retention       *Retention // but for what the server sets
	Language        *string
	Tags            []string
	ExternalRef     *string
	CloseReason     *string
	ActiveBranchID  *string
}

// Field names a field of a case by its path on the wire.
type Field string

// The fields that callers write.
const (
	FieldTitle           Field = "title"
	FieldSummary         Field = "summary"
	FieldStatus          Field = "status"
	FieldMatterKind      Field = "matterKind"
	FieldPracticeAreas   Field = "practiceAreas"
	FieldJurisdiction    Field = "jurisdiction"
	FieldForum           Field = "forum"
	FieldSide            Field = "side"
	FieldClientPartyID   Field = "clientPartyId"
	FieldJoint           Field = "jointRepresentation"
	FieldStage           Field = "stage"
	FieldAmount          Field = "amountInControversy"
	FieldStakes          Field = "stakes"
	FieldOverride        Field = "complexity.override"
	FieldSupervision     Field = "supervision"
	FieldConfidentiality Field = "confidentiality"
	FieldLegalHold       Field = "retention.legalHold"
	FieldHoldReason      Field = "retention.holdReason"
	FieldPolicyCode      Field = "retention.policyCode"
	FieldLanguage        Field = "language"
	FieldTags            Field = "tags"
	FieldExternalRef     Field = "externalRef"
	FieldCloseReason     Field = "closeReason"
	FieldActiveBranchID  Field = "activeBranchId"
)

// fieldRule is everything that the rules of cases know about one field. A new field is a new row of fieldRules, its
// name among the Field constants, and its value in Case and Draft, all of which stand in this file.
type fieldRule struct {
	name    Field
	human   bool     // only a person may set it
	later   bool     // refers to something that a new case cannot have yet
	content bool     // says what the matter is about, rather than how it is kept; it stands still once the case is over
	clears  []string // paths of the field and of its parts at which null removes a value

	given func(Draft) bool    // whether the draft of a new case sets it
	show  func(*Draft, *Case) // copies it from a case into a draft
	// checks it and takes it over; missing for the status, which Service.move changes
	set   func(*editor, Draft) error
	texts func(Draft, audit.Actor) []inputgate.Text // its free text, which the gate reads; nil when it has none
}

// fieldRules are the fields in the order in which they are taken over: the reason of a legal hold depends on the hold.
var fieldRules = []fieldRule{
	{
		name:    FieldTitle,
		content: true,
		clears:  []string{"title"},
		given:   func(d Draft) bool { return d.Title != nil },
		show:    func(d *Draft, c *Case) { d.Title = &c.Title },
		set:     (*editor).setTitle,
		texts:   func(d Draft, _ audit.Actor) []inputgate.Text { return words("title", d.Title) },
	},
	{
		name:    FieldSummary,
		content: true,
		clears:  []string{"summary"},
		given:   func(d Draft) bool { return d.Summary != nil },
		show:    func(d *Draft, c *Case) { d.Summary = &c.Summary },
		set: func(e *editor, d Draft) error {
			e.Summary = e.f.Prose("summary", valueOf(d.Summary), 0, MaxSummary)
			return nil
		},
		texts: func(d Draft, _ audit.Actor) []inputgate.Text { return words("summary", d.Summary) },
	},
	{
		name:  FieldStatus,
		given: func(d Draft) bool { return d.Status != nil },
		show:  func(d *Draft, c *Case) { d.Status = &c.Status },
	},
	{
		name:    FieldMatterKind,
		content: true,
		given:   func(d Draft) bool { return d.MatterKind != nil },
		show:    func(d *Draft, c *Case) { d.MatterKind = &c.MatterKind },
		set: func(e *editor, d Draft) error {
			e.MatterKind = e.f.OneOf("matterKind", valueOf(d.MatterKind), vocabulary.MatterKinds.All()...)
			return nil
		},
	},
	{
		name:    FieldPracticeAreas,
		content: true,
		clears:  []string{"practiceAreas"},
		given:   func(d Draft) bool { return d.PracticeAreas != nil },
		show:    func(d *Draft, c *Case) { d.PracticeAreas = c.PracticeAreas },
		set: func(e *editor, d Draft) error {
			e.PracticeAreas = practiceAreas(d.PracticeAreas, &e.f)
			return nil
		},
	},
	{
		name:    FieldJurisdiction,
		content: true,
		clears:  []string{"jurisdiction"},
		given:   func(d Draft) bool { return d.Jurisdiction != nil },
		show:    func(d *Draft, c *Case) { d.Jurisdiction = &c.Jurisdiction },
		set:     (*editor).setJurisdiction,
	},
	{
		name:    FieldForum,
		content: true,
		clears:  []string{"forum", "forum.courtCode", "forum.docketLabel", "forum.timeZone"},
		given:   func(d Draft) bool { return d.Forum != nil },
		show:    func(d *Draft, c *Case) { d.Forum = c.Forum },
		set:     (*editor).setForum,
		texts:   forumTexts,
	},
	{
		name:    FieldSide,
		content: true,
		clears:  []string{"side"},
		given:   func(d Draft) bool { return d.Side != nil },
		show:    func(d *Draft, c *Case) { d.Side = &c.Side },
		set:     (*editor).setSide,
	},
	{
		name:    FieldClientPartyID,
		later:   true,
		content: true,
		clears:  []string{"clientPartyId"},
		given:   func(d Draft) bool { return d.ClientPartyID != nil },
		show:    func(d *Draft, c *Case) { d.ClientPartyID = &c.ClientPartyID },
		set: func(e *editor, d Draft) error {
			e.ClientPartyID = valueOf(d.ClientPartyID)
			return nil
		},
	},
	{
		name:    FieldJoint,
		content: true,
		given:   func(d Draft) bool { return d.Joint },
		show:    func(d *Draft, c *Case) { d.Joint = c.Joint },
		set: func(e *editor, d Draft) error {
			e.Joint = d.Joint
			return nil
		},
	},
	{
		name:    FieldStage,
		content: true,
		clears:  []string{"stage.task"},
		given:   func(d Draft) bool { return d.Stage != nil },
		show:    func(d *Draft, c *Case) { d.Stage = &c.Stage },
		set: func(e *editor, d Draft) error {
			e.Stage = *d.Stage
			e.Stage.check(&e.f)

			return nil
		},
	},
	{
		name:    FieldAmount,
		content: true,
		clears: []string{
			"amountInControversy", "amountInControversy.source", "amountInControversy.source.page",
			"amountInControversy.source.paragraph",
		},
		given: func(d Draft) bool { return d.Amount != nil },
		show:  func(d *Draft, c *Case) { d.Amount = c.Amount.amount() },
		set:   (*editor).setAmount,
		texts: amountTexts,
	},
	{
		name:    FieldStakes,
		content: true,
		clears:  []string{"stakes"},
		given:   func(d Draft) bool { return d.Stakes != nil },
		show:    func(d *Draft, c *Case) { d.Stakes = c.Stakes },
		set:     (*editor).setStakes,
	},
	{
		name:    FieldOverride,
		human:   true,
		content: true,
		clears:  []string{"complexity.override"},
		given:   func(d Draft) bool { return d.Override != nil },
		show:    func(d *Draft, c *Case) { d.Override = c.Override },
		set:     (*editor).setOverride,
		texts: func(d Draft, _ audit.Actor) []inputgate.Text {
			if d.Override == nil {
				return nil
			}

			return words("complexity.override.reason", &d.Override.Reason)
		},
	},
	{
		name:   FieldSupervision,
		human:  true,
		clears: []string{"supervision.professionalKind", "supervision.licenceJurisdictions"},
		given:  func(d Draft) bool { return d.Supervision != nil },
		show:   func(d *Draft, c *Case) { d.Supervision = &c.Supervision },
		set: func(e *editor, d Draft) error {
			e.Supervision = *d.Supervision
			e.Supervision.check(&e.f)

			return nil
		},
		texts: supervisionTexts,
	},
	{
		name:  FieldConfidentiality,
		human: true,
		given: func(d Draft) bool { return d.Confidentiality != nil },
		show:  func(d *Draft, c *Case) { d.Confidentiality = &c.Confidentiality },
		set: func(e *editor, d Draft) error {
			e.Confidentiality.take(*d.Confidentiality, &e.f)
			return nil
		},
	},
	{
		name:  FieldLegalHold,
		human: true,
		given: func(d Draft) bool { return d.Retention != nil },
		show:  func(d *Draft, c *Case) { d.Retention = &c.Retention },
		set:   (*editor).setLegalHold,
	},
	{
		name:   FieldHoldReason,
		human:  true,
		clears: []string{"retention.holdReason"},
		given:  func(d Draft) bool { return d.Retention != nil && d.Retention.HoldReason != "" },
		show:   func(d *Draft, c *Case) { d.Retention = &c.Retention },
		set:    (*editor).setHoldReason,
		texts: func(d Draft, _ audit.Actor) []inputgate.Text {
			if d.Retention == nil {
				return nil
			}

			return words("retention.holdReason", &d.Retention.HoldReason)
		},
	},
	{
		name:  FieldPolicyCode,
		human: true,
		given: func(d Draft) bool { return d.Retention != nil && d.Retention.PolicyCode != "" },
		show:  func(d *Draft, c *Case) { d.Retention = &c.Retention },
		set:   (*editor).setPolicyCode,
	},
	{
		name:    FieldLanguage,
		content: true,
		given:   func(d Draft) bool { return d.Language != nil },
		show:    func(d *Draft, c *Case) { d.Language = &c.Language },
		set:     (*editor).setLanguage,
	},
	{
		name:    FieldTags,
		content: true,
		clears:  []string{"tags"},
		given:   func(d Draft) bool { return d.Tags != nil },
		show:    func(d *Draft, c *Case) { d.Tags = c.Tags },
		set:     (*editor).setTags,
		texts:   tagTexts,
	},
	{
		name:    FieldExternalRef,
		content: true,
		clears:  []string{"externalRef"},
		given:   func(d Draft) bool { return d.ExternalRef != nil },
		show:    func(d *Draft, c *Case) { d.ExternalRef = &c.ExternalRef },
		set:     (*editor).setExternalRef,
		texts:   referenceTexts,
	},
	{
		name:   FieldCloseReason,
		human:  true,
		later:  true,
		clears: []string{"closeReason"},
		given:  func(d Draft) bool { return d.CloseReason != nil },
		show:   func(d *Draft, c *Case) { d.CloseReason = &c.CloseReason },
		set: func(e *editor, d Draft) error {
			e.CloseReason = e.f.OneOf("closeReason", valueOf(d.CloseReason), vocabulary.CloseReasons.OrNone()...)
			return nil
		},
	},
	{
		name:    FieldActiveBranchID,
		human:   true,
		later:   true,
		content: true,
		given:   func(d Draft) bool { return d.ActiveBranchID != nil },
		show:    func(d *Draft, c *Case) { d.ActiveBranchID = &c.ActiveBranchID },
		set: func(e *editor, d Draft) error {
			e.ActiveBranchID = valueOf(d.ActiveBranchID)
			return nil
		},
	},
}

// Fields returns the fields that callers write, in the order in which they are taken over.
func Fields() []Field {
	all := make([]Field, len(fieldRules))
	for i, rule := range fieldRules {
		all[i] = rule.name
	}

	return all
}

// ClearablePaths returns the paths of fields and of parts of fields at which null removes a value. Everything else
// always has one.
func ClearablePaths() []string {
	var all []string
	for _, rule := range fieldRules {
		all = append(all, rule.clears...)
	}

	return all
}

// rule returns the row of the field; an unknown field has an empty one.
func (f Field) rule() fieldRule {
	i := slices.IndexFunc(fieldRules, func(rule fieldRule) bool { return rule.name == f })
	if i < 0 {
		return fieldRule{}
	}

	return fieldRules[i]
}

// ForUsersOnly reports whether only a person may set the field. Which states only a person may choose is another
// matter.
func (f Field) ForUsersOnly() bool { return f.rule().human }

// Hold reports whether the field belongs to a legal hold, which is all that an admin who has no other role may set.
func (f Field) Hold() bool { return f == FieldLegalHold || f == FieldHoldReason }

func (f Field) content() bool { return f.rule().content }

func (f Field) later() bool { return f.rule().later }

// Given returns the fields that the draft of a new case sets.
func (d Draft) Given() []Field {
	var all []Field

	for _, rule := range fieldRules {
		if rule.given(d) {
			all = append(all, rule.name)
		}
	}

	return all
}

// Draft returns the writable part of the case.
func (c Case) Draft() Draft {
	var d Draft
	for _, rule := range fieldRules {
		rule.show(&d, &c)
	}

	return d
}

// take takes one field over from d, or clears it when d has none. What refers to other things of the tenant is looked
// up before.
func (e *editor) take(field Field, d Draft) error {
	rule := field.rule()
	if rule.set == nil {
		return nil
	}

	return rule.set(e, d)
}

// Texts returns the free text of the draft's fields, as sent.
func (d Draft) Texts(by audit.Actor, fields []Field) []inputgate.Text {
	var all []inputgate.Text

	for _, field := range fields {
		if rule := field.rule(); rule.texts != nil {
			all = append(all, rule.texts(d, by)...)
		}
	}

	return all
}

// words is the free text of a field that speaks of the matter; nothing when value is nil.
func words(path string, value *string) []inputgate.Text {
	if value == nil {
		return nil
	}

	return []inputgate.Text{{Channel: guard.Title, Path: path, Value: *value}}
}

func tagTexts(d Draft, _ audit.Actor) []inputgate.Text {
	var all []inputgate.Text
	for i := range d.Tags {
		all = append(all, words("tags["+strconv.Itoa(i)+"]", &d.Tags[i])...)
	}

	return all
}

// referenceTexts has the gate read the caller's own reference as a reference. That it is no docket number is checked
// with its form.
func referenceTexts(d Draft, _ audit.Actor) []inputgate.Text {
	if d.ExternalRef == nil {
		return nil
	}

	return []inputgate.Text{{Channel: guard.Reference, Path: "externalRef", Value: *d.ExternalRef}}
}

// forumTexts has the gate read the code of the court, whose form leaves room for a name: "john_smith".
func forumTexts(d Draft, _ audit.Actor) []inputgate.Text {
	if d.Forum == nil {
		return nil
	}

	return []inputgate.Text{{Channel: guard.ChosenID, Path: "forum.courtCode", Value: d.Forum.CourtCode}}
}

// supervisionTexts has the gate read the id of the responsible user, unless it is the caller's own: that one comes from
// the identity provider, and may well be an e-mail address.
func supervisionTexts(d Draft, by audit.Actor) []inputgate.Text {
	if d.Supervision == nil || d.Supervision.ResponsibleUserID == by.UserID {
		return nil
	}

	return []inputgate.Text{{
		Channel: guard.ChosenID,
		Path:    "supervision.responsibleUserId",
		Value:   d.Supervision.ResponsibleUserID,
	}}
}

func amountTexts(d Draft, _ audit.Actor) []inputgate.Text {
	if d.Amount == nil || d.Amount.Source == nil {
		return nil
	}

	return []inputgate.Text{{
		Channel: guard.FileText,
		Path:    "amountInControversy.source.quote",
		Value:   d.Amount.Source.Quote,
	}}
}
