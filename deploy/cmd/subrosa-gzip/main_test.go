package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTheSameFileGivesTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	text := bytes.Repeat([]byte("guard the label "), 1000)
	var all [][]byte

	for i, name := range []string{"a", "b"} {
		from, to := filepath.Join(dir, name), filepath.Join(dir, name+".gz")
		if err := os.WriteFile(from, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(from, time.Unix(int64(i+1), 0), time.Unix(int64(i+1), 0)); err != nil {
			t.Fatal(err)
		}
		if err := run([]string{from, to}); err != nil {
			t.Fatal(err)
		}
		packed, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, packed)
	}
	if !bytes.Equal(all[0], all[1]) {
		t.Error("two files with one text give two results")
	}
	r, err := gzip.NewReader(bytes.NewReader(all[0]))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, text) {
		t.Errorf("it does not come back: %v", err)
	}
	if len(all[0]) > len(text)/50 || !r.ModTime.IsZero() || r.Name != "" {
		t.Errorf("%d bytes of %d, of %v, called %q", len(all[0]), len(text), r.ModTime, r.Name)
	}
}

func TestWhatCannotBeReadIsNotWritten(t *testing.T) {
	to := filepath.Join(t.TempDir(), "x.gz")
	if run([]string{filepath.Join(t.TempDir(), "none"), to}) == nil || run([]string{to}) == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(to); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}
