package testkit

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// stores are the two embedded stores of this process.
type stores struct {
	mongo, redis *server
}

func (s stores) mongoServer() *server { return s.mongo }
func (s stores) redisServer() *server { return s.redis }

// program is the path of subrosa-stores, built once per process.
var program = sync.OnceValues(buildStores)

// StoresProgram returns the path of the program subrosa-stores, for tests that start and stop it themselves.
func StoresProgram(t testing.TB) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatalf("testkit: %v", err)
	}

	return path
}

func startEmbedded() (stores, error) {
	_, where, err := startStores()
	if err != nil {
		return stores{}, err
	}
	redis := ownRedis(where.Redis)
	redis.kind = embedded

	return stores{mongo: &server{kind: embedded, url: where.Mongo}, redis: redis}, nil
}

// addresses is the line that subrosa-stores prints when it is ready.
type addresses struct {
	Redis string `json:"redis"`
	Mongo string `json:"mongo"`
}

// startStores starts subrosa-stores and waits until it is ready.
func startStores(flags ...string) (*process, addresses, error) {
	path, err := program()
	if err != nil {
		return nil, addresses{}, err
	}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, addresses{}, err
	}
	defer out.Close()
	p, err := runFresh(func() *exec.Cmd {
		cmd := exec.Command(path, append([]string{"-with-parent"}, flags...)...)
		cmd.Stdout = in

		return cmd
	})
	in.Close()
	if err != nil {
		return nil, addresses{}, err
	}
	where, err := readAddresses(out)
	if err != nil {
		p.stop()
		return nil, addresses{}, fmt.Errorf("start %s: %w: %s", filepath.Base(path), err, p.said)
	}

	return p, where, nil
}

// runFresh starts a program that may just have been written. Another goroutine that forked meanwhile can hold the file open
// for a moment, and then the system refuses to run it.
func runFresh(command func() *exec.Cmd) (*process, error) {
	for try := 0; ; try++ {
		p, err := run(command())
		if try == 20 || !errors.Is(err, syscall.ETXTBSY) {
			return p, err
		}
		pause(context.Background(), 50*time.Millisecond)
	}
}

func readAddresses(out *os.File) (addresses, error) {
	var where addresses

	late := time.AfterFunc(startTime, func() { out.Close() })
	defer late.Stop()
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		return where, fmt.Errorf("wait for its addresses: %w", err)
	}
	if err := json.Unmarshal(line, &where); err != nil {
		return where, fmt.Errorf("read its addresses: %w", err)
	}

	return where, nil
}

// buildStores builds subrosa-stores from the tree that the test lies in. The result is kept in the tree's .local folder,
// where the next test process finds it up to date. Processes that build at the same time wait for one another.
func buildStores() (string, error) {
	if path := os.Getenv("TEST_STORES_BIN"); path != "" {
		return path, nil
	}
	root, err := treeRoot()
	if err != nil {
		return "", err
	}
	cache := filepath.Join(root, ".local", "testkit")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", fmt.Errorf("make a folder for subrosa-stores: %w", err)
	}
	unlock, err := lockFile(filepath.Join(cache, "lock"))
	if err != nil {
		return "", fmt.Errorf("wait for another build of subrosa-stores: %w", err)
	}
	defer unlock()
	built := filepath.Join(cache, "build", "subrosa-stores"+executable)
	if err := compile(root, built); err != nil {
		return "", err
	}

	return keep(built, cache)
}

// treeRoot finds the repository above the working directory, which go test sets to the folder of the package.
func treeRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}

	for {
		if _, err := os.Stat(filepath.Join(dir, "deploy", "cmd", "subrosa-stores")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("the repository is not above the working directory: name the program by TEST_STORES_BIN")
		}
		dir = parent
	}
}

// compile links the program again only when its sources changed.
func compile(root, to string) error {
	cmd := exec.Command("go", "build", "-race=false", "-cover=false", "-tags", "ferretdb_no_postgresql", "-ldflags", "-s -w", "-o", to, "./cmd/subrosa-stores")
	cmd.Dir = filepath.Join(root, "deploy")
	cmd.Env = append(os.Environ(), "PWD="+cmd.Dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build subrosa-stores: %w: %s", err, out)
	}

	return nil
}

// keep copies the program to a name that says what is in it, so that a later build never writes to a running program.
func keep(built, cache string) (string, error) {
	f, err := os.Open(built)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	path := filepath.Join(cache, fmt.Sprintf("subrosa-stores-%x%s", sum.Sum(nil)[:8], executable))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}

	old, _ := filepath.Glob(filepath.Join(cache, "subrosa-stores-*"))
	for _, o := range old {
		_ = os.Remove(o) // programs that still run keep their file; those that cannot be removed stay
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}

	return path, copyProgram(f, path)
}

func copyProgram(from io.Reader, path string) error {
	to, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Close()); err != nil {
		return errors.Join(err, os.Remove(path+".new"))
	}

	return os.Rename(path+".new", path)
}

var executable = map[bool]string{true: ".exe"}[runtime.GOOS == "windows"]
