package stores

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// startTime bounds the start of a server, on a machine that is busy with other tests.
const startTime = 30 * time.Second

// process is a server that runs beside the tests and ends with them.
type process struct {
	addr string
	dir  string
	cmd  *exec.Cmd
	life io.Closer // the supervisor's input: closing it, as the end of this process does, ends the server
	done chan struct{}
	said *tail
}

// supervisor runs its arguments as a child until the child or the supervisor's input ends, and leaves neither the child
// nor the folder $0 behind. The end of its input is the one sign that a process gives however it ends.
const supervisor = `
exec 3<&0
"$@" </dev/null 3<&- &
child=$!
exec >/dev/null 2>&1 # nobody may be left to read what the shell says of its children
{ read -r _ <&3; kill -9 $child; } &
reader=$!
wait $child
kill $reader
[ "$0" = keep ] || rm -rf "$0"
`

// supervise runs args until the process's stop or the end of this process. The folder is removed then, unless it is
// "keep".
func supervise(folder string, args []string) (*process, error) {
	cmd := exec.Command("/bin/sh", append([]string{"-c", supervisor, folder}, args...)...)
	return run(cmd)
}

// run starts a command that ends when its input does.
func run(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, done: make(chan struct{}), said: &tail{}}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.life = stdin
	cmd.Stderr = p.said
	if cmd.Stdout == nil {
		cmd.Stdout = p.said
	}

	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	go func() {
		// How the command ended does not matter, since what it said is kept.
		_ = cmd.Wait()
		close(p.done)
	}()

	return p, nil
}

// announce starts a command that prints one line of JSON when it is ready, and reads the line into said. A command that
// has not said anything after limit is stopped.
func announce(cmd *exec.Cmd, limit time.Duration, said any) (*process, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd.Stdout = in
	p, err := run(cmd)
	// Our copy of the pipe, or the read below would not end with the command.
	in.Close()
	if err != nil {
		return nil, err
	}

	late := time.AfterFunc(limit, func() { out.Close() })
	defer late.Stop()
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, said)
	}
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("read what %s says first: %w: %s", filepath.Base(cmd.Path), err, p.said)
	}

	return p, nil
}

// stop ends the server and waits until it is gone.
func (p *process) stop() {
	p.life.Close()
	<-p.done
}

// startOnPort starts a server on a free port, in a folder of its own that goes with it, and waits until it answers.
func startOnPort(args func(port int, dir string) []string, answers func(context.Context, string) error) (*process, error) {
	var failures []error

	// A port that was free may be taken by the time the server asks for it.
	for range 5 {
		dir, err := os.MkdirTemp("", "testkit-")
		if err != nil {
			return nil, err
		}
		port, err := testkit.FreePort()
		if err != nil {
			return nil, errors.Join(err, os.Remove(dir))
		}
		p, err := supervise(dir, args(port, dir))
		if err != nil {
			return nil, errors.Join(err, os.Remove(dir))
		}
		p.addr, p.dir = address(port), dir
		if err = p.await(answers); err == nil {
			return p, nil
		}
		p.stop()
		failures = append(failures, err)
	}

	return nil, errors.Join(failures...)
}

// await waits until the server answers, or is gone.
func (p *process) await(answers func(context.Context, string) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()

	for {
		err := listens(ctx, p.addr)
		if err == nil {
			err = answers(ctx, p.addr)
		}
		// The pause is also for an answer: a server that found its port taken is gone by then, and the answer was not
		// its own.
		alive := testkit.Pause(ctx, 20*time.Millisecond)
		select {
		case <-p.done:
			return fmt.Errorf("the server ended at once: %s", p.said)
		default:
		}
		if err == nil {
			return nil
		}
		if !alive {
			return fmt.Errorf("no answer within %v: %w: %s", startTime, err, p.said)
		}
	}
}

// listens reports whether anybody takes connections at addr: clients of stores are noisy about those that nobody takes.
func listens(ctx context.Context, addr string) error {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}

	return c.Close()
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// tail keeps the last words of a process.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const maxTail = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - maxTail; over > 0 {
		t.text = bytes.Clone(t.text[over:])
	}

	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()

	return string(bytes.TrimSpace(t.text))
}
