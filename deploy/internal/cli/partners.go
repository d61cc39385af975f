package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type partnerCmd struct {
	Search partnerSearchCmd `cmd:"" help:"Search the directory of professionals; every row says why it matches."`
	Invite partnerInviteCmd `cmd:"" help:"Invite a professional to a case; from an agent it is a proposal."`
}

type partnerSearchCmd struct {
	Query        []string `arg:"" optional:"" help:"Words, at least two characters."`
	Case         string   `help:"Take jurisdiction, area, tier and languages from this case." placeholder:"CASE"`
	Jurisdiction string   `help:"With an active licence there." placeholder:"CODE"`
	AnyLicence   bool     `name:"any-licence" help:"Licensed or not."`
	Practice     string   `help:"Area of law: LIST code, its beginning or name." placeholder:"AREA"`
	Kind         string   `help:"Kind: ${enum}." enum:",${partnerKinds}" default:""`
	Language     string   `help:"Language." placeholder:"TAG"`
	Tier         string   `help:"Takes cases of this tier: ${enum}." enum:",1,2,3,4" default:""`
	Availability []string `help:"Whether free: ${enum}. Default: open, limited." enum:"open,limited,closed" placeholder:"STATE"`
	Fee          string   `help:"Fee: ${enum}." enum:",hourly,fixed,contingent,pro_bono,subscription" default:""`
	Sort         string   `help:"Order: ${enum}." enum:"relevance,name,response" default:"relevance"`
	paging       `embed:""`
}

// Run searches.
func (cmd *partnerSearchCmd) Run(sh *shell) error {
	q := url.Values{}
	for name, value := range map[string]string{
		"q":            strings.Join(cmd.Query, " "),
		"forCaseId":    cmd.Case,
		"jurisdiction": cmd.Jurisdiction,
		"practiceArea": cmd.Practice,
		"kind":         cmd.Kind,
		"language":     cmd.Language,
		"tier":         cmd.Tier,
		"feeModel":     cmd.Fee,
		"sort":         cmd.Sort,
	} {
		params(q).text(name, value)
	}
	params(q).texts("availability", cmd.Availability)
	if cmd.AnyLicence {
		q.Set("licensed", "any")
	}
	c, err := sh.caller()
	if err != nil {
		return err
	}

	return listed(sh, c, cmd.paging, "/v1/partners", q, func(w io.Writer, partners []api.Partner) {
		table(w, []string{"PARTNER", "KIND", "AVAILABLE", "WHERE", "POINTS", "NAME"}, func(row func(...any)) {
			for _, p := range partners {
				row(p.PartnerID, p.Kind, p.Availability, strings.Join(p.Jurisdictions, ","), deref(p.Match).Score,
					p.DisplayName)
			}
		})

		for _, p := range partners {
			if p.Match != nil && len(p.Match.Reasons) > 0 {
				fmt.Fprintf(w, "  %s: %s\n", p.DisplayName, strings.Join(p.Match.Reasons, "; "))
			}
		}
	})
}

type partnerInviteCmd struct {
	Case    string   `arg:"" help:"Id of the case."`
	Partner string   `arg:"" help:"Id of the partner."`
	Role    string   `required:"" help:"Role: ${enum}." enum:"${inviteRoles}" placeholder:"ROLE"`
	Branch  []string `help:"Branches that it opens." placeholder:"BRANCH"`
	File    []string `help:"Files that it opens." placeholder:"FILE"`
	Message string   `help:"Message, by label." placeholder:"TEXT"`
	Hours   int      `help:"How long it stands, 1 to 720 hours. Default: 14 days." placeholder:"N"`
	Licence bool     `name:"acknowledge-licence" help:"Invite them without an active licence in the jurisdiction of the case."`
	Key     string   `name:"idempotency-key" help:"Makes the command safe to repeat for 24 hours." placeholder:"KEY"`
}

