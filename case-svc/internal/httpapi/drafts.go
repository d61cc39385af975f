package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// saveDraft takes the forms of a draft in as any upload is taken in: checked, counted, recorded. The bytes decide
// whether the case has them, so that a phase which runs again adds nothing.
func (a *API) saveDraft(c *gin.Context) error {
	var in api.SaveDraft
	if err := decodeDocument(c, &in); err != nil {
		return httpx.LinkRefusal(err, a.Links.To(deeplink.AddIdentity, c.Param("caseId")))
	}
	id, err := httpx.PathID(c, "caseId")
	if err != nil {
		return err
	}
	if err := rights.RunCase(callerOf(c)); err != nil { // what a run makes comes with the right to have it made
		return err
	}
	if err := draftFaults(in); err != nil {
		return err
	}
	ctx, tenant := c.Request.Context(), tenantOf(c)

	p, err := a.Phases.Records.Get(ctx, tenant, in.PhaseID)
	switch {
	case err != nil:
		return err
	case p.ContainerID != id || p.RequestType != phases.CaseReq:
		return errs.ErrNotFound
	// An attempt that was taken over must not add to what its successor makes.
	case !p.InAttempt(in.Attempt), !access.CallerFrom(ctx).WorksOn(p.ID):
		return phases.ErrTransition
	}
	kase, err := a.Cases.Store.Get(ctx, tenant, id)
	if err != nil {
		return err
	}
	taken, err := a.takeDraft(c, kase, in)
	if err == nil {
		err = a.Intake.Redrafted(ctx, kase, p.ID, p.Attempt, taken)
	}
	if err != nil {
		return err
	}

	out := api.SavedDraft{Items: make([]api.File, len(taken))}
	for i, t := range taken {
		out.Items[i] = fileOf(t.File, callerOf(c))
		out.Items[i].Duplicate = t.Duplicate
	}

	return httpx.JSON(c, http.StatusOK, out)
}

func draftFaults(in api.SaveDraft) error {
	var f validate.List
	if n := len(in.Files); n < 1 || n > api.MaxDraftFiles {
		f.Add("files", fmt.Sprintf("must be 1 to %d", api.MaxDraftFiles))
	}
	if !vocabulary.DocumentTypes.Has(in.DocType) {
		f.Add("docType", "must be a document type such as complaint or answer, other, or unknown")
	}

	return f.Err()
}

func (a *API) takeDraft(c *gin.Context, kase cases.Case, in api.SaveDraft) (taken []files.Taken, err error) {
	ctx := c.Request.Context()
	batch, err := a.Intake.Open(ctx, kase, actorOf(c))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, batch.Close(ctx)) }()
	batch.From(in.PhaseID, in.Attempt)
	var metas []files.Meta

	// A draft goes the way of any upload: our own agent may have quoted an identity that nobody noticed.
	for _, form := range in.Files {
		scratch, err := a.Intake.Spool.Receive(bytes.NewReader(form.Content), a.Intake.Limits.FileBytes)
		if err != nil {
			return nil, err
		}
		err = batch.Add(ctx, files.Part{Name: form.Name, Declared: form.MediaType}, nil, scratch)
		if err := errors.Join(err, scratch.Close()); err != nil {
			return nil, err
		}
		metas = append(metas, files.Meta{DocType: &in.DocType})
	}
	if err := batch.Describe(ctx, metas); err != nil {
		return nil, err
	}

	return batch.Commit(ctx)
}
