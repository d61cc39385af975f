package sbom_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/sbom"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

var subject = sbom.Subject{Name: "case-svc", Version: "1.2.3", License: "Apache-2.0", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))}

// program is a small program that uses a module and one of ours.
func program(t *testing.T) string {
	t.Helper()
	return testkit.Program(t, "subrosa-image")
}

const lock = `{"lockfileVersion":3,"packages":{"":{"name":"web"},
  "node_modules/@lit/reactive-element":{"version":"2.1.2","license":"BSD-3-Clause"},
  "node_modules/lit/node_modules/nested":{"version":"1.0.0","license":"(MIT OR Apache-2.0)"},
  "node_modules/typescript":{"version":"7.0.2","dev":true}}}`

func everything(string) bool { return true }

func list(t *testing.T, file string) []byte {
	t.Helper()
	d, err := sbom.Of(file, subject)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Modules("example.com/a/v2 v2.0.1+incompatible\nexample.com/a/v2 v2.0.1+incompatible\n"); err != nil {
		t.Fatal(err)
	}
	if err := d.NPM([]byte(lock), everything); err != nil {
		t.Fatal(err)
	}
	text, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}

	return text
}

func TestTheListIsCycloneDX(t *testing.T) {
	file := program(t)
	text := list(t, file)
	if again := list(t, file); !bytes.Equal(text, again) {
		t.Error("the same program gives two lists")
	}
	var d sbom.Document
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&d); err != nil {
		t.Fatal(err)
	}
	if d.Format != "CycloneDX" || d.SpecVersion != "1.6" || d.Version != 1 || d.Metadata.Timestamp != "2026-01-02T02:04:05Z" {
		t.Errorf("the head is %+v", d)
	}
	if !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`).MatchString(d.SerialNumber) {
		t.Errorf("the serial number is %q", d.SerialNumber)
	}
	main := d.Metadata.Component
	if main.Type != "application" || main.Version != "1.2.3" || len(main.Hashes) != 1 || !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(main.Hashes[0].Content) || main.Licenses[0].License.ID != "Apache-2.0" {
		t.Errorf("the program is %+v", main)
	}
	var purls []string

	refs := map[string]bool{main.Ref: true}
	for _, c := range d.Components {
		if refs[c.Ref] || c.Type != "library" || c.Version == "" || c.Name == "" {
			t.Errorf("component %+v", c)
		}
		refs[c.Ref] = true
		purls = append(purls, c.PURL)
	}

	for _, pattern := range []string{
		`^pkg:golang/std@1\.\d+(\.\d+)?`, `^pkg:golang/github\.com/google/uuid@v\d+\.\d+\.\d+$`, `^pkg:golang/example\.com/a/v2@v2\.0\.1%2Bincompatible$`, `^pkg:npm/%40lit/reactive-element@2\.1\.2$`,
		`^pkg:npm/nested@1\.0\.0$`,
	} {
		if !slices.ContainsFunc(purls, regexp.MustCompile(pattern).MatchString) {
			t.Errorf("no component fits %s: %q", pattern, purls)
		}
	}
	if slices.ContainsFunc(purls, regexp.MustCompile(`typescript|subrosa-legal`).MatchString) {
		t.Errorf("a package for building, or a part of the program, is in %q", purls)
	}
	if len(d.Dependencies) != len(d.Components)+1 || d.Dependencies[0].Ref != main.Ref || len(d.Dependencies[0].DependsOn) != len(d.Components) {
		t.Error("the program is not said to be made of every component")
	}

	for _, dependency := range d.Dependencies {
		if !refs[dependency.Ref] {
			t.Errorf("%s is no component", dependency.Ref)
		}
	}
}

func TestWhatIsNoProgramHasNoList(t *testing.T) {
	if _, err := sbom.Of("sbom.go", subject); err == nil {
		t.Error("a text has a list")
	}
	d := sbom.Document{}
	empty, torn := d.NPM([]byte("{}"), everything), d.NPM([]byte("["), everything)
	if empty == nil || torn == nil || d.Modules("example.com/a\n") == nil {
		t.Error("a broken source was taken")
	}
}
