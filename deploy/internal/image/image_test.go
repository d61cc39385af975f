package image_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/image"
)

var spec = image.Spec{
	Tag: "subrosa/x:dev", Created: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Arch: "amd64", User: "10001:10001", Entrypoint: []string{"/service"}, Labels: map[string]string{"a": "b", "c": "d"},
}

// folder makes the same files in a new place, with times and rights of their own.
func folder(t *testing.T, mode os.FileMode, names ...string) string {
	t.Helper()

	root := t.TempDir()
	for _, name := range names {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700|mode); err != nil {
			t.Fatal(err)
		}
		run := os.FileMode(0)
		if strings.HasSuffix(name, "service") {
			run = 0o100
		}
		if err := os.WriteFile(path, []byte("of "+name), 0o600|mode|run); err != nil {
			t.Fatal(err)
		}
	}

	return root
}

func made(t *testing.T, root string, s image.Spec) image.Image {
	t.Helper()
	i, err := image.Make(root, s)
	if err != nil {
		t.Fatal(err)
	}

	return i
}

func TestTheSameFilesGiveTheSameImage(t *testing.T) {
	first := made(t, folder(t, 0, "service", "etc/ssl/certs/x.crt", "a"), spec)
	second := folder(t, 0o044, "a", "service", "etc/ssl/certs/x.crt")
	if err := os.Chtimes(filepath.Join(second, "service"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if again := made(t, second, spec); again.ID != first.ID || !bytes.Equal(again.Archive, first.Archive) {
		t.Error("the same files give two images")
	}
	if err := os.WriteFile(filepath.Join(second, "a"), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if changed := made(t, second, spec); changed.ID == first.ID {
		t.Error("other files give the same image")
	}
	other := spec
	other.Labels = map[string]string{"a": "x"}
	if relabelled := made(t, second, other); relabelled.ID == first.ID {
		t.Error("other labels give the same image")
	}
}

// contents reads a tar.
func contents(t *testing.T, text []byte) (map[string][]byte, map[string]*tar.Header) {
	t.Helper()
	files, heads := map[string][]byte{}, map[string]*tar.Header{}

	for r := tar.NewReader(bytes.NewReader(text)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, heads
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		heads[h.Name] = h
	}
}

func TestTheArchiveIsOneThatEnginesLoad(t *testing.T) {
	root := folder(t, 0, "service", "etc/x.crt")
	if err := errors.Join(os.Mkdir(filepath.Join(root, "spool"), 0o700), os.Chmod(filepath.Join(root, "spool"), 0o777)); err != nil {
		t.Fatal(err)
	}
	i := made(t, root, spec)
	files, _ := contents(t, i.Archive)
	var manifest []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil || len(manifest) != 1 || len(manifest[0].Layers) != 1 || manifest[0].RepoTags[0] != spec.Tag {
		t.Fatalf("manifest %s: %v", files["manifest.json"], err)
	}
	about := files[manifest[0].Config]
	if sum := sha256.Sum256(about); i.ID != "sha256:"+hex.EncodeToString(sum[:]) {
		t.Errorf("the id is %s", i.ID)
	}
	layer := files[manifest[0].Layers[0]]

	sum := sha256.Sum256(layer)
	for _, want := range []string{`"diff_ids":["sha256:` + hex.EncodeToString(sum[:]), `"User":"10001:10001"`, `"Entrypoint":["/service"]`, `"created":"2026-01-02T03:04:05Z"`, `"Labels":{"a":"b","c":"d"}`, `"os":"linux"`} {
		if !strings.Contains(string(about), want) {
			t.Errorf("%s is not in %s", want, about)
		}
	}
	inside, heads := contents(t, layer)
	if string(inside["service"]) != "of service" || heads["service"].Mode != 0o755 || heads["etc/x.crt"].Mode != 0o644 || heads["etc/"].Mode != 0o755 || heads["spool/"].Mode != 0o1777 || heads["service"].Uid != 0 {
		t.Errorf("the files are %v", heads)
	}
	if want := int64(len("of service") + len("of etc/x.crt")); i.Size != want || i.Compressed < 50 || i.Compressed > int64(len(layer)) {
		t.Errorf("size %d, want %d; compressed %d", i.Size, want, i.Compressed)
	}
}

func TestLinksAreRefused(t *testing.T) {
	root := folder(t, 0, "service")
	if err := os.Symlink("service", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := image.Make(root, spec); err == nil || !strings.Contains(err.Error(), "neither file nor folder") {
		t.Errorf("err = %v", err)
	}
}
