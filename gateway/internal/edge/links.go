package edge

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// DeepLinks builds the addresses that send a person to what only a person can do.
type DeepLinks struct {
	App string // address of the browser app, without a slash at its end
}

// To returns the link of action for a case; caseID may be "". An id that is none is left out, since a link repeats nothing that it
// does not know.
func (d DeepLinks) To(action, caseID string) string {
	link := d.App + "/i/" + url.PathEscape(action)
	if _, err := uuid.Parse(caseID); err == nil {
		link += "?case=" + url.QueryEscape(caseID)
	}
	return link
}

// errand is what one deep link is for.
type errand struct {
	Title   string
	Explain string
	Command string // of the command line; "" where it has none
}

// errands are the actions that deep links may name, in the words of a lawyer.
var errands = map[string]errand{
	"reveal":          {"See the real identity behind a label", "Real identities are kept encrypted in your browser. No agent and no server can show them.", ""},
	"contact":         {"Contact your client", "The service does not know who your client is, so contacting them is done by you.", ""},
	"export_named":    {"Export a document with real names", "Labels are replaced by names in your browser only.", ""},
	"file_with_court": {"File with the court", "Filing needs real names and your signature. It is done by you.", ""},
	"serve":           {"Serve a document", "Service needs real names and addresses. It is done by you.", ""},
	"sign":            {"Sign a document", "Only a person signs.", ""},
	"redact_file":     {"Take identities out of a document", "Replace names, addresses and numbers by labels such as [Party 1] on your own machine, then upload the result.", "subrosa file add CASE FILE"},
	"add_identity":    {"Keep an identity and get a label for it", "The identity stays in your browser; the case only ever sees its label.", ""},
	"conflict_check":  {"Check for conflicts of interest", "Names are compared in your browser as tokens that the service cannot read.", ""},
	"confirm_invite":  {"Send a proposed invitation", "An agent proposed to invite a professional. Only you can send the invitation.", ""},
	"review":          {"Review the agent's work", "What states law, strategy, a deadline or a tier waits for a person to approve it.", "subrosa case show CASE"},
	"case_settings":   {"Change the settings of a case", "Supervision, confidentiality, holds, closing and deleting are up to a person.", "subrosa case show CASE"},
	"files":           {"See the files of a case", "Deleting a file is up to a person.", "subrosa file list CASE"},
	"export":          {"Export a case", "The export holds labels only.", ""},
	"agent":           {"Connect, see or end your agent", "You hand your agent a registration token that is valid for ten minutes.", "subrosa agent status"},
	"audit":           {"See what happened", "The audit trail lists who did what, without content.", ""},
	"admin":           {"Administer the organization", "This needs the role admin and a signed-in person.", ""},
	"handoff":         {"Talk to a person", "The agent could not help with this.", ""},
}

const linkStyle = `body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}code{background:#8882;padding:.15em .4em;border-radius:.25em}`

var linkPage = template.Must(template.New("link").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer"><title>{{.Title}} · Subrosa</title><style>` + linkStyle + `</style></head>
<body><main><h1>{{.Title}}</h1><p>{{.Explain}}</p>
{{if .Case}}<p>Case: <code>{{.Case}}</code></p>{{end}}
{{if .Command}}<p>On the command line, after <code>subrosa login</code>:</p><p><code>{{.Command}}</code></p>
{{else}}<p>The browser application for this is not part of this release, and the command line has no command for it yet.</p>{{end}}
<p>This page does nothing by itself and grants nothing: whoever acts signs in first.</p></main></body></html>
`))

var linkPolicy = func() string {
	sum := sha256.Sum256([]byte(linkStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

// LinkPage answers a deep link with a page that names what it is for and the command that does it.
func LinkPage(c *gin.Context) error {
	e, ok := errands[strings.TrimPrefix(c.Param("action"), "/")]
	if !ok {
		return errs.ErrNotFound
	}
	view := struct {
		errand
		Case string
	}{errand: e}
	// Only ids are taken over into the page; whatever else a link carries is left out.
	if id, err := uuid.Parse(c.Query("case")); err == nil {
		view.Case = id.String()
		view.Command = strings.Replace(e.Command, "CASE", view.Case, 1)
	}
	var page bytes.Buffer
	if err := linkPage.Execute(&page, view); err != nil {
		return err
	}
	c.Header("Content-Security-Policy", linkPolicy)
	c.Header("Cache-Control", "no-store")
	c.Data(http.StatusOK, "text/html; charset=utf-8", page.Bytes())
	return nil
}
