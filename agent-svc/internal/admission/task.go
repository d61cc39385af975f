package admission

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"golang.org/x/text/language"
)

// Limits of a task.
const (
	maxPrompt    = api.MaxPrompt
	maxSession   = 128 // code points
	maxFileIDs   = 50
	minSeconds   = 5
	maxSeconds   = 600
	usualSeconds = 180
)

var (
	errPromptTooLong = errs.New(
		errs.TooLarge,
		"prompt_too_long",
		"The prompt is longer than 32,000 characters. Put long material into a file of the case and refer to it.",
	)
	errMismatch = errs.New(
		errs.Invalid,
		"request_type_mismatch",
		"This requestType does not go with this containerType: eval_req and case_req need case, "+
			"support_req support or case, sales_req sales.",
	)
)

// containers says which containers a request type goes with.
var containers = map[string][]string{
	api.EvalReq:    {api.ContainerCase},
	api.CaseReq:    {api.ContainerCase},
	api.SupportReq: {api.ContainerSupport, api.ContainerCase},
	api.SalesReq:   {api.ContainerSales},
	api.AdminReq:   {api.ContainerCase, api.ContainerSupport, api.ContainerSales},
}

// checkTask refuses a task that is not of the form of the interface, naming every field that is wrong.
func checkTask(t *api.AgentTask) error {
	if utf8.RuneCountInString(t.Prompt) > maxPrompt {
		return errPromptTooLong
	}
	var wrong []errs.Detail
	check := func(ok bool, path, message string) {
		if !ok {
			wrong = append(wrong, errs.Detail{Path: path, Message: message})
		}
	}
	check(
		plain(t.SessionID, false) && within(t.SessionID, maxSession),
		"sessionId",
		"must be text of 1 to 128 characters",
	)
	check(
		ids.Valid(t.SeedPhase.PhaseID),
		"seedPhase.phaseId",
		"must be a UUID in lower case that you make for this phase",
	)
	check(t.SeedPhase.BranchID == "" || ids.Valid(t.SeedPhase.BranchID), "seedPhase.branchId", "must be a UUID")
	check(
		t.SeedPhase.ParentPhaseID == "" || ids.Valid(t.SeedPhase.ParentPhaseID),
		"seedPhase.parentPhaseId",
		"must be a UUID",
	)
	check(ids.Valid(t.ContainerID), "containerId", "must be a UUID in lower case")
	check(
		slices.Contains([]string{api.ContainerCase, api.ContainerSupport, api.ContainerSales}, t.ContainerType),
		"containerType",
		"must be case, support or sales",
	)
	allowed, known := containers[t.RequestType]
	check(known, "requestType", "must be eval_req, case_req, support_req, sales_req or admin_req")
	check(
		plain(t.Prompt, true) && strings.TrimSpace(t.Prompt) != "",
		"prompt",
		"must be text of 1 to 32,000 characters without control characters",
	)
	check(
		len(t.FileIDs) <= maxFileIDs && !slices.ContainsFunc(t.FileIDs, func(id string) bool { return !ids.Valid(id) }),
		"fileIds",
		"must be at most 50 UUIDs",
	)
	if o := t.Options; o != nil {
		check(
			slices.Contains([]string{"", "auto", "deterministic", "model"}, o.Mode),
			"options.mode",
			"must be auto, deterministic or model",
		)
		check(
			o.MaxSeconds == 0 || o.MaxSeconds >= minSeconds && o.MaxSeconds <= maxSeconds,
			"options.maxSeconds",
			"must be from 5 to 600",
		)
		check(
			o.Language == "" || isLanguage(o.Language),
			"options.language",
			"must be English, German, French or Spanish, as a BCP 47 tag such as en or es-MX: "+
				"in no other language is there anything to say",
		)
	}

	switch {
	case wrong != nil:
		return httpx.ErrValidation.WithDetails(wrong...)
	case !slices.Contains(allowed, t.ContainerType):
		return errMismatch
	}

	return nil
}

// longestTag bounds a language tag, in bytes.
const longestTag = 35

// isLanguage reports whether s is the tag of a language in which an answer can say what it cannot do; others would
// have no effect.
func isLanguage(s string) bool {
	tag, err := language.Parse(s)
	if err != nil || len(s) > longestTag {
		return false
	}
	base, _ := tag.Base()

	return slices.Contains([]string{"en", "de", "fr", "es"}, base.String())
}

func within(s string, limit int) bool {
	n := utf8.RuneCountInString(s)
	return n > 0 && n <= limit
}

// plain accepts text without control characters; lines allows line breaks and tabs.
func plain(s string, lines bool) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		layout := r == '\n' || r == '\t' || r == '\r'
		control := r < 0x20 || r == 0x7f

		return control && !(lines && layout)
	})
}

// Fingerprint tells whether two admitted requests with one phaseId are the same request.
func Fingerprint(t api.AgentTask) (string, error) {
	canonical, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)

	return hex.EncodeToString(sum[:]), nil
}

func timeOf(t api.AgentTask) time.Duration {
	seconds := usualSeconds
	if t.Options != nil && t.Options.MaxSeconds > 0 {
		seconds = t.Options.MaxSeconds
	}

	return time.Duration(seconds) * time.Second
}
