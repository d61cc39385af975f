// Command manifests builds the Kubernetes manifests as kustomize does and judges every object with the API server's own
// code: strict decoding, defaults, validation and warnings of a create, the restricted pod security standard for
// whatever holds pods, and for custom resources the rules of their definitions, CEL among them. It needs no cluster.
//
//	manifests [-build NAME] [-out DIR] -crds DIR [-crds DIR]... K8S
//
// K8S is the folder that holds base, overlays, components and check. The builds are the base, each overlay, the base
// with each component, and the check of the overlay of production. It ends 1 if an object is refused, 2 if it cannot
// work.
package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("manifests", flag.ContinueOnError)
	flags.SetOutput(errs)
	only := flags.String("build", "",
		"judge this `build` alone, as base, check, overlays/production or components/monitors")
	outDir := flags.String("out", "", "write what was built into this `folder`, a file per build")
	var definitions []string
	flags.Func("crds", "a `folder` of CustomResourceDefinitions; can be given several times", func(dir string) error {
		definitions = append(definitions, dir)
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() != 1 {
		fmt.Fprintln(errs, "name one folder that holds base, overlays, components and check")
		return 2
	}
	refused, err := judgeAll(flags.Arg(0), *only, *outDir, definitions, out)
	if err != nil {
		fmt.Fprintln(errs, err)
		return 2
	}
	if refused {
		return 1
	}

	return 0
}

// judgeAll builds and judges what dir holds, and tells out of each build. It reports whether anything was refused.
func judgeAll(dir, only, outDir string, definitions []string, out io.Writer) (refused bool, err error) {
	j, err := newJudge(definitions)
	if err != nil {
		return false, err
	}
	names, err := buildNames(dir)
	if err != nil {
		return false, err
	}
	if only != "" {
		if !slices.Contains(names, only) {
			return false, fmt.Errorf("%s is none of %s", only, strings.Join(names, ", "))
		}
		names = []string{only}
	}
	unchecked := map[schema.GroupVersionKind]bool{}

	for _, name := range names {
		resources, err := build(dir, name)
		if err != nil {
			fmt.Fprintf(out, "%s: kustomize: %v\n", name, err)
			refused = true

			continue
		}
		found, kinds := 0, map[string]bool{}

		for _, r := range resources.Resources() {
			text, err := r.MarshalJSON()
			if err != nil {
				return false, err
			}
			kinds[r.GetKind()] = true
			findings, known := j.object(text)
			if !known {
				unchecked[schema.FromAPIVersionAndKind(r.GetApiVersion(), r.GetKind())] = true
			}

			for _, f := range findings {
				fmt.Fprintf(out, "%s: %s %s: %s\n", name, r.GetKind(), r.GetName(), f)
				found++
			}
		}
		if found == 0 {
			fmt.Fprintf(out, "%s: %d objects of %d kinds, nothing to object to\n", name, resources.Size(), len(kinds))
		}
		refused = refused || found > 0
		if outDir != "" {
			text, err := resources.AsYaml()
			if err != nil {
				return false, err
			}
			file := filepath.Join(outDir, strings.ReplaceAll(name, "/", "-")+".yaml")
			if err := os.WriteFile(file, text, 0o600); err != nil {
				return false, err
			}
		}
	}

	for _, gvk := range slices.SortedFunc(maps.Keys(unchecked), func(a, b schema.GroupVersionKind) int {
		return strings.Compare(a.String(), b.String())
	}) {
		fmt.Fprintf(out, "not checked here: %s %s, no definition of it is at hand\n", gvk.GroupVersion(), gvk.Kind)
	}

	return refused, nil
}
