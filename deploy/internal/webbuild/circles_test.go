package webbuild_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// imports are the modules that each module of the app imports, at once or later, by import().
type imports map[string][]string

// TestModulesImportInOneDirection finds modules that import themselves over others. Types do not count: nothing of
// them is left in the app.
func TestModulesImportInOneDirection(t *testing.T) {
	t.Parallel()

	web := testkit.Tree(t, "gateway", "web")
	all := importsOf(t, web, "src/app.ts", "src/redact/worker.ts", "src/case/docxworker.ts")
	if len(all["src/app.ts"]) < 5 || !slices.Contains(all["src/routes.ts"], "src/pages/cases.ts") {
		t.Fatalf("imports were not found: app.ts has %q, routes.ts %q", all["src/app.ts"], all["src/routes.ts"])
	}

	for _, circle := range all.circles() {
		t.Errorf("these modules import each other: %s", strings.Join(circle, " > "))
	}
}

func TestCirclesOfImports(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name string
		all  imports
		want int
	}{
		{"none", imports{"a": {"b", "c"}, "b": {"c"}}, 0},
		{"itself", imports{"a": {"a"}}, 1},
		{"two", imports{"a": {"b"}, "b": {"a"}}, 1},
		{"over a third, not from the first", imports{"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": {"b"}}, 1},
		{"two apart", imports{"a": {"b"}, "b": {"a"}, "c": {"d"}, "d": {"c"}}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()

			if got := tc.all.circles(); len(got) != tc.want {
				t.Errorf("circles = %q, want %d", got, tc.want)
			}
		})
	}
}

// importsOf asks the bundler, which resolves imports as it does for the app, what modules import.
func importsOf(t *testing.T, web string, entries ...string) imports {
	t.Helper()

	result := api.Build(api.BuildOptions{
		EntryPoints:   entries,
		AbsWorkingDir: web,
		Packages:      api.PackagesExternal,
		Bundle:        true,
		Splitting:     true,
		Format:        api.FormatESModule,
		Target:        api.ES2022,
		Outdir:        "dist",
		Metafile:      true,
		LogLevel:      api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		t.Fatal(result.Errors)
	}
	var meta struct {
		Inputs map[string]struct {
			Imports []struct {
				Path     string
				External bool
			} `json:"imports"`
		} `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		t.Fatal(err)
	}

	all := imports{}

	for name, input := range meta.Inputs {
		for _, one := range input.Imports {
			if !one.External {
				all[name] = append(all[name], one.Path)
			}
		}
	}

	return all
}

// circles returns one way around for each import that leads back to where it came from.
func (all imports) circles() [][]string {
	var found [][]string
	done := map[string]bool{}

	var walk func(name string, way []string)

	walk = func(name string, way []string) {
		if at := slices.Index(way, name); at >= 0 {
			found = append(found, append(slices.Clone(way[at:]), name))
			return
		}
		if done[name] {
			return
		}

		for _, next := range all[name] {
			walk(next, append(slices.Clone(way), name))
		}
		done[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		walk(name, nil)
	}

	return found
}
