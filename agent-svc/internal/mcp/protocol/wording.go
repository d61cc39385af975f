package protocol

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
)

// Further codes of JSON-RPC.
const (
	codeNoMethod = -32601
	codeParams   = -32602
	codeInternal = -32603
)

// What is said in place of the library's own words, which name types of its language.
const (
	saysNoMethod = "there is no such method"
	saysMessage  = "the body is not a message of JSON-RPC 2.0: jsonrpc must be \"2.0\", method a text, " +
		"id a text or a whole number, and params an object"
	saysParams = "the params are not what this method takes"
	saysOurs   = "something went wrong on our side; send the request again"
)

// ownWords finds the library's language in a message.
var ownWords = regexp.MustCompile(
	`(?i:unmarshal|\bjson:|\bGo (struct|value)|interface \{\}|\[\]byte|handling '|parse error)` +
		`|\bmcp\.[A-Z]`,
)

// envelope returns the id of a message, or an error when the message is none of JSON-RPC 2.0. Answers, which have no
// method, are left to the library.
func envelope(message map[string]json.RawMessage) (id json.RawMessage, err error) {
	method, asks := message["method"]
	if message == nil || !asks {
		return nil, nil
	}
	wrong := odd{code: codeInvalid, message: saysMessage}
	var text string
	if json.Unmarshal(method, &text) != nil || isNull(method) {
		return nil, wrong
	}
	if version := ""; json.Unmarshal(message["jsonrpc"], &version) != nil || version != "2.0" {
		return nil, wrong
	}
	if params, has := message["params"]; has && !isNull(params) && params[0] != '{' && params[0] != '[' {
		return nil, wrong
	}
	id, has := message["id"]
	if has && !isID(id) {
		return nil, wrong
	}

	return id, nil
}

func isNull(v json.RawMessage) bool { return string(v) == "null" }

// isID accepts a text or a whole number. A null would be a question that nobody can answer.
func isID(v json.RawMessage) bool {
	var text string
	var number int64

	return !isNull(v) && (json.Unmarshal(v, &text) == nil || json.Unmarshal(v, &number) == nil)
}

// plain is a writer that tells the library's failures in the shape of the protocol, and in plain words.
type plain struct {
	http.ResponseWriter
	id      json.RawMessage // of the message that is answered; nil for none
	refused bool            // the library answers with a text that is no JSON
}

// Unwrap gives the response controller its way to the connection.
func (w *plain) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements http.Flusher, which the library looks for.
func (w *plain) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// WriteHeader begins the answer.
func (w *plain) WriteHeader(status int) {
	// The library refuses in plain text, which a client of JSON-RPC cannot read.
	text := strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain")
	if w.refused = text && status == http.StatusBadRequest; w.refused {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Del("Content-Length")
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the answer: a whole refusal, a whole answer or whole events, as the library makes them.
func (w *plain) Write(p []byte) (int, error) {
	out := p

	switch {
	case w.refused:
		out = w.refusal(string(p))
	case bytes.Contains(p, []byte(`"error"`)):
		out = reworded(p)
	}
	if _, err := w.ResponseWriter.Write(out); err != nil {
		return 0, err
		// The library counts what it gave, not what went out in its place.
	}

	return len(p), nil
}

// refusal is the answer in place of a text of the library's.
func (w *plain) refusal(text string) []byte {
	f := rpcFailure{Code: codeInvalid, Message: strings.TrimSpace(text)}

	switch {
	case strings.Contains(text, "not handled"):
		f = rpcFailure{Code: codeNoMethod, Message: saysNoMethod}
	case strings.HasPrefix(text, "malformed payload") || ownWords.MatchString(text):
		f = rpcFailure{Code: codeInvalid, Message: saysMessage}
	}

	return encoded(w.id, f)
}

// reworded returns lines of events, or an answer, in which failures have plain words.
func reworded(p []byte) []byte {
	lines := bytes.Split(p, []byte("\n"))

	for i, line := range lines {
		data, event := bytes.CutPrefix(line, []byte("data: "))
		var message map[string]json.RawMessage
		var f struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data,omitempty"`
		}
		// Lines of events that are no data, and answers without an error, go on as they are.
		if json.Unmarshal(data, &message) != nil || json.Unmarshal(message["error"], &f) != nil {
			continue
		}
		if !ownWords.MatchString(f.Message) {
			continue
		}

		switch f.Message = saysParams; f.Code {
		case 0:
			f.Code = codeParams
		case codeInternal:
			f.Message = saysOurs
		}
		fault, err := encode(f)
		if err != nil {
			continue
		}
		message["error"] = fault
		// It was read a moment ago, so it can be written again.
		if lines[i], err = encode(message); err != nil {
			panic("protocol: " + err.Error())
		}
		if event {
			lines[i] = append([]byte("data: "), lines[i]...)
		}
	}

	return bytes.Join(lines, []byte("\n"))
}

// rpcFailure is an error of JSON-RPC.
type rpcFailure struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"` // nil for none
}

// encoded is an answer with an error. A nil id is null.
func encoded(id json.RawMessage, f rpcFailure) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	text, err := encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcFailure      `json:"error"`
	}{"2.0", id, f})
	// Only strings and numbers are in it, so it can always be encoded.
	if err != nil {
		panic("protocol: " + err.Error())
	}

	return text
}
