package legal

import "testing"

func TestCutEndsBetweenWords(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		most       int
		want       string
	}{
		{"short enough", "ends on May 1", 13, "ends on May 1"},
		{"within a word", "Commencement Date and Expiration Date", 27, "Commencement Date and…"},
		{"at the end of a word", "Commencement Date and Expiration Date", 21, "Commencement Date and…"},
		{"within a label", "made between [Party 12] and", 21, "made between…"},
		{"after a label", "made between [Party 12] and others", 25, "made between [Party 12]…"},
		{"one long word", "incomprehensibilities", 5, "incom…"},
		{"a letter of two bytes", "där är åtta ord", 6, "där är…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := cut(tt.text, tt.most); got != tt.want {
				t.Errorf("cut(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.want)
			}
		})
	}
}
