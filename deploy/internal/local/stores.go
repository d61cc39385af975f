package local

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

const storesStop = 5 * time.Second // until a store process that does not stop is killed

// storesProcess is the embedded stores as a child. It ends with this process even if that is killed: it watches its
// standard input.
type storesProcess struct {
	Redis string `json:"redis"`
	Mongo string `json:"mongo"`
	cmd   *exec.Cmd
	stdin io.Closer
	done  chan error
}

func startStores(ctx context.Context, program, data string, log io.Writer) (*storesProcess, error) {
	if program == "" {
		return nil, errors.New("no stores: set REDIS_URL and MONGODB_URI, or name the program subrosa-stores")
	}
	p := &storesProcess{cmd: exec.Command(program, "-with-parent", "-dir", data), done: make(chan error, 1)}
	said := &lastWords{}
	p.cmd.Stderr = io.MultiWriter(log, said)
	// A group of its own keeps Ctrl-C from the stores: the services need them while they drain.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start embedded stores: %w", err)
	}
	p.stdin = stdin
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start embedded stores: %w", err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start embedded stores: %w", err)
	}
	ready := make(chan error, 1)

	go func() {
		line, err := bufio.NewReader(stdout).ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, p)
		}
		ready <- err
		_, _ = io.Copy(io.Discard, stdout)
		p.done <- p.cmd.Wait()
	}()
	select {
	case err := <-ready:
		if err != nil {
			// Closed first, so that everything the child had to say is there.
			_ = p.Close()
			return nil, fmt.Errorf("embedded stores did not start: %s", said)
		}

		return p, nil
	case <-ctx.Done():
		return nil, errors.Join(errors.New("embedded stores did not start in time"), p.Close())
	}
}

// lastWords keeps the end of what a child wrote.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

const wordsKept = 2000 // bytes

// Write keeps the last bytes.
func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	w.text = w.text[max(0, len(w.text)-wordsKept):]

	return len(p), nil
}

// String returns them.
func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if text := strings.TrimSpace(string(w.text)); text != "" {
		return text
	}

	return "they ended without a word"
}

// Close stops the stores and waits for them.
func (p *storesProcess) Close() error {
	// The end of its input is the child's signal to stop.
	_ = p.stdin.Close()
	select {
	case err := <-p.done:
		if err != nil {
			return fmt.Errorf("embedded stores: %w", err)
		}

		return nil
	case <-time.After(storesStop):
		return errors.Join(errors.New("embedded stores had to be killed"), p.cmd.Process.Kill())
	}
}
