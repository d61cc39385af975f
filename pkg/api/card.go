package api

import (
	"github.com/subrosa-legal/subrosa/pkg/access"
)

// CardVersion is the version of the service that its card and its MCP server tell.
const CardVersion = "0.1.0"

// AgentCard holds exactly the fields that the interface gives the service's own card. Its shape is that of A2A 0.3.
type AgentCard struct {
	ProtocolVersion      string                    `json:"protocolVersion"`
	Name                 string                    `json:"name"`
	Description          string                    `json:"description"`
	URL                  string                    `json:"url"`
	PreferredTransport   string                    `json:"preferredTransport"`
	Version              string                    `json:"version"`
	Capabilities         CardCapabilities          `json:"capabilities"`
	SecuritySchemes      map[string]SecurityScheme `json:"securitySchemes"`
	Skills               []Skill                   `json:"skills"`
	AdditionalInterfaces []CardInterface           `json:"additionalInterfaces"`
}

// CardCapabilities are what the protocol lets an agent have beside messages.
type CardCapabilities struct {
	Streaming              bool `json:"streaming"`
	PushNotifications      bool `json:"pushNotifications"`
	StateTransitionHistory bool `json:"stateTransitionHistory"`
}

// SecurityScheme says how a client gets in.
type SecurityScheme struct {
	Type        string     `json:"type"`
	Description string     `json:"description"`
	Flows       OAuthFlows `json:"flows"`
	// Readers of A2A 1.0 look for the flows in here.
	OAuth2 WrappedFlows `json:"oauth2SecurityScheme"`
}

// WrappedFlows is OAuthFlows where A2A 1.0 has it.
type WrappedFlows struct {
	Flows OAuthFlows `json:"flows"`
}

// OAuthFlows holds the one flow that there is.
type OAuthFlows struct {
	AuthorizationCode AuthorizationCode `json:"authorizationCode"`
}

// AuthorizationCode is the flow by authorization code, with what each scope lets an application do.
type AuthorizationCode struct {
	AuthorizationURL string            `json:"authorizationUrl"`
	TokenURL         string            `json:"tokenUrl"`
	Scopes           map[string]string `json:"scopes"`
}

// Skill is one thing that the agent does.
type Skill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Examples    []string `json:"examples"`
	InputModes  []string `json:"inputModes"`
	OutputModes []string `json:"outputModes"`
}

// CardInterface is a way to reach the service.
type CardInterface struct {
	Transport string `json:"transport"`
	URL       string `json:"url"`
}

// NewAgentCard returns the card of the service at base, its public address without a slash at its end.
func NewAgentCard(base string) AgentCard {
	code := OAuthFlows{AuthorizationCode{
		AuthorizationURL: base + "/oauth/authorize", TokenURL: base + "/oauth/token",
		Scopes: map[string]string{
			access.ScopeRead:  "Read cases, files, parties, timelines and partners, by label only",
			access.ScopeWrite: "Create and change cases and their records, and propose invitations, by label only",
			access.ScopeRun:   "Have the legal agent work on cases",
		},
	}}

	return AgentCard{
		ProtocolVersion: "0.3.0",
		Name:            "Subrosa",
		Description: "Confidential legal work on de-identified cases: it sees labels such as [Party 1], never a " +
			"client's name. It rates a case's complexity, answers from the files with sources, proposes deadlines and " +
			"writes first drafts, and streams its work. A human professional stays accountable for every judgment.",
		URL:                base + "/api/mcp",
		PreferredTransport: "mcp",
		Version:            CardVersion,
		Capabilities:       CardCapabilities{Streaming: true},
		SecuritySchemes: map[string]SecurityScheme{"oauth2": {
			Type:        "oauth2",
			Description: "Sign-in of the user and consent, for the MCP endpoint.",
			Flows:       code,
			OAuth2:      WrappedFlows{code},
		}},
		Skills:               skills(),
		AdditionalInterfaces: []CardInterface{{"mcp", base + "/api/mcp"}, {"http+sse", base + "/v1/agent"}},
	}
}

