package lookuptool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/protocol"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

// record is one record as a service gives it.
type record map[string]any

// UnmarshalJSON keeps numbers as they were written.
func (r *record) UnmarshalJSON(text []byte) error {
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	var plain map[string]any
	if err := dec.Decode(&plain); err != nil {
		return err
	}
	*r = plain

	return nil
}

func (r record) text(name string) string {
	s, _ := r[name].(string)
	return s
}

func (r record) list(name string) []record {
	all, _ := r[name].([]any)
	var found []record

	for _, one := range all {
		if m, ok := one.(map[string]any); ok {
			found = append(found, m)
		}
	}

	return found
}

func (r record) within(name string) record {
	m, _ := r[name].(map[string]any)
	return m
}

// page is one page of a list.
type page struct {
	Items      []record `json:"items"`
	NextCursor *string  `json:"nextCursor"`
}

// kind says how records of one sort are told.
type kind struct {
	name  string
	id    string // field
	title func(r record) string
	// summary names fields whose values, put together, say what the record is.
	summary []string
	brief   []string // fields of a brief answer
	page    string   // parameter of the link to the record within its case, "" for the case itself
}

var (
	caseKind = kind{
		name:    "case",
		id:      "caseId",
		title:   field("title", "Untitled matter"),
		summary: []string{"status", "matterKind", "jurisdiction", "side"},
		brief: []string{
			"version", "status", "matterKind", "jurisdiction", "side", "stage", "tier", "score", "urgent",
			"nextDeadline", "counts", "timelineId", "activeBranchId", "tags", "legalHold", "summary", "deleted",
			"deletedAt", "conflict", "clientPartyId",
		},
	}
	containerKind = kind{
		name:    "container",
		id:      "containerId",
		title:   field("title", "Conversation"),
		summary: []string{"containerType", "status", "topic"},
		brief:   []string{"containerType", "status", "topic", "timelineId", "activeBranchId", "version", "handoff"},
	}
	fileKind = kind{
		name:    "file",
		id:      "fileId",
		title:   field("name", "File"),
		summary: []string{"docType", "mediaType", "status"},
		brief: []string{
			"caseId", "version", "docType", "mediaType", "sizeBytes", "content", "dropped", "unread", "documentOn",
			"privilege", "agentReadable", "status", "revision", "description", "extraction", "findings", "hits",
		},
		page: "file",
	}
	partyKind = kind{
		name:    "party",
		id:      "partyId",
		title:   field("label", "Party"),
		summary: []string{"role", "side", "kind", "status"},
		brief:   []string{"caseId", "version", "kind", "role", "side", "isClient", "representation", "status"},
		page:    "party",
	}
	partnerKind = kind{
		name:    "partner",
		id:      "partnerId",
		title:   field("displayName", "Professional"),
		summary: []string{"kind", "availability"},
		brief: []string{
			"kind", "practiceAreas", "jurisdictions", "languages", "availability", "invitable", "feeModels",
			"acceptsTiers", "match",
		},
	}
	inviteKind = kind{
		name:    "invite",
		id:      "inviteId",
		title:   func(r record) string { return "Invitation as " + words(r.text("role")) },
		summary: []string{"role", "status"},
		brief: []string{
			"caseId", "partnerId", "role", "status", "expiresAt", "version", "deepLink", "matter", "scope",
		},
		page: "invite",
	}
	branchKind = kind{
		name:    "branch",
		id:      "branchId",
		title:   field("title", "Branch"),
		summary: []string{"purpose", "status"},
		brief: []string{
			"timelineId", "containerType", "containerId", "purpose", "status", "parentBranchId", "forkPhaseId",
			"headPhaseId", "runningPhaseId", "ownPhaseCount", "version",
		},
		page: "branch",
	}
	phaseKind = kind{
		name: "phase",
		id:   "phaseId",
		title: func(r record) string {
			return protocol.Cut(cmp.Or(r.text("prompt"), words(r.text("requestType"))), titleLength)
		},
		summary: []string{"requestType", "status", "kind"},
		brief: []string{
			"branchId", "sequence", "requestType", "status", "kind", "containerType", "containerId", "sessionId",
			"review", "response", "error", "createdAt", "endedAt", "reasons",
		},
		page: "phase",
	}
	entryKind = kind{
		name:    "entry",
		id:      "entryId",
		title:   field("title", "Entry"),
		summary: []string{"kind", "reviewStatus", "status"},
		brief: []string{
			"version", "kind", "when", "detail", "amount", "origin", "reviewStatus", "dueOn", "dueAt", "status",
			"certainty", "sources", "phaseId",
		},
		page: "entry",
	}
	timelineKind = kind{
		name:    "timeline",
		id:      "timelineId",
		title:   fixed("Timeline"),
		summary: []string{"containerType"},
		brief:   []string{"containerType", "containerId", "rootBranchId", "activeBranchId", "counts", "version"},
	}
)

