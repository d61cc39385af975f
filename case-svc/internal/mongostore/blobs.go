package mongostore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Bounds of transfers.
const (
	transferTime = time.Hour // of a whole one, behind a slow reader
	chunkBytes   = 1 << 20
	clearTime    = 10 * time.Second // to take away what broke off

	sparedBuffers = 8 // that were used for writing and are kept for the next: as many as are checked at once
)

// The collections of GridFS.
const (
	blobsCollection  = "fs.files"
	piecesCollection = "fs.chunks"
)

// Blobs implements files.Blobs on GridFS. A whole transfer may be long, but a single step of it must not: that is what
// tells a large file from a store that went away. It writes the documents of GridFS itself: the driver's writer takes
// 17 MiB for each file, however small the file is.
type Blobs struct {
	db      *mongo.Database
	step    time.Duration
	buffers chan []byte // of chunkBytes, that nobody uses
}

// NewBlobs returns the store in db. step is the time for one step of a transfer, a piece of 1 MiB.
func NewBlobs(db *mongo.Database, step time.Duration) *Blobs {
	return &Blobs{db: db, step: step, buffers: make(chan []byte, sparedBuffers)}
}

// buffer returns a buffer for one piece, which done takes back.
func (s *Blobs) buffer() (b []byte, done func()) {
	select {
	// A piece is 1 MiB. Without reuse a busy hour of uploads would fill the memory with garbage.
	case b = <-s.buffers:
	default:
		b = make([]byte, chunkBytes)
	}

	return b, func() {
		select {
		case s.buffers <- b:
		default:
		}
	}
}

// Put uploads the bytes. The record comes last, so that what can be opened is whole.
func (s *Blobs) Put(ctx context.Context, tenant string, fileID string, slot files.Slot, r io.Reader) error {
	ctx, cancel := context.WithTimeout(ctx, transferTime)
	defer cancel()

	in := &watched{r: r, slow: time.AfterFunc(s.step, cancel), step: s.step}
	defer in.slow.Stop()
	key := slotKey(tenant, fileID, slot)

	length, err := s.putPieces(ctx, key, in)
	if err != nil {
		return errors.Join(transferFailed("store", err), s.dropPieces(ctx, key))
	}
	// The timer was running for the last reading; the record gets a full step of its own.
	in.slow.Reset(s.step)
	_, err = s.db.Collection(blobsCollection).InsertOne(ctx, bson.D{
		mongox.Is("_id", key), mongox.Is("length", length), mongox.Is("chunkSize", int32(chunkBytes)),
		//nolint:forbidigo // as GridFS has it; nobody reads it
		mongox.Is("uploadDate", bson.NewDateTimeFromTime(time.Now())),
		mongox.Is("filename", fileID), mongox.Is("metadata", bson.D{mongox.Is("tenant", tenant)}),
	})
	if err != nil { // whether the record is stored is not known, and Remove sees to both
		return transferFailed("store", err)
	}

	return nil
}

// putPieces stores what r has, piece by piece, and returns its length.
func (s *Blobs) putPieces(ctx context.Context, key string, r io.Reader) (length int64, err error) {
	buffer, done := s.buffer()
	defer done()

	for n := int32(0); ; n++ {
		size, ended, failed := fill(r, buffer)
		if failed != nil {
			return 0, failed
		}
		// A file whose length is a multiple of the piece has no empty piece at its end: readers take that for damage.
		if size > 0 {
			_, err := s.db.Collection(piecesCollection).InsertOne(ctx, bson.D{
				mongox.Is("_id", bson.NewObjectID()), mongox.Is("files_id", key), mongox.Is("n", n),
				mongox.Is("data", bson.Binary{Data: buffer[:size]}),
			})
			if err != nil {
				return 0, err
			}
		}
		if length += int64(size); ended {
			return length, nil
		}
	}
}

// fill reads until p is full or r has ended. Unlike io.ReadFull it tells an end from a source that breaks off with
// io.ErrUnexpectedEOF.
func fill(r io.Reader, p []byte) (n int, ended bool, err error) {
	for n < len(p) {
		more, err := r.Read(p[n:])
		n += more
		if errors.Is(err, io.EOF) {
			return n, true, nil
		}
		if err != nil {
			return n, false, err
		}
	}

	return n, false, nil
}

// dropPieces takes away the pieces of a file that has no record.
func (s *Blobs) dropPieces(ctx context.Context, key string) error {
	// The transfer may have failed because its context ended, and its pieces still have to go.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(s.step, clearTime))
	defer cancel()
	_, err := s.db.Collection(piecesCollection).DeleteMany(ctx, bson.D{mongox.Is("files_id", key)})

	return err
}

// watched gives the step that follows each reading its time.
type watched struct {
	r    io.Reader
	slow *time.Timer
	step time.Duration
}

func (w *watched) Read(p []byte) (int, error) {
	w.slow.Reset(w.step)
	return w.r.Read(p)
}

// transferFailed tells that a step took too long as that the store is away.
func transferFailed(doing string, err error) error {
	// The timer of a step cancels the context, so a slow store looks like a caller who left.
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s bytes: %w", doing, errs.ErrUnavailable)
	}

	return fmt.Errorf("%s bytes: %w", doing, mongox.Unavailable(err))
}

