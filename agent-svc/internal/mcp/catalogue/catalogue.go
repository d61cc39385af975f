// Package catalogue lists every operation of the interface, read from its OpenAPI document, with the way in which an
// application gets at it: a view or an operation of the two tools, or a link to where a person does it.
package catalogue

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// Names of the two tools.
const (
	Lookup = "legal_lookup"
	Agent  = "legal_agent"
)

// Operation is one operation of the interface.
type Operation struct {
	ID           string // operationId
	Method, Path string
	Summary      string
	Tool         string // "" for what no application can do
	Views        []string
	Verb         string   // operation of legal_agent, or the argument that stands for it
	Scopes       []string // that an application needs; none for what it cannot do
	HumanOnly    bool
	Action       string // of the deep link, for what only a person does
	AgentsOnly   bool   // for external agents, before or instead of a user's sign-in
	Query        []string
	Arguments    json.RawMessage // JSON Schema
}

// Catalogue holds the operations of the interface under /v1, ordered by path and method.
type Catalogue struct {
	all  []Operation
	byID map[string]int
}

// document is what counts here of an OpenAPI document.
type document struct {
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas    map[string]json.RawMessage `json:"schemas"`
		Parameters map[string]parameter       `json:"parameters"`
	} `json:"components"`
}

type parameter struct {
	Ref         string          `json:"$ref"`
	Name        string          `json:"name"`
	In          string          `json:"in"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

type described struct {
	OperationID string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Security    []map[string][]string `json:"security"`
	Parameters  []parameter           `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
}

// methods are the members of a path that are operations.
var methods = []string{"get", "put", "post", "delete", "patch"}

// known reads the catalogue once. The document is a part of the program, so every service of a process has the same
// one, and reading it takes long.
var known = sync.OnceValues(read)

// Read returns the operations of the OpenAPI document. The caller must not change what they hold.
func Read() (*Catalogue, error) { return known() }

func read() (*Catalogue, error) {
	text, err := api.ContractJSON()
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	k := &Catalogue{byID: map[string]int{}}

	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		if !strings.HasPrefix(path, "/v1/") {
			continue
		}
		shared, err := doc.parameters(doc.Paths[path]["parameters"])
		if err != nil {
			return nil, err
		}

		for _, method := range methods {
			raw, ok := doc.Paths[path][method]
			if !ok {
				continue
			}
			var d described
			if err := json.Unmarshal(raw, &d); err != nil {
				return nil, fmt.Errorf("read %s %s: %w", method, path, err)
			}
			op, err := doc.operation(strings.ToUpper(method), path, d, shared)
			if err != nil {
				return nil, err
			}
			k.byID[op.ID] = len(k.all)
			k.all = append(k.all, op)
		}
	}

	return k, nil
}

// All returns the operations.
func (k *Catalogue) All() []Operation { return slices.Clone(k.all) }

// Named returns the operations of a name: an operationId, a view, or an operation of legal_agent.
func (k *Catalogue) Named(name string) []Operation {
	var found []Operation

	for _, op := range k.all {
		if op.ID == name || op.Verb == name || slices.Contains(op.Views, name) {
			found = append(found, op)
		}
	}

	return found
}

// Query returns the query parameters that an operation declares; ok is false for an unknown one.
func (k *Catalogue) Query(id string) (names []string, ok bool) {
	i, ok := k.byID[id]
	if !ok {
		return nil, false
	}

	return k.all[i].Query, true
}

func (d document) parameters(raw json.RawMessage) ([]parameter, error) {
	if raw == nil {
		return nil, nil
	}
	var list []parameter
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("read parameters: %w", err)
	}

	return list, nil
}

func (d document) operation(method, path string, in described, shared []parameter) (Operation, error) {
	op := Operation{
		ID:      in.OperationID,
		Method:  method,
		Path:    path,
		Summary: in.Summary,
	}
	var inPath, inQuery []parameter

	// Parameters of a path apply to all of its operations, and those of the operation come after them.
	for _, p := range append(slices.Clone(shared), in.Parameters...) {
		if name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/"); ok {
			p = d.Components.Parameters[name]
		}

		switch p.In {
		case "path":
			inPath = append(inPath, p)
		case "query":
			inQuery = append(inQuery, p)
			op.Query = append(op.Query, p.Name)
		}
	}
	op.place(in.Security)
	var err error

	switch {
	case op.Tool == Lookup:
		op.Arguments, err = d.lookup(op, inQuery)
	case op.Verb == "add_file":
		op.Arguments, err = d.withDefinitions(addFile(d))
	case op.Tool == Agent && acts[in.OperationID].argument:
		op.Arguments, err = d.withDefinitions(acts[in.OperationID].schema())
	default:
		var body json.RawMessage
		for _, media := range []string{"application/merge-patch+json", "application/json"} {
			if c, ok := in.RequestBody.Content[media]; ok && body == nil {
				body = c.Schema
			}
		}
		op.Arguments, err = d.write(inPath, body)
	}
	if err != nil {
		return Operation{}, fmt.Errorf("schema of %s: %w", op.ID, err)
	}

	return op, nil
}

// place says how an application gets at the operation.
func (op *Operation) place(security []map[string][]string) {
	people, others := false, security == nil
	// No security stands for the document's default, which takes users and agents alike.
	for _, s := range security {
		_, user := s["userSession"]
		people, others = people || user, others || !user
	}

	act := acts[op.ID]
	switch {
	case views[op.ID] != nil:
		op.Tool, op.Views, op.Scopes = Lookup, views[op.ID], []string{access.ScopeRead}
	case act.verb != "":
		op.Tool, op.Verb, op.Action = Agent, act.verb, act.human
		op.Scopes = []string{cmp.Or(act.scope, access.ScopeWrite)}
		// Asking for what only a person does takes the right to write, so that a reader is not led to it.
		if act.human != "" {
			op.HumanOnly, op.Scopes = true, []string{access.ScopeWrite}
		}
	case people && !others, elsewhere[op.ID] != "":
		op.HumanOnly, op.Action = true, cmp.Or(elsewhere[op.ID], firstPart(op.Path))
	case !people:
		op.AgentsOnly = true
	}
}

// firstPart is the first part of a path below /v1, which is what a page for people is called unless it has a name of
// its own.
func firstPart(path string) string {
	part, _, _ := strings.Cut(strings.TrimPrefix(path, "/v1/"), "/")
	return part
}
