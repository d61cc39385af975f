package testkit

import "testing"

// WithoutDetector skips a test under the race detector, which shows nothing in a test that does one thing after
// another, and makes it take up to ten times as long. make test finds the tests that call it and runs them without.
func WithoutDetector(t testing.TB) {
	t.Helper()
	if RaceDetector {
		t.Skip("does one thing after another: run without the race detector")
	}
}
