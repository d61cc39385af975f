package practicearea

import (
	"slices"
	"testing"
)

func TestKeys(t *testing.T) {
	for _, tc := range []struct {
		scheme, code string
		want         []string
	}{
		{"LIST", "HO-02-00-00-00", []string{"HO", "HO-02"}},
		{"LIST", "HO-00-00-00-00", []string{"HO"}},
		{"LIST", "FA-01-02-00-00", []string{"FA", "FA-01", "FA-01-02"}},
		{"SALI", "RDabc", []string{"SALI RDabc"}},
	} {
		if got := Keys(tc.scheme, tc.code); !slices.Equal(got, tc.want) {
			t.Errorf("Keys(%s, %s) = %v, want %v", tc.scheme, tc.code, got, tc.want)
		}
	}
}

func TestKey(t *testing.T) {
	for filter, want := range map[string]string{"housing": "HO", "HO": "HO", "HO-02": "HO-02", "HO-02-00-00-00": "HO-02", "HO-02-03-00-00": "HO-02-03", "family": "FA", "HO-02-": "", "XX": "", "ho": "", "HO-2": "", "": ""} {
		if got, ok := Key(filter); got != want || ok != (want != "") {
			t.Errorf("Key(%q) = %q, %t, want %q", filter, got, ok, want)
		}
	}
}

func TestValid(t *testing.T) {
	for _, tc := range []struct {
		scheme, code string
		want         bool
	}{
		{"LIST", "HO-02-00-00-00", true},
		{"LIST", "HO", false},
		{"LIST", "XX-00-00-00-00", false},
		{"NSMI", "1610500", true},
		{"NSMI", "1", false},
		{"SALI", "https://folio.openlegalstandard.org/RDabc", true},
		{"SALI", "a b", false},
		{"ICD", "x", false},
	} {
		if got := Valid(tc.scheme, tc.code); got != tc.want {
			t.Errorf("Valid(%s, %s) = %t", tc.scheme, tc.code, got)
		}
	}
	if Label("LIST", "HO-02-00-00-00") != "Eviction" || Label("LIST", "HO-03-00-00-00") != "Housing" || Label("SALI", "HO") != "" || len(All()) != 21 {
		t.Error("labels")
	}
}
