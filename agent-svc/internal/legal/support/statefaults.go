package support

// stateFaults are the errors that come of the state of things, and those that are the service's own.
func stateFaults() []Entry {
	return []Entry{
		fault("branch_busy", "A phase is already running on the branch", "One phase runs on a branch at a time. Up to eight more wait for their turn, for 30 s at most; then this is the answer.", "Send the same request again after the time in Retry-After, attach to the running phase by its phaseId, or fork another branch.", "409 running phase parallel"),
		fault("phase_conflict", "The phase was asked for in another way", "The phaseId came before with another body, or the parent phase is no longer the head of the branch.", "Use a new phaseId for a new request; repeat an old one only with the same body.", "409 phaseId duplicate"),
		fault("phase_running", "The phase has not ended", "This step needs an ended phase.", "Wait for phase_end.", "409 running"),
		fault("session_conflict", "The session belongs to somebody else", "A sessionId is bound to the first user who uses it.", "Choose another sessionId.", "409 sessionId"),
		fault("invalid_transition", "The state does not allow this step", "The case cannot go from its state to the one asked for; details lists what is unmet.", "Fulfil what unmet names, then try again.", "409 status open close case"),
		fault("case_closed", "The case is closed", "A closed or archived case takes no more work.", "A user can reopen it.", "409 closed archived reopen"),
		fault("branch_archived", "The branch is archived", "No phase runs on an archived branch.", "Work on another branch, or fork one.", "409 archived"),
		fault("branch_limit", "There are too many branches", "A timeline takes a bounded number of branches.", "Archive branches that are done.", "409 limit fork"),
		fault("review_pending", "A review is still open", "Something waits for the sign-off of a person.", "Let the reviewer decide, or close with acknowledgePending.", "409 sign-off approve"),
		fault("already_reviewed", "The phase was reviewed before", "A review is given once.", "Read the phase to see it.", "409 approve reject"),
		fault("legal_hold", "A legal hold keeps this", "Nothing under a legal hold is deleted.", "A user must lift the hold first.", "409 delete retention hold"),
		fault("supervisor_required", "Nobody answers for the case", "Work on a case needs a responsible person.", "A user names one in the case settings; evaluations run without.", "409 responsible supervision"),
		fault("external_ref_taken", "The external reference is in use", "Another case has the same externalRef.", "Use that case, or another reference.", "409 duplicate externalRef"),
		fault("file_superseded", "A newer version of the file exists", "The file was replaced.", "Use the newest version, as the list of files shows it.", "409 version file old"),
		fault("label_taken", "The label is in use", "Each label of a case stands for one party.", "Leave the label out and take the one that the answer gives.", "409 party label duplicate"),
		fault("label_immutable", "A label cannot be changed", "Texts refer to the label, so it stays.", "Make another party instead.", "409 party label change"),
		fault("client_required", "The case has no client", "A case needs exactly one client party before it opens.", "Mark one party with isClient.", "409 open client party"),
		fault("conflict_found", "The conflict check found something", "The same identity stands on the other side of another case.", "A person must clear or waive it.", "409 conflict check adverse"),
		fault("conflict_unresolved", "The conflict check is not settled", "It was not run, or a hit is undecided.", "Let a user run and settle it in the browser.", "409 conflict check"),
		fault("already_invited", "The partner was invited before", "An open invite to this partner exists.", "Wait for its answer, or revoke it.", "409 invite partner duplicate"),
		fault("partner_unavailable", "The partner cannot be invited", "The partner has no account that could answer, or takes no cases.", "Choose another partner.", "409 invite"),
		fault("agent_connected", "An agent is already connected", "Each user has at most one agent.", "Disconnect it first with DELETE /v1/agents/{agentId}, then ask for a new registration token.", "409 second agent registration token connect another"),
		fault("registration_busy", "Another registration is under way", "Two registrations came at the same time.", "Wait a moment and look at GET /v1/agents/me before trying again.", "409 register race"),
		fault("last_owner", "The last owner cannot be offboarded", "An organization needs somebody who can act for it.",
			"Make a colleague an owner at the identity provider, have them sign in, and try again.", "409 offboard owner member"),
		fault("last_key_holder", "Nobody else can open the clients' identities",
			"The member is the last who holds the organization's key.",
			"Let them give the key to a colleague in the browser first.", "409 offboard vault key member"),
		fault("last_holder", "Nobody else holds a key of the firm", "Something is still sealed under a key that this member alone holds.",
			"Give the key to somebody who stays, or seal everything anew, before you remove the member.", "409 vault member"),
		fault("already_given", "The member holds this key already", "A key of this version was given before.",
			"Do nothing: only the member can replace it.", "409 vault member"),
		fault("key_outdated", "The firm's key has changed", "Something was sealed under an older version of the key.",
			"Read the vault again, and seal with the version that it names.", "409 vault version"),
		fault("agent_ended", "Access was ended for good", "What was disconnected gets no key again.",
			"Register anew, with a new token of the user.", "409 disconnected"),
		fault("idempotency_in_progress", "The first request is still running", "The same Idempotency-Key is being worked on.", "Wait and repeat the request with the same key.", "409 retry"),
		fault("resource_gone", "What was made has been deleted",
			"The Idempotency-Key was used before, and what that request made is gone.",
			"Use a new key to make another.", "409 idempotency deleted retry"),
		fault("write_conflict", "Others kept writing", "The change was tried five times and others were always quicker.", "Read the newest version and try again.", "409 concurrent update"),
		fault("version_mismatch", "The version has moved on", "If-Match names a version that is no longer the newest.", "Read it again, apply your change to it, and send the new ETag.", "412 etag if-match"),
		fault("internal", "Something went wrong on the service's side", "A fault of the service; nothing of it is shown.", "Try again; if it happens again, give the requestId to support.", "500 error bug crash"),
		fault(
			"unavailable",
			"The service cannot answer at the moment",
			"A store or service behind it is away, or there is no place for more work. The message says whether nothing was changed, "+
				"or whether the call may have been carried out.",
			"Wait for the time in Retry-After and repeat the request. Where the call may have been carried out, look first.",
			"503 down outage retry",
		),
		fault("model_unavailable", "There is no language model", "The request demanded a model, and none is configured.", "Leave options.mode out; the rules answer without a model.", "503 model mode"),
	}
}

