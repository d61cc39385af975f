package redisx_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

func TestParseURL(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name, in string
		want     redisx.Target
	}{
		{"plain", "redis://cache", redisx.Target{Addrs: []string{"cache:6379"}}},
		{"port and database", "redis://cache:7000/3", redisx.Target{Addrs: []string{"cache:7000"}, Database: 3}},
		{"slash alone", "redis://cache/", redisx.Target{Addrs: []string{"cache:6379"}}},
		{"TLS", "rediss://cache", redisx.Target{Addrs: []string{"cache:6379"}, TLS: true}},
		{"IPv6", "redis://[::1]:7000", redisx.Target{Addrs: []string{"[::1]:7000"}}},
		{"password", "redis://:p%40ss@cache", redisx.Target{Addrs: []string{"cache:6379"}, Password: "p@ss"}},
		{"user", "redis://u:p@cache", redisx.Target{Addrs: []string{"cache:6379"}, Username: "u", Password: "p"}},
		{"cluster by one address", "redis://c:1?cluster=true", redisx.Target{Addrs: []string{"c:1"}, Cluster: true}},
		{"cluster", "redis://u:p@a:1,redis://u:p@b:2", redisx.Target{Addrs: []string{"a:1", "b:2"}, Username: "u", Password: "p", Cluster: true}},
		{"cluster in short", "rediss://u:p@a:1, b:2,c", redisx.Target{Addrs: []string{"a:1", "b:2", "c:6379"}, Username: "u", Password: "p", TLS: true, Cluster: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := redisx.ParseURL(tc.in)
			if err != nil {
				t.Fatalf("ParseURL: %v", err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("ParseURL (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseURLRefuses(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name, in string
		want     error
	}{
		{"nothing", "", redisx.ErrURLForm},
		{"no scheme", "cache:6379", redisx.ErrURLForm},
		{"another scheme", "http://cache", redisx.ErrURLForm},
		{"a socket", "unix:///run/redis.sock", redisx.ErrURLForm},
		{"no host", "redis://:6379", redisx.ErrURLForm},
		{"empty port", "redis://cache:", redisx.ErrURLForm},
		{"port 0", "redis://cache:0", redisx.ErrURLForm},
		{"port too high", "redis://cache:65536", redisx.ErrURLForm},
		{"a fragment", "redis://cache#1", redisx.ErrURLForm},
		{"a bad escape", "redis://:%zz@cache", redisx.ErrURLForm},
		{"an empty part", "redis://a:1,", redisx.ErrURLForm},
		{"too long", "redis://" + strings.Repeat("a", 5000), redisx.ErrURLForm},
		{"a database by name", "redis://cache/main", redisx.ErrURLDatabase},
		{"a negative database", "redis://cache/-1", redisx.ErrURLDatabase},
		{"a deeper path", "redis://cache/0/1", redisx.ErrURLDatabase},
		{"a cluster with a database", "redis://a:1,b:2/1", redisx.ErrURLDatabase},
		{"an unknown parameter", "redis://cache?read_timeout=1h", redisx.ErrURLQuery},
		{"cluster twice", "redis://cache?cluster=true&cluster=true", redisx.ErrURLQuery},
		{"two passwords", "redis://:a@a:1,redis://:b@b:2", redisx.ErrURLMixed},
		{"a password later", "redis://a:1,:b@b:2", redisx.ErrURLMixed},
		{"two schemes", "redis://a:1,rediss://b:2", redisx.ErrURLMixed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := redisx.ParseURL(tc.in)
			if !errors.Is(err, tc.want) {
				t.Errorf("ParseURL = %+v, %v, want %v", got, err, tc.want)
			}
		})
	}
}

func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{"redis://cache", "rediss://u:p@a:1,b", "redis://[::1]:7/3", "redis://c?cluster=true", "redis://%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := redisx.ParseURL(in)
		if err != nil {
			return
		}
		if len(got.Addrs) == 0 || (len(got.Addrs) > 1 && !got.Cluster) || (got.Cluster && got.Database != 0) {
			t.Errorf("ParseURL(%q) = %+v, which cannot be used", in, got)
		}

		for _, addr := range got.Addrs {
			if again, err := redisx.ParseURL("redis://" + addr); err != nil || again.Addrs[0] != addr {
				t.Errorf("address %q of %q does not stand on its own: %v, %v", addr, in, again.Addrs, err)
			}
		}
	})
}
