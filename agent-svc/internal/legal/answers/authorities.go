package answers

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// What is known of an authority without looking it up.
const (
	formatOK       = "format_ok"
	matchedInFiles = "matched_in_files"
	nameDiffers    = "name_differs"
	unchecked      = "unchecked"
)

// terms are what a reader is told of an authority.
var terms = map[string]string{
	matchedInFiles: "in the files", // cited under one name in more than one of them
	formatOK:       "known reporter and form",
	nameDiffers:    "two case names",
	unchecked:      "unknown",
}

// checked says what is known of an authority. A difference of names outweighs all else, since it is what somebody
// should look at.
func checked(a casereading.Authority) string {
	switch {
	case a.Differing:
		return nameDiffers
	case a.FormOK && a.Matched:
		return matchedInFiles
	case a.FormOK:
		return formatOK
	}

	return unchecked
}

var _ = offer(ability{
	intent: intent.Authorities, prompt: "List the authorities",
	does: "lists the cases, statutes and rules that are cited; they are reported, not vouched for",
	run:  (*job).authorities,
})

// authorities lists what the files cite, with a check of the form and against the other files.
func (j *job) authorities(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: read the files, list what they cite", "list_files", "read_files", "extract_citations")
	d, h, err := j.survey(ctx, casereading.Keep{References: true})
	if err != nil {
		return api.PhaseResponse{}, err
	}
	r := legal.NewAnswer(api.KindAnswer)
	var n layout.Notes
	r.Text, r.Authorities = j.authoritiesText(ctx, d, h, &n)
	r.Citations = n.List
	r.Limits = append(r.Limits, "Authorities are reported, not vouched for: nothing was looked up. “In the files” "+
		"means that two files cite it under one case name, “known reporter and form” that there is such a "+
		"reporter and "+
		"that volume, page and year fit it, and “unknown” that neither is so.",
		"Id. counts for the authority before it and supra for the case of its name in the same file; "+
			"where the text means its own record by Id., that is not seen. "+
			"Constitutions, treatises and local rules are not listed.")
	limits(&r, d)
	if len(d.Authorities) > 0 {
		j.reviewed(&r, statesLaw)
	}

	return r, nil
}

func (j *job) authoritiesText(
	ctx context.Context,
	d *casereading.Dossier,
	h holdings,
	n *layout.Notes,
) (string, []api.Authority) {
	var b strings.Builder
	var list []api.Authority
	if len(d.Authorities) == 0 {
		b.WriteString("No case, statute, regulation or rule is cited in the files that were read.\n\n")
	} else {
		fmt.Fprintf(&b, "%s cited.\n\n"+
			"| Citation | Kind | Times | Pin cites | First place | Check | Source |\n|---|---|--:|---|---|---|---|\n",
			wording.Count(len(d.Authorities), "authority is", "authorities are"))
	}

	for _, a := range d.Authorities {
		if len(list) == rows {
			break
		}
		// The name of a party can stand in a citation. Such a row is left out rather than the whole table.
		if !j.clean(ctx, a.Text) {
			continue
		}
		check := checked(a)
		list = append(list, api.Authority{Text: a.Text, Kind: a.Kind, Verification: check})
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %s |%s |\n",
			layout.Escape(a.Text), a.Kind, a.Count, j.pins(ctx, a), layout.Where(a.At), terms[check],
			n.Mark(a.At.Sources()...))
	}
	if more := len(d.Authorities) - len(list); more > 0 {
		fmt.Fprintf(&b, "\n%s not shown.\n", wording.Count(more, "further authority is", "further authorities are"))
	}
	differing(&b, d.Authorities, n)
	j.dangling(ctx, &b, d.Dangling, n)

	return b.String() + "\n" + wording.Capital(h.told()) + "\n", list
}

// pins writes how often an authority is cited with a pin cite, and which.
func (j *job) pins(ctx context.Context, a casereading.Authority) string {
	said := strings.Join(a.Pins, "; ")
	switch {
	case a.Pinned == 0:
		return "none"
	case !j.clean(ctx, said):
		return strconv.Itoa(a.Pinned)
	}

	return fmt.Sprintf("%d: %s", a.Pinned, layout.Escape(said))
}

// differing lists the citations before which two case names stand, both quoted.
func differing(b *strings.Builder, authorities []casereading.Authority, n *layout.Notes) {
	shown := 0
	for _, a := range authorities {
		if !a.Differing || shown == rows {
			continue
		}
		if shown == 0 {
			b.WriteString("\n**Two case names before one citation**; " +
				"which of them belongs to it has to be looked up\n\n")
		}
		shown++

		for _, at := range [...]casereading.Place{a.NamedAt, a.Differs} {
			fmt.Fprintf(b, "- %s (%s)%s: %s\n", layout.Escape(a.Text), layout.Where(at), n.Mark(at.Sources()...), layout.Sentence(at))
		}
	}
}

// dangling lists the short forms that nothing before them explains.
func (j *job) dangling(ctx context.Context, b *strings.Builder, list []casereading.Dangling, n *layout.Notes) {
	shown := 0

	for _, x := range list {
		// A short form is a party's name, which the gate may know as one.
		if !j.clean(ctx, x.Text) {
			continue
		}
		if shown == 0 {
			b.WriteString("\n**Short forms that could not be followed**\n\n")
		}
		if shown++; shown > rows {
			break
		}
		fmt.Fprintf(b, "- %s (%s)%s: %s\n", layout.Escape(x.Text), layout.Where(x.At), n.Mark(x.At.Sources()...), x.Reason)
	}
	if more := len(list) - rows; shown > rows && more > 0 {
		fmt.Fprintf(b, "\n%s not shown.\n", wording.Count(more, "further one is", "further ones are"))
	}
}
