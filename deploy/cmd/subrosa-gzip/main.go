// Command subrosa-gzip compresses a file: the same file and Go give the same bytes on every machine, which programs
// called gzip do not.
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "subrosa-gzip:", err)
		os.Exit(1)
	}
}

// run compresses the first file into the second, which is whole or not there.
func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: subrosa-gzip FILE COMPRESSED")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	packed, err := compressed(text)
	if err != nil {
		return err
	}
	// The gateway may be serving the file: it sees the old one or the new one.
	part := args[1] + ".new"
	if err := os.WriteFile(part, packed, 0o644); err != nil { //nolint:gosec // nothing in it is secret
		return err
	}

	return os.Rename(part, args[1])
}

// compressed returns text as small as gzip makes it, without a name or a time.
func compressed(text []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}

	return b.Bytes(), nil
}
