// Command subrosa-notices writes the licenses of all that programs are made of into one file, which goes wherever the
// programs go. It fails where a component comes without a license.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/subrosa-legal/subrosa/deploy/internal/notices"
	"github.com/subrosa-legal/subrosa/deploy/internal/sbom"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "subrosa-notices:", err)
		os.Exit(1)
	}
}

func run(args []string, problems io.Writer) error {
	flags := flag.NewFlagSet("subrosa-notices", flag.ContinueOnError)
	flags.SetOutput(problems)
	name := flags.String("name", "This program", "`name` of the program, for the first line")
	out := flags.String("out", notices.File, "`file` to write")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("name the programs: subrosa-notices [-name NAME] [-out FILE] PROGRAM...")
	}
	sources, err := notices.Here("")
	if err != nil {
		return err
	}
	var all []notices.Component

	for _, program := range flags.Args() {
		list, err := sbom.Of(program, sbom.Subject{Name: *name})
		if err != nil {
			return err
		}
		parts, err := sources.Of(&list)
		if err != nil {
			return err
		}
		all = append(all, parts...)
	}
	text, err := notices.Write(*name, all)
	if err != nil {
		return err
	}

	return os.WriteFile(*out, text, 0o644) //nolint:gosec // it is for everybody
}
