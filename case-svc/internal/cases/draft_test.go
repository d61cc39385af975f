package cases_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/label"
	"github.com/subrosa-legal/subrosa/pkg/practicearea"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"pgregory.net/rapid"
)

var (
	noon = time.Date(2026, 3, 4, 12, 0, 0, 123456789, time.FixedZone("", 3600))
	ann  = audit.Actor{Kind: audit.User, ID: "ann", UserID: "ann"}
)

func ptr[T any](v T) *T { return &v }

func made(t *testing.T, d cases.Draft) cases.Case {
	t.Helper()
	c, err := cases.New("u:ann", uuid.NewString(), ann, d, noon)
	if err != nil {
		t.Fatalf("New: %v with %+v", err, errs.From(err).Details)
	}

	return c
}

func TestAnEmptyDraftGetsTheDefaults(t *testing.T) {
	id := "0190a3b1-0000-7000-8000-000000000001"
	got, err := cases.New("u:ann", id, ann, cases.Draft{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 4, 11, 0, 0, 123e6, time.UTC)
	want := cases.Case{
		ID: id, Tenant: "u:ann", Version: 1, Title: "Untitled matter", TitleBasis: "default", Status: "intake", MatterKind: "litigation", Language: "en",
		Stage: cases.Stage{CodeSet: "litigation", Phase: "L100", Task: "L110"}, Supervision: cases.Supervision{ResponsibleUserID: "ann"},
		Confidentiality: cases.Confidentiality{Privilege: "work_product", AIPolicy: "no_model", ClientConsent: "unknown"},
		Conflict:        cases.Conflict{Status: "not_run"}, Retention: cases.Retention{PolicyCode: "default"}, TimelineID: cases.TimelineOf(id),
		ActiveBranchID: cases.RootBranchOf(cases.TimelineOf(id)), CreatedAt: at, UpdatedAt: at, CreatedBy: ann,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("case (-want +got):\n%s", diff)
	}
}

func TestADraftIsNormalised(t *testing.T) {
	c := made(t, cases.Draft{
		Title: ptr("  Cafe\u0301 lease  "), Summary: ptr("one\r\ntwo"), Language: ptr("ES-mx"), Tags: []string{" Urgent ", "urgent", "b"}, Stakes: []string{"housing", "housing"},
		PracticeAreas: []cases.PracticeArea{{Scheme: "LIST", Code: "HO-02-00-00-00"}, {Scheme: "SALI", Code: "R8CdMpOM0RmyrgCCvbpiLS0"}},
		Amount:        &cases.Amount{Decimal: "80000", Currency: "USD", Basis: "stated"},
	})
	if c.Title != "Café lease" || c.TitleBasis != "given" || c.Summary != "one\ntwo" || c.Language != "es-MX" {
		t.Errorf("words = %q %q %q %q", c.Title, c.TitleBasis, c.Summary, c.Language)
	}
	if diff := cmp.Diff([]string{"urgent", "b"}, c.Tags); diff != "" {
		t.Errorf("tags: %s", diff)
	}
	if diff := cmp.Diff([]string{"housing"}, c.Stakes); diff != "" {
		t.Errorf("stakes: %s", diff)
	}
	want := []cases.PracticeArea{{Scheme: "LIST", Code: "HO-02-00-00-00", Label: "Eviction", Primary: true}, {Scheme: "SALI", Code: "R8CdMpOM0RmyrgCCvbpiLS0"}}
	if diff := cmp.Diff(want, c.PracticeAreas); diff != "" {
		t.Errorf("areas: %s", diff)
	}
	if diff := cmp.Diff([]string{"HO", "HO-02", "SALI R8CdMpOM0RmyrgCCvbpiLS0"}, c.PracticeKeys()); diff != "" {
		t.Errorf("keys: %s", diff)
	}
	if c.Amount.Minor != 8000000 || c.Amount.Decimal() != "80000.00" {
		t.Errorf("amount = %+v, %s", c.Amount, c.Amount.Decimal())
	}
}

func TestWhatADraftIsRefusedFor(t *testing.T) {
	for _, tc := range []struct {
		name  string
		draft cases.Draft
		path  string
	}{
		{"title too short", cases.Draft{Title: ptr("ab")}, "title"},
		{"title too long", cases.Draft{Title: ptr(strings.Repeat("é", 201))}, "title"},
		{"title of two lines", cases.Draft{Title: ptr("one\ntwo")}, "title"},
		{"title that turns its direction", cases.Draft{Title: ptr("abc\u202edef")}, "title"},
		{"title of no UTF-8", cases.Draft{Title: ptr("abc\xff")}, "title"},
		{"summary too long", cases.Draft{Summary: ptr(strings.Repeat("x", 4001))}, "summary"},
		{"summary with a control character", cases.Draft{Summary: ptr("a\x00b")}, "summary"},
		{"status other than intake", cases.Draft{Status: ptr("open")}, "status"},
		{"unknown kind", cases.Draft{MatterKind: ptr("war")}, "matterKind"},
		{"jurisdiction of three letters", cases.Draft{Jurisdiction: ptr("USA")}, "jurisdiction"},
		{"jurisdiction in lower case", cases.Draft{Jurisdiction: ptr("us-ca")}, "jurisdiction"},
		{"unknown side", cases.Draft{Side: ptr("ours")}, "side"},
		{"unknown forum", cases.Draft{Forum: &cases.Forum{System: "moon"}}, "forum.system"},
		{"docket number as court", cases.Draft{Forum: &cases.Forum{System: "federal", CourtCode: "1:17-cv-00072"}}, "forum.courtCode"},
		{"docket number as label", cases.Draft{Forum: &cases.Forum{System: "federal", DocketLabel: "17-cv-72"}}, "forum.docketLabel"},
		{"label of another kind", cases.Draft{Forum: &cases.Forum{System: "federal", DocketLabel: "[Party 1]"}}, "forum.docketLabel"},
		{"zone that is none", cases.Draft{Forum: &cases.Forum{System: "federal", TimeZone: "Mars/Olympus"}}, "forum.timeZone"},
		{"zone that climbs out", cases.Draft{Forum: &cases.Forum{System: "federal", TimeZone: "../../etc/passwd"}}, "forum.timeZone"},
		{"zone of this machine", cases.Draft{Forum: &cases.Forum{System: "federal", TimeZone: "Local"}}, "forum.timeZone"},
		{"task of another phase", cases.Draft{Stage: &cases.Stage{CodeSet: "litigation", Phase: "L200", Task: "L110"}}, "stage"},
		{"unknown code set", cases.Draft{Stage: &cases.Stage{CodeSet: "x", Phase: "L100"}}, "stage.codeSet"},
		{"code of another set", cases.Draft{Stage: &cases.Stage{CodeSet: "project", Phase: "P1"}}, "stage"},
		{"unknown stake", cases.Draft{Stakes: []string{"honour"}}, "stakes[0]"},
		{"too many stakes", cases.Draft{Stakes: make([]string, 7)}, "stakes"},
		{"too many tags", cases.Draft{Tags: make([]string, 21)}, "tags"},
		{"empty tag", cases.Draft{Tags: []string{"a", " "}}, "tags[1]"},
		{"unknown scheme", cases.Draft{PracticeAreas: []cases.PracticeArea{{Scheme: "X", Code: "1"}}}, "practiceAreas[0].scheme"},
		{"LIST code of no form", cases.Draft{PracticeAreas: []cases.PracticeArea{{Scheme: "LIST", Code: "HO-02"}}}, "practiceAreas[0].code"},
		{"LIST code of no area", cases.Draft{PracticeAreas: []cases.PracticeArea{{Scheme: "LIST", Code: "ZZ-02-00-00-00"}}}, "practiceAreas[0].code"},
		{"SALI code of no form", cases.Draft{PracticeAreas: []cases.PracticeArea{{Scheme: "SALI", Code: "a b"}}}, "practiceAreas[0].code"},
		{"NSMI code of no form", cases.Draft{PracticeAreas: []cases.PracticeArea{{Scheme: "NSMI", Code: "12"}}}, "practiceAreas[0].code"},
		{"two primary areas", cases.Draft{PracticeAreas: []cases.PracticeArea{{Scheme: "NSMI", Code: "1610500", Primary: true}, {Scheme: "NSMI", Code: "1610501", Primary: true}}}, "practiceAreas"},
		{"one area twice", cases.Draft{PracticeAreas: []cases.PracticeArea{{Scheme: "NSMI", Code: "1610500"}, {Scheme: "NSMI", Code: "1610500"}}}, "practiceAreas[1]"},
		{"too many areas", cases.Draft{PracticeAreas: make([]cases.PracticeArea, 6)}, "practiceAreas"},
		{"amount with too many places", cases.Draft{Amount: &cases.Amount{Decimal: "1.001", Currency: "USD", Basis: "stated"}}, "amountInControversy.amount"},
		{"amount below nothing", cases.Draft{Amount: &cases.Amount{Decimal: "-1", Currency: "USD", Basis: "stated"}}, "amountInControversy.amount"},
		{"amount in words", cases.Draft{Amount: &cases.Amount{Decimal: "1e3", Currency: "USD", Basis: "stated"}}, "amountInControversy.amount"},
		{"yen with places", cases.Draft{Amount: &cases.Amount{Decimal: "1.5", Currency: "JPY", Basis: "stated"}}, "amountInControversy.amount"},
		{"unknown currency", cases.Draft{Amount: &cases.Amount{Decimal: "1", Currency: "ZZZ", Basis: "stated"}}, "amountInControversy.currency"},
		{"currency in lower case", cases.Draft{Amount: &cases.Amount{Decimal: "1", Currency: "usd", Basis: "stated"}}, "amountInControversy.currency"},
		{"unknown basis", cases.Draft{Amount: &cases.Amount{Decimal: "1", Currency: "USD", Basis: "guessed"}}, "amountInControversy.basis"},
		{"extracted without a source", cases.Draft{Amount: &cases.Amount{Decimal: "1", Currency: "USD", Basis: "extracted"}}, "amountInControversy.source"},
		{"quote with a control character", cases.Draft{Amount: &cases.Amount{Decimal: "1", Currency: "USD", Basis: "extracted", Source: &cases.SourceRef{FileID: uuid.NewString(), TextVersion: 1, End: 3, Quote: "a\u0001b"}}}, "amountInControversy.source.quote"},
		{"unknown profession", cases.Draft{Supervision: &cases.Supervision{ProfessionalKind: "judge"}}, "supervision.professionalKind"},
		{"licence of no form", cases.Draft{Supervision: &cases.Supervision{LicenceJurisdictions: []string{"California"}}}, "supervision.licenceJurisdictions"},
		{"unknown privilege", cases.Draft{Confidentiality: &cases.Confidentiality{Privilege: "x"}}, "confidentiality.privilege"},
		{"model against the client's will", cases.Draft{Confidentiality: &cases.Confidentiality{AIPolicy: "model_allowed", ClientConsent: "refused"}}, "confidentiality.aiPolicy"},
		{"unknown policy", cases.Draft{Retention: &cases.Retention{PolicyCode: "forever"}}, "retention.policyCode"},
		{"language of no form", cases.Draft{Language: ptr("english, please")}, "language"},
		{"empty reference", cases.Draft{ExternalRef: ptr(" ")}, "externalRef"},
		{"reference too long", cases.Draft{ExternalRef: ptr(strings.Repeat("x", 65))}, "externalRef"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := cases.New("u:ann", uuid.NewString(), ann, tc.draft, noon)
			want := error(validate.ErrInvalid)
			if tc.path == "forum.docketLabel" {
				want = label.ErrUnknown
			}
			if !errors.Is(err, want) {
				t.Fatalf("New = %v, want %v", err, want)
			}

			paths := []string{}
			for _, d := range errs.From(err).Details {
				paths = append(paths, d.Path)
			}
			if !slices.Contains(paths, tc.path) {
				t.Errorf("details point at %v, want %s", paths, tc.path)
			}
		})
	}
}

