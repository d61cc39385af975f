package mongostore

import (
	"context"
	"errors"

	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Contents implements cases.Contents, and removes what deleted cases held.
type Contents struct {
	cases     mongox.Documents[caseDoc]
	files     mongox.Documents[fileDoc]
	phases    mongox.Documents[phaseDoc]
	branches  mongox.Documents[branchDoc]
	timelines mongox.Documents[timelineDoc]
	claims    mongox.Documents[claimDoc]
	entries   mongox.Documents[entryDoc]
	next      mongox.Documents[successionDoc]
	cleared   mongox.Documents[clearanceDoc]
	receipts  mongox.Documents[receiptDoc]
	grants    mongox.Documents[grantDoc]
	tasks     mongox.Documents[taskDoc]
	blobs     *Blobs
	texts     *Texts
}

// NewContents returns the store in db. blobs is where the bytes of its files are.
func NewContents(db *mongo.Database, blobs *Blobs) *Contents {
	return &Contents{
		mongox.In[caseDoc](db, casesCollection), mongox.In[fileDoc](db, filesCollection),
		mongox.In[phaseDoc](db, phasesCollection), mongox.In[branchDoc](db, branchesCollection),
		mongox.In[timelineDoc](db, timelinesCollection), mongox.In[claimDoc](db, claimsCollection),
		mongox.In[entryDoc](db, entriesCollection),
		mongox.In[successionDoc](db, successionsCollection), mongox.In[clearanceDoc](db, clearancesCollection),
		mongox.In[receiptDoc](db, receiptsCollection), mongox.In[grantDoc](db, grantsCollection),
		mongox.In[taskDoc](db, tasksCollection), blobs, NewTexts(db),
	}
}

func held(tenant string, containerID string, more ...bson.E) bson.D {
	return append(bson.D{mongox.Is("tenant", tenant), mongox.Is("containerId", containerID)}, more...)
}

// OpenPhase returns the id of an open phase, or "".
func (s *Contents) OpenPhase(ctx context.Context, tenant string, containerID string) (string, error) {
	d, err := s.phases.Find(ctx, held(tenant, containerID, mongox.Is("open", true)))
	if errors.Is(err, phases.ErrNotFound) {
		return "", nil
	}

	return d.ID, err
}

// Tally counts what the case's own counts are made of. Agents read these counts, so sealed originals are not in them.
func (s *Contents) Tally(ctx context.Context, tenant string, caseID string) (active, done, pending int, err error) {
	shown := fileFilter(tenant, caseID, files.Filter{Status: files.Active, Unsealed: true})
	if active, err = s.files.Count(ctx, shown, 0); err != nil {
		return 0, 0, 0, err
	}
	if done, err = s.phases.Count(ctx, held(tenant, caseID), 0); err != nil {
		return 0, 0, 0, err
	}
	pending, err = s.phases.Count(ctx, held(tenant, caseID, mongox.Is("reviewStatus", phases.ReviewPending)), 0)

	return active, done, pending, err
}
