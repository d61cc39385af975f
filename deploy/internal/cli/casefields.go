package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// caseFields are the fields of a case that creating and changing have in common.
type caseFields struct {
	Title        string   `help:"Title, with labels such as [Party 1] for names. Default: the evaluation gives one." placeholder:"TEXT"`
	Summary      string   `help:"Summary, by label." placeholder:"TEXT"`
	Kind         string   `help:"Kind of matter: ${enum}." enum:",${matterKinds}" default:""`
	Practice     []string `help:"LIST code of the area of law, such as HO-00-00-00-00; the first is primary." placeholder:"CODE"`
	Jurisdiction string   `help:"ISO 3166 code, such as US or US-CA." placeholder:"CODE"`
	Forum        string   `help:"Where it is heard: ${enum}." enum:",${forums}" default:""`
	Court        string   `help:"Code of the court, such as cand; never a docket number." placeholder:"CODE"`
	Docket       string   `help:"Label of the docket, such as [Docket 1]." placeholder:"LABEL"`
	Zone         string   `help:"Time zone of the forum, such as America/New_York." placeholder:"ZONE"`
	Side         string   `help:"Side: ${enum}." enum:",${sides}" default:""`
	Client       string   `help:"Party that is the client." placeholder:"PARTY"`
	Joint        string   `help:"Whether several clients are represented jointly: yes or no." enum:",yes,no" default:""`
	CodeSet      string   `name:"code-set" help:"Code set of the stage: ${enum}." enum:",${codeSets}" default:""`
	Stage        string   `help:"UTBMS phase, such as L200." placeholder:"CODE"`
	Task         string   `help:"UTBMS task, such as L210; goes with --stage." placeholder:"CODE"`
	Amount       string   `help:"Amount in controversy, such as '80000.00 USD'." placeholder:"AMOUNT"`
	AmountBasis  string   `name:"amount-basis" help:"Its basis: ${enum}." enum:"stated,estimated,extracted" default:"stated"`
	Stakes       []string `help:"What is at stake: ${enum}." enum:"${stakes}" placeholder:"STAKE"`
	Tag          []string `help:"Tags." placeholder:"TAG"`
	Ref          string   `help:"Your own reference, unique among your cases." placeholder:"REF"`
	Language     string   `help:"Language of the matter, such as en." placeholder:"TAG"`
	Responsible  string   `help:"User who answers for the matter. Only people may set this and what follows." placeholder:"USER"`
	Professional string   `help:"What that user is: ${enum}." enum:",${professions}" default:""`
	Licence      []string `help:"Jurisdictions that user is licensed in." placeholder:"CODE"`
	Privilege    string   `help:"Privilege: ${enum}." enum:",${privileges}" default:""`
	AIPolicy     string   `name:"ai-policy" help:"Use of language models: ${enum}." enum:",${aiPolicies}" default:""`
	Consent      string   `help:"Consent of the client: ${enum}." enum:",not_required,obtained,refused,unknown" default:""`
	Hold         string   `help:"Legal hold: yes or no." enum:",yes,no" default:""`
	HoldReason   string   `name:"hold-reason" help:"Why it is held." placeholder:"TEXT"`
	Policy       string   `help:"Code of the retention policy." placeholder:"CODE"`
	Set          string   `help:"More fields as a JSON object, or @FILE with one; null clears a field." placeholder:"JSON"`
}

// body is what was given of the fields.
func (c *caseFields) body() (fields, error) {
	f := fields{}
	for name, value := range map[string]string{
		"title":         c.Title,
		"summary":       c.Summary,
		"matterKind":    c.Kind,
		"jurisdiction":  c.Jurisdiction,
		"side":          c.Side,
		"clientPartyId": c.Client,
		"externalRef":   c.Ref,
		"language":      c.Language,
	} {
		f.text(name, value)
	}
	f.decided("jointRepresentation", c.Joint)
	f.texts("stakes", c.Stakes)
	f.texts("tags", c.Tag)
	if len(c.Practice) > 0 {
		areas := make([]fields, len(c.Practice))
		for i, code := range c.Practice {
			// The interface wants exactly one primary area; on the command line it is the first.
			areas[i] = fields{"scheme": "LIST", "code": code, "primary": i == 0}
		}
		f["practiceAreas"] = areas
	}
	forum, stage, person, terms, kept := fields{}, fields{}, fields{}, fields{}, fields{}
	forum.text("system", c.Forum)
	forum.text("courtCode", c.Court)
	forum.text("docketLabel", c.Docket)
	forum.text("timeZone", c.Zone)
	f.part("forum", forum)
	stage.text("codeSet", c.CodeSet)
	stage.text("phase", c.Stage)
	stage.text("task", c.Task)
	f.part("stage", stage)
	person.text("responsibleUserId", c.Responsible)
	person.text("professionalKind", c.Professional)
	person.texts("licenceJurisdictions", c.Licence)
	f.part("supervision", person)
	terms.text("privilege", c.Privilege)
	terms.text("aiPolicy", c.AIPolicy)
	terms.text("clientConsent", c.Consent)
	f.part("confidentiality", terms)
	kept.decided("legalHold", c.Hold)
	kept.text("holdReason", c.HoldReason)
	kept.text("policyCode", c.Policy)
	f.part("retention", kept)
	if c.Amount != "" {
		amount, currency, err := money(c.Amount)
		if err != nil {
			return nil, err
		}
		f["amountInControversy"] = fields{"amount": amount, "currency": currency, "basis": c.AmountBasis}
	}

	// --set wins over every flag above; those that only a change has are written after it.
	return f, f.merged(c.Set)
}

