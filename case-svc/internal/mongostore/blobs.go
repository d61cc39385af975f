package mongostore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Times of transfers. A whole one may be long; a single step of it must not.
const (
	putTime      = time.Minute
	downloadTime = time.Hour
	chunkTime    = 15 * time.Second
	chunkBytes   = 1 << 20
)

// Blobs implements files.Blobs on GridFS.
type Blobs struct{ db *mongo.Database }

// NewBlobs returns the store in db.
func NewBlobs(db *mongo.Database) *Blobs { return &Blobs{db} }

// bucket is made anew for each use, since a bucket of the driver must not be shared by goroutines.
func (s *Blobs) bucket() *mongo.GridFSBucket {
	return s.db.GridFSBucket(options.GridFSBucket().SetChunkSizeBytes(chunkBytes))
}

// Put uploads the bytes. GridFS writes its own record last, so that what it can open is whole.
func (s *Blobs) Put(ctx context.Context, tenant cases.TenantID, fileID string, r io.Reader) error {
	ctx, cancel := context.WithTimeout(ctx, putTime)
	defer cancel()
	owner := options.GridFSUpload().SetMetadata(bson.D{is("tenant", string(tenant))})
	if err := s.bucket().UploadFromStreamWithID(ctx, key(tenant, fileID), fileID, r, owner); err != nil {
		return fmt.Errorf("store bytes: %w", mongox.Unavailable(err))
	}
	return nil
}

// Open opens the bytes.
func (s *Blobs) Open(ctx context.Context, tenant cases.TenantID, fileID string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadTime)
	d := &download{cancel: cancel, slow: time.AfterFunc(chunkTime, cancel)}
	stream, err := s.bucket().OpenDownloadStream(ctx, key(tenant, fileID))
	d.slow.Stop()
	if err != nil {
		cancel()
		if errors.Is(err, mongo.ErrFileNotFound) {
			return nil, files.ErrNotFound
		}
		return nil, d.failed(err)
	}
	d.stream = stream
	return d, nil
}

// download reads a stream step by step, each within its time.
type download struct {
	stream *mongo.GridFSDownloadStream
	slow   *time.Timer
	cancel context.CancelFunc
}

func (d *download) Read(p []byte) (int, error) {
	d.slow.Reset(chunkTime)
	n, err := d.stream.Read(p)
	d.slow.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = d.failed(err)
	}
	return n, err
}

func (d *download) failed(err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("read bytes: %w", errs.ErrUnavailable)
	}
	return fmt.Errorf("read bytes: %w", mongox.Unavailable(err))
}

// Close gives the stream up.
func (d *download) Close() error {
	err := d.stream.Close()
	d.cancel()
	return err
}

// Remove deletes GridFS's record first, so that nobody opens what is going, and then the chunks, also those of an upload that broke off.
func (s *Blobs) Remove(ctx context.Context, tenant cases.TenantID, fileID string) error {
	bucket := s.bucket()
	if _, err := bucket.GetFilesCollection().DeleteOne(ctx, bson.D{is("_id", key(tenant, fileID))}); err != nil {
		return fmt.Errorf("delete bytes: %w", mongox.Unavailable(err))
	}
	if _, err := bucket.GetChunksCollection().DeleteMany(ctx, bson.D{is("files_id", key(tenant, fileID))}); err != nil {
		return fmt.Errorf("delete bytes: %w", mongox.Unavailable(err))
	}
	return nil
}
