package a2a

import (
	"encoding/json"
	"strings"
)

func lines(all []string) string { return strings.Join(all, "\n\n") }

// contents returns what a message says and the files that it brings. A file behind an address is never fetched, so a
// message that has nothing else has nothing to read.
func contents(m Message) (text string, files []Part, err error) {
	var said []string

	for _, p := range m.Parts {
		switch {
		case p.Text != nil:
			said = append(said, *p.Text)
		case p.Data != nil:
			body, err := json.MarshalIndent(p.Data, "", "  ")
			if err != nil {
				return "", nil, err
			}
			said = append(said, "```json\n"+string(body)+"\n```")
		case p.Raw != nil:
			files = append(files, p)
		}
	}
	text = strings.TrimSpace(lines(said))
	if text == "" && len(files) == 0 {
		return "", nil, errNoText
	}

	if text == "" {
		text = "Summarise the files."
	}

	return text, files, nil
}
