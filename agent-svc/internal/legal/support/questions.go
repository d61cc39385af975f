package support

// agentQuestions are what people ask who connect an agent.
func agentQuestions() []Entry {
	return []Entry{
		{
			Code:  "connect_agent",
			Title: "How is an agent connected?",
			Cause: "A signed-in user asks for a registration token (POST /v1/agents/registration-token) and hands " +
				"it to the agent, which registers with it and the https address of its card (POST " +
				"/v1/agents/register).",
			Remedy: "The answer holds shared_api_key once; the agent keeps it and exchanges it at POST " +
				"/v1/auth/token for a bearer that is valid for an hour.",
			Words: "register connection setup start agent registration begin onboarding",
		},
		{
			Code:   "bearer_expired",
			Title:  "How long does a bearer token live?",
			Cause:  "One hour. It also ends at once when the user disconnects the agent.",
			Remedy: "Exchange the API key again at POST /v1/auth/token, best shortly before expires_at.",
			Words:  "bearer token valid validity how long expired renew refresh lifetime hour",
		},
		{
			Code:   "lost_key",
			Title:  "The API key is lost",
			Cause:  "The key is shown once and stored only as a hash, so nobody can look it up.",
			Remedy: "Disconnect the agent and register it again with a new registration token.",
			Words:  "recover forgot key again show",
		},
		{
			Code:   "disconnect_agent",
			Title:  "How is an agent disconnected?",
			Cause:  "The owning user sends DELETE /v1/agents/{agentId}. Key and bearers end at once.",
			Remedy: "Then another agent can be connected.",
			Words:  "remove agent end revoke replace switch",
		},
		{
			Code:  "agent_unhealthy",
			Title: "The agent is reported unhealthy",
			Cause: "Its card could not be fetched again or no longer fits.",
			Remedy: "Open the card's address from outside, check the certificate, " +
				"and see that the required fields are there.",
			Words: "health check card 503 unhealthy status",
		},
	}
}

// streamQuestions are what people ask who read a stream.
func streamQuestions() []Entry {
	return []Entry{
		{
			Code:  "stream_broken",
			Title: "The stream broke off",
			Cause: "A close without phase_end means that the connection was lost, not that the run ended. " +
				"The run goes on.",
			Remedy: "Send the same POST again with Last-Event-ID set to the last id you saw; " +
				"the events after it follow, then the live ones.",
			Words: "resume reconnect disconnect dropped connection lost stream interrupted last-event-id replay sse",
		},
		{
			Code:  "stream_silent",
			Title: "Nothing but heartbeats arrives",
			Cause: "A heartbeat comes every three seconds while a step is at work, for example while files are read.",
			Remedy: "Keep reading. If not even heartbeats arrive, some proxy in between holds the stream back: " +
				"switch its buffering off for text/event-stream.",
			Words: "heartbeat buffering proxy hanging stuck no events waiting nginx",
		},
		{
			Code:  "stream_events",
			Title: "Which events does a stream have?",
			Cause: "status, phase_start, content_chunk, direct_response, phase_end, heartbeat and error. " +
				"phase_end is always the last one.",
			Remedy: "Ignore kinds and fields that you do not know. The deltas of content_chunk, put together, " +
				"are the text of direct_response.",
			Words: "sse event kinds order format content_chunk direct_response",
		},
		{
			Code:  "repeat_post",
			Title: "Is it safe to repeat POST /v1/agent?",
			Cause: "Yes. The same phaseId with the same body attaches to the run that is there and never starts a " +
				"second one.",
			Remedy: "Use a new phaseId for a new request.",
			Words:  "retry idempotent duplicate twice again phaseId",
		},
		{
			Code:   "cancel_run",
			Title:  "How is a run stopped?",
			Cause:  "Closing the connection does not stop it.",
			Remedy: "Cancel the phase; the stream then ends with error cancelled and phase_end.",
			Words:  "cancel stop abort run phase",
		},
	}
}

// textQuestions are what people ask who send files and requests.
func textQuestions() []Entry {
	return []Entry{
		{
			Code:   "upload_formats",
			Title:  "Which files can be uploaded?",
			Cause:  "Text, Markdown, PDF with text, DOCX and ODT, up to 25 MiB and 2,000 pages each, 500 files a case.",
			Remedy: "Replace all names and numbers by labels before. Scans need their text recognised first.",
			Words:  "file types upload pdf docx odt format accepted limits",
		},
		{
			Code:  "labels",
			Title: "How are labels written?",
			Cause: "A kind, one blank and a number in square brackets, such as [Party 1], [Company 2], " +
				"[Docket 1] or [Address 3].",
			Remedy: "Use the same label for the same identity throughout a case; " +
				"the user's browser alone knows who it is.",
			Words: "label labels look write form placeholder brackets de-identify anonymise redact names pseudonym",
		},
		{
			Code:  "who_reads",
			Title: "Who can see a case?",
			Cause: "The members of the tenant and its connected agents within their rights; " +
				"identities stay encrypted in the user's browser. Support never sees a case.",
			Remedy: "Quote into a support request only what is needed; it passes the identity gate too.",
			Words:  "privacy confidential security access data see",
		},
		{
			Code:  "evaluate_case",
			Title: "How is a case evaluated?",
			Cause: "An eval_req reads the case's files and scores ten features by a published rubric; " +
				"no language model is used.",
			Remedy: "Send eval_req with the caseId as containerId. Every point has its source, " +
				"and a person signs the tier off.",
			Words: "complexity tier eval_req score evaluation",
		},
	}
}
