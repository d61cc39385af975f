package mongostore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/party-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/party-svc/internal/partners"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// BenchmarkSearch searches 20,000 public entries in the snapshot, and as it would be if each search loaded them.
func BenchmarkSearch(b *testing.B) {
	db, err := mongox.Open(
		b.Context(),
		mongox.Config{URI: stores.MongoURI(b), Database: stores.MongoName(b), Timeout: time.Minute},
	)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close(b.Context()) }()
	s := mongostore.NewPartners(db.Database())

	for i := range 20_000 {
		p := partners.Partner{
			ID: newID(), Tenant: partners.Public, Version: 1, DisplayName: fmt.Sprintf("Quill %d of Inkwell", i), Kind: "lawyer",
			Licences:      []partners.Licence{{Jurisdiction: []string{"US-CA", "US-NY", "US-TX", "DE-BE"}[i%4], Body: "Bar", Kind: "attorney", Status: partners.ActiveLicence}},
			PracticeAreas: []partners.Area{{Scheme: "LIST", Code: []string{"HO-02-00-00-00", "BU-00-00-00-00"}[i%2], Label: "An area"}}, Languages: []string{"en", "es-MX"},
			Jurisdictions: []string{"US"}, AcceptsTiers: []int{1, 2, 3}, Availability: partners.Open, FeeModels: []string{"hourly"}, UpdatedAt: noon,
		}
		if err := s.Put(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
	kept := partners.NewCatalog(s, time.Now)
	if _, err := kept.Search(b.Context(), firm, partners.Query{Limit: 1}); err != nil { // reads the snapshot
		b.Fatal(err)
	}

	for name, f := range map[string]partners.Filter{
		"everything": {}, "narrow": {Jurisdiction: "US-CA", PracticeKey: "HO", Language: "es", Tier: 2}, "words": {Words: []string{"inkwell", "777"}},
	} {
		for how, catalog := range map[string]func() *partners.Catalog{
			"snapshot": func() *partners.Catalog { return kept },
			"loading":  func() *partners.Catalog { return partners.NewCatalog(s, time.Now) },
		} {
			b.Run(name+"/"+how, func(b *testing.B) {
				for b.Loop() {
					if r, err := catalog().Search(b.Context(), firm, partners.Query{Filter: f, Limit: 25}); err != nil || len(r.Page) == 0 {
						b.Fatalf("%d found, %v", len(r.Page), err)
					}
				}
			})
		}
	}
}
