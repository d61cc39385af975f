package local

import (
	"strings"
	"testing"
)

func TestTheBannerNamesTheStoresThatAreUsed(t *testing.T) {
	embedded := map[string]string{"REDIS_URL": "redis://127.0.0.1:1", "MONGODB_URI": "mongodb://127.0.0.1:2"}
	for want, given := range map[string]map[string]string{
		"Redis embedded at redis://127.0.0.1:1, MongoDB embedded at mongodb://127.0.0.1:2": nil,
		"Redis as REDIS_URL says, MongoDB embedded at mongodb://127.0.0.1:2":               {"REDIS_URL": "redis://:secret@example.com"},
		"Redis embedded at redis://127.0.0.1:1, MongoDB as MONGODB_URI says":               {"MONGODB_URI": "mongodb://a:secret@example.com"},
		"Redis as REDIS_URL says, MongoDB as MONGODB_URI says":                             {"REDIS_URL": "redis://example.com", "MONGODB_URI": "mongodb://example.com"},
	} {
		l := &Local{opts: Options{Environ: given}, environ: embedded}
		if got := l.storesUsed(); got != want {
			t.Errorf("stores %q, want %q", got, want)
		}
		if advised := l.Advice() != ""; advised != strings.Contains(want, "MongoDB embedded") {
			t.Errorf("%s: advice %q", want, l.Advice())
		}
	}
}
