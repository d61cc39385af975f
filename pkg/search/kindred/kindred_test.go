package kindred_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/search/kindred"
)

func TestEach(t *testing.T) {
	for _, tc := range []struct {
		word, near, far string
	}{
		{"hotel", "lodging", "statute"},
		{"alcohol", "drinking", "lease"},
		{"mortgage", "loan", "truck"},
		{"food", "chicken", "court"},
		{"driver", "truck", "marriage"},
	} {
		found := map[string]float64{}
		kindred.Each(tc.word, 0.5, func(other string, n float64) { found[other] = n })
		if n := found[tc.near]; n < 0.5 || n > 1.001 {
			t.Errorf("%s and %s are %.2f near, want at least 0.5", tc.word, tc.near, n)
		}
		if n := found[tc.far]; n != 0 {
			t.Errorf("%s and %s are %.2f near, want less than 0.5", tc.word, tc.far, n)
		}
		if n := found[tc.word]; n != 0 {
			t.Errorf("%s is told to be near itself", tc.word)
		}
	}
	kindred.Each("[party 1]", 0, func(other string, _ float64) { t.Errorf("a label is near %s", other) })
}
