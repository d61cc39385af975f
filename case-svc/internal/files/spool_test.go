package files_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/places"
)

func entries(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}

	return len(list)
}

// spoolLimits let so many files be checked at once, and hardly bound what comes.
func spoolLimits(checks int, wait time.Duration) files.SpoolLimits {
	return files.SpoolLimits{Checks: checks, Wait: wait, Open: places.Limits{All: 64, Caller: 64}, Bytes: 1 << 30}
}

func TestTheSpoolKeepsNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	spool, err := files.OpenSpool(dir, spoolLimits(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "uploads")
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v, %v", info.Mode(), err)
	}
	const text = "bytes of [Party 1]"
	s, err := spool.Receive(strings.NewReader(text), 100)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(text))
	if s.Size != int64(len(text)) || s.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("scratch of %d bytes, %s", s.Size, s.SHA256)
	}
	if got, err := io.ReadAll(s.Reader()); err != nil || string(got) != text {
		t.Errorf("read %q, %v", got, err)
	}
	if entries(t, dir) != 0 {
		t.Error("the bytes have a name in the folder, so a crash would leave them")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestWhatTheSpoolRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spool, err := files.OpenSpool(dir, spoolLimits(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "uploads")

	for _, tc := range []struct {
		name string
		r    io.Reader
		want error
	}{
		{"nothing", strings.NewReader(""), files.ErrEmpty},
		{"one byte too many", bytes.NewReader(make([]byte, 11)), files.ErrTooLarge},
		{"a body that breaks off", io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(io.ErrUnexpectedEOF)), files.ErrIncomplete},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := spool.Receive(tc.r, 10); !errors.Is(err, tc.want) {
				t.Errorf("Receive = %v, want %v", err, tc.want)
			}
			if entries(t, dir) != 0 {
				t.Error("something is left in the folder")
			}
		})
	}
	if s, err := spool.Receive(bytes.NewReader(make([]byte, 10)), 10); err != nil {
		t.Errorf("Receive of exactly the limit = %v", err)
	} else if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := spool.Receive(strings.NewReader("x"), 10); !errors.Is(err, files.ErrScratch) {
		t.Errorf("Receive without a folder = %v, want %v", err, files.ErrScratch)
	}
}

func TestTheSpoolClearsItsOwnAndNothingElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inner := filepath.Join(dir, "uploads")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}

	for _, name := range []string{filepath.Join(inner, "upload-12"), filepath.Join(inner, "notes.txt"), filepath.Join(dir, "upload-12")} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := files.OpenSpool(dir, spoolLimits(1, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(inner, "notes.txt")); err != nil || entries(t, inner) != 1 || entries(t, dir) != 2 {
		t.Errorf("%d and %d entries, %v", entries(t, inner), entries(t, dir), err)
	}
	if info, err := os.Stat(inner); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder stays open to others: %v, %v", info.Mode(), err)
	}
}

func TestASpoolElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(dir, "uploads")); err != nil {
		t.Fatal(err)
	}
	if _, err := files.OpenSpool(dir, spoolLimits(1, 0)); err == nil {
		t.Error("a symbolic link is taken")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := files.OpenSpool(file, spoolLimits(1, 0)); err == nil {
		t.Error("a file is taken")
	}
}

func TestPlacesInTheSpool(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	synctest.Test(t, func(t *testing.T) {
		spool, err := files.OpenSpool(dir, spoolLimits(1, 5*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		leave, err := spool.Place(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := spool.Place(t.Context()); !errors.Is(err, files.ErrNoPlace) || time.Since(began) != 5*time.Second {
			t.Errorf("Place = %v after %v, want %v after 5s", err, time.Since(began), files.ErrNoPlace)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := spool.Place(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("Place for who left = %v", err)
		}
		time.AfterFunc(time.Second, leave)
		again, err := spool.Place(t.Context())
		if err != nil {
			t.Fatalf("Place that became free = %v", err)
		}
		again()
	})
}

// TestSendersShareTheSpool has senders hold what they may while others come.
func TestSendersShareTheSpool(t *testing.T) {
	t.Parallel()
	limits := files.SpoolLimits{Checks: 1, Open: places.Limits{All: 8, Caller: 2}, Bytes: 1000}
	spool, err := files.OpenSpool(t.TempDir(), limits)
	if err != nil {
		t.Fatal(err)
	}
	enter := func(tenant, caller string, stop func()) *files.Sender {
		t.Helper()
		s, err := spool.Enter(places.Who{Tenant: tenant, Caller: caller}, stop)
		if err != nil {
			t.Fatalf("%s of %s does not get in: %v", caller, tenant, err)
		}

		return s
	}

	// One caller has two uploads open at most, however many places are free.
	stopped := make(chan struct{})
	greedy := enter("o:oak", "ann", func() { close(stopped) })
	second := enter("o:oak", "ann", func() {})
	ann := places.Who{Tenant: "o:oak", Caller: "ann"}
	if _, err := spool.Enter(ann, nil); !errors.Is(err, files.ErrTooManyUploads) {
		t.Errorf("the third of two = %v, want %v", err, files.ErrTooManyUploads)
	}
	second.Leave()

	// Whoever holds most while sending loses it to one who needs less.
	coming, feed := io.Pipe()
	refused := make(chan error, 1)

	go func() {
		_, err := greedy.Receive(coming, 2000)
		refused <- err
	}()

	for _, size := range []int{899, 1} { // once the second is read, the first has its room
		if _, err := feed.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	modest := enter("o:elm", "eve", func() {})
	scratch, err := modest.Receive(bytes.NewReader(make([]byte, 300)), 2000)
	if err != nil {
		t.Fatalf("the modest one: %v", err)
	}
	<-stopped
	_ = feed.CloseWithError(os.ErrDeadlineExceeded) // as the end of a read on a socket
	if err := <-refused; !errors.Is(err, files.ErrNoPlace) {
		t.Errorf("the greedy one = %v, want %v", err, files.ErrNoPlace)
	}

	// What has come stays until it is closed; who alone holds too much is refused.
	if _, err := modest.Receive(bytes.NewReader(make([]byte, 800)), 2000); !errors.Is(err, files.ErrNoPlace) {
		t.Errorf("more than there is = %v, want %v", err, files.ErrNoPlace)
	}
	if err := scratch.Close(); err != nil {
		t.Fatal(err)
	}
	all, err := modest.Receive(bytes.NewReader(make([]byte, 1000)), 2000)
	if err != nil {
		t.Fatalf("all that there is: %v", err)
	}
	if err := all.Close(); err != nil {
		t.Error(err)
	}
}
