package main

import (
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// buildNames lists what can be built of dir: base, check, overlays/NAME, components/NAME.
func buildNames(dir string) ([]string, error) {
	names := []string{"base", "check"}

	for _, folder := range []string{"overlays", "components"} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 {
			return nil, fmt.Errorf("%s has no %s", dir, folder)
		}

		for _, e := range entries {
			names = append(names, folder+"/"+e.Name())
		}
	}

	return names, nil
}

// build builds name of dir; a component is built on top of the base, and the check of what is deployed on top of the
// overlay of production.
func build(dir, name string) (resmap.ResMap, error) {
	target := filepath.Join(dir, name)
	on := "base"
	if name == "check" {
		on = "overlays/production"
	}
	if name == "check" || filepath.Dir(name) == "components" {
		made, err := os.MkdirTemp("", "component")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(made) //nolint:errcheck // a folder of one file in the system's temporary folder
		here, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		// kustomize takes relative paths alone.
		up, err := filepath.Rel(made, here)
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nnamespace: subrosa\n"+
			"resources: [%s/%s]\ncomponents: [%s/%s]\n", up, on, up, name)
		if err := os.WriteFile(filepath.Join(made, "kustomization.yaml"), []byte(text), 0o600); err != nil {
			return nil, err
		}
		target = made
	}

	return krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), target)
}
