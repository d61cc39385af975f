package support

// fileGuides are what people ask who bring files and questions into a case. The documentation says it at length.
func fileGuides() []Entry {
	return []Entry{
		{
			Code:  "false_alarm",
			Title: "What is refused is no identity",
			Cause: "The gate goes by rules and can take a word of another kind for a name.",
			Remedy: "For one file, a signed-in user clears the finding (subrosa file redact with --clear); " +
				"for the whole organization, an administrator adds the word to allowedWords in the settings.",
			Words: "false positive alarm wrongly mistaken not a name allow word whitelist exception clear finding",
		},
		{
			Code:  "redact_first",
			Title: "How are identities replaced before an upload?",
			Cause: "Files go in with labels in place of names, addresses and numbers. " +
				"What the labels stand for stays with you.",
			Remedy: "subrosa redact FILE labels a file on your own machine and keeps the map of labels in an " +
				"encrypted file; the browser does the same.",
			Words: "redact anonymize de-identify pseudonymize replace names prepare document label before upload tool",
		},
		{
			Code:  "review_work",
			Title: "How is an answer signed off?",
			Cause: "Whatever states law, strategy, a deadline, a tier or a draft waits for a person, " +
				"and says so in review.",
			Remedy: "A signed-in user sends POST /v1/phases/{phaseId}/review with approved, amended or rejected, " +
				"or follows the deep link. An agent cannot.",
			Words: "review approve sign off reject amend pending supervisor lawyer check",
		},
		{
			Code:  "deadline_rules",
			Title: "How are deadlines computed?",
			Cause: "By the federal rules of civil and appellate procedure, with the steps, " +
				"the roll-over and the assumptions told. A computed date is a proposal until a person confirms it.",
			Remedy: "Ask for the deadlines in a case_req. For the periods of a state, " +
				"an administrator loads deadlineRules in the settings.",
			Words: "deadline deadlines compute count days holidays state rules confirm due date",
		},
		{
			Code:  "draft_document",
			Title: "Which documents can be drafted?",
			Cause: "Fourteen first drafts, from a demand letter to an issue list, " +
				"are filled with labels and sourced facts; what no file says stays a placeholder.",
			Remedy: "Ask for one in a case_req, such as: Draft an answer to the complaint. " +
				"It comes as two files of the case, Markdown and DOCX, and waits for a sign-off.",
			Words: "draft write letter motion complaint answer document template word docx",
		},
		{
			Code:  "search_case",
			Title: "How is a case searched?",
			Cause: "A question to a case is answered by passages of its files, each with file, page and place.",
			Remedy: "Ask in a case_req, with a phrase in quotation marks where the words must stand together; " +
				"fileIds narrows it to some files.",
			Words: "search find look for passage phrase quote files question",
		},
		{
			Code:  "what_is_kept",
			Title: "What does the service keep of a file?",
			Cause: "Of Word files, PDFs, web pages and e-mails it keeps a rendition of what was read and judged; " +
				"properties, styles and other carriers are dropped and counted. Other types keep their bytes.",
			Remedy: "Keep your own copy, or store the original encrypted: the app offers it while the vault is " +
				"open, subrosa file add --keep-original does it, also for a file that is there already. " +
				"Only a person can. It is deleted with its file. docs/files.md says more.",
			Words: "keep kept original rendition markdown dropped metadata properties download docx pdf back " +
				"bytes content",
		},
		{
			Code:  "read_unreadable",
			Title: "Why does an agent not see a file?",
			Cause: "Scans, pictures, damaged and encrypted files have no text that could be checked, " +
				"so they are kept for people only. The refusal says why and on which pages.",
			Remedy: "Upload a version with text and without a password, or paste what matters into a text file " +
				"with labels.",
			Words: "agent cannot read see file scan unreadable picture image ocr missing agentReadable encrypted " +
				"password identity_unverifiable",
		},
	}
}

