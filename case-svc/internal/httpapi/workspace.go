package httpapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/checklist"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"golang.org/x/sync/errgroup"
)

// Sizes of a workspace.
const (
	workspaceBranches  = 20
	workspacePhases    = 10
	workspaceFiles     = 50
	workspaceDeadlines = 20
	workspaceReviews   = 20
	workspaceParties   = 100
)

// rosterTime is how long a workspace waits for party-svc.
const rosterTime = 500 * time.Millisecond

// DocTypes tells which types of document a case holds.
type DocTypes interface {
	DocTypes(ctx context.Context, tenant string, caseID string) ([]string, error)
}

// Workspaces gathers what workspaces need besides the timeline.
type Workspaces struct {
	DocTypes        DocTypes
	Parties         services.PartyClient
	ModelConfigured bool // whether runs have a language model
	ModelLocal      bool // whether it is the operator's own, which cases may allow alone
}

// gathered is what a workspace is made of, as it comes from the stores.
type gathered struct {
	branches    []phases.Branch
	chosen      phases.Branch
	running     map[string]string
	recent      []phases.Phase
	waiting     []phases.Phase
	files       []files.File
	fileList    list
	docTypes    []string
	deadlines   []api.TimelineEntry
	roster      api.Roster
	unavailable []string
}

func (a *API) getWorkspace(c *gin.Context) error {
	params, err := httpx.Query(c, "branchId")
	if err != nil {
		return err
	}
	kind := c.Param("containerType")
	if kind != api.ContainerCase && kind != api.ContainerSupport && kind != api.ContainerSales {
		return httpx.Parameter("containerType", "must be case, support or sales")
	}
	id, err := httpx.PathID(c, "containerId")
	if err != nil {
		return err
	}
	caller := callerOf(c)
	if err := rights.SeeContainer(caller, kind); err != nil {
		return err
	}
	box, err := a.Phases.Container(c.Request.Context(), tenantOf(c), kind, id)
	if err != nil {
		return err
	}
	g := gathered{}
	if kind != api.ContainerCase || !rights.MetadataOnly(caller) {
		if g, err = a.gather(c, box, params["branchId"]); err != nil {
			return err
		}
	}
	if box.Case == nil {
		return writeWorkspace(c, a, box, supportOf(box), g)
	}
	kase, err := caseOf(*box.Case, caller)
	if err != nil {
		return err
	}

	return writeWorkspace(c, a, box, quoted(c, kase), g)
}

// gather reads all that a workspace shows: one round trip for the branches, then six side by side with one to
// party-svc, whatever the container holds.
func (a *API) gather(c *gin.Context, box phases.Container, branchID string) (g gathered, err error) {
	if g.branches, g.chosen, err = a.branchesOf(c, box, branchID); err != nil {
		return g, err
	}
	// The first failure ends the others: the bundle is whole or not there, but for what party-svc keeps.
	all, ctx := errgroup.WithContext(c.Request.Context())
	all.Go(func() (err error) {
		open, err := a.Phases.Records.OpenIn(ctx, box.Tenant, box.ID)
		g.running = runningOn(open)

		return err
	})
	all.Go(func() (err error) {
		g.recent, err = a.Phases.Latest(ctx, g.chosen, workspacePhases)
		return err
	})
	all.Go(func() (err error) {
		if grantOf(c) != nil {
			return nil // a partner reviews nothing
		}
		g.waiting, err = a.Phases.Records.Waiting(ctx, box.Tenant, box.ID, workspaceReviews)

		return err
	})
	all.Go(func() error {
		list, err := a.Timeline.Deadlines(ctx, box.Tenant, box.TimelineID, sightOf(c, g.branches), workspaceDeadlines)
		g.deadlines = sourced(c, entriesOf(list))

		return err
	})
	if box.Case != nil {
		a.gatherCase(ctx, c, all, box, &g)
	}

	return g, all.Wait()
}

// gatherCase reads what only a case has.
func (a *API) gatherCase(ctx context.Context, c *gin.Context, all *errgroup.Group, box phases.Container, g *gathered) {
	caller := callerOf(c)
	if rights.ReadFiles(caller) == nil {
		all.Go(func() error {
			q, err := fileQuery(map[string]string{})
			if err != nil {
				return err
			}
			g.fileList = fileListOf(*box.Case, map[string]string{}, q)
			q = narrow(c, q)
			q.Limit = workspaceFiles + 1 // one more tells whether a page follows
			g.files, err = a.Intake.Files.List(ctx, box.Tenant, box.ID, q)

			return err
		})
	}
	all.Go(func() (err error) {
		if grantOf(c) != nil {
			return nil // nor does a partner learn what the case holds besides
		}
		g.docTypes, err = a.Work.DocTypes.DocTypes(ctx, box.Tenant, box.ID)

		return err
	})
	if rights.ReadParties(caller) != nil && rights.ReadPartners(caller) != nil {
		return
	}
	all.Go(func() error {
		// An agent begins its work with this bundle. It had better come without parties than late.
		waiting, cancel := context.WithTimeout(ctx, rosterTime)
		defer cancel()
		roster, err := a.Work.Parties.Roster(waiting, box.ID, workspaceParties)
		if err != nil {
			g.unavailable = []string{"parties", "partners"} // the bundle comes without them
			return nil
		}
		g.roster = roster

		return nil
	})
}

