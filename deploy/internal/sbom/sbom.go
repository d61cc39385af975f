// Package sbom lists what a program is made of, in CycloneDX 1.6 as JSON: the modules that the Go linker wrote into it,
// and the packages of a browser app that it carries. The same program gives the same bytes.
package sbom

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Subject says whose list it is.
type Subject struct {
	Name    string    // of the image
	Version string    // of the image
	License string    // SPDX identifier
	Created time.Time // date of the sources, not of the build
}

// Document is a bill of materials. Only what is used of the format is here.
type Document struct {
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	SerialNumber string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     Metadata     `json:"metadata"`
	Components   []Component  `json:"components"`
	Dependencies []Dependency `json:"dependencies"`
}

// Metadata tells when and of what the list was made.
type Metadata struct {
	Timestamp  string     `json:"timestamp"`
	Component  Component  `json:"component"`
	Properties []Property `json:"properties,omitempty"`
}

// Component is a program or a package.
type Component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []Hash     `json:"hashes,omitempty"`
	Licenses   []License  `json:"licenses,omitempty"`
	Properties []Property `json:"properties,omitempty"`
}

// Hash is of the whole file, in hex.
type Hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// License names a license by its SPDX identifier, or by what it is called where it has none.
type License struct {
	License struct {
		ID   string `json:"id,omitempty"`
		Name string `json:"name,omitempty"`
	} `json:"license"`
}

// Property is what the format has no field for.
type Property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Dependency says what a component is made of.
type Dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

// GoStandard is the name of Go's standard library in package URLs.
const GoStandard = "std"

// Of lists what the Go program in file is made of.
func Of(file string, s Subject) (Document, error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return Document{}, fmt.Errorf("read what the program was built from: %w", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return Document{}, fmt.Errorf("read the program: %w", err)
	}
	sum := sha256.Sum256(text)
	main := Component{
		Type: "application", Ref: "subrosa/" + s.Name, Name: s.Name, Version: s.Version, Licenses: Licensed(s.License),
		Hashes: []Hash{{"SHA-256", hex.EncodeToString(sum[:])}},
	}
	d := Document{
		Format:       "CycloneDX",
		SpecVersion:  "1.6",
		SerialNumber: "urn:uuid:" + uuid.NewSHA1(uuid.NameSpaceOID, append([]byte(s.Name+"\n"), sum[:]...)).String(),
		Version:      1,
		Metadata:     Metadata{Timestamp: s.Created.UTC().Format(time.RFC3339), Component: main},
	}

	for _, setting := range info.Settings {
		if setting.Key == "GOOS" || setting.Key == "GOARCH" || setting.Key == "CGO_ENABLED" || setting.Key == "-tags" {
			d.Metadata.Properties = append(d.Metadata.Properties, Property{"go:" + setting.Key, setting.Value})
		}
	}
	d.add(golang(GoStandard, strings.TrimPrefix(info.GoVersion, "go"), ""))

	for _, module := range info.Deps {
		d.addModule(module)
	}
	d.connect()

	return d, nil
}

// addModule adds a module, unless it is a folder of the same repository: that is part of the program itself.
func (d *Document) addModule(m *debug.Module) {
	if m.Replace != nil {
		m = &debug.Module{Path: m.Replace.Path, Version: m.Replace.Version, Sum: m.Replace.Sum}
	}
	// Modules of this repository are the program itself.
	if strings.HasPrefix(m.Path, ".") || m.Version == "(devel)" {
		return
	}
	d.add(golang(m.Path, m.Version, m.Sum))
}

// Modules adds Go modules that other parts of the image were built from, a line of path and version each.
func (d *Document) Modules(lines string) error {
	for line := range strings.Lines(lines) {
		path, version, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			return fmt.Errorf("%q is no module with its version", line)
		}
		d.add(golang(path, version, ""))
	}
	d.connect()

	return nil
}

// lock is the part of npm's lock file that is needed.
type lock struct {
	Packages map[string]struct {
		Version string `json:"version"`
		License string `json:"license"`
		Dev     bool   `json:"dev"`
	} `json:"packages"`
}

// NPM adds the packages of a lock file of npm that are carried: what only building needs is not, and what does not run
// in browsers is not either.
func (d *Document) NPM(text []byte, carried func(name string) bool) error {
	var l lock
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("read the lock file: %w", err)
	}
	if len(l.Packages) == 0 {
		return errors.New("the lock file names no packages")
	}

	for path, p := range l.Packages {
		i := strings.LastIndex(path, "node_modules/")
		if i < 0 || p.Dev {
			continue
		}
		name := path[i+len("node_modules/"):]
		if !carried(name) {
			continue
		}
		purl := "pkg:npm/" + strings.Replace(escaped(name), "@", "%40", 1) + "@" + p.Version
		d.add(Component{
			Type:     "library",
			Ref:      purl,
			Name:     name,
			Version:  p.Version,
			PURL:     purl,
			Licenses: Licensed(p.License),
		})
	}
	d.connect()

	return nil
}

func golang(path, version, sum string) Component {
	purl := "pkg:golang/" + escaped(path) + "@" + url.QueryEscape(version)
	c := Component{Type: "library", Ref: purl, Name: path, Version: version, PURL: purl}
	if sum != "" {
		// As a property: go.sum hashes all files of a module, and the format means the hash of one file.
		c.Properties = []Property{{"go:sum", sum}}
	}

	return c
}

func escaped(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// identifiers are those of SPDX for licenses that components of ours have. The format allows no others as id.
var identifiers = strings.Fields(`
	0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BSL-1.0 CC-BY-3.0 CC-BY-4.0 CC-BY-SA-4.0 CC0-1.0 ISC MIT MIT-0 MPL-2.0
	OFL-1.1 Unicode-DFS-2016 Unlicense Zlib`)

// Licensed names the licenses of an SPDX expression in which all of them hold. Of one with a choice, or with an
// exception, it says nothing.
func Licensed(expression string) []License {
	var all []License

	for id := range strings.SplitSeq(expression, " AND ") {
		if id == "" || strings.ContainsAny(id, " ()") {
			return nil
		}
		var l License
		if l.License.ID = id; !slices.Contains(identifiers, id) {
			l.License.ID, l.License.Name = "", id
		}
		all = append(all, l)
	}

	return all
}

// add puts a component in its place, once.
func (d *Document) add(c Component) {
	// Kept in order, so that the same components give the same bytes.
	i, there := slices.BinarySearchFunc(d.Components, c.Ref, func(a Component, ref string) int {
		return strings.Compare(a.Ref, ref)
	})
	if !there {
		d.Components = slices.Insert(d.Components, i, c)
	}
}

// connect says that the program is made of every component. Which of them needs which is not in a program.
func (d *Document) connect() {
	all := Dependency{Ref: d.Metadata.Component.Ref}

	d.Dependencies = nil
	for _, c := range d.Components {
		all.DependsOn = append(all.DependsOn, c.Ref)
		d.Dependencies = append(d.Dependencies, Dependency{Ref: c.Ref})
	}
	d.Dependencies = append([]Dependency{all}, d.Dependencies...)
}

// Encode returns the document as JSON.
func (d *Document) Encode() ([]byte, error) {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the list: %w", err)
	}

	return append(text, '\n'), nil
}
