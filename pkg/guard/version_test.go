package guard_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

var update = flag.Bool("update", false, "write the version of the rules anew")

// A rule that changes without the version would leave stored files unchecked by it.
func TestTheVersionIsThatOfTheRules(t *testing.T) {
	sum := sha256.New()

	for _, pattern := range []string{
		"*.go", "*.txt", "internal/lexicon/*.go", "internal/lexicon/words.bin", "internal/legalform/*.go", "internal/legalform/forms.txt",
		"internal/census/*.go", "internal/census/*.txt", "../legaltext/*.go", "../legaltext/*.txt", "../label/*.go",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}

		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") || name == "version.go" {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sum.Write([]byte(name))
			sum.Write(text)
		}
	}
	want := hex.EncodeToString(sum.Sum(nil))[:12]
	if *update {
		text, err := os.ReadFile("version.go")
		if err != nil {
			t.Fatal(err)
		}
		text = regexp.MustCompile(`digest = "[0-9a-f]{12}"`).ReplaceAll(text, []byte(`digest = "`+want+`"`))
		if err := os.WriteFile("version.go", text, 0o600); err != nil {
			t.Fatal(err)
		}

		return
	}
	if got := guard.Version(); got != "rules-"+want {
		t.Errorf("version %s, want rules-%s: the rules have changed; run go test ./guard -run Version -update in pkg", got, want)
	}
}