func writeWorkspace[C any](c *gin.Context, a *API, box phases.Container, container C, g gathered) error {
	caller := callerOf(c)

	out := api.Workspace[C]{
		ContainerType: box.Type,
		ContainerID:   box.ID,
		Container:     container,
		Timeline: api.WorkspaceTimeline{
			TimelineID: box.TimelineID, ActiveBranchID: box.ActiveBranchID, Branches: shownBranches(box, g),
		},
		RecentPhases:   filled(summariesOf(seenPhases(c, g.recent))),
		Parties:        []api.Party{},
		Files:          api.WorkspaceFiles{Items: []api.File{}},
		Deadlines:      filled(g.deadlines),
		PendingReviews: []api.PendingReview{},
		Partners:       []api.RosterInvite{},
		Permissions:    permissions(caller, box),
		Engine:         a.Work.engine(box),
		Links:          api.WorkspaceLinks{Browser: string(a.Links) + "/c/" + box.ID},
		Unavailable:    filled(g.unavailable),
	}
	for _, p := range g.waiting {
		out.PendingReviews = append(out.PendingReviews, api.PendingReview{PhaseID: p.ID, Reasons: filled(p.Reasons)})
	}

	for _, f := range g.files[:min(workspaceFiles, len(g.files))] {
		out.Files.Items = append(out.Files.Items, fileOf(f, caller))
	}
	if rights.ReadParties(caller) == nil {
		out.Parties = filled(g.roster.Parties)
	}
	if rights.ReadPartners(caller) == nil {
		out.Partners = filled(g.roster.Invites)
	}
	if box.Case != nil && g.branches != nil && grantOf(c) == nil {
		found := checklist.Of(*box.Case, g.docTypes)
		out.Checklist = &api.Checklist{Phase: found.Phase, Present: len(found.Present), Missing: len(found.Missing)}
	}
	body, _, err := document(out)
	// The tag is taken before the cursor is added, which is sealed anew each time and would make every answer look
	// changed.
	if err != nil || httpx.Unchanged(c, httpx.BodyTag(body)) {
		return err
	}
	if len(g.files) > workspaceFiles {
		cursor := a.Cursors.Next(files.Query{Sort: files.ByCreated}.PlaceOf(g.files[workspaceFiles-1]), g.fileList)
		out.Files.NextCursor = &cursor
	}

	return httpx.JSON(c, http.StatusOK, out)
}

// shownBranches are the active branch and the chosen one, and of the others those that changed last.
func shownBranches(box phases.Container, g gathered) []api.BranchSummary {
	rank := func(b phases.Branch) int {
		switch b.ID {
		case box.ActiveBranchID:
			return 0
		case g.chosen.ID:
			return 1
		}

		return 2
	}
	sorted := slices.Clone(g.branches)
	slices.SortStableFunc(sorted, func(x, y phases.Branch) int {
		if by := rank(x) - rank(y); by != 0 {
			return by
		}

		return y.UpdatedAt.Compare(x.UpdatedAt)
	})

	all := []api.BranchSummary{}
	for _, b := range sorted[:min(workspaceBranches, len(sorted))] {
		all = append(all, branchSummaryOf(b, g.running[b.ID]))
	}

	return all
}

// requestTypes are those that a container of a type takes.
var requestTypes = map[string][]string{
	phases.CaseContainer:    {api.EvalReq, api.CaseReq, api.SupportReq, api.AdminReq},
	phases.SupportContainer: {api.SupportReq, api.AdminReq},
	phases.SalesContainer:   {api.SalesReq, api.AdminReq},
}

// permissions says what a caller may do in a container as it is now.
func permissions(caller access.Caller, box phases.Container) api.Permissions {
	p := api.Permissions{AllowedRequestTypes: []string{}}
	kase := box.Case
	if kase != nil && kase.Over() {
		return p
	}

	for _, t := range requestTypes[box.Type] {
		// Work on a case needs a person who answers for it.
		unsupervised := t == api.CaseReq && kase != nil && kase.Supervision.ResponsibleUserID == ""
		if rights.Run(caller, t) == nil && !unsupervised {
			p.AllowedRequestTypes = append(p.AllowedRequestTypes, t)
		}
	}
	p.CanRunAgent = len(p.AllowedRequestTypes) > 0
	if kase != nil {
		p.CanUpload = rights.Upload(caller) == nil
		p.CanInvite = rights.SendInvites(caller)
	}

	return p
}

// engine says what answers in a container.
func (w Workspaces) engine(box phases.Container) api.WorkspaceEngine {
	e := api.WorkspaceEngine{Mode: "deterministic", ModelConfigured: w.ModelConfigured}
	if !w.ModelConfigured || box.Case == nil { // outside cases the answers are fixed texts
		return e
	}
	policy := box.Case.Confidentiality.AIPolicy
	if policy == "model_allowed" || policy == "local_model_only" && w.ModelLocal {
		e.Mode = "model"
	}

	return e
}

// supportOf is a container that is no case on the wire.
func supportOf(box phases.Container) api.SupportContainer {
	return api.SupportContainer{
		ContainerID:   box.ID,
		ContainerType: box.Type,
		Title:         box.Title,
		Status:        box.Status,
		Topic:         box.Topic,
		RelatedCaseID: box.RelatedCaseID,
		Priority:      box.Priority,
		Handoff: api.Handoff{
			Requested: box.Handoff.Requested, At: api.Known(box.Handoff.At), Reason: box.Handoff.Reason,
		},
		TimelineID:     box.TimelineID,
		ActiveBranchID: box.ActiveBranchID,
		Version:        int(box.Version),
		CreatedAt:      api.At(box.CreatedAt),
		UpdatedAt:      api.At(box.UpdatedAt),
	}
}
