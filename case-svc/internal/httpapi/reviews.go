package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
)

func reviewOf(r phases.Review) api.Review {
	out := api.Review{
		Required:       r.Required,
		Status:         r.Status,
		ReviewerUserID: r.ReviewerUserID,
		At:             api.Known(r.At),
		ResponseSHA256: r.ResponseSHA256,
		Note:           r.Note,
		AmendedText:    r.AmendedText,
	}
	for _, remark := range r.Comments {
		out.Comments = append(
			out.Comments, api.Comment{UserID: remark.UserID, At: api.At(remark.At), Text: remark.Text},
		)
	}

	return out
}

// reviewPhase takes a person's decision on a phase, or a comment.
func (a *API) reviewPhase(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	p, err := a.visiblePhase(c, c.Param("phaseId"))
	if err != nil {
		return err
	}
	var body api.ReviewPhase
	if err := httpx.Decode(c, &body); err != nil {
		return httpx.LinkRefusal(err, a.linkToPhase(deeplink.AddIdentity, p))
	}

	return a.Idempotency.Serve(c, request(
		c, "POST /v1/phases/"+p.ID+"/review", body,
	), func(m idempotency.Mark) (idempotency.Answer, error) {
		v := phases.Verdict{
			Decision:    body.Decision,
			Note:        body.Note,
			AmendedText: body.AmendedText,
			Comment:     body.Comment,
		}
		if m != (idempotency.Mark{}) {
			v.Key = cases.DerivedID("verdict", p.Tenant, m.Name, m.Fingerprint)
		}
		judged, err := a.Phases.Review(c.Request.Context(), actorOf(c), p, v)
		if err != nil {
			return idempotency.Answer{}, err
		}

		return phaseAnswer(judged)
	})
}

// phaseAnswer is an answer with a phase.
func phaseAnswer(p phases.Phase) (idempotency.Answer, error) {
	wire, err := phaseOf(p)
	if err != nil {
		return idempotency.Answer{}, err
	}
	body, _, err := document(wire)

	return idempotency.Answer{Status: http.StatusOK, ETag: httpx.ETag(p.Version), Body: body}, err
}

// linkToPhase returns the address for an action on a phase.
func (a *API) linkToPhase(action string, p phases.Phase) string {
	return a.linkTo(action, phases.Container{Type: p.ContainerType, ID: p.ContainerID}) + "&phase=" + p.ID
}