func TestAllFaultsAreToldAtOnce(t *testing.T) {
	_, err := cases.New("u:ann", uuid.NewString(), ann, cases.Draft{Title: ptr("a"), Side: ptr("x"), Language: ptr("??")}, noon)
	if n := len(errs.From(err).Details); n != 3 {
		t.Errorf("%d details, want 3: %+v", n, errs.From(err).Details)
	}
}

func TestADocketNumberIsNoReference(t *testing.T) {
	for text, refused := range map[string]bool{
		"1:17-cv-00072": true, "17-CV-72": true, "file 2024-CR-001234": true, "firm 7": false, "2024-0017": false, "cv-17": false, "matter 17 of 2024": false,
	} {
		_, err := cases.New("u:ann", uuid.NewString(), ann, cases.Draft{ExternalRef: &text}, noon)
		if got := errors.Is(err, guard.ErrRefused); got != refused {
			t.Errorf("reference %q: refused = %t (%v), want %t", text, got, err, refused)
		}
	}
}

// Every case is found by each prefix of its codes and by no other code's.
func TestACaseIsFoundByEachPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.SampledFrom([]string{"HO", "FA", "WO"}).Draw(t, "top")
		for range 4 {
			code += "-" + rapid.SampledFrom([]string{"00", "01", "12"}).Draw(t, "level")
		}
		c, err := cases.New("u:ann", uuid.NewString(), ann, cases.Draft{PracticeAreas: []cases.PracticeArea{{Scheme: "LIST", Code: code}}}, noon)
		if err != nil {
			t.Fatal(err)
		}

		for n := 2; n <= len(code); n += 3 {
			key, ok := practicearea.Key(code[:n])
			if !ok || !slices.Contains(c.PracticeKeys(), key) {
				t.Fatalf("%s is not found by %s (key %q among %v)", code, code[:n], key, c.PracticeKeys())
			}
		}

		for _, k := range c.PracticeKeys() {
			if !strings.HasPrefix(code, k) {
				t.Fatalf("%s is found by %s", code, k)
			}
		}
	})
}

func TestAmountsSurviveExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		currency := rapid.SampledFrom([]string{"USD", "JPY", "KWD"}).Draw(t, "currency")
		places := map[string]int{"USD": 2, "JPY": 0, "KWD": 3}[currency]
		want := rapid.StringMatching(`0|[1-9][0-9]{0,14}`).Draw(t, "whole")
		if places > 0 {
			want += "." + rapid.StringMatching(`[0-9]{`+string(rune('0'+places))+`}`).Draw(t, "part")
		}
		c, err := cases.New("u:ann", uuid.NewString(), ann, cases.Draft{Amount: &cases.Amount{Decimal: want, Currency: currency, Basis: "stated"}}, noon)
		if err != nil {
			t.Fatalf("New(%s): %v", want, err)
		}
		if got := c.Amount.Decimal(); got != want {
			t.Fatalf("%s %s came back as %s", want, currency, got)
		}
	})
}

func TestDerivedIDsTellTheirPartsApart(t *testing.T) {
	if cases.DerivedID("ab", "c") == cases.DerivedID("a", "bc") || cases.DerivedID("a") == cases.DerivedID("a", "") {
		t.Error("two lists of parts give one id")
	}
	if got, want := cases.DerivedID("a", "b"), "c3f90dea-ff55-5d76-b5bd-7c6380731304"; got != want {
		t.Errorf("derived id = %s, want %s: what was stored would not be found again", got, want)
	}
}

func TestValidIDs(t *testing.T) {
	for s, want := range map[string]bool{
		"0190a3b1-0000-7000-8000-000000000001": true, "0190A3B1-0000-7000-8000-000000000001": false, "{0190a3b1-0000-7000-8000-000000000001}": false,
		"0190a3b1000070008000000000000001": false, "urn:uuid:0190a3b1-0000-7000-8000-000000000001": false, "": false, "../x": false,
	} {
		if got := ids.Valid(s); got != want {
			t.Errorf("ids.Valid(%q) = %t, want %t", s, got, want)
		}
	}
}

func TestLinksEscapeIDs(t *testing.T) {
	l := deeplink.Links("https://app.test")
	for got, want := range map[string]string{
		l.To(deeplink.RedactFile, ""):                   "https://app.test/i/redact_file",
		l.To(deeplink.RedactFile, "a b"):                "https://app.test/i/redact_file?case=a+b",
		l.ToContainer(deeplink.AddIdentity, "c&phase="): "https://app.test/i/add_identity?container=c%26phase%3D",
	} {
		if got != want {
			t.Errorf("link = %s, want %s", got, want)
		}
	}
}
