package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/case-svc/internal/tasks"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

func taskOf(t tasks.Task) api.A2ATask {
	out := api.A2ATask{
		TaskID: t.ID, ContextID: t.ContextID, ContainerType: t.ContainerType, ContainerID: t.ContainerID,
		State:    t.State,
		StatusAt: api.At(t.StatusAt), CreatedAt: api.At(t.CreatedAt), Version: t.Version,
	}
	for _, turn := range t.Turns {
		out.Turns = append(out.Turns, api.A2ATurn(turn))
	}

	return out
}

// putTask saves a task whose newest message no phase answers.
func (a *API) putTask(c *gin.Context) error {
	var in api.A2ATask
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}
	id, err := httpx.PathID(c, "taskId")
	if err != nil {
		return err
	}
	caller := callerOf(c)
	if err := rights.KeepTasks(caller); err != nil {
		return err
	}

	t := tasks.Task{
		ID: id, Tenant: caller.Tenant, Owner: caller.UserID, ContextID: in.ContextID, State: in.State,
		Version: in.Version,
	}
	for _, turn := range in.Turns {
		t.Turns = append(t.Turns, tasks.Turn(turn))
	}
	saved, err := a.Tasks.Put(c.Request.Context(), actorOf(c), t)
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, taskOf(saved))
}

func (a *API) getTask(c *gin.Context) error {
	id, err := httpx.PathID(c, "taskId")
	if err != nil {
		return err
	}
	caller := callerOf(c)
	if err := rights.KeepTasks(caller); err != nil {
		return err
	}
	t, err := a.Tasks.Store.Get(c.Request.Context(), caller.Tenant, caller.UserID, id)
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, taskOf(t))
}

// listTasks answers a page of the caller's tasks and how many there are.
func (a *API) listTasks(c *gin.Context) error {
	params, err := httpx.Query(c, "contextId", "state", "since", "cursor", "limit")
	if err != nil {
		return err
	}
	caller, ctx := callerOf(c), c.Request.Context()
	if err := rights.KeepTasks(caller); err != nil {
		return err
	}
	f := tasks.Filter{ContextID: params["contextId"], State: params["state"]}
	if f.Since, err = moment(params, "since"); err != nil {
		return err
	}
	limit, err := httpx.Limit(params)
	if err != nil {
		return err
	}
	whole := list{Route: "tasks", Tenant: caller.Tenant, Scope: caller.UserID, Query: f}
	after, err := a.Cursors.Place(params["cursor"], whole)
	if err != nil {
		return err
	}
	found, err := a.Tasks.Store.List(ctx, caller.Tenant, caller.UserID, f, after, limit+1)
	if err != nil {
		return err
	}
	total, err := a.Tasks.Store.Count(ctx, caller.Tenant, caller.UserID, f, httpx.MaxTotal)
	if err != nil {
		return err
	}
	page := api.A2ATaskPage{Items: []api.A2ATask{}, Total: total}
	if len(found) > limit {
		found = found[:limit]
		last := found[limit-1]
		next := a.Cursors.Next(cases.Cursor{Time: last.StatusAt, ID: last.ID}, whole)
		page.NextCursor = &next
	}

	for _, t := range found {
		page.Items = append(page.Items, taskOf(t))
	}

	return httpx.JSON(c, http.StatusOK, page)
}
