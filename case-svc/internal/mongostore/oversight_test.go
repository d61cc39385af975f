package mongostore_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

func TestDeclaredIndexesServeOversight(t *testing.T) {
	t.Parallel()
	stores.CheckQueries(
		t,
		mongostore.Schema(),
		stores.Query{Name: "cases of a status", Collection: "cases", Equal: []string{"tenant", "deleted", "status"}},
		stores.Query{
			Name:       "deleted cases",
			Collection: "cases",
			Equal:      []string{"tenant"},
			Range:      []string{"purgeAt"},
			Residual:   []string{"deleted"},
		},
		stores.Query{
			Name:       "held cases",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted", "retention.legalHold"},
		},
		stores.Query{
			Name:       "due in a tenant",
			Collection: "cases",
			Equal:      []string{"tenant"},
			Sort:       []string{"purgeAt"},
			Range:      []string{"purgeAt"},
		},
		stores.Query{
			Name:       "files and their sizes",
			Collection: "files",
			Equal:      []string{"tenant", "status"},
			Sort:       []string{"-sizeBytes"},
		},
		stores.Query{
			Name:       "phases of a type and outcome",
			Collection: "phases",
			Equal:      []string{"tenant", "requestType", "status"},
			Range:      []string{"createdAt"},
		},
		stores.Query{
			Name:       "waiting in a tenant",
			Collection: "phases",
			Equal:      []string{"tenant", "reviewStatus"},
			Sort:       []string{"since", "id"},
			Range:      []string{"since"},
		},
		stores.Query{
			Name:       "previews that are over",
			Collection: "previews",
			Sort:       []string{"expiresAt"},
			Range:      []string{"expiresAt"},
		},
	)
}
