package cli

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

type sourceCmd struct {
	Phase  string `arg:"" help:"Id of the phase that gave the answer."`
	Number int    `arg:"" help:"Number of the source, as it stands in the answer."`
	Around int    `help:"Characters to show before and after it." default:"400"`
}

const mostAround = 10_000

// Validate refuses more than the service shows at once.
func (cmd *sourceCmd) Validate() error {
	if cmd.Around < 0 || cmd.Around > mostAround {
		return fmt.Errorf("--around must be from 0 to %d", mostAround)
	}

	return nil
}

// Run shows the passage that a source points at, with what stands around it.
func (cmd *sourceCmd) Run(sh *shell) error {
	c, err := sh.caller()
	if err != nil {
		return err
	}
	phase, err := phaseOf(sh, c, cmd.Phase)
	if err != nil {
		return err
	}

	return sh.openSource(c, phase, cmd.Number, cmd.Around)
}

func phaseOf(sh *shell, c *client.Client, id string) (api.Phase, error) {
	a, err := call[api.Phase](sh, c, find(url.Values{"phaseId": {id}}, "v1", "phases"))

	return a.v, err
}

// openSource shows a source of a phase's answer.
func (sh *shell) openSource(c *client.Client, p api.Phase, number, around int) error {
	if p.Response == nil || number < 1 || number > len(p.Response.Citations) {
		return fmt.Errorf("phase %s has no source [%d]", p.PhaseID, number)
	}
	src := p.Response.Citations[number-1].Source
	from := max(0, src.CharStart-around)
	q := url.Values{"from": {strconv.Itoa(from)}, "to": {strconv.Itoa(src.CharEnd + around)}}
	text, err := call[api.FileText](sh, c, find(q, "v1", "cases", p.ContainerID, "files", src.FileID, "text"))
	if err != nil {
		return err
	}
	if sh.root.JSON {
		return printRaw(sh.Out, text.raw)
	}
	runes := []rune(text.v.Text)
	// Offsets count characters of the whole text; what was fetched begins at From.
	start, end := src.CharStart-text.v.From, src.CharEnd-text.v.From
	// Showing other words under the number of a source would be worse than none.
	if start < 0 || end > len(runes) || start > end {
		return fmt.Errorf("the text of file %s has changed: the answer was given on version %d",
			src.FileID, src.TextVersion)
	}
	page := ""
	if src.Page > 0 {
		page = fmt.Sprintf(", page %d", src.Page)
	}
	fmt.Fprintf(sh.Out, "[%d] file %s%s, characters %d to %d\n\n", number, src.FileID, page, src.CharStart, src.CharEnd)
	_, err = fmt.Fprintf(sh.Out, "%s%s%s\n", strings.TrimLeft(string(runes[:start]), "\n"),
		sh.quoted(string(runes[start:end])), strings.TrimRight(string(runes[end:]), "\n"))

	return err
}

// quoted marks the passage: by colour on a terminal that has it, else by brackets that no text of a case holds.
func (sh *shell) quoted(s string) string {
	if sh.Width > 0 && sh.Colour {
		return sh.paint(marked, s)
	}

	return "⟦" + s + "⟧"
}
