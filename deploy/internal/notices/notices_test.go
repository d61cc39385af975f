package notices_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/notices"
	"github.com/subrosa-legal/subrosa/deploy/internal/sbom"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

const isc = `ISC License

Copyright (c) 2020 Somebody

Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted, provided that the above
copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF
OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
`

// cache is a cache of modules that holds the files, by path.
func cache(t *testing.T, files map[string]string) notices.Sources {
	t.Helper()
	root := t.TempDir()

	for path, text := range files {
		full := filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	return notices.Sources{Go: filepath.Join(root, "go"), Modules: root, NPM: filepath.Join(root, "npm")}
}

func TestTheLicensesOfAComponent(t *testing.T) {
	t.Parallel()
	s := cache(t, map[string]string{
		"example.com/!upper/one@v1.0.0/LICENSE":        isc,
		"example.com/!upper/one@v1.0.0/license.go":     "package one",
		"example.com/!upper/one@v1.0.0/NOTICE.txt":     "Made by many.\r\nThank them.",
		"example.com/odd@v1.0.0/COPYING":               "Do with it what your conscience says.",
		"example.com/bare@v1.0.0/README":               "No license.",
		"example.com/licensed@v1.0.0/license_test.txt": "A list of licenses for tests.",
		"go/LICENSE":             isc,
		"npm/@lit/thing/LICENSE": isc,
	})

	for _, tc := range []struct {
		name    string
		read    func() (notices.Component, error)
		license string
		files   []string
		wrong   string
	}{
		{"a module with a notice", func() (notices.Component, error) { return s.Module("example.com/Upper/one", "v1.0.0") }, "ISC", []string{"LICENSE", "NOTICE.txt"}, ""},
		{"one with words of its own", func() (notices.Component, error) { return s.Module("example.com/odd", "v1.0.0") }, "", []string{"COPYING"}, ""},
		{"one without a license", func() (notices.Component, error) { return s.Module("example.com/bare", "v1.0.0") }, "", nil, "without a license"},
		{"one that is not here", func() (notices.Component, error) { return s.Module("example.com/away", "v1.0.0") }, "", nil, "go mod download"},
		{"no module", func() (notices.Component, error) { return s.Module("../odd", "v1.0.0") }, "", nil, "../odd"},
		{"Go itself", func() (notices.Component, error) { return s.Standard("1.26.8") }, "ISC", []string{"LICENSE"}, ""},
		{"a package of the browser app", func() (notices.Component, error) { return s.Package("@lit/thing", "1.0.0") }, "ISC", []string{"LICENSE"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, err := tc.read()
			if tc.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wrong) {
					t.Errorf("error = %v, want one that says %q", err, tc.wrong)
				}

				return
			}

			var names []string
			for _, f := range c.Files {
				names = append(names, f.Name)
				if strings.Contains(f.Body, "\r") {
					t.Errorf("%s keeps its ends of lines", f.Name)
				}
			}
			if err != nil || c.License() != tc.license || !slices.Equal(names, tc.files) {
				t.Errorf("license %q in %v, %v; want %q in %v", c.License(), names, err, tc.license, tc.files)
			}
		})
	}
}

// The same text stands once, under everybody's name, whatever the order of the components.
func TestTheFileOfLicenses(t *testing.T) {
	t.Parallel()
	one := notices.Component{Name: "example.com/one", Version: "v1", Files: []notices.Text{{"LICENSE", isc}}}
	two := notices.Component{
		Name: "example.com/two", Version: "v2", Files: []notices.Text{{"COPYING", isc}, {"NOTICE", "Thanks."}},
	}
	text, err := notices.Write("a program", []notices.Component{two, one, two})
	if err != nil {
		t.Fatal(err)
	}
	again, err := notices.Write("a program", []notices.Component{one, two})
	if err != nil || string(text) != string(again) {
		t.Errorf("another order gives another file: %v", err)
	}

	for what, want := range map[string]int{
		"Permission to use": 1, "Thanks.": 1, "- example.com/two v2 (ISC)\n": 1,
		"example.com/one v1, LICENSE\nexample.com/two v2, COPYING\n": 1,
	} {
		if got := strings.Count(string(text), what); got != want {
			t.Errorf("%q stands %d times, want %d", what, got, want)
		}
	}
	if _, err := notices.Write("a program", nil); err == nil {
		t.Error("a program is made of nothing")
	}
}

// Everything that our own programs are made of comes with a known license.
func TestOurProgramsMayBeHandedOn(t *testing.T) {
	t.Parallel()
	s, err := notices.Here(filepath.Join(testkit.Tree(t), "gateway", "web", "npm"))
	if err != nil {
		t.Fatal(err)
	}
	lock, err := os.ReadFile(filepath.Join(testkit.Tree(t), "gateway", "web", "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}

	for _, program := range strings.Fields("gateway registry-svc auth-svc agent-svc case-svc party-svc subrosa-image") {
		list, err := sbom.Of(testkit.Program(t, program), sbom.Subject{Name: program})
		if err != nil {
			t.Fatal(err)
		}
		if err := list.NPM(lock, s.Carries); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Of(&list); err != nil {
			t.Errorf("%s: %v", program, err)
		}

		for _, c := range list.Components {
			if len(c.Licenses) == 0 {
				t.Errorf("%s is made of %s, whose license is not known", program, c.PURL)
			}
		}
	}
}
