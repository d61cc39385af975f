package httpapi

import (
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// refOf is a passage as a source on the wire.
func refOf(s cases.SourceRef) api.SourceRef {
	return api.SourceRef{
		FileID:      s.FileID,
		TextVersion: s.TextVersion,
		Page:        s.Page,
		Paragraph:   s.Paragraph,
		CharStart:   s.Start,
		CharEnd:     s.End,
		Quote:       s.Quote,
	}
}

// sourceFrom is the passage that a source on the wire points at.
func sourceFrom(r api.SourceRef) cases.SourceRef {
	return cases.SourceRef{
		FileID:      r.FileID,
		TextVersion: r.TextVersion,
		Page:        r.Page,
		Paragraph:   r.Paragraph,
		Start:       r.CharStart,
		End:         r.CharEnd,
		Quote:       r.Quote,
	}
}
