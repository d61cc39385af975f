package httpapi

import (
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// entryPatch is the body of PATCH /v1/timeline/{timelineId}/entries/{entryId}.
type entryPatch struct {
	ReviewStatus      given[string]      `json:"reviewStatus"`
	Status            given[string]      `json:"status"`
	ResponsibleUserID given[string]      `json:"responsibleUserId"`
	Title             given[string]      `json:"title"`
	Detail            given[string]      `json:"detail"`
	On                given[string]      `json:"on"`
	DueOn             given[string]      `json:"dueOn"`
	LatestOn          given[string]      `json:"latestOn"`
	DueAt             given[api.Instant] `json:"dueAt"`
	TimeZone          given[string]      `json:"timeZone"`
}

func (p entryPatch) revision() (timeline.Revision, error) {
	var f validate.List
	r := timeline.Revision{
		ReviewStatus: p.ReviewStatus.required("reviewStatus", &f), Status: p.Status.required("status", &f),
		ResponsibleUserID: p.ResponsibleUserID.orEmpty(),
		Edit: timeline.Edit{
			Title: p.Title.required("title", &f), DueOn: p.DueOn.required("dueOn", &f),
			Detail: p.Detail.orEmpty(), On: p.On.orEmpty(), LatestOn: p.LatestOn.orEmpty(),
			TimeZone: p.TimeZone.orEmpty(),
		},
	}
	if at := p.DueAt.orEmpty(); at != nil {
		r.Edit.DueAt = &time.Time{}
		if p.DueAt.value != nil {
			*r.Edit.DueAt = at.Time
		}
	}

	return r, f.Err()
}

// orEmpty returns the new value, the zero value when the field is cleared, and nil when it stays.
func (g given[T]) orEmpty() *T {
	if g.present && g.value == nil {
		return new(T)
	}

	return g.value
}
