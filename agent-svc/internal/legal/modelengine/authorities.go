package modelengine

import (
	"context"
	"fmt"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/verify"
)

// verified checks a draft. Where it names an authority that no passage cites, all files that the task may use are
// read for it, and the list that the firm has loaded.
func (t *talk) verified(ctx context.Context, draft string) (verify.Report, error) {
	found := verify.Check(ctx, t.Gate, draft, t.box.record)
	if !found.Has(verify.Unknown) || t.box.record.Known != nil {
		return found, nil
	}
	known, err := t.box.authorities(ctx)
	if err != nil {
		return found, err
	}
	t.box.record.Known = known

	return verify.Check(ctx, t.Gate, draft, t.box.record), nil
}

// authorities gathers what the files cite and what the firm has loaded.
func (b *toolbox) authorities(ctx context.Context) (*verify.Authorities, error) {
	known := &verify.Authorities{}
	done := b.report.Tool("extract_citations",
		"Looking for the authorities of the answer in all files and in the list of the firm")
	listed, err := b.sources.Authorities(ctx)
	if err != nil {
		done("failed", "The list of the firm could not be read")
		return nil, err
	}

	for _, citation := range listed {
		known.Add(citation, verify.ByFirm)
	}
	read := 0

	for _, f := range b.files {
		if !f.AgentReadable {
			continue
		}
		if read == mostSurveyed {
			b.unsurveyed = true
			break
		}
		read++
		text, err := b.open(ctx, f)
		if err != nil {
			done("failed", "A file could not be read")
			return nil, err
		}

		for _, p := range text.passages {
			known.Add(p.Text, verify.InFiles)
		}
	}
	done("ok", fmt.Sprintf("%s read, %d citations of the firm", count(read, "file"), len(listed)))

	return known, nil
}
