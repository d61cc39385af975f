// Command subrosa-image makes the container image of a service from the folder with its files, and the list of what is
// in it. It needs no container engine; docker load takes what it writes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/authorities"
	"github.com/subrosa-legal/subrosa/deploy/internal/image"
	"github.com/subrosa-legal/subrosa/deploy/internal/notices"
	"github.com/subrosa-legal/subrosa/deploy/internal/sbom"
)

const (
	license = "Apache-2.0"
	program = "service" // in every image
	listing = "sbom.cdx.json"
	trusted = "etc/ssl/certs/ca-certificates.crt" // where Go programs look first
	nobody  = "10001:10001"
)

type options struct {
	name, description, version, revision, created string
	root, out, list, modules, authorities         string
	lock, packages                                string
	most                                          float64
}

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "subrosa-image:", err)
			os.Exit(1)
		}
	}
}

func parse(args []string, problems io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("subrosa-image", flag.ContinueOnError)
	flags.SetOutput(problems)
	flags.StringVar(&o.name, "name", "", "`name` of the image, after subrosa/")
	flags.StringVar(&o.description, "description", "", "what it is, in one line")
	flags.StringVar(&o.version, "version", "", "version of the sources")
	flags.StringVar(&o.revision, "revision", "", "commit of the sources")
	flags.StringVar(&o.created, "created", "", "date of the commit, in `seconds` since 1970")
	flags.StringVar(&o.root, "root", "", "`folder` with the files; the program is called "+program)
	flags.StringVar(&o.out, "out", "", "`file` to write the image to")
	flags.StringVar(&o.list, "sbom", "", "`file` to write the list of components to; it is put into the image too")
	flags.StringVar(&o.authorities, "authorities", "",
		"`version` of "+authorities.Path+" that this program was built with")
	flags.StringVar(&o.modules, "modules", "", "`file` with further Go modules, a line of path and version each")
	flags.StringVar(&o.lock, "npm", "", "lock `file` of npm whose packages are in the image")
	flags.StringVar(&o.packages, "packages", "", "`folder` with the sources of these packages")
	flags.Float64Var(&o.most, "most", 25,
		"most `MB` (of a million bytes) that the layer may have when it is compressed")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	// The flag package knows no required flags.
	needed := []string{o.name, o.version, o.root, o.out, o.list, o.authorities}
	if slices.Contains(needed, "") || flags.NArg() > 0 {
		return o, errors.New("-name, -version, -root, -out, -sbom and -authorities are needed, and no arguments")
	}

	return o, nil
}

func run(args []string, stdout, problems io.Writer) error {
	o, err := parse(args, problems)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(o.created, 10, 64)
	if err != nil {
		return errors.New("-created must be seconds since 1970")
	}
	created := time.Unix(seconds, 0).UTC()
	if err := o.materials(created); err != nil {
		return err
	}
	made, err := image.Make(o.root, image.Spec{
		Tag:        "subrosa/" + o.name + ":dev",
		Created:    created,
		Arch:       runtime.GOARCH,
		User:       nobody,
		Entrypoint: []string{"/" + program},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "subrosa/" + o.name,
			"org.opencontainers.image.description": o.description,
			"org.opencontainers.image.vendor":      "Subrosa",
			"org.opencontainers.image.url":         "https://github.com/subrosa-legal/subrosa",
			"org.opencontainers.image.version":     o.version,
			"org.opencontainers.image.revision":    o.revision,
			"org.opencontainers.image.created":     created.Format(time.RFC3339),
			"org.opencontainers.image.licenses":    license,
		},
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%-13s %5.1f MB, %5.1f MB compressed  %s\n", o.name, float64(made.Size)/1e6,
		float64(made.Compressed)/1e6, made.ID)
	if compressed := float64(made.Compressed) / 1e6; compressed > o.most {
		return fmt.Errorf("%s has %.1f MB compressed, at most %g", o.name, compressed, o.most)
	}

	return write(o.out, made.Archive)
}

// materials adds the authorities, and writes the list of what is in the image, into the image too.
func (o options) materials(created time.Time) error {
	roots, err := authorities.PEM()
	if err != nil {
		return err
	}
	if err := write(filepath.Join(o.root, trusted), roots); err != nil {
		return err
	}
	list, err := sbom.Of(filepath.Join(o.root, program), sbom.Subject{
		Name:    o.name,
		Version: o.version,
		License: license,
		Created: created,
	})
	if err != nil {
		return err
	}
	if err := list.Modules(authorities.Path + " " + o.authorities); err != nil {
		return err
	}
	if o.modules != "" {
		lines, err := os.ReadFile(o.modules)
		if err != nil {
			return err
		}
		if err := list.Modules(strings.TrimSpace(string(lines))); err != nil {
			return err
		}
	}
	if o.lock != "" {
		lock, err := os.ReadFile(o.lock)
		if err != nil {
			return err
		}
		if err := list.NPM(lock, notices.Sources{NPM: o.packages}.Carries); err != nil {
			return err
		}
	}
	if err := o.notices(&list); err != nil {
		return err
	}
	// The list comes last: it names the licenses that notices has found.
	text, err := list.Encode()
	if err != nil {
		return err
	}
	if err := write(filepath.Join(o.root, listing), text); err != nil {
		return err
	}

	return write(o.list, text)
}

// notices puts the licenses of all components into the image, and their names into the list.
func (o options) notices(list *sbom.Document) error {
	sources, err := notices.Here(o.packages)
	if err != nil {
		return err
	}
	parts, err := sources.Of(list)
	if err != nil {
		return err
	}
	text, err := notices.Write("subrosa/"+o.name, parts)
	if err != nil {
		return err
	}

	return write(filepath.Join(o.root, notices.File), text)
}

func write(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // nothing in it is secret
		return err
	}

	return os.WriteFile(file, text, 0o644) //nolint:gosec // likewise
}
