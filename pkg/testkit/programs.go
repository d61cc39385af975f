// Package testkit holds what tests of all modules need: programs and files of this repository, free ports, races,
// waiting, and the race detector's state. The stores of tests are in its folder stores. It is for _test.go files only.
package testkit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Go remembers the result of a test and knows which variables it read, but not which programs it started or which
// files outside of its module it read. The Makefile therefore names each of these by its SHA-256 in a variable, and a
// test that uses one reads the variable here.
const (
	programsDir  = "TEST_BIN"        // folder of the programs that make builds; .local/bin of the tree by default
	programsSum  = "TEST_BIN_SUM"    // all programs in it but the embedded stores
	storesPath   = "TEST_STORES_BIN" // the embedded stores; by default in the folder of the programs
	storesSum    = "TEST_STORES_SUM" // the embedded stores
	treeSum      = "TEST_TREE_SUM"   // every file of the repository
	toolsSum     = "TEST_TOOLS_SUM"  // programs of this machine: Node.js, a browser, stores
	storesName   = "subrosa-stores"
	programsHint = "build it with make programs; make test does that by itself"
)

// Program returns the path of a program of this repository that make has built, such as case-svc. No test builds one:
// the tests of one run all use the same programs, and each is built once.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := FindProgram(name)
	if err != nil {
		t.Fatalf("testkit: %v", err)
	}

	return path
}

// StoresProgram returns the path of the program subrosa-stores, for tests that start and stop it themselves.
func StoresProgram(t testing.TB) string {
	t.Helper()
	return Program(t, storesName)
}

// Tree returns the path of a file or folder of the repository. A test that reads outside of its own module asks for
// the path here, and so runs again when anything in the repository has changed.
func Tree(t testing.TB, path ...string) string {
	t.Helper()
	// Reading the variable is all: go test remembers it with the result.
	_ = os.Getenv(treeSum)
	root, err := treeRoot()
	if err != nil {
		t.Fatalf("testkit: %v", err)
	}

	return filepath.Join(append([]string{root}, path...)...)
}

// LookPath finds a program of this machine, as exec.LookPath does. A test that asks here runs again when the machine
// has another version of it.
func LookPath(name string) (string, error) {
	_ = os.Getenv(toolsSum)
	return exec.LookPath(name)
}

// FindProgram is Program for those who can do without: it returns an error that says what is missing.
func FindProgram(name string) (string, error) {
	sum := programsSum
	if name == storesName {
		sum = storesSum
		if path := os.Getenv(storesPath); path != "" {
			_ = os.Getenv(sum)
			return path, nil
		}
	}
	_ = os.Getenv(sum)

	dir := os.Getenv(programsDir)
	if dir == "" {
		root, err := treeRoot()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(root, ".local", "bin")
	}

	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		path += executable
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is not there: %s: %w", name, programsHint, err)
	}

	return path, nil
}

// treeRoot finds the repository above the working directory, which go test sets to the folder of the package.
func treeRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}

	for {
		if _, err := os.Stat(filepath.Join(dir, "deploy", "cmd", storesName)); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("the repository is not above the working directory: name its programs by %s", programsDir)
		}
		dir = parent
	}
}

var executable = map[bool]string{true: ".exe"}[runtime.GOOS == "windows"]
