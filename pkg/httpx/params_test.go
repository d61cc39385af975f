package httpx_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

func TestNumbersAreWrittenInOneWay(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]int{"0": 0, "5": 5, "10": 10, "-1": -1, "2147483647": 2147483647} {
		if got, err := httpx.Number(text); err != nil || got != want {
			t.Errorf("Number(%q) = %d, %v, want %d", text, got, err, want)
		}
	}

	for _, text := range []string{
		"", "05", "00", "+5", "-0", "-05", " 5", "5 ", "5.0", "5e0", "0x5", "0b1", "0o5", "1_000", "٥", "５", "five", "9223372036854775808",
	} {
		if got, err := httpx.Number(text); err == nil {
			t.Errorf("Number(%q) = %d, want an error", text, got)
		}
	}

	limits := map[string]bool{
		"1": true, "100": true, "0": false, "101": false, "05": false, "+5": false, "5 ": false,
	}
	for text, ok := range limits {
		if _, err := httpx.Limit(map[string]string{"limit": text}); (err == nil) != ok {
			t.Errorf("Limit(%q): %v", text, err)
		}
	}
}
