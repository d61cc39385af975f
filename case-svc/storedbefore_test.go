package casesvc_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// earlierFile is the record of a file as the release before renditions writes and reads it.
type earlierFile struct {
	Key           string            `bson:"_id"`
	Tenant        string            `bson:"tenant"`
	ID            string            `bson:"id"`
	CaseID        string            `bson:"caseId"`
	Version       int64             `bson:"version"`
	Name          string            `bson:"name"`
	DocType       string            `bson:"docType"`
	DocTypeBasis  string            `bson:"docTypeBasis"`
	Description   string            `bson:"description"`
	MediaType     string            `bson:"mediaType"`
	SizeBytes     int64             `bson:"sizeBytes"`
	SHA256        string            `bson:"sha256"`
	DedupeKey     string            `bson:"dedupeKey"`
	DocumentOn    string            `bson:"documentOn"`
	Privilege     string            `bson:"privilege"`
	Extraction    earlierExtraction `bson:"extraction"`
	DeidCheck     earlierCheck      `bson:"deidCheck"`
	AgentReadable bool              `bson:"agentReadable"`
	Labels        []string          `bson:"labels"`
	Revision      int               `bson:"revision"`
	Status        string            `bson:"status"`
	UploadedBy    bson.D            `bson:"uploadedBy"`
	CreatedAt     time.Time         `bson:"createdAt"`
	ProducedBy    string            `bson:"producedBy"`
	SealedID      string            `bson:"sealedFileId"`
	SupersedesID  string            `bson:"supersedesFileId"`
	DeletedAt     time.Time         `bson:"deletedAt"`
	PhaseID       string            `bson:"phaseId"`
}

type earlierExtraction struct {
	Status           string  `bson:"status"`
	Pages            int     `bson:"pages"`
	Chars            int     `bson:"chars"`
	CharsPerPage     float64 `bson:"charsPerPage"`
	ReplacementRatio float64 `bson:"replacementRatio"`
	Language         string  `bson:"language"`
	Method           string  `bson:"method"`
	TextSHA256       string  `bson:"textSha256"`
	TextVersion      int     `bson:"textVersion"`
}

type earlierCheck struct {
	Status          string    `bson:"status"`
	DetectorVersion string    `bson:"detectorVersion"`
	At              time.Time `bson:"at"`
	AttestedBy      string    `bson:"attestedByUserId"`
}

// storedBefore puts a file into a case as the release before renditions stored it.
func (w *world) storedBefore(c api.Case, tenant, name, mediaType string, content []byte, text string) earlierFile {
	w.t.Helper()
	at := w.clock.Now().Truncate(time.Millisecond)
	f := earlierFile{
		Tenant: tenant, ID: uuid.NewString(), CaseID: c.CaseID, Version: 1, Name: name, DocType: "unknown",
		DocTypeBasis: "unknown", MediaType: mediaType,
		SizeBytes: int64(
			len(content),
		), SHA256: sha256Hex(content), DedupeKey: sha256Hex(content), Privilege: "work_product", AgentReadable: true,
		Extraction: earlierExtraction{
			Status:      "ok",
			Pages:       1,
			Chars:       len(text),
			Language:    "en",
			Method:      "docx",
			TextVersion: 1,
		},
		DeidCheck: earlierCheck{Status: "passed", DetectorVersion: guard.Version(), At: at},
		Revision:  1, Status: "active",
		UploadedBy: bson.D{{Key: "kind", Value: "user"}, {Key: "id", Value: "ann"}, {Key: "userId", Value: "ann"}},
		CreatedAt:  at,
	}
	f.Key = tenant + "/" + f.ID
	err := errors.Join(
		mongostore.NewBlobs(
			w.database(),
			time.Minute,
		).Put(
			w.t.Context(),
			tenant,
			f.ID,
			files.Served,
			strings.NewReader(string(content)),
		),
		mongostore.NewTexts(
			w.database(),
		).Put(
			w.t.Context(),
			files.Text{FileID: f.ID, Tenant: tenant, CaseID: c.CaseID, Version: 1, Body: text},
		),
	)
	if err == nil { // last, as it was then: a record has its bytes
		_, err = w.database().Collection("files").InsertOne(w.t.Context(), f)
	}
	if err != nil {
		w.t.Fatal(err)
	}

	return f
}