const titleLength = 80

func field(name, otherwise string) func(record) string {
	return func(r record) string { return cmp.Or(r.text(name), otherwise) }
}

func fixed(title string) func(record) string { return func(record) string { return title } }

func words(s string) string { return strings.ReplaceAll(s, "_", " ") }

// item tells a record of the kind. In a full answer fields is the record as the service gives it.
func (d *Service) item(k kind, r record, detail, caseID string) Item {
	i := Item{
		ID:        r.text(k.id),
		Type:      k.name,
		Title:     k.title(r),
		UpdatedAt: moment(r),
		Fields:    r,
	}
	var told []string

	for _, name := range k.summary {
		if s := r.text(name); s != "" {
			told = append(told, words(s))
		}
	}
	i.Summary = strings.Join(told, ", ")
	if detail == "brief" {
		i.Fields = map[string]any{}

		for _, name := range k.brief {
			if v, ok := r[name]; ok && v != nil {
				i.Fields[name] = v
			}
		}
		i.Fields, _ = bounded(i.Fields, briefText, briefList).(map[string]any)
	}
	caseID = cmp.Or(r.text("caseId"), caseID)
	if caseID == "" && r.text("containerType") != "" {
		caseID = r.text("containerId")
	}
	i.URL = d.address(caseID, k.page, i.ID)
	if link := r.text("deepLink"); link != "" {
		i.URL = link
	}

	return i
}

// Bounds of what a brief answer says of one field. They leave an answer of the agent whole.
const (
	briefText = 20_000
	briefList = 20
)

func (d *Service) items(k kind, all []record, detail, caseID string) []Item {
	found := make([]Item, len(all))
	for i, r := range all {
		found[i] = d.item(k, r, detail, caseID)
	}

	return found
}

// address is where the browser app shows a record of a case, "" for what belongs to none.
func (d *Service) address(caseID, name, id string) string {
	if caseID == "" {
		return ""
	}

	return d.Links.ToCase(caseID, name, id)
}

// moment is when a record last changed, "" when it does not say so as an instant.
func moment(r record) string {
	for _, name := range []string{"updatedAt", "endedAt", "deletedAt", "startedAt", "createdAt"} {
		if s := r.text(name); s != "" {
			if _, err := time.Parse(time.RFC3339, s); err == nil {
				return s
			}
		}
	}

	return ""
}

// unread says how many pages and pictures of files nobody read, "" when everything was.
func unread(files []record) string {
	n := 0

	for _, r := range files {
		n += number(r.within("unread")["count"])
	}
	if n == 0 {
		return ""
	}

	return fmt.Sprintf("Pages and pictures in these files that nobody has read, so no search finds their text: %d.", n)
}

// fileLink names the content of a file. It does not go through the tool: whoever is signed in gets it there. It
// reports false while there is none.
func (d *Service) fileLink(r record) (protocol.Link, bool) {
	content := r.within("content")
	if content == nil {
		return protocol.Link{}, false
	}
	name := api.ContentName(r.text("name"), content.text("renderer"))

	return protocol.Link{
		URI:       d.Base + httpcall.Path("v1", "cases", r.text("caseId"), "files", r.text("fileId"), "content"),
		Name:      name,
		Title:     fmt.Sprintf("%s (opens with the user's sign-in)", name),
		MediaType: content.text("mediaType"),
		Bytes:     int64(number(content["sizeBytes"])),
	}, true
}

// span writes a range of characters of a file as an id.
func span(fileID string, from, to int) string {
	return fileID + ":" + strconv.Itoa(from) + "-" + strconv.Itoa(to)
}
