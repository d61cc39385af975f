package legal

import (
	"context"
	"fmt"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/dossier"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// What is known of an authority without looking it up.
const (
	formatOK  = "format_ok"
	unchecked = "unchecked"
)

// authorities lists what the files cite, with a check of the form only.
func (j *job) authorities(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: read the files, list what they cite", "list_files", "read_files", "extract_citations")
	d, h, err := j.survey(ctx, dossier.Keep{})
	if err != nil {
		return api.PhaseResponse{}, err
	}
	r := answer(api.KindAnswer)
	var n notes
	r.Text, r.Authorities = j.authoritiesText(ctx, d, h, &n)
	r.Citations = n.list
	r.Limits = append(r.Limits, "Authorities are reported, not vouched for: only the form of a citation was checked, and nothing was looked up.",
		"Id. and supra are not followed; of a list of sections the first counts.")
	limits(&r, d)
	if len(d.Authorities) > 0 {
		j.reviewed(&r, statesLaw)
	}
	return r, nil
}

func (j *job) authoritiesText(ctx context.Context, d *dossier.Dossier, h holdings, n *notes) (string, []api.Authority) {
	var b strings.Builder
	var list []api.Authority
	if len(d.Authorities) == 0 {
		b.WriteString("No case, statute, regulation or rule is cited in the files that were read.\n\n")
	} else {
		fmt.Fprintf(&b, "%s cited.\n\n| Citation | Kind | Times | Form | First place | Source |\n|---|---|--:|---|---|---|\n", capital(count(len(d.Authorities), "authority is", "authorities are")))
	}
	for _, a := range d.Authorities {
		if len(list) == rows {
			break
		}
		if !j.clean(ctx, a.Text) {
			continue
		}
		checked := unchecked
		if a.FormOK {
			checked = formatOK
		}
		list = append(list, api.Authority{Text: a.Text, Kind: a.Kind, Verification: checked})
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s |%s |\n", escape(a.Text), a.Kind, a.Count, strings.ReplaceAll(checked, "_", " "), where(a.At), n.mark(a.At.Sources()...))
	}
	if more := len(d.Authorities) - len(list); more > 0 {
		fmt.Fprintf(&b, "\n%s not shown.\n", capital(count(more, "further authority is", "further authorities are")))
	}
	return b.String() + "\n" + capital(h.told()) + "\n", list
}
