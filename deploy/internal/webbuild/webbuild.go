// Package webbuild makes the browser app's files from its sources with esbuild as a library, so that nobody needs Node
// for it. The result is committed; a test builds it again and compares.
package webbuild

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Files are the built files by their names, index.html among them.
type Files map[string][]byte

// prefix is where the gateway serves the files.
const prefix = "/assets/"

// workers are the scripts that run apart from the page, by the names under which the sources know their addresses.
var workers = map[string]string{
	"DOCX_WORKER":   "src/case/docxworker.ts",
	"REDACT_WORKER": "src/redact/worker.ts",
}

// Build makes the files from the sources in dir, which is gateway/web. The same sources give the same bytes on every
// machine.
func Build(dir string) (Files, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	files, known := Files{}, map[string]string{}

	// Workers come first: the app names each by its address, which holds the hash of what was built.
	for name, source := range workers {
		built, err := bundle(dir, nil, source)
		if err != nil {
			return nil, err
		}
		entry, err := built.entry(source)
		if err != nil {
			return nil, err
		}
		known[name] = `"` + prefix + entry + `"`
		built.into(files)
	}
	app, err := bundle(dir, known, "src/app.ts", "src/app.css")
	if err != nil {
		return nil, err
	}
	app.into(files)
	page, err := app.index()
	if err != nil {
		return nil, err
	}
	files["index.html"] = page

	return files, nil
}

// built is what one call of the bundler made.
type built struct {
	files   Files
	outputs map[string]output // by name
}

type output struct {
	EntryPoint string `json:"entryPoint"`
	Imports    []struct {
		Path, Kind string
	} `json:"imports"`
}

// vendored finds packages in npm alone: a folder node_modules, which the check of types leaves behind, would give other
// files.
var vendored = api.Plugin{Name: "vendored", Setup: func(build api.PluginBuild) {
	type found struct{}
	build.OnResolve(api.OnResolveOptions{Filter: `^[@a-z]`},
		func(asked api.OnResolveArgs) (api.OnResolveResult, error) {
			// Resolve below asks this plugin again; the mark ends the circle.
			if asked.PluginData == (found{}) || asked.Kind == api.ResolveEntryPoint {
				return api.OnResolveResult{}, nil
			}
			r := build.Resolve(asked.Path, api.ResolveOptions{
				Kind:       asked.Kind,
				ResolveDir: string(filepath.Separator),
				PluginData: found{},
			})

			return api.OnResolveResult{
				Path:        r.Path,
				Namespace:   r.Namespace,
				Suffix:      r.Suffix,
				External:    r.External,
				SideEffects: sideEffects(r.SideEffects),
				Errors:      r.Errors,
				Warnings:    r.Warnings,
			}, nil
		})
}}

func sideEffects(there bool) api.SideEffects {
	if there {
		return api.SideEffectsTrue
	}

	return api.SideEffectsFalse
}

func bundle(dir string, known map[string]string, sources ...string) (*built, error) {
	result := api.Build(api.BuildOptions{
		EntryPoints:       sources,
		AbsWorkingDir:     dir,
		NodePaths:         []string{filepath.Join(dir, "npm")},
		Outdir:            "dist",
		EntryNames:        "[name]-[hash]",
		ChunkNames:        "[name]-[hash]",
		Bundle:            true,
		Splitting:         true,
		Format:            api.FormatESModule,
		Target:            api.ES2022,
		Platform:          api.PlatformBrowser,
		Metafile:          true,
		Write:             false,
		Charset:           api.CharsetUTF8,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		LegalComments:     api.LegalCommentsLinked,
		Define:            known,
		LogLevel:          api.LogLevelSilent,
		Conditions:        []string{"browser", "default"},
		Plugins:           []api.Plugin{vendored},
	})
	if len(result.Errors) > 0 {
		var all []error
		for _, text := range api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage}) {
			all = append(all, errors.New(strings.TrimSpace(text)))
		}

		return nil, errors.Join(all...)
	}

	b := &built{files: Files{}, outputs: map[string]output{}}
	for _, f := range result.OutputFiles {
		b.files[filepath.Base(f.Path)] = f.Contents
	}
	var meta struct {
		Outputs map[string]output `json:"outputs"`
	}
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		return nil, fmt.Errorf("what the bundler says of its files: %w", err)
	}

	for name, o := range meta.Outputs {
		b.outputs[path.Base(name)] = o
	}

	return b, nil
}

func (b *built) into(files Files) {
	for name, content := range b.files {
		files[name] = content
	}
}

// entry names the file that a source became.
func (b *built) entry(source string) (string, error) {
	for name, o := range b.outputs {
		if o.EntryPoint == source {
			return name, nil
		}
	}

	return "", fmt.Errorf("%s became no file", source)
}

var page = template.Must(template.New("index").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Subrosa</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="{{.Style.Address}}" integrity="{{.Style.Digest}}">
{{range .Ahead}}<link rel="modulepreload" href="{{.Address}}" integrity="{{.Digest}}">
{{end}}<script type="module" src="{{.Script.Address}}" integrity="{{.Script.Digest}}"></script>
</head>
<body>
<subrosa-app></subrosa-app>
<noscript><p>Real identities are encrypted and read in this page alone, which needs JavaScript. ` +
	`Without it, the command line does the same work: <code>subrosa --help</code>.</p></noscript>
</body>
</html>
`))

type reference struct{ Address, Digest string }

// index is the page that loads the app, with the digest of everything that loads first.
func (b *built) index() ([]byte, error) {
	script, err := b.entry("src/app.ts")
	if err != nil {
		return nil, err
	}
	style, err := b.entry("src/app.css")
	if err != nil {
		return nil, err
	}
	var view struct {
		Script, Style reference
		Ahead         []reference
	}

	view.Script, view.Style = b.reference(script), b.reference(style)
	for _, name := range b.ahead(script, nil) {
		view.Ahead = append(view.Ahead, b.reference(name))
	}
	var out bytes.Buffer
	err = page.Execute(&out, view)

	return out.Bytes(), err
}

// ahead lists, in order of their names, the files that are imported at once by what is loaded first.
func (b *built) ahead(name string, seen []string) []string {
	for _, imported := range b.outputs[name].Imports {
		file := path.Base(imported.Path)
		// What import() loads later must not hold up the first picture of the page.
		if imported.Kind == "import-statement" && !slices.Contains(seen, file) {
			seen = b.ahead(file, append(seen, file))
		}
	}
	slices.Sort(seen)

	return seen
}

func (b *built) reference(name string) reference {
	sum := sha512.Sum384(b.files[name])
	return reference{prefix + name, "sha384-" + base64.StdEncoding.EncodeToString(sum[:])}
}
