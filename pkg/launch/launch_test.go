package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
)

// fake is a service that ends with an error of the test's choice.
type fake struct{ err error }

func (f fake) Run(context.Context) error   { return f.err }
func (f fake) Addr() string                { return "127.0.0.1:1" }
func (f fake) InternalAddr() string        { return "" }
func (f fake) Ready(context.Context) error { return nil }

func entry(newErr, runErr error) Entry {
	return Entry{
		Name: "case-svc", Summary: "cases", Settings: []config.Setting{{Name: "MONGODB_URI", Required: true, Help: "address of MongoDB"}, {Name: "CASE_ADDR", Default: ":8084", Help: "listen address"}},
		New: func(context.Context, Env) (Service, error) { return fake{runErr}, newErr },
	}
}

// migrating is a service whose migration ends with err.
func migrating(err error) Entry {
	e := entry(nil, nil)
	e.Migrate = func(_ context.Context, _ Env, dry bool, out io.Writer) error {
		fmt.Fprintf(out, "migrated, dry %t\n", dry)
		return err
	}

	return e
}

// sharding is a service that tells how it is sharded, or fails with err.
func sharding(err error) Entry {
	e := entry(nil, nil)
	e.Shards = func(database string) (string, error) { return "sh.shardCollection of " + database, err }

	return e
}

func TestExitCodes(t *testing.T) {
	bad := errors.New("settings are not usable:\n  MONGODB_URI is required")
	for _, tc := range []struct {
		name  string
		args  []string
		entry Entry
		code  int
		says  string
	}{
		{"a clean stop", nil, entry(nil, nil), 0, "stopped cleanly"},
		{"a failure", nil, entry(nil, errors.New("broken")), 1, "broken"},
		{"settings that cannot be used", nil, entry(bad, nil), 2, "MONGODB_URI is required"},
		{"settings that are only checked", []string{"--check"}, entry(nil, nil), 0, "settings are usable"},
		{"no database to migrate", []string{"--migrate"}, entry(nil, nil), 2, "there is no database to migrate"},
		{"a dry run of nothing", []string{"--dry-run"}, entry(nil, nil), 2, "--dry-run belongs to --migrate"},
		{"a migration", []string{"--migrate"}, migrating(nil), 0, "migrated, dry false"},
		{"a dry run", []string{"--migrate", "--dry-run"}, migrating(nil), 0, "migrated, dry true"},
		{"a migration that fails", []string{"--migrate"}, migrating(errors.New("no way to the database")), 1, "no way to the database"},
		{"commands for a cluster", []string{"--shards", "firm"}, sharding(nil), 0, "sh.shardCollection of firm"},
		{"a key that does not fit", []string{"--shards", "firm"}, sharding(errors.New("does not fit")), 1, "does not fit"},
		{"no database to shard", []string{"--shards", "firm"}, entry(nil, nil), 2, "there is no database to shard"},
		{"a cluster's database without a name", []string{"--shards", ""}, sharding(nil), 2, "--shards needs the name of a database"},
		{"shards and a check", []string{"--shards", "firm", "--check"}, sharding(nil), 2, "--shards excludes --check"},
		{"shards and a migration", []string{"--shards", "firm", "--migrate"}, sharding(nil), 2, "--shards excludes --check"},
		{"shards and a dry run", []string{"--shards=firm", "--dry-run"}, sharding(nil), 2, "--shards excludes --check"},
		{"help", []string{"--help"}, entry(nil, nil), 0, "MONGODB_URI  required  address of MongoDB"},
		{"version", []string{"--version"}, entry(nil, nil), 0, "case-svc "},
		{"an unknown flag", []string{"--verbose"}, entry(nil, nil), 2, "not defined"},
		{"an argument", []string{"serve"}, entry(nil, nil), 2, "takes no arguments"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out, problems bytes.Buffer
			code := run(export.New, tc.entry, tc.args, &out, &problems)
			if both := out.String() + problems.String(); code != tc.code || !strings.Contains(both, tc.says) {
				t.Errorf("code %d, says %q, want %d and %q", code, both, tc.code, tc.says)
			}
		})
	}
}

