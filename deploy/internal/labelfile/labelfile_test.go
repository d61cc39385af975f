package labelfile_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/subrosa-legal/subrosa/deploy/internal/labelfile"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

const passphrase = "a long enough one"

const effort = 4 // of tests; each step more doubles the time

func aMap(t *testing.T) *guard.LabelMap {
	t.Helper()
	m, err := guard.NewLabelMap(guard.LabelData{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Assign("Jane Roe", label.Label{Kind: "Party", N: 1}); err != nil {
		t.Fatal(err)
	}

	return m
}

// sealed is any text under the passphrase.
func sealed(t *testing.T, text string) []byte {
	t.Helper()
	r, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		t.Fatal(err)
	}
	r.SetWorkFactor(effort)
	var out bytes.Buffer
	w, err := age.Encrypt(&out, r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	return out.Bytes()
}

func TestAMapIsOpenedByItsPassphraseAlone(t *testing.T) {
	var file bytes.Buffer
	if err := labelfile.Write(&file, aMap(t), passphrase, effort); err != nil {
		t.Fatal(err)
	}
	whole := file.Bytes()
	if bytes.Contains(whole, []byte("Roe")) || bytes.Contains(whole, []byte("Party")) {
		t.Error("the file can be read without the passphrase")
	}
	m, err := labelfile.Read(bytes.NewReader(whole), passphrase)
	if err != nil || m.Unlabel("[Party 1]") != "Jane Roe" {
		t.Fatalf("Read = %v", err)
	}
	changed := bytes.Clone(whole)

	changed[len(changed)-1] ^= 1
	for name, tc := range map[string]struct {
		file       []byte
		passphrase string
		want       error
	}{
		"another passphrase": {whole, passphrase + "r", labelfile.ErrPassphrase},
		"none":               {whole, "", labelfile.ErrPassphrase},
		"a changed byte":     {changed, passphrase, labelfile.ErrNoMap},
		"cut off":            {whole[:len(whole)-20], passphrase, labelfile.ErrNoMap},
		"another file":       {[]byte("PK"), passphrase, labelfile.ErrNoMap},
		"not JSON":           {sealed(t, "Dear Ann"), passphrase, labelfile.ErrNoMap},
		"another format":     {sealed(t, `{"format":"other","labels":[]}`), passphrase, labelfile.ErrNoMap},
		"no labels":          {sealed(t, `{"format":"subrosa-labels-1","labels":[{"label":"Ann"}]}`), passphrase, labelfile.ErrNoMap},
	} {
		if _, err := labelfile.Read(bytes.NewReader(tc.file), tc.passphrase); !errors.Is(err, tc.want) {
			t.Errorf("%s: Read = %v, want %v", name, err, tc.want)
		} else if strings.Contains(err.Error(), "Ann") {
			t.Errorf("%s: %v quotes the file", name, err)
		}
	}
}

func TestShortPassphrasesAndFullDisks(t *testing.T) {
	if err := labelfile.Write(io.Discard, aMap(t), "short", effort); !errors.Is(err, labelfile.ErrShort) {
		t.Errorf("Write = %v, want ErrShort", err)
	}
	if err := labelfile.Write(full{}, aMap(t), passphrase, effort); !errors.Is(err, errFull) {
		t.Errorf("Write = %v, want the writer's error", err)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
