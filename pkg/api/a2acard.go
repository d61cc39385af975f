package api

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Where the agent-to-agent protocol is spoken, and what its extensions are named, below the address of the service.
const (
	A2APathRPC    = "/a2a/rpc"
	A2APathREST   = "/a2a/rest"
	A2AResumable  = "/a2a/ext/resumable-stream/v1"
	A2ALegalPhase = "/a2a/ext/legal-phase/v1"
)

// A2ACard is the service's card of the agent-to-agent protocol 1.0. It holds nothing else, since strict readers refuse
// what the protocol does not know; the card that the interface fixes is AgentCard.
type A2ACard struct {
	Name                string               `json:"name"`
	Description         string               `json:"description"`
	SupportedInterfaces []A2AInterface       `json:"supportedInterfaces"`
	Provider            A2AProvider          `json:"provider"`
	Version             string               `json:"version"`
	DocumentationURL    string               `json:"documentationUrl"`
	Capabilities        A2ACapabilities      `json:"capabilities"`
	SecuritySchemes     map[string]A2AScheme `json:"securitySchemes"`
	DefaultInputModes   []string             `json:"defaultInputModes"`
	DefaultOutputModes  []string             `json:"defaultOutputModes"`
	Skills              []Skill              `json:"skills"`
	Signatures          []A2ASignature       `json:"signatures,omitempty"`
}

// A2AInterface is one address at which the protocol is spoken.
type A2AInterface struct {
	URL             string `json:"url"`
	ProtocolBinding string `json:"protocolBinding"`
	ProtocolVersion string `json:"protocolVersion"`
}

// A2AProvider says who offers the service.
type A2AProvider struct {
	Organization string `json:"organization"`
	URL          string `json:"url"`
}

// A2ACapabilities are the optional parts of the protocol that the service has.
type A2ACapabilities struct {
	Streaming         bool           `json:"streaming"`
	PushNotifications bool           `json:"pushNotifications"`
	ExtendedAgentCard bool           `json:"extendedAgentCard"`
	Extensions        []A2AExtension `json:"extensions"`
}

// A2AExtension is something beyond the protocol that a client may ask for.
type A2AExtension struct {
	URI         string `json:"uri"`
	Description string `json:"description"`
	// Required is left out where it is false, as the form that signatures are over leaves it out.
	Required bool `json:"required,omitempty"`
	// Params say where the document of the extension is, and the cases that an implementation is held against.
	Params A2ADocuments `json:"params"`
}

// A2ADocuments are addresses.
type A2ADocuments struct {
	Document string `json:"document"`
	Cases    string `json:"cases"`
}

// documentsOf are those of the extension whose document is at /docs/name.
func documentsOf(base, name string) A2ADocuments {
	return A2ADocuments{Document: base + "/docs/" + name, Cases: base + "/docs/" + name + ".json"}
}

// A2AScheme is how a client shows who it is.
type A2AScheme struct {
	HTTPAuth A2AHTTPAuth `json:"httpAuthSecurityScheme"`
}

// A2AHTTPAuth is a scheme of the header Authorization.
type A2AHTTPAuth struct {
	Scheme       string `json:"scheme"`
	BearerFormat string `json:"bearerFormat"`
	Description  string `json:"description"`
}

// A2ASignature is a detached JSON Web Signature over the card without its signatures, in the canonical form of RFC
// 8785.
type A2ASignature struct {
	Protected string `json:"protected"`
	Signature string `json:"signature"`
}

// NewA2ACard returns the card of the service that clients reach at base, an address without a slash at its end. names
// is the address that the extensions are named by: it stays when a gateway in front rewrites addresses.
func NewA2ACard(base, names string) A2ACard {
	fixed := NewAgentCard(base)

	return A2ACard{
		Name: fixed.Name, Description: fixed.Description, Version: CardVersion, DocumentationURL: base + "/docs",
		SupportedInterfaces: []A2AInterface{
			{base + A2APathRPC, "JSONRPC", "1.0"}, {base + A2APathREST, "HTTP+JSON", "1.0"},
		},
		Provider: A2AProvider{"Subrosa", base},
		Capabilities: A2ACapabilities{Streaming: true, Extensions: []A2AExtension{
			{
				URI:    names + A2AResumable,
				Params: documentsOf(base, "resumable-stream-v1"),
				Description: "Events are numbered without a gap; SubscribeToTask with Last-Event-ID goes on after one, " +
					"and Idempotency-Key makes SendMessage safe to repeat.",
			},
			{
				URI:         names + A2ALegalPhase,
				Params:      documentsOf(base, "legal-phase-v1"),
				Description: "Names the case that a message is about, and tells of phases, reviews and deadlines.",
			},
		}},
		SecuritySchemes: map[string]A2AScheme{"bearer": {A2AHTTPAuth{
			"Bearer", "JWT", "The bearer that POST /v1/auth/token gives for the API key of a registered agent.",
		}}},
		DefaultInputModes:  []string{"text/plain", "application/json"},
		DefaultOutputModes: []string{"text/markdown", "application/json"},
		Skills:             fixed.Skills,
	}
}

// Canonical returns the card without its signatures in the form of RFC 8785, which signatures are over. The card has
// neither numbers nor characters that JSON escapes in more than one way.
func (c A2ACard) Canonical() ([]byte, error) {
	c.Signatures = nil
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	// The encoder sorts the members of maps by their names.
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(members); err != nil {
		return nil, err
	}

	return []byte(strings.TrimSuffix(out.String(), "\n")), nil
}
