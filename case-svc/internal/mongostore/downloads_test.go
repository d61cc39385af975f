package mongostore_test

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// A reader that leaves in the middle of a file leaves nothing open at the store.
func TestAReaderThatLeavesGivesItsPlaceAtTheStoreBack(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var sent []string
	client, err := mongo.Connect(options.Client().ApplyURI(stores.MongoURI(t)).SetMonitor(&event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStartedEvent) {
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, e.CommandName)
		},
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	blobs := mongostore.NewBlobs(client.Database(stores.MongoName(t)), time.Minute)
	content := strings.NewReader(strings.Repeat("a page of a file\n", 150_000))
	if err := blobs.Put(t.Context(), "o:firm", "file", files.Served, content); err != nil {
		t.Fatal(err)
	}
	ctx, leaves := context.WithCancel(t.Context())
	reading, err := blobs.Open(ctx, "o:firm", "file", files.Served)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(reading, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}

	leaves()
	if err := reading.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Contains(sent, "killCursors") {
		t.Errorf("the store was asked for %v", sent)
	}
}
