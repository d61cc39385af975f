// Command subrosa-web makes the browser app's files in gateway/web/dist from its sources.
package main

import (
	"compress/gzip"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/subrosa-legal/subrosa/deploy/internal/webbuild"
)

func main() {
	flag.Usage = func() {
		_, _ = fmt.Fprintln(flag.CommandLine.Output(), "usage: subrosa-web [FOLDER]\n\n"+
			"Builds the browser app of FOLDER (default gateway/web) into its folder dist, and the types of the wire "+
			"into src/wire.ts.")
	}
	flag.Parse()
	dir := "gateway/web"
	if flag.NArg() > 0 {
		dir = flag.Arg(0)
	}
	if err := write(dir); err != nil {
		fmt.Fprintln(os.Stderr, "subrosa-web:", err)
		os.Exit(1)
	}
}

// write makes the types of the wire, of which the app is built, and replaces the content of dist once the app is
// built.
func write(dir string) error {
	types, err := webbuild.Wire()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "src", "wire.ts"), types, 0o600); err != nil {
		return err
	}
	files, err := webbuild.Build(dir)
	if err != nil {
		return err
	}
	dist := filepath.Join(dir, "dist")
	if err := os.RemoveAll(dist); err != nil {
		return err
	}
	if err := os.MkdirAll(dist, 0o750); err != nil {
		return err
	}

	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dist, name), files[name], 0o600); err != nil {
			return err
		}
		fmt.Printf("%8d  %7d with gzip  %s\n", len(files[name]), compressed(files[name]), name)
	}

	return nil
}

// compressed is the size of content on its way.
func compressed(content []byte) counter {
	var size counter
	w := gzip.NewWriter(&size)
	// Cannot fail: a counter takes everything.
	_, _ = w.Write(content)
	_ = w.Close()

	return size
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