// stored is what GridFS has on record of a file.
type stored struct {
	Length int64 `bson:"length"`
}

// piece is a part of a file, as GridFS stores it.
type piece struct {
	Number int32       `bson:"n"`
	Data   bson.Binary `bson:"data"`
}

// piecesAtOnce is how many pieces a reading has in memory at most. The driver's own reader takes as much as one answer
// of the store holds, which is 16 MiB for as long as a slow reader lasts.
const piecesAtOnce = 2

// Open opens the bytes.
func (s *Blobs) Open(ctx context.Context, tenant string, fileID string, slot files.Slot) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, transferTime)
	d := &download{ctx: ctx, cancel: cancel, slow: time.AfterFunc(s.step, cancel), step: s.step}
	err := d.open(s.db, slotKey(tenant, fileID, slot))
	d.slow.Stop()
	if errors.Is(err, mongo.ErrNoDocuments) {
		cancel()
		return nil, files.ErrNotFound
	}
	if err != nil {
		cancel()
		return nil, transferFailed("read", err)
	}

	return d, nil
}

// download reads a file piece by piece, each step within its time. The time between steps belongs to who reads.
type download struct {
	ctx    context.Context //nolint:containedctx // of the whole reading, as a cursor has it
	cancel context.CancelFunc
	slow   *time.Timer
	step   time.Duration

	pieces *mongo.Cursor
	next   int32  // number of the next piece
	rest   []byte // of the piece that was read last
	left   int64  // bytes of the file that come after rest
}

func (d *download) open(db *mongo.Database, key string) error {
	var file stored
	if err := db.Collection(blobsCollection).FindOne(d.ctx, bson.D{mongox.Is("_id", key)}).Decode(&file); err != nil {
		return err
	}
	d.left = file.Length
	pieces, err := db.Collection(piecesCollection).Find(
		d.ctx,
		bson.D{mongox.Is("files_id", key)},
		options.Find().SetSort(bson.D{{Key: "n", Value: 1}}).SetBatchSize(piecesAtOnce),
	)
	d.pieces = pieces

	return err
}

func (d *download) Read(p []byte) (int, error) {
	if len(d.rest) == 0 && d.left == 0 {
		return 0, io.EOF
	}
	if len(d.rest) == 0 {
		d.slow.Reset(d.step)
		err := d.advance()
		d.slow.Stop()
		if err != nil {
			return 0, transferFailed("read", err)
		}
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]

	return n, nil
}

var errPieces = errors.New("the stored pieces of a file are not what its record says")

// advance reads the next piece.
func (d *download) advance() error {
	if !d.pieces.Next(d.ctx) {
		if err := d.pieces.Err(); err != nil {
			return err
		}

		return errPieces
	}
	var next piece
	if err := d.pieces.Decode(&next); err != nil {
		return err
	}
	size := int64(len(next.Data.Data))
	// A gap, an empty piece or one too many would be handed out as a file that never was.
	if next.Number != d.next || size == 0 || size > d.left {
		return errPieces
	}
	d.rest, d.left = next.Data.Data, d.left-size
	d.next++

	return nil
}

// Close gives the reading up. The store is told even when the reader has left, or it keeps its place for minutes.
func (d *download) Close() error {
	last, cancel := context.WithTimeout(context.WithoutCancel(d.ctx), d.step)
	defer cancel()
	err := d.pieces.Close(last)
	d.cancel()

	return err
}

// Clear empties one slot.
func (s *Blobs) Clear(ctx context.Context, tenant string, fileID string, slot files.Slot) error {
	return s.remove(ctx, slotKey(tenant, fileID, slot))
}

// Remove empties all slots.
func (s *Blobs) Remove(ctx context.Context, tenant string, fileID string) error {
	return s.remove(
		ctx,
		slotKey(tenant, fileID, files.Served),
		slotKey(tenant, fileID, files.AsWord),
		slotKey(tenant, fileID, files.AsSent),
	)
}

// remove deletes GridFS's records first, so that nobody opens what is going, and then the chunks, also those of an
// upload that broke off.
func (s *Blobs) remove(ctx context.Context, keys ...string) error {
	var these any = bson.D{mongox.Is("$in", keys)}
	if len(keys) == 1 {
		these = keys[0] // which every store finds without looking through all
	}
	if _, err := s.db.Collection(blobsCollection).DeleteMany(ctx, bson.D{mongox.Is("_id", these)}); err != nil {
		return fmt.Errorf("delete bytes: %w", mongox.Unavailable(err))
	}
	if _, err := s.db.Collection(piecesCollection).DeleteMany(ctx, bson.D{mongox.Is("files_id", these)}); err != nil {
		return fmt.Errorf("delete bytes: %w", mongox.Unavailable(err))
	}

	return nil
}

// slotKey is the _id of the bytes in a slot. What is served lies under the id of the file itself.
func slotKey(tenant, fileID string, slot files.Slot) string {
	if slot == files.Served {
		return mongox.Key(tenant, fileID)
	}

	return mongox.Key(tenant, fileID, string(slot))
}