// skills are what the agent does in this release.
func skills() []Skill {
	keep := skill("keep-case-files", "Keep de-identified case files",
		"Creates cases and takes text, Markdown, HTML, CSV, JSON, e-mail, PDF, DOCX and ODT files; refuses what "+
			"carries an identity and says where.",
		[]string{"documents", "confidentiality"}, "Create a case and add this complaint.")
	keep.InputModes = []string{
		"text/plain", "text/markdown", "text/html", "text/csv",
		"application/json", "message/rfc822", "application/pdf", word,
	}
	keep.OutputModes = []string{"application/json"}

	draft := skill("draft-documents", "Draft documents",
		"Fills one of fourteen skeletons, from demand letter to settlement outline, with labels and sourced facts, as "+
			"Markdown and Word files; what no file says stays a placeholder. Nothing is filed, served or sent.",
		[]string{"drafting", "documents"}, "Draft an answer to the complaint.")
	draft.OutputModes = append([]string{word}, draft.OutputModes...)

	return []Skill{
		skill("evaluate-case", "Evaluate a case",
			"Rates the complexity of a case from its files by a published rubric, with a breakdown of points whose "+
				"sources can be opened.",
			[]string{"triage", "complexity"}, "Evaluate this complaint."),
		skill("answer-from-files", "Answer from the files",
			"Answers a question about a case by quoting the passages of its files, with file, page and offsets; a "+
				"phrase in quotation marks is found word for word.",
			[]string{"search", "citations"}, "What is the notice period for termination?"),
		skill("summarise-files", "Summarise files",
			"Makes a card of each file: what it is, its parties, claims, dates, sums and duties, quoted and never "+
				"paraphrased.",
			[]string{"summary", "citations"}, "Summarise the files."),
		skill("build-chronology", "Build a chronology",
			"Lists the dated events of the files in order, each with its sentence, and proposes them to the timeline.",
			[]string{"timeline", "citations"}, "Build a chronology."),
		skill("find-deadlines", "Find deadlines",
			"Lists the time limits that the files state and computes those of the Federal Rules of Civil Procedure by "+
				"Rule 6 and of the firm's own rules, with their steps. Each is a proposal that a person confirms.",
			[]string{"deadlines", "procedure"}, "When is the answer due?"),
		skill("list-amounts", "List amounts",
			"Lists the sums of money in the files by what they are for.",
			[]string{"damages", "citations"}, "List the amounts."),
		skill("list-authorities", "List authorities",
			"Lists the cases, statutes and rules that the files cite, with pin cites; they are reported, "+
				"not vouched for.",
			[]string{"authorities", "citations"}, "List the authorities."),
		skill("map-elements", "Set evidence beside elements",
			"Sets the passages of the files beside the elements of common claims and defenses, for and against.",
			[]string{"claims", "evidence"}, "List the elements of negligence."),
		skill("check-documents", "Check documents",
			"Compares the documents of a case with those that are usual at its stage.",
			[]string{"documents", "checklist"}, "Which documents are missing?"),
		skill("compare-files", "Compare two files",
			"Lists what differs between two files, changed dates, sums, numbers and defined terms first.",
			[]string{"comparison", "documents"}, "Compare the two leases."),
		draft,
		skill("list-parties", "List parties",
			"Lists the labels of a case with their roles and first places.",
			[]string{"parties"}, "List the parties."),
		skill("suggest-next-steps", "Suggest next steps",
			"Lists what a case still lacks, from its record and its files; it is no legal strategy.",
			[]string{"planning"}, "What are the next steps?"),
		skill("suggest-partners", "Suggest professionals",
			"Lists the professionals of the directory that fit a case, and why; an invitation is proposed, "+
				"and a person sends it.",
			[]string{"partners"}, "Which partners fit this case?"),
		keep,
		skill("support", "Support",
			"Says how the service works and why something was refused, from a catalogue and the caller's own "+
				"record of refusals.",
			[]string{"support"}, "Why was my file refused?"),
	}
}

// word is the media type of Word files.
const word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

// skill returns a skill that takes a prompt and answers in Markdown and JSON.
func skill(id, name, does string, tags []string, example string) Skill {
	return Skill{
		ID:          id,
		Name:        name,
		Description: does,
		Tags:        append([]string{"legal"}, tags...),
		Examples:    []string{example},
		InputModes:  []string{"text/plain"},
		OutputModes: []string{"text/markdown", "application/json"},
	}
}