// bytesOf returns what lies in a slot of a file, "" when nothing does.
func (w *world) bytesOf(f earlierFile, slot files.Slot) string {
	w.t.Helper()

	r, err := mongostore.NewBlobs(w.database(), time.Minute).Open(w.t.Context(), f.Tenant, f.ID, slot)
	if errors.Is(err, files.ErrNotFound) {
		return ""
	}
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	all, err := io.ReadAll(r)
	if err != nil {
		w.t.Fatal(err)
	}

	return string(all)
}

// However often the process that sweeps is killed, nothing is lost, and nothing is served that was not rendered. make
// long kills it over 500 files. They lie in databases apart, since an embedded store looks through all bytes for those
// of one file.
func TestTheSweepOfStoredFilesIsKilled(t *testing.T) {
	t.Parallel()
	sets, each := 1, 40
	if os.Getenv("TEST_LONG") != "" {
		sets, each = 5, 100
	}

	for n := range sets {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			killTheSweep(t, each, each/10+n, each/2+5*n)
		})
	}
}

// rentOf is what a stored file says.
func rentOf(flat int) string {
	return fmt.Sprintf("[Party %d] pays the rent of flat %d.", flat%90+1, flat)
}

// killTheSweep has that many files rendered. It kills the process that sweeps when it comes to some of them, and has
// another one finish.
func killTheSweep(t *testing.T, many int, at ...int) {
	t.Helper()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "1h"})
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	one := "/v1/cases/" + c.CaseID
	stored := make([]earlierFile, many)
	sent := map[string]string{}

	for i := range stored {
		said := rentOf(i)
		name, mediaType, content := "lease.html", "text/html", []byte("<!DOCTYPE html><p>"+said+"</p>")

		switch i % 4 {
		case 1:
			name, mediaType, content = "lease.eml", "message/rfc822", []byte(
				"From: [Party 4]\nSubject: Rent\n\n"+said+"\n",
			)
		case 2:
			name, mediaType, content = "lease.pdf", "application/pdf", pdfFile(
				[]string{
					said + " So says the lease that both of them signed.",
					said + " The landlord kept the keys all the same.",
				},
			)
		case 3:
			name, mediaType, content = "lease.docx", docxType, wordFile(t, "", "", said)
		}
		stored[i] = w.storedBefore(c, "u:ann", name, mediaType, content, said)
		sent[stored[i].ID] = string(content)
	}

	first := one + "/files/" + stored[0].ID
	for _, route := range []string{first + "/content", one + "/export"} {
		a := w.get(ann, route)
		if refused(t, a, 503, "unavailable"); a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", route)
		}
	}
	if f := into[api.File](t, w.get(ann, first), 200); f.Content != nil || f.MediaType != "text/html" {
		t.Errorf("before the sweep: %+v", f)
	}

	for _, n := range at {
		w.sweptUntil(stored[n])
		w.check(ann, stored, sent, false)
	}
	w.clock.Advance(time.Until(w.clock.Now()).Abs() + 2*time.Minute) // the processes went by the real time

	last := w.beside(map[string]string{"CASE_SWEEP_EVERY": "100ms"})
	for _, f := range stored {
		last.untilRendered(f)
	}
	last.check(ann, stored, sent, true)

	recorded := map[string]bool{}
	for _, d := range last.deeds("u:ann") {
		recorded[d.ID] = recorded[d.ID] || d.Action == "file.render" && d.Outcome == "ok"
	}

	for _, f := range stored {
		if !recorded[f.ID] {
			t.Fatalf("that %s was rendered is not on record", f.ID)
		}
	}
}

