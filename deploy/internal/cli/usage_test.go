package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// TestEveryMistakeEndsInTwo walks over all commands and makes in each the mistakes that can be made in any: every
// one ends in 2, names what is wrong in words of the person who typed it, and says where the help is.
func TestEveryMistakeEndsInTwo(t *testing.T) {
	testkit.WithoutDetector(t)
	var root commands
	folder := t.TempDir()
	file := filepath.Join(folder, "a.txt")
	if err := os.WriteFile(file, []byte("[Party 1]"), 0o600); err != nil {
		t.Fatal(err)
	}
	made := 0

	mistaken := func(leaf *kong.Node, says string, args ...string) {
		made++
		var out, problems bytes.Buffer
		code := Run(t.Context(), args, Terminal{
			In: strings.NewReader(""), Out: &out, Err: &problems, Folder: folder, Config: folder, Now: time.Now,
		})
		told := problems.String()
		help := "See subrosa " + path(leaf) + "--help."
		if code != wrongUsage || out.Len() > 0 || !strings.Contains(told, says) || !strings.Contains(told, help) {
			t.Errorf("%q: code %d, %s%s, want 2, %q and %q", args, code, &out, told, says, help)
		}
		// What kong calls things is not what a person has typed.
		for _, inner := range []string{"EOL", "<arg>", "bit int", `""`} {
			if strings.Contains(told, inner) {
				t.Errorf("%q: %s speaks of %s", args, told, inner)
			}
		}
	}
	for _, leaf := range newParser(&root).Model.Leaves(true) {
		for _, m := range mistakesOf(leaf, file) {
			mistaken(leaf, m.says, m.args...)
		}
	}
	if made < 500 {
		t.Errorf("only %d mistakes were made", made)
	}
}

// aMistake is a wrong command line, and what is said of it.
type aMistake struct {
	says string
	args []string
}

// mistakesOf are those that can be made in a command. file is one that is there.
func mistakesOf(leaf *kong.Node, file string) (all []aMistake) {
	whole, variadic := strings.Fields(leaf.Path()), false
	wrong := func(says string, more ...string) {
		all = append(all, aMistake{says, slices.Concat(whole, needed(leaf), more)})
	}
	wrong("unknown flag --no-such-flag", "--no-such-flag")

	for _, p := range leaf.Positional {
		if p.Required && !variadic {
			wrong("missing " + strings.ToUpper(p.Name))
		}
		if p.Enum != "" {
			wrong("must be one of", "no-such-value")
		}
		variadic = variadic || p.IsCumulative()
		whole = append(whole, argument(p, file))
	}
	if !variadic {
		wrong("unexpected argument surplus", "surplus")
	}

	for _, flag := range leaf.Flags {
		name := "--" + flag.Name
		if !flag.IsBool() {
			all = append(all, aMistake{name + " needs a value: " + name + " ", append(slices.Clone(whole), name)})
		}
		if flag.Enum != "" {
			wrong(name+" must be one of", name, "no-such-value")
		}
		if kind := flag.Target.Type().String(); kind == "int" || kind == "[]int" {
			wrong(name+" must be a whole number", name, "many")
		}
		if flag.Name == "limit" {
			wrong("--limit must be from 1 to 100", "--limit", "0")
		}
	}

	return all
}

// argument is a value that a positional argument takes.
func argument(p *kong.Value, file string) string {
	switch {
	case p.Enum != "":
		return strings.Split(strings.TrimPrefix(p.Enum, ","), ",")[0]
	case p.Target.Kind().String() == "int":
		return "1"
	case p.Tag.Type == "existingdir":
		return filepath.Dir(file)
	case strings.HasSuffix(p.Tag.Type, "file"):
		return file
	}

	return "x"
}

// needed are the flags without which a command is not complete.
func needed(leaf *kong.Node) (flags []string) {
	for _, f := range leaf.Flags {
		switch {
		case f.Name == "at":
			flags = append(flags, "--at=2026-12-31T23:59:59Z")
		case f.Name == "case", f.Name == "reason", f.Required && !f.IsBool():
			flags = append(flags, "--"+f.Name+"="+argument(f.Value, ""))
		}
	}

	return flags
}
