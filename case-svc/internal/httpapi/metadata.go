package httpapi

import (
	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
)

// metadataOnly reports whether the caller sees of the work in a container of this type ids, states, dates and counts,
// and nothing that it says.
func metadataOnly(c *gin.Context, containerType string) bool {
	return containerType == phases.CaseContainer && rights.MetadataOnly(callerOf(c))
}

// bareBranches leaves their titles out of branches.
func bareBranches(list []phases.Branch) []phases.Branch {
	all := make([]phases.Branch, len(list))
	for i, b := range list {
		b.Title = ""
		all[i] = b
	}

	return all
}

// seenPhase leaves out of a phase what its caller does not see of it. What the firm's own people say to each other
// about an answer is not for partners; the answer as they amended it is.
func seenPhase(c *gin.Context, p phases.Phase) phases.Phase {
	switch {
	case metadataOnly(c, p.ContainerType):
		return barePhase(p)
	case grantOf(c) != nil:
		p.Review.Note, p.Review.Comments = "", nil
	}

	return p
}

// seenPhases leaves out of phases what their caller does not see of them.
func seenPhases(c *gin.Context, list []phases.Phase) []phases.Phase {
	all := make([]phases.Phase, len(list))
	for i, p := range list {
		all[i] = seenPhase(c, p)
	}

	return all
}

// barePhase leaves out of a phase what was asked, answered and said about it.
func barePhase(p phases.Phase) phases.Phase {
	p.Prompt, p.Response, p.ToolCalls = "", nil, nil
	p.Review.Note, p.Review.AmendedText, p.Review.Comments = "", "", nil

	return p
}

// bareEntries leaves out of entries what they say and what they rest on.
func bareEntries(list []timeline.Entry) []timeline.Entry {
	all := make([]timeline.Entry, len(list))
	for i, e := range list {
		e.Title, e.Detail, e.Authority, e.Sources, e.Amount, e.UTBMS = "", "", nil, nil, nil, nil
		e.When.Raw = ""
		if e.Deadline != nil {
			d := *e.Deadline
			d.Computation = nil
			e.Deadline = &d
		}
		all[i] = e
	}

	return all
}