// caseGuides are what people ask who share, check and keep cases.
func caseGuides() []Entry {
	return []Entry{
		{
			Code:  "invite_partner",
			Title: "How does a professional get to see a case?",
			Cause: "An agent proposes an invite to somebody of the directory, a person sends it, " +
				"and the professional accepts. Until then they see five facts of the case; " +
				"afterwards the branches and files that the invite names.",
			Remedy: "POST /v1/cases/{caseId}/partners/{partnerId}/invite, then the user confirms at the deep link " +
				"and passes it on; the service sends no mail.",
			Words: "invite partner lawyer expert mediator share colleague outside counsel professional directory",
		},
		{
			Code:  "conflict_check",
			Title: "How does the conflict check work without names?",
			Cause: "The browser turns each name into a blind token under a key of the firm. " +
				"The service sees only that two tokens are equal.",
			Remedy: "Add parties in the browser, so that they have tokens; a person decides about a hit with a reason.",
			Words:  "conflict check conflicts of interest adverse client token names",
		},
		{
			Code:  "restore_case",
			Title: "A case was deleted by mistake",
			Cause: "A deleted case is invisible at once and can be brought back for 30 days.",
			Remedy: "A signed-in user sends POST /v1/cases/{caseId}/restore. After that it is gone for good, " +
				"but for ids, digests and dates.",
			Words: "deleted undo restore recover bring back mistake trash removed undelete",
		},
		{
			Code:  "keep_case",
			Title: "How long are cases kept?",
			Cause: "A closed case is kept for the years of its policy, seven by default. " +
				"A legal hold keeps it without end, whatever else is asked.",
			Remedy: "A user sets policy and hold in the case settings; an administrator sees what is due with the " +
				"verb retention_preview.",
			Words: "retention keep long years delete legal hold archive purge policy how long",
		},
	}
}

// firmGuides are what people ask who answer for an organization.
func firmGuides() []Entry {
	return []Entry{
		{
			Code:  "audit_record",
			Title: "Who did what, and can the record be trusted?",
			Cause: "Each service keeps a chain of hashes for each organization, without content. " +
				"A change anywhere in it shows.",
			Remedy: "A signed-in user reads GET /v1/audit/{chain}; subrosa audit verify checks all four chains " +
				"without trust in the service.",
			Words: "audit log trail record history who did verify tamper chain hash",
		},
		{
			Code:  "admin_verbs",
			Title: "What can an administrator ask for?",
			Cause: "An admin_req carries out fixed verbs: usage, pending reviews, checks of the record, " +
				"retention, a new search index, import of partners.",
			Remedy: "Send an admin_req with the prompt help. An administrator's agent has the verbs that only read.",
			Words:  "admin administrator usage statistics verbs manage organization",
		},
		{
			Code:  "which_model",
			Title: "Does a language model read my case?",
			Cause: "Only where the operator has configured one and the case's aiPolicy allows it. " +
				"What it says is checked sentence by sentence, and the phase says which model it was.",
			Remedy: "A user sets aiPolicy in the case settings; options.mode deterministic does without in one " +
				"request.",
			Words: "language model ai llm gpt training provider openai anthropic local policy",
		},
		{
			Code:  "branch_work",
			Title: "How is a second line of work begun?",
			Cause: "A branch goes on from a phase of another one; what came before is shared, " +
				"what comes after is its own.",
			Remedy: "POST /v1/branch with the timelineId and the phase to begin from, " +
				"then name the branchId in the task.",
			Words: "branch fork alternative opposing view second line parallel what if",
		},
		{
			Code:  "export_case",
			Title: "How is a case taken out of the service?",
			Cause: "A signed-in user gets one zip of files, timeline, phases and the case's part of the record, " +
				"with labels only.",
			Remedy: "GET /v1/cases/{caseId}/export; names are put in place of labels in the browser.",
			Words:  "export download backup zip take out leave migrate",
		},
		{
			Code:  "own_refusals",
			Title: "What was refused lately?",
			Cause: "Support looks up what the credential that asks was refused: time, action, " +
				"thing and requestId, never content.",
			Remedy: "Ask: Why was my upload refused? An agent asks for its own refusals, a user for theirs.",
			Words:  "refusals refused requestid lately history errors",
		},
	}
}