// Run invites.
func (cmd *partnerInviteCmd) Run(sh *shell) error {
	in := fields{"role": cmd.Role}
	in.text("message", cmd.Message)
	scope := fields{}
	scope.texts("branchIds", cmd.Branch)
	scope.texts("fileIds", cmd.File)
	in.part("scope", scope)
	if cmd.Hours != 0 {
		in["expiresInHours"] = cmd.Hours
	}
	if cmd.Licence {
		in["acknowledgeLicence"] = true
	}
	r := httpcall.Request{
		Method: http.MethodPost,
		Path:   httpcall.Path("v1", "cases", cmd.Case, "partners", cmd.Partner, "invite"),
		In:     in,
		Header: idempotent(cmd.Key),
	}

	return one(sh, r, func(w io.Writer, i api.Invite) {
		// An agent can only propose: nothing leaves the firm before a person confirms it.
		if i.Status == "proposed" {
			fmt.Fprintf(w, "Proposed invite %s. A person sends it: subrosa invite decide %s confirm\n  or open %s\n",
				i.InviteID, i.InviteID, i.DeepLink)

			return
		}
		fmt.Fprintf(w, "Invite %s is %s until %s. Give the partner this link: %s\n", i.InviteID, i.Status,
			local(i.ExpiresAt), i.DeepLink)
	})
}

type inviteCmd struct {
	List   inviteListCmd   `cmd:"" help:"List the invites of a case, or those addressed to you."`
	Show   inviteShowCmd   `cmd:"" help:"Show an invite."`
	Decide inviteDecideCmd `cmd:"" help:"As its firm confirm or revoke an invite, as its partner accept or decline it, or end it."`
}

type inviteListCmd struct {
	Case   string `arg:"" optional:"" help:"Id of the case; without it the invites addressed to you."`
	Status string `help:"Status: ${enum}." enum:",proposed,pending,accepted,declined,expired,revoked,ended" default:""`
	paging `embed:""`
}

// Run lists invites.
func (cmd *inviteListCmd) Run(sh *shell) error {
	q := url.Values{}
	params(q).text("caseId", cmd.Case)
	params(q).text("status", cmd.Status)
	c, err := sh.caller()
	if err != nil {
		return err
	}

	return listed(sh, c, cmd.paging, "/v1/invites", q, func(w io.Writer, invites []api.SeenInvite) {
		table(w, []string{"INVITE", "STATUS", "ROLE", "PARTNER", "CASE", "UNTIL"}, func(row func(...any)) {
			for _, i := range invites {
				row(i.InviteID, i.Status, i.Role, i.PartnerID, i.CaseID, local(i.ExpiresAt))
			}
		})
	})
}

type inviteShowCmd struct {
	Invite string `arg:"" help:"Id of the invite."`
}

// Run shows an invite.
func (cmd *inviteShowCmd) Run(sh *shell) error {
	return one(sh, get("v1", "invites", cmd.Invite), inviteFacts)
}

func inviteFacts(w io.Writer, i api.SeenInvite) {
	matter, scope := "", ""
	if m := i.Matter; m != nil {
		areas := make([]string, len(m.PracticeAreas))
		for n, a := range m.PracticeAreas {
			areas[n] = strings.TrimSpace(a.Code + " " + a.Label)
		}
		matter = strings.Join([]string{m.MatterKind, m.Jurisdiction, strings.Join(areas, ", ")}, " ")
	}
	if i.CaseID != "" {
		scope = fmt.Sprintf("%d branches, %d files", len(i.Scope.BranchIDs), len(i.Scope.FileIDs))
	}
	sheet(w,
		"invite", i.InviteID,
		"status", i.Status,
		"role", i.Role,
		"case", i.CaseID,
		"partner", i.PartnerID,
		"matter", matter,
		"opens", scope,
		"message", i.Message,
		"until", local(i.ExpiresAt),
		"decided", localOf(i.DecidedAt),
		"link", i.DeepLink,
		"version", i.Version)
}

type inviteDecideCmd struct {
	Invite   string `arg:"" help:"Id of the invite."`
	Decision string `arg:"" enum:"confirm,revoke,accept,decline,end" help:"${enum}."`
	Attest   string `name:"conflict-attested" help:"For partners: your own check found no conflict, yes or no." enum:",yes,no" default:""`
}

// Run decides.
func (cmd *inviteDecideCmd) Run(sh *shell) error {
	in := fields{"decision": cmd.Decision}
	in.decided("conflictAttested", cmd.Attest)

	return person(
		sh,
		httpcall.Request{Method: http.MethodPost, Path: httpcall.Path("v1", "invites", cmd.Invite, "decision"), In: in},
		inviteFacts,
	)
}
