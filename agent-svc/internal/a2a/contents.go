package a2a

import (
	"encoding/json"
	"strings"
)

func lines(all []string) string { return strings.Join(all, "\n\n") }

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
