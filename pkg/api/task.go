package api

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"golang.org/x/text/language"
)

// Limits of a task, whichever way it comes. openapi.yaml states them too, and a test holds it to them.
const (
	MaxSession     = 128 // code points of the name of a session
	MaxTaskFiles   = 50  // files that a task names
	minTaskSeconds = 5
	maxTaskSeconds = 600
	taskSeconds    = 180 // of a task that says nothing
)

var (
	// ErrPromptTooLong refuses a prompt of more than MaxPrompt code points.
	ErrPromptTooLong = errs.New(
		errs.TooLarge,
		"prompt_too_long",
		"The prompt is longer than 32,000 characters. Put long material into a file of the case and refer to it.",
	)
	// ErrRequestType refuses a request type in a container that it does not work in.
	ErrRequestType = errs.New(
		errs.Invalid,
		"request_type_mismatch",
		"This requestType does not go with this containerType. Use eval_req and case_req with a case, "+
			"support_req with a case or a support container, sales_req with a sales container.",
	)
)

// requestTypes lists the request types, and the containers that each works in.
var requestTypes = map[string][]string{
	EvalReq:    {ContainerCase},
	CaseReq:    {ContainerCase},
	SupportReq: {ContainerSupport, ContainerCase},
	SalesReq:   {ContainerSales},
	AdminReq:   {ContainerCase, ContainerSupport, ContainerSales},
}

// IsRequestType reports whether s is a request type.
func IsRequestType(s string) bool { return requestTypes[s] != nil }

// WorksIn reports whether a request type works in containers of a type.
func WorksIn(requestType, containerType string) bool {
	return slices.Contains(requestTypes[requestType], containerType)
}

// FileIDs reports whether list is one that a task may name: at most MaxTaskFiles ids.
func FileIDs(list []string) bool {
	return len(list) <= MaxTaskFiles && !slices.ContainsFunc(list, func(id string) bool { return !ids.Valid(id) })
}

// Validate returns nil for a task of the form of the interface; ErrPromptTooLong; ErrRequestType; or an error of the
// code validation_failed that names every field that is wrong.
func (t *AgentTask) Validate() error {
	if utf8.RuneCountInString(t.Prompt) > MaxPrompt {
		return ErrPromptTooLong
	}

	var wrong validate.List
	check := func(ok bool, path, form string) {
		if !ok {
			wrong.Add(path, form)
		}
	}
	optionalID := func(id string) bool { return id == "" || ids.Valid(id) }

	check(isSession(t.SessionID), "sessionId", fmt.Sprintf("must be text of 1 to %d characters", MaxSession))
	seed := t.SeedPhase
	check(ids.Valid(seed.PhaseID), "seedPhase.phaseId", "must be a UUID in lower case that you make for this phase")
	check(optionalID(seed.BranchID), "seedPhase.branchId", "must be a UUID in lower case")
	check(optionalID(seed.ParentPhaseID), "seedPhase.parentPhaseId", "must be a UUID in lower case")
	check(ids.Valid(t.ContainerID), "containerId", "must be a UUID in lower case")
	wrong.OneOf("containerType", t.ContainerType, ContainerCase, ContainerSupport, ContainerSales)
	check(
		IsRequestType(t.RequestType),
		"requestType",
		"must be one of eval_req, case_req, support_req, sales_req, admin_req",
	)
	check(isPrompt(t.Prompt), "prompt", "must be text of 1 to 32,000 characters without control characters")
	check(FileIDs(t.FileIDs), "fileIds", fmt.Sprintf("must be at most %d UUIDs in lower case", MaxTaskFiles))
	t.Options.validate(&wrong)

	if err := wrong.Err(); err != nil {
		return err
	}
	// Only a known request type in a known container can be a mismatch; anything else is named above.
	if !WorksIn(t.RequestType, t.ContainerType) {
		return ErrRequestType
	}

	return nil
}

func (o *TaskOptions) validate(wrong *validate.List) {
	if o == nil {
		return
	}
	if !slices.Contains([]string{"", "auto", ModeDeterministic, ModeModel}, o.Mode) {
		wrong.Add("options.mode", "must be auto, deterministic or model")
	}
	inRange := o.MaxSeconds >= minTaskSeconds && o.MaxSeconds <= maxTaskSeconds
	if o.MaxSeconds != 0 && !inRange {
		wrong.Add("options.maxSeconds", fmt.Sprintf("must be from %d to %d", minTaskSeconds, maxTaskSeconds))
	}
	if o.Language != "" && !isAnswerLanguage(o.Language) {
		wrong.Add(
			"options.language",
			"must be English, German, French or Spanish, as a BCP 47 tag such as en or es-MX",
		)
	}
}

// Limit is how long the run of a task may take.
func (t *AgentTask) Limit() time.Duration {
	seconds := taskSeconds
	if t.Options != nil && t.Options.MaxSeconds > 0 {
		seconds = t.Options.MaxSeconds
	}

	return time.Duration(seconds) * time.Second
}

// isSession accepts one line of text: the name goes into records and lists as it is.
func isSession(s string) bool {
	n := utf8.RuneCountInString(s)
	return n > 0 && n <= MaxSession && utf8.ValidString(s) && !strings.ContainsFunc(s, isControl)
}

// isPrompt accepts text of any number of lines that says something.
func isPrompt(s string) bool {
	odd := func(r rune) bool { return isControl(r) && !strings.ContainsRune("\n\t\r", r) }
	return utf8.ValidString(s) && !strings.ContainsFunc(s, odd) && strings.TrimSpace(s) != ""
}

// isControl finds the control characters of ASCII.
func isControl(r rune) bool { return r < 0x20 || r == 0x7f }

// longestTag bounds a language tag, in bytes (RFC 5646, section 4.4.1).
const longestTag = 35

// isAnswerLanguage reports whether s is the tag of a language in which an answer can say what it cannot do; any other
// would have no effect.
func isAnswerLanguage(s string) bool {
	tag, err := language.Parse(s)
	if err != nil || len(s) > longestTag {
		return false
	}
	// en-GB and es-MX are English and Spanish.
	base, _ := tag.Base()

	return slices.Contains([]string{"en", "de", "fr", "es"}, base.String())
}
