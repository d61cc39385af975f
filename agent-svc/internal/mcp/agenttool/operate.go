package agenttool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/protocol"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
)

// write is one operation of the interface that changes something.
type write struct {
	method  string
	path    []string // parts in braces are taken from the call
	parties bool     // party-svc has it
	keeps   []string // of the path's ids, what the body has too
	merge   bool     // the body is a merge patch
	kind    string   // of record that it answers
	action  string   // of the change: created, updated or proposed; "" for what leaves none
	human   string   // page for what no service behind this one does
	effect  string   // what it does, in one sentence
}

var writes = map[string]write{
	"create_case": {
		method: http.MethodPost,
		path:   []string{"v1", "cases"},
		kind:   "case",
		action: "created",
		effect: "It opens a case in intake, which only the firm sees; it takes no work on and tells nobody.",
	},
	"update_case": {
		method: http.MethodPatch,
		path:   []string{"v1", "cases", "{caseId}"},
		merge:  true,
		kind:   "case",
		action: "updated",
		effect: "It replaces the fields that are named and leaves the others; the version before stays on " +
			"the audit chain as an event without content.",
	},
	"delete_case": {
		method: http.MethodDelete,
		path:   []string{"v1", "cases", "{caseId}"},
		effect: "It deletes the case. An application can delete only a case in intake that it made itself " +
			"and nobody has worked on; the firm can restore it for a time.",
	},
	"add_file": {
		method: http.MethodPost,
		path:   []string{"v1", "cases", "{caseId}", "files"},
		kind:   "file",
		action: "created",
		effect: "It adds the text as a file of the case, once the identity guard has passed it; every member " +
			"of the firm and every agent of the case can read it then.",
	},
	"add_timeline_entry": {
		method: http.MethodPost,
		path:   []string{"v1", "timeline", "{timelineId}", "entries"},
		kind:   "entry",
		action: "created",
		effect: "It adds an unreviewed entry to the timeline of the case; a deadline counts for nobody " +
			"before a person confirms it.",
	},
	"create_branch": {
		method: http.MethodPost,
		path:   []string{"v1", "branch"},
		keeps:  []string{"timelineId"},
		kind:   "branch",
		action: "created",
		effect: "It begins a new branch of work; what is on the other branches stays as it is.",
	},
	"update_branch": {
		method: http.MethodPatch,
		path:   []string{"v1", "branch", "{branchId}"},
		merge:  true,
		kind:   "branch",
		action: "updated",
		effect: "It replaces the fields of the branch that are named; its phases stay as they are.",
	},
	"create_party": {
		method:  http.MethodPost,
		path:    []string{"v1", "parties"},
		parties: true,
		keeps:   []string{"caseId"},
		kind:    "party",
		action:  "created",
		effect:  "It adds a party under a label. Real names are added by people alone.",
	},
	"update_party": {
		method:  http.MethodPut,
		path:    []string{"v1", "parties", "{partyId}"},
		parties: true,
		kind:    "party",
		action:  "updated",
		effect:  "It replaces the record of the party; its label stays.",
	},
	"invite_partner": {
		method:  http.MethodPost,
		path:    []string{"v1", "cases", "{caseId}", "partners", "{partnerId}", "invite"},
		parties: true,
		kind:    "invite",
		action:  "proposed",
		effect:  "It proposes an invitation. Nobody outside the firm learns of it before a person sends it.",
	},
	"review_phase": {
		method: http.MethodPost,
		path:   []string{"v1", "phases", "{phaseId}", "review"},
		effect: "It decides on an answer, which only a person may.",
	},
	"connect_agent":    {human: "agent"},
	"disconnect_agent": {human: "agent"},
}

func operations() []string { return slices.Sorted(maps.Keys(writes)) }

var errHuman = errs.New(errs.Forbidden, "human_required", "Only a person may do this, at the deep link.")

// arguments are the fields of an operation.
type arguments map[string]json.RawMessage

func (a arguments) text(name string) string {
	var s string
	_ = json.Unmarshal(a[name], &s) // what is no text names nothing

	return s
}

// operate makes one exact change, with the caller's own rights, by the operation of the interface.
func (d *Service) operate(ctx context.Context, c call) (Outcome, error) {
	w := writes[c.Operation]
	if w.human != "" {
		return Outcome{}, d.refuse(ctx, c, w)
	}
	given := arguments{}
	if len(c.Arguments) > 0 && json.Unmarshal(c.Arguments, &given) != nil {
		return Outcome{}, httpx.ErrValidation.WithDetails(errs.Detail{Path: "arguments", Message: "must be an object"})
	}
	// A JSON null is a map of nothing, which the ids of the path could not be taken out of.
	if given == nil {
		given = arguments{}
	}
	request, err := d.request(ctx, w, c, given)
	if err != nil {
		return Outcome{}, err
	}
	if c.Preview {
		return previewed(w, c, given), nil
	}
	var made record
	if w.kind != "" {
		request.Out = &made
	}
	client := d.Cases.HTTP
	if w.parties {
		client = d.Parties.HTTP
	}
	if _, err := client.Do(ctx, request); err != nil {
		// The same words whatever it is that cannot be seen, so that nobody learns which it was.
		if errors.Is(err, errs.ErrNotFound) {
			err = errs.ErrNotFound
		}

		return Outcome{}, fmt.Errorf("%s: %w", c.Operation, err)
	}

	return d.done(w, c, made)
}

