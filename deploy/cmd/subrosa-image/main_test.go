package main

import (
	"bytes"
	"debug/buildinfo"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/authorities"
	"github.com/subrosa-legal/subrosa/deploy/internal/notices"
)

// staged makes a folder with a program: this test itself.
func staged(t *testing.T) (root string, args []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	root = filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, program), text, 0o755); err != nil {
		t.Fatal(err)
	}

	return root, []string{
		"-name", "x-svc", "-description", "an x", "-version", "1.2.3", "-revision", "abc", "-created", "1700000000", "-root", root, "-out", filepath.Join(dir, "x.tar"), "-sbom", filepath.Join(dir, "sbom", "x.json"),
		"-authorities", builtWith(t, self),
	}
}

// builtWith returns the version of the authorities that a program was built with.
func builtWith(t *testing.T, program string) string {
	t.Helper()
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == authorities.Path })
	if i < 0 {
		t.Fatal("the program has no authorities")
	}

	return info.Deps[i].Version
}

func TestAnImageHasLabelsAndItsList(t *testing.T) {
	root, args := staged(t)
	var said bytes.Buffer
	if err := run(args, &said, io.Discard); err != nil {
		t.Fatal(err)
	}
	archive, err := os.ReadFile(filepath.Join(filepath.Dir(root), "x.tar"))
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile(filepath.Join(root, program))
	if err != nil {
		t.Fatal(err)
	}
	beside, whole := bytes.Replace(archive, self, nil, 1), len(archive)-len(self) // the program is this test, which has all of these words in it
	if len(beside) != whole {
		t.Fatal("the program is not in the image")
	}

	for _, want := range []string{
		`"org.opencontainers.image.version":"1.2.3"`, `"org.opencontainers.image.revision":"abc"`, `"org.opencontainers.image.created":"2023-11-14T22:13:20Z"`, `"org.opencontainers.image.licenses":"Apache-2.0"`,
		`"org.opencontainers.image.title":"subrosa/x-svc"`, `"User":"10001:10001"`, listing, trusted, "-----BEGIN CERTIFICATE-----", notices.File,
		`"purl": "pkg:golang/golang.org/x/crypto/x509roots/fallback@` + builtWith(t, filepath.Join(root, program)) + `"`,
		"- golang.org/x/crypto/x509roots/fallback ", "Redistribution and use in source and binary forms",
	} {
		if !bytes.Contains(beside, []byte(want)) {
			t.Errorf("%s is not in the image", want)
		}
	}
	inside, err := os.ReadFile(filepath.Join(root, listing))
	if err != nil {
		t.Fatal(err)
	}
	outside, err := os.ReadFile(filepath.Join(filepath.Dir(root), "sbom", "x.json"))
	if err != nil || !bytes.Equal(inside, outside) {
		t.Errorf("the list beside the image is another: %v", err)
	}
	if !strings.Contains(said.String(), "x-svc") || !strings.Contains(said.String(), "MB compressed  sha256:") {
		t.Errorf("it says %q", said.String())
	}
}

func TestAnImageThatIsTooLargeIsNotWritten(t *testing.T) {
	root, args := staged(t)
	if err := run(append(args, "-most", "0.5"), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "at most 0.5") {
		t.Errorf("err = %v", err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(root), "x.tar")); !os.IsNotExist(err) {
		t.Errorf("the image was written: %v", err)
	}
}
