// Package notices collects the licenses of what a program is made of. Most of them ask that their text goes wherever
// the program goes, so each image and each archive carries the file that this package writes.
package notices

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
	"golang.org/x/mod/module"
)

// File is the name of the file that Write fills.
const File = "THIRD_PARTY_LICENSES"

// Sources are the folders in which the sources of components lie.
type Sources struct {
	Go      string // GOROOT
	Modules string // GOMODCACHE
	NPM     string // the packages of the browser app, one folder each
}

// Component is something that a program is made of.
type Component struct {
	Name    string // as people know it: a module path, a package of npm, or Go
	Version string
	Files   []Text // its licenses and notices, in the order of their names; at least one
}

// Text is a license or a notice.
type Text struct {
	Name string // of the file
	Body string
}

// named matches names of files that hold a license or a notice.
var named = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([-._].*)?$`)

// mostText bounds one file, in bytes: the longest license in use has 35 KB.
const mostText = 1 << 20

// Module returns a Go module with its licenses. A module without any is an error: it may not be handed on.
func (s Sources) Module(path, version string) (Component, error) {
	escaped, err := module.EscapePath(path)
	if err != nil {
		return Component{}, fmt.Errorf("the module %s: %w", path, err)
	}
	at, err := module.EscapeVersion(version)
	if err != nil {
		return Component{}, fmt.Errorf("the module %s: %w", path, err)
	}

	return read(path, version, filepath.Join(s.Modules, filepath.FromSlash(escaped)+"@"+at))
}

// Standard returns Go's own library and runtime, which every program carries.
func (s Sources) Standard(version string) (Component, error) { return read("Go", version, s.Go) }

// Package returns a package of the browser app.
func (s Sources) Package(name, version string) (Component, error) {
	return read(name, version, filepath.Join(s.NPM, filepath.FromSlash(name)))
}

// Carries reports whether the browser app carries a package: its sources lie here.
func (s Sources) Carries(name string) bool {
	_, err := os.Stat(filepath.Join(s.NPM, filepath.FromSlash(name), "package.json"))
	return err == nil
}

func read(name, version, folder string) (Component, error) {
	c := Component{Name: name, Version: version}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return c, fmt.Errorf("the sources of %s %s are not here (go mod download fetches them): %w", name, version, err)
	}

	for _, e := range entries {
		// A file such as license.go is a program about licenses.
		if !e.Type().IsRegular() || !named.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		body, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return c, fmt.Errorf("read a license of %s: %w", name, err)
		}
		if len(body) > mostText {
			return c, fmt.Errorf("%s of %s has more than 1 MiB, which no license has", e.Name(), name)
		}
		// Line ends of Windows would make two texts of one license.
		unix := bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
		c.Files = append(c.Files, Text{e.Name(), string(bytes.TrimSpace(unix))})
	}
	if len(c.Files) == 0 {
		return c, fmt.Errorf("%s %s comes without a license, so it may not be handed on", name, version)
	}

	return c, nil
}

// leastSure is how much of a text must be that of known licenses, in percent, for these to be named.
const leastSure = 75

// License names the licenses of a component as an SPDX expression, or returns "" where its texts are not those of known
// licenses.
func (c Component) License() string {
	var all []string

	for _, f := range c.Files {
		covered := licensecheck.Scan([]byte(f.Body))
		if covered.Percent < leastSure {
			continue
		}

		for _, m := range covered.Match {
			if !m.IsURL && !slices.Contains(all, m.ID) {
				all = append(all, m.ID)
			}
		}
	}
	slices.Sort(all)

	return strings.Join(all, " AND ")
}

// Write returns the file for a program: each text once, below the names of all components that have it. The same
// components give the same bytes, in whatever order they come.
func Write(program string, components []Component) ([]byte, error) {
	if len(components) == 0 {
		return nil, errors.New("a program is made of something")
	}
	components = slices.Clone(components)
	slices.SortFunc(components, func(a, b Component) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Version, b.Version))
	})
	components = slices.CompactFunc(components, func(a, b Component) bool {
		return a.Name == b.Name && a.Version == b.Version
	})
	var out strings.Builder
	fmt.Fprintf(&out, "%s holds the following components. Their licenses are below the list.\n\n", program)

	// The components that have a text, by the text.
	owners := map[string][]string{}
	var texts []string

	for _, c := range components {
		fmt.Fprintf(&out, "- %s %s (%s)\n", c.Name, c.Version, cmp.Or(c.License(), "see its text"))

		for _, f := range c.Files {
			if owners[f.Body] == nil {
				texts = append(texts, f.Body)
			}
			owners[f.Body] = append(owners[f.Body], fmt.Sprintf("%s %s, %s", c.Name, c.Version, f.Name))
		}
	}

	for _, text := range texts {
		fmt.Fprintf(&out, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(owners[text], "\n"), text)
	}

	return []byte(out.String()), nil
}