// money reads an amount with its currency.
func money(text string) (amount, currency string, err error) {
	amount, currency, ok := strings.Cut(strings.TrimSpace(text), " ")
	if !ok || len(strings.TrimSpace(currency)) != 3 {
		return "", "", &misuse{
			fmt.Sprintf("%q is no amount; write it with its currency, such as '80000.00 USD'", text),
		}
	}

	return amount, strings.ToUpper(strings.TrimSpace(currency)), nil
}

// caseChange are the fields that only a change has.
type caseChange struct {
	caseFields
	Status     string   `help:"New status: ${enum}." enum:",intake,open,on_hold,closed,archived" default:""`
	Reason     string   `name:"close-reason" help:"Why it is closed: ${enum}." enum:",${closeReasons}" default:""`
	Branch     string   `help:"Branch to adopt as the active one." placeholder:"BRANCH"`
	Tier       string   `help:"Tier in place of the evaluation's: ${enum}; needs --tier-reason." enum:",1,2,3,4" default:""`
	TierReason string   `name:"tier-reason" help:"Why that tier." placeholder:"TEXT"`
	Clear      []string `help:"JSON names of fields to clear, such as summary or retention.holdReason." placeholder:"FIELD"`
}

var errNoChange error = &misuse{"say what to change, for example: subrosa case update CASE --title 'Lease dispute'"}

func (c *caseChange) body() (fields, error) {
	f, err := c.caseFields.body()
	if err != nil {
		return nil, err
	}
	f.text("status", c.Status)
	f.text("closeReason", c.Reason)
	f.text("activeBranchId", c.Branch)
	if c.Tier != "" {
		f["complexity"] = fields{"override": fields{"tier": json.Number(c.Tier), "reason": c.TierReason}}
	}

	for _, name := range c.Clear {
		f.clear(strings.Split(name, "."))
	}
	if len(f) == 0 {
		return nil, errNoChange
	}

	return f, nil
}

// clear sets the field at path to null, which clears it; one that is left out stays as it is.
func (f fields) clear(path []string) {
	if len(path) == 1 {
		f[path[0]] = nil
		return
	}
	below, ok := f[path[0]].(fields)
	if !ok {
		below = fields{}
		f[path[0]] = below
	}
	below.clear(path[1:])
}

func caseFacts(w io.Writer, k api.Case) {
	complexity := ""
	if e := k.Complexity; e != nil && e.Evaluation != nil {
		complexity = fmt.Sprintf("%s, %g points (%g to %g), confidence %s", e.TierName, e.Score, e.Range[0], e.Range[1],
			e.Confidence)
	}
	tier := ""
	if e := k.Complexity; e != nil && e.Override != nil {
		tier = fmt.Sprintf("%d, set by %s: %s", e.Override.Tier, e.Override.ByUserID, e.Override.Reason)
	}

	areas := make([]string, len(k.PracticeAreas))
	for i, a := range k.PracticeAreas {
		areas[i] = strings.TrimSpace(a.Code + " " + a.Label)
	}
	forum, amount, hold := "", "", ""
	if k.Forum != nil {
		forum = strings.Join([]string{k.Forum.System, k.Forum.CourtCode, k.Forum.DocketLabel}, " ")
	}
	if a := k.AmountInControversy; a != nil {
		amount = a.Amount + " " + a.Currency + ", " + a.Basis
	}
	if k.Retention.LegalHold {
		hold = strings.TrimSuffix("yes: "+k.Retention.HoldReason, ": ")
	}
	next := ""
	if d := k.NextDeadline; d != nil {
		next = d.DueOn + " " + d.Title + " (" + d.Status + ")"
	}
	sheet(w,
		"case", k.CaseID,
		"title", k.Title,
		"summary", k.Summary,
		"status", strings.TrimSuffix(k.Status+" ("+k.MatterKind+")", " ()"),
		"closed", strings.TrimSpace(k.ClosedOn+" "+k.CloseReason),
		"practice", strings.Join(areas, ", "),
		"jurisdiction", k.Jurisdiction,
		"forum", forum,
		"side", k.Side,
		"stage", k.Stage.Phase+" "+k.Stage.Task,
		"amount", amount,
		"stakes", strings.Join(k.Stakes, ", "),
		"complexity", complexity,
		"tier", tier,
		"conflict", k.Conflict.Status,
		"responsible", k.Supervision.ResponsibleUserID,
		"ai policy", k.Confidentiality.AIPolicy,
		"privilege", k.Confidentiality.Privilege,
		"legal hold", hold,
		"kept until", k.Retention.RetainUntil,
		"next deadline", next,
		"tags", strings.Join(k.Tags, ", "),
		"reference", k.ExternalRef,
		"files", k.Counts.Files,
		"parties", k.Counts.Parties,
		"phases", fmt.Sprintf("%d, %d waiting for review", k.Counts.Phases, k.Counts.PendingReviews),
		"timeline", k.TimelineID,
		"active branch", k.ActiveBranchID,
		"version", k.Version,
		"changed", local(k.UpdatedAt))
}