// streamFaults are the errors that come as events of a stream.
func streamFaults() []Entry {
	return []Entry{
		fault("time_limit", "The time of a run is used up", "The run took longer than options.maxSeconds.", "Start a new phase with more time (up to 600 seconds) or ask for less, for example with fileIds.", "timeout maxSeconds slow stream error"),
		fault("model_rate_limited", "The language model refuses for now", "The provider of the model limits its calls.", "Start a new phase later, or without mode model.", "model limit stream error"),
		fault("model_refused", "The language model refused", "The provider of the model will not answer this.", "Put it differently, or use the rules.", "model stream error"),
		fault("output_blocked", "The answer was held back", "The finished answer held what could be an identity, so nothing of it was sent.", "Check the files of the case for identities and replace them by labels.", "identity answer blocked stream error"),
		fault("file_unreadable", "A file named in fileIds cannot be read", "The file is not of this case or agents cannot read it, such as a scan.", "Leave it out, or add a readable version.", "fileIds scan stream error"),
		fault("store_unavailable", "A store was away during the run", "A store or service could not be reached.", "Start a new phase in a moment.", "stream error outage"),
		fault("cancelled", "The run was cancelled", "A caller cancelled the phase.", "Start a new phase if it is still wanted.", "cancel stop stream error"),
		fault("caller_gone", "The user of the run has no access any more",
			"Whoever asked for the run lost access while it ran.",
			"Let somebody with access start a new phase.", "stream error"),
		fault("interrupted", "The task was broken off", "The server that kept its place in line stopped. Nothing was done.",
			"Send the task again.", "stream error server"),
		fault("budget_exceeded", "The run used up its budget", "It made too many calls or events.", "Ask for less at once.", "limit tokens stream error"),
	}
}