// untilRendered waits until the rendition of a stored file is in place.
func (w *world) untilRendered(f earlierFile) {
	w.t.Helper()
	fileStore := mongostore.NewFileStore(w.database())
	testkit.Until(w.t, 2*testkit.Patience, func() error {
		now, err := fileStore.Get(w.t.Context(), f.Tenant, f.CaseID, f.ID)
		if err == nil && !now.Servable() {
			err = fmt.Errorf("%s is not rendered: %s", f.Name, w.logs.String())
		}

		return err
	})
}

// sweptUntil has a process of its own sweep, and kills it as soon as it came to a file.
func (w *world) sweptUntil(f earlierFile) {
	w.t.Helper()
	env := environ(w.t, stores.MongoURI(w.t))
	env["CASE_DATABASE"], env["PARTY_URL"], env["CASE_SWEEP_EVERY"] = w.mongo.Name(), w.parties.url, "100ms"

	program := exec.CommandContext(w.t.Context(), testkit.Program(w.t, "case-svc"))
	for name, value := range env {
		program.Env = append(program.Env, name+"="+value)
	}
	if err := program.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.untilRendered(f)
	if err := program.Process.Kill(); err != nil {
		w.t.Fatal(err)
	}
	_ = program.Wait() // it was killed
}

// slots returns all bytes that are stored, by tenant, file and slot.
func (w *world) slots() map[string]string {
	w.t.Helper()
	var pieces []struct {
		Key  string `bson:"files_id"`
		N    int    `bson:"n"`
		Data []byte `bson:"data"`
	}
	cursor, err := w.database().Collection("fs.chunks").Find(w.t.Context(), bson.D{})
	if err == nil {
		err = cursor.All(w.t.Context(), &pieces)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	all := map[string]string{}

	for _, p := range pieces {
		if p.N != 0 || all[p.Key] != "" {
			w.t.Fatalf("%s is in several pieces", p.Key)
		}
		all[p.Key] = string(p.Data)
	}

	return all
}

// check looks at every stored file: what was sent is there, and what is described as its rendition is one. Some are
// fetched as well.
func (w *world) check(caller access.Caller, stored []earlierFile, sent map[string]string, done bool) {
	w.t.Helper()
	slots := w.slots()
	fileStore := mongostore.NewFileStore(w.database())
	waiting := 0

	for i, f := range stored {
		served := slots[f.Key]
		if slots[f.Key+"/original"] != sent[f.ID] && (done || served != sent[f.ID]) {
			w.t.Fatalf("what was sent as %s is lost", f.Name)
		}
		now, err := fileStore.Get(w.t.Context(), f.Tenant, f.CaseID, f.ID)
		if err != nil {
			w.t.Fatal(err)
		}
		if !now.Servable() {
			waiting++
		} else if now.Content.SHA256 != sha256Hex([]byte(served)) || now.SHA256 != f.SHA256 || !isRendition(served) {
			w.t.Fatalf("%s: served is %q, described as %+v", f.Name, served, now)
		}
		if i%50 > 3 {
			continue // four of each kind of file will do
		}
		at := "/v1/cases/" + f.CaseID + "/files/" + f.ID
		if a := w.get(caller, at+"/content"); !now.Servable() && a.Status != http.StatusServiceUnavailable ||
			now.Servable() && string(a.Body) != served {
			w.t.Errorf("%s: %d: %s", f.Name, a.Status, a.Body)
		}
		if text := into[api.FileText](w.t, w.get(caller, at+"/text"), 200); text.TextVersion != 1 ||
			text.Text != rentOf(i) {
			w.t.Errorf("%s: the text that was cited is %q", f.Name, text.Text)
		}
	}
	if done != (waiting == 0) {
		w.t.Errorf("%d files wait", waiting)
	}
}

// isRendition reports whether a content is what was written and not what was sent.
func isRendition(content string) bool {
	return strings.Contains(content, "pays the rent") && !strings.Contains(content, "<p>") &&
		!strings.Contains(content, "%PDF") &&
		!strings.HasPrefix(content, "PK")
}

// A replica of the release before goes on serving what is there: it finds under each file the bytes that its record
// describes.
func TestTheReleaseBeforeReadsWhatIsStoredNow(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "100ms"})
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	old := w.storedBefore(
		c,
		"u:ann",
		"old.html",
		"text/html",
		[]byte("<!DOCTYPE html><p>[Party 7] pays the rent.</p>"),
		"[Party 7] pays the rent.",
	)
	w.untilRendered(old)
	lease := part{"file", "lease.docx", docxType, wordFile(t, "", "", "[Party 1] pays the rent to [Party 2].")}
	word := into[uploaded](t, w.upload(ann, c.CaseID, nil, lease), 201).Items[0]
	text := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("a.txt", "A text of [Party 3].")), 201).Items[0]

	records := w.database().Collection("files")
	mediaTypes := map[string]string{old.ID: "text/markdown", word.FileID: "text/markdown", text.FileID: "text/plain"}

	for _, id := range []string{old.ID, word.FileID, text.FileID} {
		var f earlierFile
		if err := records.FindOne(t.Context(), bson.D{{Key: "_id", Value: "u:ann/" + id}}).Decode(&f); err != nil {
			t.Fatal(err)
		}
		served := w.bytesOf(f, files.Served)
		readable := f.AgentReadable && f.Status == "active"
		if served == "" || !readable || f.SizeBytes != int64(len(served)) || f.SHA256 != sha256Hex([]byte(served)) {
			t.Errorf("%s: the record says %d bytes of %s, there are %d", f.Name, f.SizeBytes, f.MediaType, len(served))
		}
		if want := mediaTypes[id]; f.MediaType != want {
			t.Errorf("%s: the record says %s, want %s", f.Name, f.MediaType, want)
		}
		f.Version++ // it changes the record, and knows nothing of what it does not write
		if _, err := records.ReplaceOne(t.Context(), bson.D{{Key: "_id", Value: f.Key}}, f); err != nil {
			t.Fatal(err)
		}
		a := w.get(ann, "/v1/cases/"+c.CaseID+"/files/"+id+"/content")
		if a.Status != 200 || string(a.Body) != served {
			t.Errorf("%s: after the release before wrote it: %d", f.Name, a.Status)
		}
	}
}