// refuse leads to where a person does what is asked for, and records that it was refused; a preview leaves no trace.
func (d *Service) refuse(ctx context.Context, c call, w write) error {
	// Hosts preview on their own while a model makes up its mind; that is no attempt anybody must answer for.
	if !c.Preview {
		action := strings.Replace(c.Operation, "_", ".", 1)
		if err := d.Cases.RecordRefusal(ctx, api.RecordRefusal{Action: action, ResourceType: "agent"}); err != nil {
			return err
		}
	}

	return errHuman.WithDeepLink(d.Links.To(w.human, ""))
}

// request is the call of the service that an operation makes.
func (d *Service) request(ctx context.Context, w write, c call, given arguments) (httpcall.Request, error) {
	header := http.Header{}
	// Only what creates can be done twice by mistake; changes carry the version that they build on.
	if c.IdempotencyKey != nil && w.method == http.MethodPost {
		header.Set("Idempotency-Key", c.key())
	}
	if c.IfMatch != "" && w.method != http.MethodPost {
		header.Set("If-Match", `"`+strings.Trim(c.IfMatch, `"`)+`"`)
	}
	path, err := d.path(ctx, w, c, given)
	if err != nil {
		return httpcall.Request{}, err
	}

	r := httpcall.Request{Method: w.method, Path: path, Header: header}
	switch {
	case c.Operation == "add_file":
		return r, upload(&r, given)
	case w.method == http.MethodDelete:
		return r, nothing(given)
	}
	body, err := json.Marshal(given)
	if err != nil {
		return r, err
	}
	r.Body = bytes.NewReader(body)
	header.Set("Content-Type", "application/json")
	// A merge patch leaves fields alone that it does not name (RFC 7396).
	if w.merge {
		header.Set("Content-Type", "application/merge-patch+json")
	}

	return r, nil
}

// previewed says what an operation would do, without doing it. The services check its fields only when it is made.
func previewed(w write, c call, given arguments) Outcome {
	out := Outcome{State: completed, CaseID: c.CaseID, Preview: true}
	out.Message = "Nothing was changed. " + strings.ReplaceAll(c.Operation, "_", " ") + " would do this: " + w.effect

	if fields := slices.Sorted(maps.Keys(given)); len(fields) > 0 {
		out.Message += " Fields given: " + strings.Join(fields, ", ") + "."
	}
	if c.IfMatch != "" {
		version := strings.Trim(c.IfMatch, `"`)
		out.Message += " It would be refused if the record is no longer of version " + version + "."
	}

	return out
}

func nothing(given arguments) error {
	if len(given) > 0 {
		return httpx.ErrValidation.WithDetails(errs.Detail{
			Path:    "arguments",
			Message: "must be empty: the case is named by caseId",
		})
	}

	return nil
}

// path fills in the ids of an operation's path, from the arguments or from the call itself, and takes them out of the
// arguments unless the body has them too.
func (d *Service) path(ctx context.Context, w write, c call, given arguments) (string, error) {
	outer := map[string]string{"caseId": c.CaseID, "branchId": c.BranchID}
	take := func(name string) (string, error) {
		own := given.text(name)
		// Two ids for one place: whichever we took, half of the time it would be the wrong case.
		if own != "" && outer[name] != "" && own != outer[name] {
			return "", httpx.ErrValidation.WithDetails(errs.Detail{
				Path:    "arguments." + name,
				Message: "differs from the call's own " + name,
			})
		}
		if own = cmp.Or(own, outer[name]); own != "" || name != "timelineId" || c.CaseID == "" {
			return own, nil
		}
		// The model mostly knows the case and not its timeline.
		kase, err := d.Cases.CaseByID(ctx, c.CaseID)

		return kase.TimelineID, err
	}

	segments := slices.Clone(w.path)
	for i, part := range segments {
		name, ok := strings.CutPrefix(part, "{")
		if !ok {
			continue
		}
		name = strings.TrimSuffix(name, "}")
		id, err := take(name)
		if err != nil {
			return "", err
		}
		if id == "" {
			return "", httpx.ErrValidation.WithDetails(errs.Detail{
				Path:    "arguments." + name,
				Message: "is required by " + c.Operation,
			})
		}
		segments[i] = id
		delete(given, name)
	}

	for _, name := range w.keeps {
		id, err := take(name)
		if err != nil {
			return "", err
		}
		if id != "" {
			// The routes without a case in their path take it from the body. A text can always be encoded.
			given[name], _ = json.Marshal(id)
		}
	}

	return httpcall.Path(segments...), nil
}

