package answers

import (
	_ "embed"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/search"
)

//go:embed languages.txt
var languageNotices string

// heldIn is behind a language where a notice is about passages that are held back.
const heldIn = ".held"

// noticeIn returns what an answer says first in a language besides English, "" for one that has no such sentence.
func noticeIn(language string) string {
	for line := range strings.Lines(languageNotices) {
		if tag, notice, _ := strings.Cut(strings.TrimSpace(line), " "); tag != "#" && tag == language {
			return notice
		}
	}

	return ""
}

// tongue returns the language that the task names or the question is in.
func tongue(t legal.Task) string {
	language, _, _ := strings.Cut(strings.ToLower(t.Language), "-")
	// Other requests are too short or too fixed for their language to be told.
	if language == "" && t.RequestType == api.CaseReq {
		language = search.LanguageOf(t.Prompt)
	}

	return language
}

// speak says first, in the language of the reader, what the answer cannot do in it.
func speak(t legal.Task, r *api.PhaseResponse) {
	language := tongue(t)
	if language == "" || language == "en" {
		return
	}
	r.Limits = append(r.Limits, englishOnly)
	if notice := noticeIn(language); notice != "" && r.Text != "" {
		r.Text = notice + "\n\n" + r.Text
	}
}