// Originals of files from before stay until an administrator has agreed, and under a legal hold for as long as that
// lasts, also when the release before renditions ran in between.
func TestOriginalsStayUntilAnAdministratorAgrees(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "100ms"})
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	root := user("o:firm", "root", access.RoleAdmin, access.RoleOwner)
	free, held := w.newCase(ann, nil), w.newCase(ann, nil)
	sent := "<!DOCTYPE html><p>[Party 7] pays the rent.</p>"
	a := w.storedBefore(free, "o:firm", "old.html", "text/html", []byte(sent), "[Party 7] pays the rent.")
	b := w.storedBefore(held, "o:firm", "old.html", "text/html", []byte(sent), "[Party 7] pays the rent.")
	w.untilRendered(a)
	w.untilRendered(b)
	hold := func(on bool) {
		t.Helper()
		change := m{"retention": m{"legalHold": on}}
		into[api.Case](t, w.json(root, http.MethodPatch, "/v1/cases/"+held.CaseID, change), 200)
	}
	hold(true)
	counted := func(want api.StoredOriginals) {
		t.Helper()
		testkit.Until(t, testkit.Patience, func() error {
			s := into[api.Settings](t, w.get(root, "/v1/settings"), 200)
			if s.Originals == nil && want != (api.StoredOriginals{}) || s.Originals != nil && *s.Originals != want {
				return fmt.Errorf("the settings count %+v, want %+v", s.Originals, want)
			}

			return nil
		})
	}
	both := api.StoredOriginals{SetAside: 2, SizeBytes: int64(2 * len(sent))}
	counted(both)

	// The older release changes the record of a file, and this one is back.
	records := w.database().Collection("files")
	var f earlierFile
	if err := records.FindOne(t.Context(), bson.D{{Key: "_id", Value: a.Key}}).Decode(&f); err != nil {
		t.Fatal(err)
	}
	f.Version++
	if _, err := records.ReplaceOne(t.Context(), bson.D{{Key: "_id", Value: a.Key}}, f); err != nil {
		t.Fatal(err)
	}
	counted(both)
	at := func(f earlierFile) string { return "/v1/cases/" + f.CaseID + "/files/" + f.ID }
	testkit.Until(t, testkit.Patience, func() error {
		now := into[api.File](t, w.get(ann, at(a)), 200)
		if now.SHA256 != a.SHA256 || now.Content == nil || now.Content.Renderer == api.NotRendered {
			return fmt.Errorf("after the older release it is %+v", now)
		}

		return nil
	})

	// Each of these files is purged at the end of a round, so that round has looked at the originals before.
	rounds := 0
	aRound := func() {
		t.Helper()
		rounds++
		left := textFile("a.txt", fmt.Sprintf("[Party %d] left.", rounds))
		marker := into[uploaded](t, w.upload(ann, free.CaseID, nil, left), 201).Items[0]
		if d := w.json(ann, http.MethodDelete, "/v1/cases/"+free.CaseID+"/files/"+marker.FileID, nil); d.Status != 204 {
			t.Fatal(d.Status)
		}
		w.clock.Advance(files.KeptOriginal + time.Hour)
		testkit.Until(t, testkit.Patience, func() error {
			n, err := records.CountDocuments(t.Context(), bson.D{{Key: "id", Value: marker.FileID}})
			if err == nil && n > 0 {
				err = errors.New("no round has passed")
			}

			return err
		})
	}
	has := func(name string, f earlierFile, want bool) {
		t.Helper()
		if got := w.bytesOf(f, files.AsSent) == sent; got != want {
			t.Errorf("%s: its original is there: %t, want %t", name, got, want)
		}
		if a := w.get(ann, at(f)+"/content"); a.Status != 200 || !isRendition(string(a.Body)) {
			t.Errorf("%s: its rendition answers %d", name, a.Status)
		}
	}
	aRound()
	has("without consent", a, true)
	has("without consent, held", b, true)

	agree := m{"removeOriginals": true}
	refused(t, w.json(ann, http.MethodPatch, "/v1/settings", agree), 403, "forbidden")
	refused(t, w.json(robot, http.MethodPatch, "/v1/settings", agree), 403, "human_required")
	aRound()
	has("after others agreed", a, true)
	if s := into[api.Settings](t, w.json(root, http.MethodPatch, "/v1/settings", agree), 200); !s.RemoveOriginals {
		t.Error("the consent is not kept")
	}
	aRound()
	has("with consent", a, false)
	has("with consent, held", b, true)
	counted(api.StoredOriginals{SetAside: 1, SizeBytes: int64(len(sent))})
	hold(false)
	aRound()
	has("when the hold is lifted", b, false)
	counted(api.StoredOriginals{})

	on := map[string]int{}
	for _, d := range w.deeds("o:firm") {
		on[d.Action+" "+d.Outcome+" "+d.ID]++
	}
	if on["file.original_purge ok "+a.ID] != 1 || on["file.original_purge ok "+b.ID] != 1 {
		t.Errorf("on record: %v", on)
	}
	other := func(d entry) bool { return d.Action != "settings.confirm_removal" }
	consents := slices.DeleteFunc(w.deeds("o:firm"), other)
	if len(consents) != 1 || consents[0].Actor != "root" {
		t.Errorf("who agreed: %+v", consents)
	}
}
