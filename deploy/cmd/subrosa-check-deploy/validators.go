package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// checker runs the validators.
type checker struct {
	bin, scratch string
	definitions  []string // arguments for manifests: folders of CustomResourceDefinitions
}

// definitionFolders are where the modules that deploy/tools/crds pins keep their CustomResourceDefinitions.
var definitionFolders = map[string]string{
	"github.com/cert-manager/cert-manager":               "deploy/crds",
	"github.com/prometheus-operator/prometheus-operator": "example/prometheus-operator-crd",
	"sigs.k8s.io/gateway-api":                            "config/crd/standard",
}

// newChecker finds the definitions of custom resources in the module cache, and downloads their modules when they are
// not there.
func newChecker(ctx context.Context, bin, scratch string) (*checker, error) {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return nil, err
	}
	c := &checker{bin: bin, scratch: scratch}
	download := exec.CommandContext(ctx, "go", "-C", "deploy/tools/crds", "mod", "download", "-json")
	// The tools are modules of their own and no part of the workspace.
	download.Env = append(os.Environ(), "GOWORK=off")
	download.Stderr = os.Stderr
	text, err := download.Output()
	if err != nil {
		return nil, fmt.Errorf("the modules of deploy/tools/crds: %w", err)
	}

	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var module struct{ Path, Dir string }
		if err := dec.Decode(&module); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if folder, wanted := definitionFolders[module.Path]; wanted {
			c.definitions = append(c.definitions, "-crds", filepath.Join(module.Dir, folder))
		}
	}
	if len(c.definitions) != 2*len(definitionFolders) {
		return nil, fmt.Errorf("deploy/tools/crds does not require all of %d modules with definitions",
			len(definitionFolders))
	}

	return c, nil
}

// validator judges what is deployed below root. only narrows it down to one build of the manifests, or to unit tests
// whose names match.
type validator struct {
	name string
	run  func(ctx context.Context, root, only string) (said string, err error)
	tell func(said string) []string // what to show of it when it objects to nothing
}

func (c *checker) validators() []validator {
	return []validator{
		{"manifests", c.manifests, lines},
		{"kube-score", c.score, lines},
		{"rules", func(ctx context.Context, root, _ string) (string, error) {
			files, err := filepath.Glob(filepath.Join(root, "deploy/observability/rules/*.yaml"))
			if err != nil || len(files) == 0 {
				return "", errors.Join(errors.New("no rules"), err)
			}

			return c.command(ctx, "promtool",
				append([]string{"check", "rules", "--lint=all", "--lint-fatal"}, files...)...)
		}, matching(`\d+ rules found`)},
		{"rule tests", c.testRules, matching(`^\d+ tests`)},
		{"Prometheus", func(ctx context.Context, root, _ string) (string, error) {
			return c.command(ctx, "promtool", "check", "config", "--syntax-only",
				filepath.Join(root, "deploy/compose/prometheus.yaml"))
		}, matching(`is valid`)},
		{"collector", func(ctx context.Context, root, _ string) (string, error) {
			return c.command(ctx, "collector", "validate",
				"--config", filepath.Join(root, "deploy/compose/collector.yaml"))
		}, lines},
	}
}

// lines splits what a validator said.
func lines(said string) []string {
	said = strings.TrimSpace(said)
	if said == "" {
		return nil
	}

	return strings.Split(said, "\n")
}

// matching keeps the lines that the pattern matches.
func matching(pattern string) func(string) []string {
	keep := regexp.MustCompile(pattern)

	return func(said string) []string {
		return slices.DeleteFunc(lines(said), func(l string) bool { return !keep.MatchString(l) })
	}
}

func (c *checker) command(ctx context.Context, name string, args ...string) (string, error) {
	text, err := exec.CommandContext(ctx, filepath.Join(c.bin, name), args...).CombinedOutput()
	return string(text), err
}

func (c *checker) manifests(ctx context.Context, root, only string) (string, error) {
	return c.build(ctx, root, only, "")
}

// build runs the manifests through the API server's validation, and writes them into the folder out if there is one.
func (c *checker) build(ctx context.Context, root, only, out string) (string, error) {
	args := append([]string{"-build", only, "-out", out}, c.definitions...)
	return c.command(ctx, "manifests", append(args, filepath.Join(root, "deploy/k8s"))...)
}

// unscored are the checks of kube-score that do not fit, each for its reason.
var unscored = []struct{ build, test, reason string }{
	{
		"", "container-image-pull-policy",
		"images are pinned by digest, so that pulling again brings nothing but a need of the registry",
	},
	{
		"", "deployment-has-host-podantiaffinity",
		"topology spread over nodes and zones does it, and an invariant holds it",
	},
	{
		"check", "pod-networkpolicy",
		"the policies are those of the overlay, which is applied later; the check waits for no answer",
	},
	{"overlays-local", "deployment-replicas", "one machine, one replica of each"},
	{
		"overlays-local", "deployment-strategy",
		"the stores' data can be open once only, so one goes before the next comes",
	},
	{"overlays-local", "container-security-context-user-group-id", "the images of Redis and MongoDB bring their users"},
}

// score gives each build to kube-score.
func (c *checker) score(ctx context.Context, root, only string) (string, error) {
	out, err := os.MkdirTemp(c.scratch, "built-*")
	if err != nil {
		return "", err
	}
	if said, err := c.build(ctx, root, only, out); err != nil {
		return said, err
	}
	files, err := filepath.Glob(filepath.Join(out, "*.yaml"))
	if err != nil || len(files) == 0 {
		return "", errors.Join(errors.New("nothing was built"), err)
	}
	var told strings.Builder
	var bad error

	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		// A limit of CPU would slow the services down while the machine idles; requests share it out, and an invariant
		// wants no limit.
		args := []string{
			"score", "--output-format", "ci", "--kubernetes-version", "v1.34", "--exit-one-on-warning",
			"--ignore-container-cpu-limit",
		}

		for _, u := range unscored {
			if u.build == "" || u.build == name {
				args = append(args, "--ignore-test", u.test)
			}
		}
		said, err := c.command(ctx, "kube-score", append(args, file)...)
		bad = errors.Join(bad, err)
		passed := 0

		for _, l := range lines(said) {
			switch {
			case strings.HasPrefix(l, "[OK]"):
				passed++
			case !strings.HasPrefix(l, "[SKIPPED]"):
				fmt.Fprintln(&told, l)
			}
		}
		fmt.Fprintf(&told, "%s: %d checks passed\n", name, passed)
	}

	return told.String(), bad
}

// testRules runs the unit tests of the alerts; only is a pattern for their names.
func (c *checker) testRules(ctx context.Context, root, only string) (string, error) {
	files, err := filepath.Glob(filepath.Join(root, "deploy/observability/rules/tests/*.yaml"))
	if err != nil || len(files) == 0 {
		return "", errors.Join(errors.New("no tests of rules"), err)
	}
	args := []string{"test", "rules"}
	if only != "" {
		args = append(args, "--run", only)
	}
	said, err := c.command(ctx, "promtool", append(args, files...)...)
	if err != nil {
		return said, err
	}
	tests := 0

	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return said, err
		}
		tests += strings.Count(string(text), "\n  - name: ")
	}

	return said + fmt.Sprintf("%d tests of %d files pass\n", tests, len(files)), nil
}
