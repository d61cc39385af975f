package modelengine

import (
	"context"
	"errors"
	"fmt"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/verify"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// verified checks a draft. Where it names an authority that no passage cites, all files that the task may use are
// read for it, and the list that the firm has loaded.
func (t *talk) verified(ctx context.Context, draft string) (verify.Report, error) {
	found := verify.Check(ctx, t.Gate, draft, t.box.record)
	// Reading all files for authorities is dear, and is done once at most.
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

// mostSurveyedBytes bounds the text of all files together that is read for the authorities of one answer.
const mostSurveyedBytes = 32 << 20

// authorities gathers what the files cite and what the firm has loaded. The answer is written by then, so what cannot
// be read is only counted: nothing is known from there, and what an answer says of it is removed. The error is that of
// ctx.
func (b *toolbox) authorities(ctx context.Context) (*verify.Authorities, error) {
	known := &verify.Authorities{}
	done := b.report.Tool("extract_citations",
		"Looking for the authorities of the answer in all files and in the list of the firm")
	listed, err := b.sources.Authorities(ctx)
	// The answer is written by then: what cannot be read is only counted, and sentences that rest on it go.
	b.unlisted = err != nil

	for _, citation := range listed {
		known.Add(citation, verify.ByFirm)
	}
	read, left := 0, mostSurveyedBytes

	for _, f := range b.files {
		switch {
		case !f.AgentReadable:
			continue
		case read == mostSurveyed || left <= 0:
			b.unsurveyed++
			continue
		}
		text, err := b.open(ctx, f)
		if err == nil {
			err = survey(ctx, known, text, &left)
		}
		if ctx.Err() != nil {
			done("failed", "There was no time to read all files")
			return nil, ctx.Err()
		}
		if err != nil {
			b.unsurveyed++
			continue
		}
		read++
	}
	summary := fmt.Sprintf("%s read, %s not, %d citations of the firm", wording.Counted(read, "file"),
		wording.Counted(b.unsurveyed, "file"), len(listed))
	if b.unlisted {
		summary = fmt.Sprintf(
			"%s read, %s not, nor the list of the firm",
			wording.Counted(read, "file"), wording.Counted(b.unsurveyed, "file"))
	}
	done("ok", summary)

	return known, nil
}

// errLong means that a file was not surveyed to its end.
var errLong = errors.New("the files have more text than is surveyed")

// survey takes up what a file cites, as long as bytes are left to be read.
func survey(ctx context.Context, known *verify.Authorities, text fileText, left *int) error {
	for _, p := range text.passages {
		if err := ctx.Err(); err != nil {
			return err
		}
		// The bytes bound the work over all files, so that many long ones cannot hold the run up.
		if *left -= len(p.Text); *left < 0 {
			return errLong
		}
		known.Add(p.Text, verify.InFiles)
	}

	return nil
}
