package faults

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// smallDisk mounts a file system of so many MiB and returns its folder; the test is skipped where that is not allowed.
func smallDisk(t *testing.T, mib int) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm", mib), "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("a small file system cannot be mounted here: %s", strings.TrimSpace(string(out)))
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })

	return dir
}

// F15: the disk of the documents, and that of case-svc's spool, are full.
func diskFull(t *testing.T, r *result) {
	disk, spool := smallDisk(t, 48), smallDisk(t, 2)
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 16<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	stores := exec.Command(testkit.StoresProgram(t), "-with-parent", "-dir", disk)
	in, err := stores.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := stores.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := stores.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = stores.Wait() })
	var where struct{ Mongo string }
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &where) != nil {
		t.Fatalf("the stores did not start: %v", err)
	}
	s := begin(t, options{quick: true, settings: map[string]string{
		"MONGODB_URI": where.Mongo, "CASE_SPOOL_DIR": spool, "AUTH_DATABASE": "a", "REGISTRY_DATABASE": "r", "CASE_DATABASE": "c", "PARTY_DATABASE": "p",
	}})
	r.load = "uploads until nothing fits"
	a := s.connect(0)
	k, err := s.as(a.bearer).CreateCase(t.Context(), client.NewCase{Jurisdiction: "US"})
	if err != nil {
		t.Fatal(err)
	}
	upload := func(n, size int) (answer, string) {
		body := strings.Repeat(fmt.Sprintf("Paragraph %d of the agreement. ", n), size/30)
		got := s.send(http.MethodPost, "/v1/cases/"+k.CaseID+"/files", a.bearer, body, "Content-Type", "text/plain")
		r.count(got.class())

		return got, body
	}
	if got, _ := upload(-1, 3<<20); got.status != http.StatusServiceUnavailable {
		r.fail("an upload that the spool cannot hold: %s", got.class())
	}
	if err := filepath.WalkDir(spool, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			r.fail("a file stays in the spool")
		}

		return err
	}); err != nil {
		t.Fatal(err)
	}
	kept := map[string]string{} // what was acknowledged

	refused := 0
	for n := 0; n < 200 && refused < 10; n++ {
		got, body := upload(n, 1<<20)
		if !got.good() {
			refused++
			continue
		}
		var made struct{ Items []struct{ FileID string } }
		if err := json.Unmarshal(got.body, &made); err != nil || len(made.Items) != 1 {
			t.Fatalf("an upload: %s", got.body)
		}
		kept[made.Items[0].FileID] = body
	}
	if refused == 0 {
		r.fail("the disk never was full")
	}

	for range 5 {
		r.count(s.send(http.MethodPost, "/v1/cases", a.bearer, `{"jurisdiction":"US"}`).class())
	}
	check := func(when string) {
		for id, body := range kept {
			if got := s.send(http.MethodGet, "/v1/cases/"+k.CaseID+"/files/"+id+"/content", a.bearer, ""); !got.good() || string(got.body) != body {
				r.lost++
				r.fail("a file that was acknowledged, %s: %s", when, got.class())
			}
		}
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	check("afterwards")
	if got, _ := upload(1000, 1<<16); !got.good() {
		r.fail("an upload when there is room again: %s", got.class())
	}
	r.note("%d files of 1 MiB acknowledged, %d refused", len(kept), refused)
	r.only("503")
}
