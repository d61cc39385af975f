package a2a

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/extract"
)

func lines(all []string) string { return strings.Join(all, "\n\n") }

var errMedia = a2aerr.New(a2aerr.ContentNotSupported, extract.ErrUnsupported.Message)

// taken reports whether files of the type that a part says, or else of what its bytes are, are taken at all. Whether
// the bytes keep what the type promises is for the upload to see.
func taken(p Part) bool {
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
		text = "Summarise the files."
	default:
		return "", nil, 0, errNoText
	}

	return text, files, unread, nil
}
