package seed_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/party-svc/internal/partners"
	"github.com/subrosa-legal/subrosa/party-svc/internal/seed"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

const one = `{"partners":[{"partnerId":"00000001-0000-7000-8000-000000000000","displayName":"Ada Quillfeather","kind":"lawyer","availability":"open","languages":["en"],
	"licences":[{"jurisdiction":"US-CA","body":"Bar","kind":"attorney","status":"active","verifiedAt":"2026-01-02T03:04:05Z"}],"practiceAreas":[{"scheme":"LIST","code":"HO-02-00-00-00"}]}]}`

func TestTheSampleIsSound(t *testing.T) {
	text, err := os.ReadFile(testkit.Tree(t, "deploy", "samples", "partners.json"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := seed.Parse(bytes.NewReader(text), partners.Public, noon)
	if err != nil {
		t.Fatal(err)
	}

	kinds, places := map[string]bool{}, map[string]bool{}
	for _, p := range list {
		kinds[p.Kind] = true
		for _, l := range p.Licences {
			places[l.Jurisdiction] = true
		}
	}
	if len(list) < 60 || len(kinds) != 11 || len(places) < 10 {
		t.Errorf("%d entries of %d kinds in %d places", len(list), len(kinds), len(places))
	}
}

func TestWhatASeedFileCannotBe(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "no object": "[]", "null": "null", "no entries": `{"partners":[]}`, "another member": `{"partners":[],"x":1}`, "two values": one + one,
		"an unknown field": strings.Replace(one, `"kind":"lawyer"`, `"kind":"lawyer","rating":5`, 1), "an identity": strings.Replace(one, `"kind":"lawyer"`, `"kind":"lawyer","email":""`, 1),
		"a wrong value": strings.Replace(one, "US-CA", "California", 1), "a wrong type": strings.Replace(one, `"languages":["en"]`, `"languages":"en"`, 1),
	} {
		list, err := seed.Parse(strings.NewReader(text), partners.Public, noon)
		var refused *errs.Error
		if !errors.As(err, &refused) || refused.Kind != errs.Invalid && refused.Kind != errs.Forbidden {
			t.Errorf("%s: %d entries, %v", name, len(list), err)
		}
	}
	if _, err := seed.Parse(strings.NewReader(strings.Repeat(" ", seed.MaxBytes)+one), partners.Public, noon); !errors.Is(err, seed.ErrTooBig) {
		t.Errorf("a file that is too big: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(one))
	f.Add([]byte(`{"partners":[{}]}`))
	f.Add([]byte(`{"partners":[null]}`))
	f.Add([]byte(strings.Replace(one, "en", "x-\u00e4", 1)))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := seed.Parse(bytes.NewReader(text), partners.Public, noon)
		if err != nil {
			return
		}

		for _, p := range list {
			var wrong validate.List
			again := p.Checked(partners.Public, "", noon, &wrong)
			if err := wrong.Err(); err != nil {
				t.Errorf("what was taken is refused the second time: %v", err)
			}
			if diff := cmp.Diff(p, again); diff != "" {
				t.Errorf("checking twice is not checking once (-once +twice):\n%s", diff)
			}
		}
	})
}
