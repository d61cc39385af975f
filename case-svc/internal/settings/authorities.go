package settings

import (
	"context"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// MaxAuthorities is how many citations a tenant may load.
const MaxAuthorities = 5000

const (
	shortestCitation = 3 // characters
	longestCitation  = 200
)

// checkAuthorities notes which citations cannot be taken. They are kept as given, without blanks at their ends.
func checkAuthorities(list []string, f *validate.List) {
	if len(list) > MaxAuthorities {
		f.Add("authorities", "must be at most "+strconv.Itoa(MaxAuthorities)+" citations")
		return
	}
	seen := make(map[string]bool, len(list))

	for i, citation := range list {
		path := "authorities[" + strconv.Itoa(i) + "]"
		citation = f.Line(path, citation, shortestCitation, longestCitation)
		list[i] = citation
		key := strings.ToLower(citation)

		switch {
		case !strings.ContainsAny(citation, "0123456789"):
			f.Add(path, "must be a citation with its numbers, such as 347 U.S. 483 or 42 U.S.C. § 1983")
		case seen[key]:
			f.Add(path, "is given twice: leave one out")
		}
		seen[key] = true
	}
}

// Authorities returns the citations that a tenant has loaded.
func (d *Service) Authorities(ctx context.Context, tenant string) ([]string, error) {
	s, err := d.Whole(ctx, tenant)
	return s.Authorities, err
}
