package casereading_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
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

func read(t testing.TB, texts ...string) *casereading.Dossier {
	t.Helper()

	d := casereading.New(facts.NewReader(), guard.New(), casereading.Keep{Dates: true, Sums: true, References: true})
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

func TestShortFormsCountForWhatTheyPointTo(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string // of each authority: text, count, pin cites
		dangling   []string // text and reason
	}{
		{"id", "See Alder v. Birch, 556 U.S. 662, 678 (2009). Id. at 679. See id. at 681-82.", []string{"556 U.S. 662 3 3 [678 679 681-82]"}, nil},
		{"id of a statute", "See 28 U.S.C. § 1331. Id.", []string{"28 U.S.C. § 1331 2 0 []"}, nil},
		{"supra by name", "Alder v. Birch, 556 U.S. 662 (2009); Cedar v. Dorn, 550 U.S. 544 (2007). Birch, supra, at 680.", []string{"556 U.S. 662 2 1 [680]", "550 U.S. 544 1 0 []"}, nil},
		{"supra without a case", "Cedar v. Dorn, 550 U.S. 544 (2007). Elm, supra, at 3.", []string{"550 U.S. 544 1 0 []"}, []string{"Elm, supra: no case of that name is cited before it in this file"}},
		{"id without a case", "The lease is clear. Id. at 4.", nil, []string{"Id.: no citation that was read stands right before it in this file"}},
		{"id of a record", "Cedar v. Dorn, 550 U.S. 544 (2007). Compl. ¶ 4. Id. ¶ 5.", []string{"550 U.S. 544 1 0 []"}, []string{"Id.: it points to a paragraph, and what is cited before it has pages"}},
		{"id of a neutral citation", "Thyme v. Upas, 2012 IL 112116, ¶ 20. Id. ¶ 22.", []string{"2012 IL 112116 2 2 [¶ 20 ¶ 22]"}, nil},
		{"short form without its full one", "999 F.3d at 4.", nil, []string{"999 F.3d at 4: no full citation of that volume stands before it in this file"}},
		{"short form of a database", "Vine v. Willow, 2019 WL 1234567, at *3 (N.D. Cal. Mar. 18, 2019); 2019 WL 1234567, at *4.", []string{"2019 WL 1234567 2 2 [*3 *4]"}, nil},
		{"parallel", "Cedar v. Dorn, 550 U.S. 544, 555, 127 S. Ct. 1955, 1964 (2007)", []string{"550 U.S. 544 1 1 [555]"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := read(t, tc.text)

			var got, dangling []string
			for _, a := range d.Authorities {
				got = append(got, fmt.Sprintf("%s %d %d %v", a.Text, a.Count, a.Pinned, a.Pins))
			}

			for _, x := range d.Dangling {
				dangling = append(dangling, x.Text+": "+x.Reason)
				if x.At.FileID == "" {
					t.Errorf("%s has no source", x.Text)
				}
			}
			if !slices.Equal(got, tc.want) || !slices.Equal(dangling, tc.dangling) {
				t.Errorf("%q cites %q, dangling %q; want %q, %q", tc.text, got, dangling, tc.want, tc.dangling)
			}
		})
	}
}

func TestNamesOfCasesAreCompared(t *testing.T) {
	for _, tc := range []struct {
		name               string
		texts              []string
		matched, differing bool
	}{
		{"same name in two files", []string{"See Alder Corp. v. Birch, 556 U.S. 662 (2009).", "In Alder Corporation v. Birch, 556 U.S. 662, 678 (2009), it is said."}, true, false},
		{"same name twice in one file", []string{"See Alder v. Birch, 556 U.S. 662 (2009); Alder v. Birch, 556 U.S. 662 (2009)."}, false, false},
		{"without a name elsewhere", []string{"See Alder v. Birch, 556 U.S. 662 (2009).", "See 556 U.S. 662 (2009)."}, false, false},
		{"two names", []string{"See Alder v. Birch, 556 U.S. 662 (2009).", "See Alder v. Cedar, 556 U.S. 662 (2009)."}, false, true},
		{"two names in one file", []string{"See Alder v. Birch, 556 U.S. 662 (2009). See also Elm v. Fir, 556 U.S. 662 (2009)."}, false, true},
		{"abbreviated", []string{"Nat'l Alder Ass'n v. Comm'r, 556 U.S. 662 (2009)", "National Alder Association v. Commissioner, 556 U.S. 662 (2009)"}, true, false},
		{"the government", []string{"U.S. v. Alder, 556 U.S. 662 (2009)", "United States v. Alder, 556 U.S. 662 (2009)"}, true, false},
		{"labels", []string{"[Party 1] v. [Party 2], 556 U.S. 662 (2009)", "[Party 1] v. [Party 3], 556 U.S. 662 (2009)"}, false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := read(t, tc.texts...)
			if len(d.Authorities) != 1 || d.Authorities[0].Matched != tc.matched || d.Authorities[0].Differing != tc.differing {
				t.Errorf("%q: %+v; want matched %v, differing %v", tc.texts, d.Authorities, tc.matched, tc.differing)
			}
		})
	}
}

func TestConflictsOfDates(t *testing.T) {
	for _, tc := range []struct {
		name  string
		texts []string
		want  []string
	}{
		{"two days of one signing", []string{"The lease was signed on March 4, 2024.", "The lease was signed on March 6, 2024."}, []string{"signing lease [2024-03-04 2024-03-06]"}},
		{"in one file", []string{"On March 4, 2024, the parties signed the Employment Agreement.\n\nThe employment agreement was signed on May 6, 2024."}, []string{"signing employment agreement [2024-03-04 2024-05-06]"}},
		{"the same day", []string{"The lease was signed on March 4, 2024.", "On 4 March 2024 the lease was signed."}, nil},
		{"two documents", []string{"The lease was signed on March 4, 2024.", "The deed was signed on March 6, 2024."}, nil},
		{"two who signed", []string{"[Party 1] signed the lease on March 4, 2024.", "[Party 2] signed the lease on March 6, 2024."}, nil},
		{"two acts", []string{"The lease was signed on March 4, 2024.", "The lease was terminated on March 6, 2025."}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string

			for _, c := range read(t, tc.texts...).Conflicts() {
				var days []string
				for _, a := range c.Acts {
					days = append(days, a.Date.String())
					if a.At.FileID == "" {
						t.Errorf("%s has no source", a.Date)
					}
				}
				got = append(got, fmt.Sprintf("%s %s %v", c.What, c.Object, days))
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("conflicts of %q: %q, want %q", tc.texts, got, tc.want)
			}
		})
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
			d := casereading.New(facts.NewReader(), guard.New(), casereading.Keep{})
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
			if p, ok := v.Interface().(casereading.Place); ok {
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