// What a variable of every process is wrong about names the service and the variable, before anything starts.
func TestVariablesOfEveryProcess(t *testing.T) {
	const level, exporter = "LOG_LEVEL must be debug, info, warn or error\n", "OTEL_TRACES_EXPORTER must be one of otlp, console, none\n"
	for _, tc := range []struct{ name, level, exporter, want string }{
		{"an exporter", "warn", "foo", exporter},
		{"the level of the log", "loud", "none", level},
		{"both", "loud", "foo", level + exporter},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv("LOG_LEVEL", tc.level)
			t.Setenv("OTEL_TRACES_EXPORTER", tc.exporter)
			var out, problems bytes.Buffer
			code := run(export.New, entry(nil, nil), []string{"--check"}, &out, &problems)
			if want := "case-svc: " + tc.want; code != 2 || problems.String() != want || out.Len() > 0 {
				t.Errorf("code %d, says %q and %q, want 2 and %q", code, &problems, &out, want)
			}
		})
	}
}

// TestIdentify: what is wrong with key, trust and certificates is all said at once, before the others refuse the service's calls.
func TestIdentify(t *testing.T) {
	seeds, trust, err := authn.NewInternalKeys()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name string, text []byte) string {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}

		return filepath.Join(dir, name)
	}
	env := Env{Telemetry: telemetry.Discard("test", io.Discard), Now: time.Now}
	all, mallory := file("trust.json", trust), file("mallory.json", []byte(`{"mallory":"AA"}`))
	tls := config.PeerTLS{CertFile: "none", KeyFile: "none", CAFile: "none"}

	const stranger = "INTERNAL_KEY does not belong to a key that the file of INTERNAL_TRUST has for gateway"
	for _, tc := range []struct {
		name, seed, trust string
		tls               config.PeerTLS
		want              []string // how each line of the error begins
	}{
		{"its own key", seeds["gateway"], all, config.PeerTLS{}, nil},
		{"no key", "", all, config.PeerTLS{}, nil},
		{"no trust", seeds["gateway"], "", config.PeerTLS{}, nil},
		{"another service's key", seeds["case-svc"], all, config.PeerTLS{}, []string{stranger}},
		{"no key at all", "short", all, config.PeerTLS{}, []string{"INTERNAL_KEY: "}},
		{"a file that is not there", seeds["gateway"], all + "x", config.PeerTLS{}, []string{"INTERNAL_TRUST names a file"}},
		{"a file that names a stranger", seeds["gateway"], mallory, config.PeerTLS{}, []string{"INTERNAL_TRUST: "}},
		{"everything", "short", mallory, tls, []string{"INTERNAL_KEY: ", "INTERNAL_TRUST: ", "INTERNAL_TLS_CERT_FILE"}},
		{"a stranger without certificates", seeds["case-svc"], all, tls, []string{stranger, "INTERNAL_TLS_CERT_FILE"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			id, err := Identify("gateway", config.NewSecret(tc.seed), tc.trust, tc.tls, env)
			var said []string
			if err != nil {
				said = strings.Split(err.Error(), "\n")
			}
			if !slices.EqualFunc(said, tc.want, strings.HasPrefix) {
				t.Errorf("said %q, want %q", said, tc.want)
			}
			if (id.Signer == nil) != (tc.seed == "" || tc.seed == "short") || err == nil && (id.Verifier == nil) != (tc.trust == "") {
				t.Errorf("identity %+v", id)
			}
			if err != nil || id.Signer == nil || id.Verifier == nil {
				return
			}
			token, err := id.Signer.Token(access.Caller{Kind: access.Public})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := id.Verifier.Verify(token); err != nil {
				t.Error(err)
			}
		})
	}
}
