// Package deeplink makes the addresses of pages where a person does in the browser what a service cannot do for them.
package deeplink

import "net/url"

// Links makes the addresses of deep links.
type Links string // base address of the browser app, without a slash at its end

// Actions of deep links.
const (
	AddIdentity   = "add_identity"
	RedactFile    = "redact_file"
	Files         = "files"
	Export        = "export"
	CaseSettings  = "case_settings"
	Review        = "review"
	Reveal        = "reveal"
	ConflictCheck = "conflict_check"
	ConfirmInvite = "confirm_invite"
	Admin         = "admin"
	Grants        = "grants"
	Members       = "members"
)

// To returns the address for action. The case may be "".
func (l Links) To(action, caseID string) string { return l.with(action, "case", caseID) }

// ToInvite returns the address for action on an invite. It does not name the case: who was invited must not learn of it
// yet.
func (l Links) ToInvite(action, inviteID string) string { return l.with(action, "invite", inviteID) }

// ToContainer is To for a container that is no case.
func (l Links) ToContainer(action, containerID string) string {
	return l.with(action, "container", containerID)
}

// ToPhase returns the address for action on a phase of a case.
func (l Links) ToPhase(action, caseID, phaseID string) string {
	return l.To(action, caseID) + "&phase=" + url.QueryEscape(phaseID)
}

// ToCase returns the address at which the browser app shows a case, or in it the record of that name and id; the name
// may be "".
func (l Links) ToCase(caseID, name, id string) string {
	link := string(l) + "/c/" + url.PathEscape(caseID)
	if name != "" {
		link += "?" + name + "=" + url.QueryEscape(id)
	}

	return link
}

func (l Links) with(action, name, id string) string {
	link := string(l) + "/i/" + action
	if id != "" {
		link += "?" + name + "=" + url.QueryEscape(id)
	}

	return link
}
