// Command subrosa-check-deploy holds what is deployed against validators that know it better than we do: the API
// server's own code and kube-score for the Kubernetes manifests, promtool for the rules and their unit tests, the
// collector for its configuration. Then it plants mistakes into copies and demands that the validators find them. It
// starts no service and needs no cluster.
//
// It runs at the root of the repository, with the validators that make builds from deploy/tools.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	bin := flag.String("bin", ".local/bin", "folder of the validators")
	flag.Parse()
	if err := run(ctx, *bin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "\nsubrosa-check-deploy:", err)
		os.Exit(1) //nolint:gocritic // the process ends either way
	}
}

// notRun is what no validator can tell.
const notRun = "not run here: a cluster (rollouts, probes, admission by controllers, network policies, autoscaling, " +
	"routes), images of registries, Prometheus, Grafana and a collector under load"

func run(ctx context.Context, bin string, out io.Writer) (err error) {
	scratch, err := os.MkdirTemp("", "subrosa-check-deploy-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	c, err := newChecker(ctx, bin, scratch)
	if err != nil {
		return err
	}
	failed := 0

	for _, v := range c.validators() {
		begun := time.Now()
		said, err := v.run(ctx, ".", "")
		if err != nil {
			failed++
			fmt.Fprintf(out, "✗ %s: %v\n%s\n", v.name, err, said)

			continue
		}
		fmt.Fprintf(out, "✓ %s (%.1f s)\n%s", v.name, time.Since(begun).Seconds(), indented(v.tell(said)))
	}
	if failed > 0 {
		return fmt.Errorf("%d validators object", failed)
	}
	begun := time.Now()

	missed := c.plantAll(ctx, mistakes())
	for _, m := range missed {
		fmt.Fprintf(out, "✗ planted: %s\n", m)
	}
	if len(missed) > 0 {
		return fmt.Errorf("%d planted mistakes were not found", len(missed))
	}
	fmt.Fprintf(out, "✓ planted mistakes: each of %d was found (%.1f s)\n", len(mistakes()),
		time.Since(begun).Seconds())

	for _, v := range c.validators() {
		fmt.Fprintf(out, "    %s: %d\n", v.name, count(mistakes(), v.name))
	}
	fmt.Fprintln(out, notRun)

	return nil
}

func indented(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString("    " + strings.TrimSpace(l) + "\n")
	}

	return b.String()
}

// plantAll plants each mistake into a copy of its own, and tells which were not found.
func (c *checker) plantAll(ctx context.Context, all []mistake) (missed []string) {
	var (
		wait  sync.WaitGroup
		guard sync.Mutex
		// Each validator keeps a processor busy; more at once would only use more memory.
		slots = make(chan struct{}, runtime.GOMAXPROCS(0))
	)
	for i, m := range all {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if err := c.plant(ctx, m, filepath.Join(c.scratch, fmt.Sprintf("copy-%d", i))); err != nil {
				guard.Lock()
				defer guard.Unlock()
				missed = append(missed, fmt.Sprintf("%s: %s: %v", m.validator, m.name, err))
			}
		})
	}
	wait.Wait()

	return missed
}

// plant copies what is deployed into root, plants m there and runs its validator, which has to object in the words that
// m wants.
func (c *checker) plant(ctx context.Context, m mistake, root string) error {
	for _, folder := range []string{"deploy/k8s", "deploy/observability/rules", "deploy/compose"} {
		if err := os.CopyFS(filepath.Join(root, folder), os.DirFS(folder)); err != nil {
			return err
		}
	}
	file := filepath.Join(root, m.file)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changed, err := m.into(string(text))
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		return err
	}

	for _, v := range c.validators() {
		if v.name != m.validator {
			continue
		}
		said, err := v.run(ctx, root, m.only)
		if err == nil {
			return errors.New("not found")
		}
		// A validator that objects to something else has not found this mistake.
		if !strings.Contains(said, m.want) {
			return fmt.Errorf("something else was found than %q:\n%s", m.want, said)
		}

		return nil
	}

	return fmt.Errorf("no validator of the name %q", m.validator)
}
