package edge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

// agentCard holds exactly the fields that the interface gives the service's card. Its shape is that of A2A 0.3.
type agentCard struct {
	ProtocolVersion      string                    `json:"protocolVersion"`
	Name                 string                    `json:"name"`
	Description          string                    `json:"description"`
	URL                  string                    `json:"url"`
	PreferredTransport   string                    `json:"preferredTransport"`
	Version              string                    `json:"version"`
	Capabilities         capabilities              `json:"capabilities"`
	SecuritySchemes      map[string]securityScheme `json:"securitySchemes"`
	Skills               []skill                   `json:"skills"`
	AdditionalInterfaces []agentInterface          `json:"additionalInterfaces"`
}

type capabilities struct {
	Streaming              bool `json:"streaming"`
	PushNotifications      bool `json:"pushNotifications"`
	StateTransitionHistory bool `json:"stateTransitionHistory"`
}

type securityScheme struct {
	Type        string `json:"type"`
	Description string `json:"description"`
	Flows       flows  `json:"flows"`
	// Readers of A2A 1.0 look for the flows in here.
	OAuth2 wrapped `json:"oauth2SecurityScheme"`
}

type wrapped struct {
	Flows flows `json:"flows"`
}

type flows struct {
	AuthorizationCode authorizationCode `json:"authorizationCode"`
}

type authorizationCode struct {
	AuthorizationURL string            `json:"authorizationUrl"`
	TokenURL         string            `json:"tokenUrl"`
	Scopes           map[string]string `json:"scopes"`
}

type skill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Examples    []string `json:"examples"`
	InputModes  []string `json:"inputModes"`
	OutputModes []string `json:"outputModes"`
}

type agentInterface struct {
	Transport string `json:"transport"`
	URL       string `json:"url"`
}

// CardVersion is the version of the service that the card tells.
const CardVersion = "0.1.0"

// Card is the service's agent card, encoded once.
type Card struct {
	body []byte
	etag string
}

// NewCard writes the card of the service at base.
func NewCard(base string) (*Card, error) {
	code := flows{authorizationCode{
		AuthorizationURL: base + "/oauth/authorize", TokenURL: base + "/oauth/token",
		Scopes: map[string]string{
			"cases:read":  "Read cases, files, timelines and partners, by label only",
			"cases:write": "Create and change cases and their records, by label only",
			"agent:run":   "Run the legal agent on cases",
		},
	}}
	text, out := []string{"text/plain"}, []string{"text/markdown", "application/json"}
	body, err := json.Marshal(agentCard{
		ProtocolVersion: "0.3.0", Name: "Subrosa",
		Description: "Confidential legal work on de-identified cases: it sees labels such as [Party 1], never a client's name. It grades a case's complexity, " +
			"finds and quotes the passages that answer a question, and streams its work. A human professional stays accountable for every judgment.",
		URL: base + "/api/mcp", PreferredTransport: "mcp", Version: CardVersion,
		Capabilities:    capabilities{Streaming: true},
		SecuritySchemes: map[string]securityScheme{"oauth2": {Type: "oauth2", Description: "Sign-in of the user and consent, for the MCP endpoint.", Flows: code, OAuth2: wrapped{code}}},
		Skills: []skill{
			{ID: "evaluate-case", Name: "Evaluate a case", Description: "Determines the complexity tier of a case from its files, with a breakdown of points whose sources can be opened.",
				Tags: []string{"legal", "triage", "complexity"}, Examples: []string{"Evaluate this complaint."}, InputModes: text, OutputModes: out},
			{ID: "answer-from-files", Name: "Answer from the files", Description: "Answers a question about a case by quoting the passages of its files, with file, page and offsets.",
				Tags: []string{"legal", "search", "citations"}, Examples: []string{"What is the notice period for termination?"}, InputModes: text, OutputModes: out},
			{ID: "keep-case-files", Name: "Keep de-identified case files", Description: "Creates cases and takes text, Markdown, PDF and DOCX files; refuses what carries an identity and says where.",
				Tags: []string{"legal", "documents", "confidentiality"}, Examples: []string{"Create a case and add this complaint."}, InputModes: []string{"text/plain", "text/markdown", "application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"}, OutputModes: []string{"application/json"}},
		},
		AdditionalInterfaces: []agentInterface{{"mcp", base + "/api/mcp"}, {"http+sse", base + "/v1/agent"}},
	})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	return &Card{body: body, etag: `"` + hex.EncodeToString(sum[:16]) + `"`}, nil
}

// Serve answers with the card, or 304 to whoever has it.
func (k *Card) Serve(c *gin.Context) error {
	c.Header("ETag", k.etag)
	c.Header("Cache-Control", "public, max-age=3600")
	if matches(c.GetHeader("If-None-Match"), k.etag) {
		c.Status(http.StatusNotModified)
		c.Writer.WriteHeaderNow()
		return nil
	}
	c.Data(http.StatusOK, "application/json", k.body)
	return nil
}

// matches compares entity tags weakly, as RFC 9110 asks for If-None-Match.
func matches(header, etag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == etag {
			return true
		}
	}
	return false
}
