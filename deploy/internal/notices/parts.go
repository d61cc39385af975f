package notices

import (
	"fmt"
	"net/url"
	"os/exec"
	"strings"

	"github.com/subrosa-legal/subrosa/deploy/internal/sbom"
)

// Here returns the sources on this machine: those that the go command knows, and npm, a folder of packages.
func Here(npm string) (Sources, error) {
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return Sources{}, fmt.Errorf("ask go where its sources are: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 2 {
		return Sources{}, fmt.Errorf("go says %q of where its sources are", out)
	}

	return Sources{Go: strings.TrimSpace(lines[0]), Modules: strings.TrimSpace(lines[1]), NPM: npm}, nil
}

// Of returns the components that a list names, with their licenses, and enters the licenses into the list.
func (s Sources) Of(list *sbom.Document) ([]Component, error) {
	all := make([]Component, len(list.Components))

	for i := range list.Components {
		part := &list.Components[i]
		c, err := s.find(part.PURL)
		if err != nil {
			return nil, err
		}
		all[i] = c
		if known := sbom.Licensed(c.License()); known != nil {
			// Otherwise the lock file's own word stays.
			part.Licenses = known
		}
	}

	return all, nil
}

// find returns the component with a package URL.
func (s Sources) find(purl string) (Component, error) {
	kind, rest, _ := strings.Cut(strings.TrimPrefix(purl, "pkg:"), "/")
	at := strings.LastIndex(rest, "@")
	if at < 0 {
		return Component{}, fmt.Errorf("%q names no version", purl)
	}
	name, err := url.PathUnescape(rest[:at])
	if err != nil {
		return Component{}, fmt.Errorf("%q is no package URL: %w", purl, err)
	}
	version, err := url.QueryUnescape(rest[at+1:])
	if err != nil {
		return Component{}, fmt.Errorf("%q is no package URL: %w", purl, err)
	}

	switch {
	case kind == "golang" && name == sbom.GoStandard:
		return s.Standard(version)
	case kind == "golang":
		return s.Module(name, version)
	case kind == "npm":
		return s.Package(name, version)
	}

	return Component{}, fmt.Errorf("nobody knows where the license of %q lies", purl)
}
