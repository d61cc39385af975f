package casesvc_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// entries returns what is in an archive, in its order.
func entries(t *testing.T, body []byte) []*zip.File {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}

	return r.File
}

// unpacked returns the entries of an archive by name.
func unpacked(t *testing.T, body []byte) map[string]string {
	t.Helper()
	all := map[string]string{}

	for _, f := range entries(t, body) {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(text)
	}

	return all
}

// events reads a part of an audit record.
func events(t *testing.T, text string) []api.AuditEvent {
	t.Helper()
	var all []api.AuditEvent

	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		var e api.AuditEvent
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Errorf("audit event %s: %v", lines.Text(), err)
		}
		all = append(all, e)
	}

	return all
}

// The record is asked for some things at a time; each event of the case is in the archive once, those of its parties and invites too.
func TestExportOfACaseWithALongRecord(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c, other := w.newCase(ann, nil), w.newCase(ann, nil)

	want := map[string]int{c.CaseID: 2} // made, and exported
	for i := range 230 {
		want[w.newEntry(ann, c.TimelineID, m{"kind": "fact", "title": "Fact " + strconv.Itoa(i)}).EntryID] = 1
	}
	w.newEntry(ann, other.TimelineID, m{"kind": "fact", "title": "Another matter"})
	wantParty := map[string]int{}

	for i := range 500 {
		id := "0190a3b1-0000-7000-8000-" + strconv.Itoa(100_000_000_000+i/2)
		w.parties.events = append(w.parties.events, api.AuditEvent{Seq: int64(i + 1), Action: "party.update", Resource: api.AuditResource{Type: "party", ID: id}, Hash: "x"})
		wantParty[id]++
	}
	a := w.get(ann, "/v1/cases/"+c.CaseID+"/export")
	if a.Status != 200 {
		t.Fatalf("export: %d %s", a.Status, a.Body)
	}
	archive := unpacked(t, a.Body)

	for name, want := range map[string]map[string]int{"audit.jsonl": want, "audit-party.jsonl": wantParty} {
		got := map[string]int{}
		for _, e := range events(t, archive[name]) {
			got[e.Resource.ID]++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	w.parties.tear(100)
	if a := w.get(ann, "/v1/cases/"+c.CaseID+"/export"); a.Status < 500 || a.Header.Get("Content-Disposition") != "" || !strings.Contains(string(a.Body), "message") {
		t.Errorf("with a record that tears: %d %v %s, want the answer of a failure", a.Status, a.Header, a.Body)
	}
	w.parties.goAway(true)
	refused(t, w.get(ann, "/v1/cases/"+c.CaseID+"/export"), 503, "unavailable")
}

// The record of a case speaks of what is gone from it, and of who was let into it.
func TestExportTellsOfDeletedFilesAndGrants(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("o:firm", "ann")
	c := w.newCase(ann, nil)
	gone := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("complaint.txt", complaint)), 201).Items[0].FileID
	if a := w.json(ann, http.MethodDelete, "/v1/cases/"+c.CaseID+"/files/"+gone, nil); a.Status != 204 {
		t.Fatalf("delete: %d %s", a.Status, a.Body)
	}

	grant := api.Grant{InviteID: uuid.NewString(), CaseID: c.CaseID, PartnerID: uuid.NewString(), PartnerTenant: "o:partner", PartnerUserID: "pat", BranchIDs: []string{}, FileIDs: []string{}}
	for _, grant.Ended = range []bool{false, true} {
		if err := w.as(access.Caller{Kind: access.Service, Tenant: "o:firm"}).PutGrant(t.Context(), grant); err != nil {
			t.Fatal(err)
		}
	}
	w.parties.events = []api.AuditEvent{{Seq: 1, Action: "invite.send", Resource: api.AuditResource{Type: "invite", ID: grant.InviteID}, Hash: "x"}}
	archive := unpacked(t, w.get(ann, "/v1/cases/"+c.CaseID+"/export").Body)

	got := map[string]string{}
	for _, e := range events(t, archive["audit.jsonl"]) {
		got[e.Action] = e.Resource.ID
	}
	want := map[string]string{"case.create": c.CaseID, "file.add": gone, "file.delete": gone, "grant.open": grant.InviteID, "grant.end": grant.InviteID, "case.export": c.CaseID}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if archive["files.jsonl"] != "" {
		t.Errorf("files.jsonl = %s, want no deleted file", archive["files.jsonl"])
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, m{"title": "Lease of [Party 1]"})
	path := "/v1/cases/" + c.CaseID + "/export"
	text := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("complaint.txt", complaint)), 201).Items[0]
	paper := into[uploaded](t, w.upload(ann, c.CaseID, nil, part{"file", "complaint.pdf", "application/pdf", pleading()}), 201).Items[0]
	newer := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("complaint.txt", "Amended."), describing(`[{"supersedesFileId":"`+text.FileID+`"}]`)), 201).Items[0]
	sealed := into[uploaded](t, w.upload(ann, c.CaseID, nil, part{"file", "a.sealed", "application/vnd.subrosa.sealed", []byte("SBRSEAL1" + strings.Repeat("x", 60))}), 201).Items[0]
	if e := refused(t, w.get(robot, path), 403, "human_required"); e.DeepLink != "https://subrosa.test/i/export?case="+c.CaseID {
		t.Errorf("deep link = %s", e.DeepLink)
	}
	a := w.get(ann, path)
	if a.Status != 200 || a.Header.Get("Content-Type") != "application/zip" || a.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("export: %d %v", a.Status, a.Header)
	}
	if first := entries(t, a.Body)[:2]; first[0].Name != "README.txt" || first[1].Name != "audit-party.jsonl" {
		t.Errorf("the archive begins with %s and %s, want what party-svc is asked for before what may take long", first[0].Name, first[1].Name)
	}
	got := unpacked(t, a.Body)
	want := []string{
		"README.txt", "audit-party.jsonl", "audit.jsonl", "branches.jsonl", "case.json", "files.jsonl", "files/" + newer.FileID + ".txt", "files/" + paper.FileID + ".md",
		"files/" + text.FileID + ".txt", "phases.jsonl", "timeline.jsonl",
	}
	slices.Sort(want)
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
		t.Errorf("the archive holds %v, want %v", names, want)
	}
	if got["files/"+text.FileID+".txt"] != complaint {
		t.Error("a text is not what was sent")
	}
	served := string(w.get(ann, "/v1/cases/"+c.CaseID+"/files/"+paper.FileID+"/content").Body)
	if served == "" || got["files/"+paper.FileID+".md"] != served {
		t.Error("the content of a PDF is not what is served")
	}
	var kase api.Case
	if err := json.Unmarshal([]byte(got["case.json"]), &kase); err != nil || kase.CaseID != c.CaseID || kase.Title != "Lease of [Party 1]" {
		t.Errorf("case.json = %s, %v", got["case.json"], err)
	}
	if n := strings.Count(got["files.jsonl"], "\n"); n != 4 || !strings.Contains(got["files.jsonl"], sealed.FileID) {
		t.Errorf("files.jsonl has %d lines", n)
	}
	if !strings.Contains(got["timeline.jsonl"], "File added: complaint.pdf") {
		t.Errorf("timeline.jsonl = %s", got["timeline.jsonl"])
	}
	actions := map[string]int{}

	last := int64(0)
	for _, e := range events(t, got["audit.jsonl"]) {
		if e.Seq <= last || e.Hash == "" {
			t.Errorf("audit event %+v after %d", e, last)
		}
		last = e.Seq
		actions[e.Action]++
	}
	if actions["case.create"] != 1 || actions["file.add"] != 4 || actions["case.export"] != 2 {
		t.Errorf("audit events = %v", actions)
	}
	t.Run("of another tenant", func(t *testing.T) { refused(t, w.get(user("u:ben", "ben"), path), 404, "not_found") })
}
