package a2a

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
)

func lines(all []string) string { return strings.Join(all, "\n\n") }

var (
	errLong = errs.New(
		errs.TooLarge,
		"prompt_too_long",
		"The text of message.parts is longer than 32,000 characters. "+
			"Put long material into a file of the case and name it.",
	)
	errLongTogether = errs.New(
		errs.TooLarge,
		"prompt_too_long",
		"The messages of this task that nobody has answered yet are longer than 32,000 characters together. "+
			"Begin a new task with a shorter one that names its case.",
	)
)

// fit refuses words that are too many for one turn: those of a message, and those before it that it goes on from.
func fit(text, joined string) error {
	switch {
	case utf8.RuneCountInString(text) > api.MaxPrompt:
		return errLong
	case utf8.RuneCountInString(joined) > api.MaxPrompt:
		return errLongTogether
	}

	return nil
}

// callersNames are the fields of requests of ours by what a client of the protocol calls them.
var callersNames = map[string]string{
	"prompt":             "message.parts",
	"turns.text":         "message.parts",
	"text":               "message.parts",
	"messageId":          "message.messageId",
	"turns.messageId":    "message.messageId",
	"contextId":          "message.contextId",
	"seedPhase.branchId": "branchId",
}

// asSent has a refusal name the fields that the client sent.
func asSent(err error) error {
	var known *errs.Error
	if !errors.As(err, &known) || len(known.Details) == 0 {
		return err
	}

	details := slices.Clone(known.Details)
	for i := range details {
		details[i].Path = cmp.Or(callersNames[details[i].Path], details[i].Path)
	}

	return known.WithDetails(details...)
}

var errMedia = a2aerr.New(a2aerr.ContentNotSupported, extract.ErrUnsupported.Message)

// taken reports whether files of the type that a part says, or else of what its bytes are, are taken at all. Whether
// the bytes keep what the type promises is for the upload to see.
func taken(p Part) bool {
	// A sealed file is taken whatever its bytes look like: nobody but its owner's browser can read them.
	if strings.HasPrefix(p.MediaType, extract.Sealed) {
		return true
	}
	_, err := extract.Sniff(p.Raw, p.Filename).Accept(p.MediaType)

	return !errors.Is(err, extract.ErrUnsupported)
}

// contents returns what a message says, the files that it brings, and how many of its parts are not read: the address
// of a file is never fetched. A message that has nothing else has nothing to read.
func contents(m Message) (text string, files []Part, unread int, err error) {
	var said []string

	for _, p := range m.Parts {
		switch {
		case p.Text != nil:
			said = append(said, *p.Text)
		case p.Data != nil:
			body, err := json.MarshalIndent(p.Data, "", "  ")
			if err != nil {
				return "", nil, 0, err
			}
			said = append(said, "```json\n"+string(body)+"\n```")
		case p.Raw != nil && !taken(p):
			return "", nil, 0, errMedia
		case p.Raw != nil:
			files = append(files, p)
		default:
			unread++
		}
	}

	switch text = strings.TrimSpace(lines(said)); {
	case text != "":
	case len(files) > 0:
		// Files alone are a question too: a client that sends a contract without a word wants to know what is in it.
		text = "Summarise the files."
	default:
		return "", nil, 0, errNoText
	}

	return text, files, unread, nil
}
