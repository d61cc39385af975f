package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type receiptDoc struct {
	Key      string       `bson:"_id"` // tenant/file
	Tenant   string       `bson:"tenant"`
	CaseID   string       `bson:"caseId"`
	FileID   string       `bson:"fileId"`
	At       time.Time    `bson:"at"`
	Sent     formDoc      `bson:"sent"`
	Content  *formDoc     `bson:"content,omitempty"`
	Renderer string       `bson:"renderer,omitempty"`
	Word     *formDoc     `bson:"word,omitempty"`
	Dropped  []droppedDoc `bson:"dropped,omitempty"`
	Unread   *unreadDoc   `bson:"unread,omitempty"`
	Numbers  []byte       `bson:"numbers,omitempty"`
}

func toReceiptDoc(r files.Receipt) receiptDoc {
	d := receiptDoc{
		Key: mongox.Key(r.Tenant, r.FileID), Tenant: r.Tenant, CaseID: r.CaseID, FileID: r.FileID, At: r.At,
		Sent: formDoc(r.Sent),
	}
	if r.Content.Renderer == "" {
		return d
	}
	d.Content, d.Renderer = toFormDoc(r.Content.Form), r.Content.Renderer
	d.Dropped, d.Unread, d.Numbers = toDroppedDocs(r.Dropped), toUnreadDoc(r.Unread), r.Numbers
	if r.Content.Word != (files.Form{}) {
		d.Word = toFormDoc(r.Content.Word)
	}

	return d
}

func (d receiptDoc) toReceipt() files.Receipt {
	r := files.Receipt{
		Tenant: d.Tenant, CaseID: d.CaseID, FileID: d.FileID, At: d.At.UTC(), Sent: files.Form(d.Sent),
		Dropped: fromDroppedDocs(d.Dropped), Unread: d.Unread.toUnread(), Numbers: d.Numbers,
	}
	if d.Content != nil {
		r.Content = files.Content{Form: files.Form(*d.Content), Renderer: d.Renderer}
	}
	if d.Word != nil {
		r.Content.Word = files.Form(*d.Word)
	}

	return r
}

// Receipts implements files.Receipts.
type Receipts struct {
	docs  mongox.Documents[receiptDoc]
	files mongox.Documents[fileDoc]
}

// NewReceipts returns the store in db.
func NewReceipts(db *mongo.Database) *Receipts {
	return &Receipts{mongox.In[receiptDoc](db, receiptsCollection), mongox.In[fileDoc](db, filesCollection)}
}

// Put replaces the receipt of a file, or inserts the first one.
func (s *Receipts) Put(ctx context.Context, r files.Receipt) error {
	d := toReceiptDoc(r)

	for range tries {
		err := s.docs.Insert(ctx, d)
		if !errors.Is(err, errs.ErrTaken) {
			return err
		}
		err = s.docs.Replace(ctx, mongox.One(r.Tenant, r.FileID), d)
		if !errors.Is(err, errs.ErrTaken) { // else it was removed meanwhile
			return err
		}
	}

	return errs.ErrTaken
}

// Get returns the receipt of a file.
func (s *Receipts) Get(ctx context.Context, tenant, fileID string) (files.Receipt, error) {
	d, err := s.docs.Find(ctx, mongox.One(tenant, fileID))
	if err != nil {
		return files.Receipt{}, err
	}

	return d.toReceipt(), nil
}

// Remove deletes the receipt of a file.
func (s *Receipts) Remove(ctx context.Context, tenant, fileID string) error {
	return s.docs.Remove(ctx, mongox.One(tenant, fileID))
}

// Stray reads a page of receipts in the order of their keys, and the files of all of them at once.
func (s *Receipts) Stray(ctx context.Context, after string, most int) (stray []files.Receipt, next string, err error) {
	behind := bson.D{mongox.Is("_id", bson.D{mongox.Is("$gt", after)})}
	page, err := s.docs.List(ctx, behind, bson.D{mongox.Is("_id", 1)}, most, nil)
	if err != nil || len(page) == 0 {
		return nil, "", err
	}

	keys := make([]string, len(page))
	for i, d := range page {
		keys[i] = d.Key
	}
	these := bson.D{mongox.Is("_id", bson.D{mongox.Is("$in", keys)})}
	held, err := s.files.List(ctx, these, bson.D{}, 0, bson.D{mongox.Is("original", 1)})
	if err != nil {
		return nil, "", err
	}

	told := map[string]bool{}
	for _, f := range held {
		told[f.Key] = f.Original != nil
	}

	for _, d := range page {
		if !told[d.Key] {
			stray = append(stray, d.toReceipt())
		}
	}
	if len(page) == most {
		next = keys[len(keys)-1]
	}

	return stray, next, nil
}