// textTypes are the kinds of file that come as text, by the ending of their names.
var textTypes = map[string]string{
	"txt":      "text/plain",
	"md":       "text/markdown",
	"markdown": "text/markdown",
	"html":     "text/html",
	"htm":      "text/html",
	"csv":      "text/csv",
	"json":     "application/json",
	"eml":      "message/rfc822",
	"mht":      "message/rfc822",
	"mhtml":    "message/rfc822",
}

// upload makes the body of add_file: the text as a file, with what is said about it.
func upload(r *httpcall.Request, given arguments) error {
	var in struct {
		Name      string          `json:"name"`
		Text      string          `json:"text"`
		MediaType string          `json:"mediaType"`
		Metadata  json.RawMessage `json:"metadata"`
	}
	text, err := json.Marshal(given)
	if err != nil {
		return err
	}
	if err := strictjson.Decode(text, &in); err != nil {
		return err
	}
	ending := in.Name[strings.LastIndexByte(in.Name, '.')+1:]
	in.MediaType = cmp.Or(in.MediaType, textTypes[strings.ToLower(ending)], "text/plain")
	checks := map[string]bool{
		"arguments.name":      in.Name != "" && len(in.Name) <= longestKey,
		"arguments.text":      in.Text != "",
		"arguments.mediaType": slices.Contains(slices.Collect(maps.Values(textTypes)), in.MediaType),
	}
	var wrong []errs.Detail

	for path, ok := range checks {
		if !ok {
			wrong = append(wrong, errs.Detail{
				Path:    path,
				Message: "does not match the schema that legal_lookup shows with view operations and id add_file",
			})
		}
	}
	if wrong != nil {
		return httpx.ErrValidation.WithDetails(wrong...)
	}
	// FormatMediaType returns "" for a name that no header can carry.
	disposition := mime.FormatMediaType("form-data", map[string]string{"name": "file", "filename": in.Name})
	if disposition == "" {
		return httpx.ErrValidation.WithDetails(errs.Detail{
			Path:    "arguments.name",
			Message: "cannot be the name of a file",
		})
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part := func(disposition, mediaType string, content []byte) error {
		w, err := form.CreatePart(textproto.MIMEHeader{
			"Content-Disposition": {disposition},
			"Content-Type":        {mediaType},
		})
		if err == nil {
			_, err = w.Write(content)
		}

		return err
	}
	// The metadata comes first and is a list of one for each file, as the service reads an upload.
	if len(in.Metadata) > 0 {
		err = part(`form-data; name="metadata"`, "application/json", append(append([]byte("["), in.Metadata...), ']'))
	}
	if err := errors.Join(err, part(disposition, in.MediaType, []byte(in.Text)), form.Close()); err != nil {
		return err
	}
	r.Body = &body
	r.Header.Set("Content-Type", form.FormDataContentType())

	return nil
}

// done tells of a change that was made.
func (d *Service) done(w write, c call, made record) (Outcome, error) {
	out := Outcome{State: completed, CaseID: cmp.Or(c.CaseID, made.CaseID)}
	if w.kind == "" {
		out.Message = "Done: " + strings.ReplaceAll(c.Operation, "_", " ") + "."
		return out, nil
	}
	all := []record{made}
	if w.kind == "file" {
		all = nil

		for _, raw := range made.Items {
			var f record
			if err := json.Unmarshal(raw, &f); err != nil {
				return Outcome{}, errors.New("decode an uploaded file: malformed")
			}
			all = append(all, f)
		}
	}

	for _, r := range all {
		if r.Duplicate {
			out.Message = fmt.Sprintf(
				"The case already has this text as file %s, called %s. Nothing was added.",
				r.FileID,
				protocol.Cut(r.Name, longestSummary),
			)

			continue
		}
		change := Change{
			Type:    w.kind,
			ID:      r.id(w.kind),
			Action:  w.action,
			Version: r.Version,
			Summary: protocol.Cut(cmp.Or(r.Title, r.Name, r.Label, r.Role), longestSummary),
		}
		out.Changes = append(out.Changes, change)
		out.Message = strings.TrimSpace(fmt.Sprintf(
			"%s %s %s.", strings.ToUpper(w.kind[:1])+w.kind[1:], change.ID, w.action,
		))
	}
	if w.action == "proposed" {
		out.DeepLink = cmp.Or(made.DeepLink, d.Links.ToInvite(deeplink.ConfirmInvite, made.InviteID))
		out.Message, out.Next = "The invitation is proposed; only a person sends it.",
			"The user sends the invitation at deepLink."
	}

	return out, nil
}
