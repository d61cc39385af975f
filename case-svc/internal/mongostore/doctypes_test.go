package mongostore_test

import (
	"slices"
	"testing"

	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func TestDocTypesAreThoseOfTheActiveFiles(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		fileStore, caseID := mongostore.NewFileStore(db), newID()
		put := func(tenant, caseID, docType, status, sha string) error {
			f := newFile(tenant, caseID, sha)
			f.DocType, f.Status = docType, status

			return fileStore.Insert(t.Context(), f)
		}
		types := []string{"lease", "complaint", "notice", "complaint"}
		testkit.Race(t, racers, func(i int) error { return put("u:ann", caseID, types[i%4], files.Active, "sha "+newID()) })

		for _, err := range []error{
			put("u:ann", caseID, "deleted", files.Deleted, "d"), put("u:ann", caseID, "superseded", files.Superseded, "s"),
			put("u:eve", caseID, "theirs", files.Active, "a"), put("u:ann", newID(), "elsewhere", files.Active, "a"),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		draft := newFile("u:ann", caseID, "draft")
		draft.DocType, draft.PhaseID = "answer", newID()
		older := newFile("u:ann", caseID, "older") // written before files had an origin

		older.DocType = "nda"
		for _, f := range []files.File{draft, older} {
			if err := fileStore.Insert(t.Context(), f); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := db.Collection("files").UpdateOne(t.Context(), bson.D{{Key: "id", Value: older.ID}}, bson.D{{Key: "$unset", Value: bson.D{{Key: "phaseId", Value: ""}}}}); err != nil {
			t.Fatal(err)
		}
		s := mongostore.NewDocTypes(db)
		if got, err := s.DocTypes(t.Context(), "u:ann", caseID); err != nil || !slices.Equal(got, []string{"complaint", "lease", "nda", "notice"}) {
			t.Errorf("DocTypes = %v, %v, want each type of an active file that is no draft once, sorted", got, err)
		}
		if got, err := s.DocTypes(t.Context(), "u:eve", caseID); err != nil || !slices.Equal(got, []string{"theirs"}) {
			t.Errorf("DocTypes of another tenant = %v, %v", got, err)
		}
		if got, err := s.DocTypes(t.Context(), "u:ann", newID()); err != nil || len(got) != 0 {
			t.Errorf("DocTypes of an empty case = %v, %v", got, err)
		}
	})
}
