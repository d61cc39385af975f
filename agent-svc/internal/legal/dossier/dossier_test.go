package dossier_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/dossier"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"pgregory.net/rapid"
)

const complaint = "UNITED STATES DISTRICT COURT\n\nCOMPLAINT\n\n[Party 1], Plaintiff, v. [Company 1], Defendant.\n\nCOUNT I\nOn March 4, 2024 it was in breach of contract. " +
	"See 550 U.S. 544 (2007); 550 U.S. at 556; Cal. Civ. Code § 1942. Plaintiff seeks injunctive relief and demands judgment for $80,000 no later than May 1, 2026, or within ten days of service.\n\f" +
	"Notice: [Party 1] has violated Section 4."

const lease = "LEASE AGREEMENT\n\nbetween [Party 1] (the “Landlord”) and [Party 2] (the “Tenant”). Tenant shall pay rent of $500. Governed by the laws of the State of Ohio."

func file(id string) api.File {
	return api.File{FileID: id, Name: "Document " + id + ".txt", AgentReadable: true}
}

func read(t testing.TB, texts ...string) *dossier.Dossier {
	t.Helper()
	d := dossier.New(facts.NewReader(), guard.New(), dossier.Keep{Dates: true, Sums: true})
	for i, text := range texts {
		d.Add(t.Context(), file(fmt.Sprint(i+1)), api.FileText{TextVersion: 1, Text: text})
	}
	return d
}

// stringsIn calls use for every string within v.
func stringsIn(v reflect.Value, use func(string)) {
	switch v.Kind() {
	case reflect.String:
		use(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			stringsIn(v.Elem(), use)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			stringsIn(v.Field(i), use)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			stringsIn(v.Index(i), use)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			stringsIn(key, use)
			stringsIn(v.MapIndex(key), use)
		}
	}
}

// TestNothingHoldsOnToATextThatWasRead looks at every string of a dossier: one that lay within the text of a file would keep all of it in
// memory.
func TestNothingHoldsOnToATextThatWasRead(t *testing.T) {
	for _, text := range []string{complaint, lease} {
		text = strings.Clone(text)
		d := read(t, text)
		from := uintptr(unsafe.Pointer(unsafe.StringData(text)))
		seen := 0
		stringsIn(reflect.ValueOf(*d), func(s string) {
			seen++
			if at := uintptr(unsafe.Pointer(unsafe.StringData(s))); s != "" && at >= from && at < from+uintptr(len(text)) {
				t.Errorf("%q is a piece of the text", s)
			}
		})
		if seen < 50 {
			t.Errorf("only %d strings were looked at", seen)
		}
	}
}

func TestAuthoritiesCountOnce(t *testing.T) {
	d := read(t, complaint, "See 550 U.S. 544, 127 S. Ct. 1955 (2007) and 999 F.3d at 4.")
	var got []string
	for _, a := range d.Authorities {
		got = append(got, fmt.Sprintf("%s %d %v", a.Text, a.Count, a.FormOK))
	}
	if want := []string{"550 U.S. 544 3 true", "Cal. Civ. Code § 1942 1 true"}; !slices.Equal(got, want) {
		t.Errorf("authorities %q, want %q", got, want)
	}
}

func TestLabelsAcrossFiles(t *testing.T) {
	d := read(t, complaint, lease)
	var got []string
	for _, l := range d.Labels {
		got = append(got, fmt.Sprintf("%s %s %d/%d", l.Label, l.Role, l.Count, l.Files))
	}
	if want := []string{"[Party 1] plaintiff 3/2", "[Company 1] defendant 1/1", "[Party 2] tenant 1/1"}; !slices.Equal(got, want) {
		t.Errorf("labels %q, want %q", got, want)
	}
}

func TestPages(t *testing.T) {
	for _, tc := range []struct {
		name      string
		file      api.File
		text      api.FileText
		pages     int
		estimated bool
	}{
		{"counted", file("1"), api.FileText{Text: "a\fb", PageStarts: []api.PageOffset{{Page: 1}, {Page: 2, Start: 2}}}, 2, false},
		{"an empty last page", api.File{Extraction: api.Extraction{Pages: 3}}, api.FileText{Text: "a\fb", PageStarts: []api.PageOffset{{Page: 1}, {Page: 2, Start: 2}}}, 3, false},
		{"estimated", file("1"), api.FileText{Text: strings.Repeat("é", 2501)}, 2, true},
		{"exactly one", file("1"), api.FileText{Text: strings.Repeat("x", 2500)}, 1, true},
		{"empty", file("1"), api.FileText{}, 0, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := dossier.New(facts.NewReader(), guard.New(), dossier.Keep{})
			d.Add(t.Context(), tc.file, tc.text)
			if d.Withheld > 0 {
				t.Errorf("%d places withheld where nothing is to be hidden", d.Withheld)
			}
			if f := d.Files[0]; f.Pages != tc.pages || f.Estimated != tc.estimated {
				t.Errorf("%d pages, estimated %v; want %d, %v", f.Pages, f.Estimated, tc.pages, tc.estimated)
			}
		})
	}
}

func TestBoundsAreTold(t *testing.T) {
	d := read(t, strings.Repeat("On May 1, 2020 [Party 1] paid $5.\n\n", 2500))
	if len(d.Dates) != 2000 || len(d.Sums) != 2000 || d.Dropped != 1000 {
		t.Errorf("%d dates, %d sums kept and %d facts dropped; want 2000, 2000, 1000", len(d.Dates), len(d.Sums), d.Dropped)
	}
}

// TestPlacesAreTrue wants of any files that every place of a dossier quotes what stands there.
func TestPlacesAreTrue(t *testing.T) {
	pieces := []string{complaint, lease, "[Party 3] ", "é", "\n\n", "March 4, 2024", " $5 million ", "within 20 days of service. ", "\f", "日本語 ", "COUNT II\n", "212\n555-0123 "}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(rt, "pieces"), "")
		d := read(t, text)
		runes := []rune(text)
		places := 0
		var walk func(v reflect.Value)
		walk = func(v reflect.Value) {
			if p, ok := v.Interface().(dossier.Place); ok {
				if p.Withheld {
					return
				}
				places++
				if p.FileID != "" && facts.Fold(string(runes[p.CharStart:p.CharEnd])) != p.Quote {
					rt.Fatalf("%+v quotes what does not stand there", p)
				}
				return
			}
			switch v.Kind() {
			case reflect.Struct:
				for i := range v.NumField() {
					if v.Type().Field(i).IsExported() {
						walk(v.Field(i))
					}
				}
			case reflect.Slice:
				for i := range v.Len() {
					walk(v.Index(i))
				}
			}
		}
		walk(reflect.ValueOf(*d))
		if places == 0 && strings.TrimSpace(text) != "" && d.Withheld == 0 {
			rt.Fatalf("no place in %q", text)
		}
	})
}
