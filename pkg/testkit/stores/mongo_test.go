package stores

import (
	"errors"
	"strings"
	"testing"
)

func TestAGivenMongoDBIsReachedDirectly(t *testing.T) {
	for given, want := range map[string]string{
		"mongodb://localhost:27017":                        "mongodb://localhost:27017/?directConnection=true",
		"mongodb://u:p@db:27017/?replicaSet=rs0":           "mongodb://u:p@db:27017/?replicaSet=rs0&directConnection=true",
		"mongodb://db/?directConnection=false":             "mongodb://db/?directConnection=false",
		"mongodb://db/?directconnection=true&replicaSet=a": "mongodb://db/?directconnection=true&replicaSet=a",
		"mongodb://db/?loadBalanced=true":                  "mongodb://db/?loadBalanced=true",
	} {
		if got, err := direct(given); err != nil || got != want {
			t.Errorf("%s becomes %s, %v, want %s", given, got, err, want)
		}
	}

	for _, given := range []string{"mongodb://u:secret@a:1,b:2/?replicaSet=rs0", "mongodb://u:secret@a,b/", "mongodb+srv://u:secret@a.example/", "http://a", "mongodb://"} {
		if _, err := direct(given); !errors.Is(err, errSeveral) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %v", given, err, errSeveral)
		}
	}
}
