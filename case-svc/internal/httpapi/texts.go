package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// mostText bounds the texts of one answer together, in code points; one text may be larger.
const mostText = 4 << 20

// readTexts gives a run the texts of many files at once. Each reading by a machine is on record before, as it is when
// files are read one after the other.
func (a *API) readTexts(c *gin.Context) error {
	var in api.ReadTexts
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}
	bad := func(id string) bool { return !ids.Valid(id) }
	if n := len(in.FileIDs); n == 0 || n > api.MostTexts || slices.ContainsFunc(in.FileIDs, bad) {
		var f validate.List
		f.Add("fileIds", fmt.Sprintf("must be 1 to %d UUIDs in lower case", api.MostTexts))

		return f.Err()
	}
	kase, err := a.readable(c)
	if err != nil {
		return err
	}
	found, err := a.Intake.Files.Among(c.Request.Context(), kase.Tenant, kase.ID, in.FileIDs)
	if err != nil {
		return err
	}
	read, done := inOneAnswer(in.FileIDs, found, callerOf(c).Kind == access.User)
	if err := a.opensAll(c, read); err != nil {
		return err
	}
	out := api.TextsRead{Done: done}
	if out.Items, err = a.textsOf(c.Request.Context(), read); err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, out)
}

// inOneAnswer returns the files of the first ids whose texts fit into one answer, in the order of the ids, and how many
// ids these are. Only people learn that there is a sealed original.
func inOneAnswer(fileIDs []string, found []files.File, human bool) (read []files.File, done int) {
	chars := 0

	for i, id := range fileIDs {
		at := slices.IndexFunc(found, func(f files.File) bool { return f.ID == id })
		if at < 0 || found[at].Status == files.Deleted || found[at].MediaType == files.Sealed && !human {
			continue
		}
		if chars += found[at].Extraction.Chars; chars > mostText && len(read) > 0 {
			return read, i
		}
		read = append(read, found[at])
	}

	return read, len(fileIDs)
}

// opensAll is opens for several files.
func (a *API) opensAll(c *gin.Context, all []files.File) error {
	if callerOf(c).Kind == access.User {
		return nil
	}

	var deeds []audit.Entry

	for _, f := range all {
		if !f.AgentReadable {
			return a.opens(c, f, "") // which refuses it
		}
		deeds = append(deeds, a.reading(c, f, f.Content.SHA256))
	}
	if err := audit.RecordAll(c.Request.Context(), a.Journal, deeds); err != nil {
		return fmt.Errorf("record a reading: %w", err)
	}

	return nil
}

// textsOf returns the whole texts of files, in their order.
func (a *API) textsOf(ctx context.Context, all []files.File) ([]api.FileText, error) {
	var names []files.TextName

	for _, f := range all {
		if v := f.Extraction.TextVersion; v > 0 {
			names = append(names, files.TextName{FileID: f.ID, Version: v})
		}
	}

	var texts []files.Text
	if len(names) > 0 {
		var err error
		if texts, err = a.Intake.Texts.Among(ctx, all[0].Tenant, names); err != nil {
			return nil, err
		}
	}

	out := make([]api.FileText, len(all))
	for i, f := range all {
		var text files.Text
		if v := f.Extraction.TextVersion; v > 0 {
			at := slices.IndexFunc(texts, func(t files.Text) bool { return t.FileID == f.ID && t.Version == v })
			if at < 0 {
				return nil, missing(files.ErrNotFound, "text")
			}
			text = texts[at]
		}
		var err error
		if out[i], err = rangeOf(f, text, 0, 0); err != nil {
			return nil, err
		}
	}

	return out, nil
}
