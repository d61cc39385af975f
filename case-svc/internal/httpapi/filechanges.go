package httpapi

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// mastered returns the case of the path for a person who may decide about its files.
func (a *API) mastered(c *gin.Context) (cases.Case, error) {
	id, err := httpx.PathID(c, "caseId")
	if err != nil {
		return cases.Case{}, err
	}
	if err := rights.Upload(callerOf(c)); err != nil {
		return cases.Case{}, err
	}

	return a.Cases.Store.Get(c.Request.Context(), tenantOf(c), id)
}

func (a *API) deleteFile(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	kase, err := a.mastered(c)
	if err != nil {
		return err
	}
	if err := a.Intake.Delete(c.Request.Context(), kase, actorOf(c), c.Param("fileId"), httpx.IfMatch(c)); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()

	return nil
}

// digest is the form of a SHA-256 on the wire.
var digest = regexp.MustCompile(`^[0-9a-f]{64}$`)

// markKinds are the kinds of finding that a refusal of a file can give.
var markKinds = []string{
	guard.KindPerson, guard.KindOrg, guard.KindAddress, guard.KindPhone, guard.KindEmail, guard.KindAccount,
	guard.KindIDNumber, guard.KindBirthDate,
	guard.KindDocket, guard.KindVehicle, guard.KindProperty, guard.KindURL, guard.KindLabel,
	guard.KindLanguage,
}

// placed matches the path of a part of a file, behind that of the file when it was one of several.
var placed = regexp.MustCompile(`^(?:files\[[0-9]{1,4}\]\.)?(.+)$`)

// isMark reports whether a mark is one that a refusal can have given: its words are ours, never the caller's.
func isMark(m api.Mark) bool {
	at := placed.FindStringSubmatch(m.Path)
	if at == nil || !extract.IsPath(at[1]) {
		return false
	}

	return slices.Contains(markKinds, m.Kind) && m.Start >= 0 && m.End >= m.Start
}

func (a *API) clearFile(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	kase, err := a.mastered(c)
	if err != nil {
		return err
	}
	var in api.Clearance
	if err := httpx.Decode(c, &in); err != nil {
		return httpx.LinkRefusal(err, a.Links.To(deeplink.AddIdentity, kase.ID))
	}
	marks, err := marksOf(in)
	if err != nil {
		return err
	}

	asked := request(c, "POST /v1/cases/"+kase.ID+"/files/clearances", in)

	return a.Idempotency.Serve(c, asked, func(idempotency.Mark) (idempotency.Answer, error) {
		cleared, err := a.Intake.Clear(c.Request.Context(), kase, actorOf(c), in.SHA256, marks)
		if err != nil {
			return idempotency.Answer{}, err
		}

		out := api.Clearance{SHA256: cleared.SHA256, Marks: []api.Mark{}}
		for _, m := range cleared.Marks {
			out.Marks = append(out.Marks, api.Mark(m))
		}
		body, _, err := document(out)

		return idempotency.Answer{Status: http.StatusCreated, Body: body}, err
	})
}

func marksOf(in api.Clearance) ([]files.Mark, error) {
	var f validate.List
	if !digest.MatchString(in.SHA256) {
		f.Add("sha256", "must be the SHA-256 of the file's bytes, as 64 hexadecimal digits in lower case")
	}
	if n := len(in.Marks); n == 0 || n > files.MaxMarks {
		f.Add("marks", fmt.Sprintf("must be 1 to %d findings", files.MaxMarks))
		return nil, f.Err()
	}

	marks := make([]files.Mark, len(in.Marks))
	for i, m := range in.Marks {
		if !isMark(m) {
			f.Add(fmt.Sprintf("marks[%d]", i), "must be a finding as a refusal gives it: path, kind, start and end")
		}
		marks[i] = files.Mark(m)
	}

	return marks, f.Err()
}
