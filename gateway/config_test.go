package gateway_test

import (
	"slices"
	"testing"

	"github.com/subrosa-legal/subrosa/gateway"
)

// A prefix that nobody can match is a mistake: callers by IPv4 are compared as such.
func TestPrefixesOfCallers(t *testing.T) {
	for _, tc := range []struct {
		prefix string
		usable bool
	}{
		{"10.0.0.0/8", true}, {"127.0.0.1/32", true}, {"2001:db8::/32", true}, {"::ffff:10.0.0.0/104", false}, {"10.0.0.0", false}, {"banana", false}, {"", false},
	} {
		problems := gateway.Config{TrustedProxies: []string{tc.prefix}, TrustedTraces: []string{tc.prefix}}.Problems()
		for _, name := range []string{"GATEWAY_TRUSTED_PROXIES", "GATEWAY_TRUSTED_TRACES"} {
			if told := slices.Contains(problems, name+" must be prefixes such as 10.0.0.0/8"); told == tc.usable {
				t.Errorf("%s=%q: refused %t, want %t", name, tc.prefix, told, !tc.usable)
			}
		}
	}
}
