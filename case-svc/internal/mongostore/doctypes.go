package mongostore

import (
	"context"
	"slices"

	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// DocTypes tells which types of document a case holds.
type DocTypes struct {
	docs mongox.Documents[struct {
		DocType string `bson:"docType"`
	}]
}

// NewDocTypes returns the store in db.
func NewDocTypes(db *mongo.Database) *DocTypes {
	return &DocTypes{mongox.In[struct {
		DocType string `bson:"docType"`
	}](db, filesCollection)}
}

// DocTypes returns the distinct types of the active files of a case, sorted. A draft made by a phase is no such
// document yet, and a sealed original is none of its own, so neither counts.
func (s *DocTypes) DocTypes(ctx context.Context, tenant string, caseID string) ([]string, error) {
	filter := append(
		fileFilter(tenant, caseID, files.Filter{Status: files.Active, Unsealed: true}),
		mongox.Is("phaseId", bson.D{mongox.Is("$in", bson.A{"", nil})}),
	)
	found, err := s.docs.List(ctx, filter, bson.D{}, 0, bson.D{mongox.Is("docType", 1)})
	if err != nil {
		return nil, err
	}

	var all []string
	for _, d := range found {
		all = append(all, d.DocType)
	}
	slices.Sort(all)

	return slices.Compact(all), nil
}
