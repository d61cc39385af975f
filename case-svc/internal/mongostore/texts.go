package mongostore

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// textPiece is the most that one document holds of a text, in bytes: far enough from 16 MiB to leave room for its
// passages.
const textPiece = 8 << 20

type textDoc struct {
	Key        string       `bson:"_id"` // tenant/file/version, and of further pieces /number
	Tenant     string       `bson:"tenant"`
	FileID     string       `bson:"fileId"`
	CaseID     string       `bson:"caseId"`
	Version    int          `bson:"textVersion"`
	Pieces     int          `bson:"pieces"` // of the whole text; 0 in a further piece
	Body       string       `bson:"body"`
	PageStarts []int        `bson:"pageStarts"`
	Passages   []passageDoc `bson:"passages"`
}

type passageDoc struct {
	Start     int `bson:"start"`
	End       int `bson:"end"`
	Page      int `bson:"page"`
	Paragraph int `bson:"paragraph"`
}

// Texts implements files.Texts.
type Texts struct{ docs mongox.Documents[textDoc] }

// NewTexts returns the store in db.
func NewTexts(db *mongo.Database) *Texts { return &Texts{mongox.In[textDoc](db, textsCollection)} }

// pieces cuts a text between characters.
func pieces(text string, most int) []string {
	var all []string

	for len(text) > most {
		cut := most
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		all, text = append(all, text[:cut]), text[cut:]
	}

	return append(all, text)
}

// Put stores a text, its first piece last, so that what can be found is whole.
func (s *Texts) Put(ctx context.Context, t files.Text) error {
	all := pieces(t.Body, textPiece)

	version := strconv.Itoa(t.Version)
	for n := len(all) - 1; n >= 0; n-- {
		d := textDoc{
			Key:     mongox.Key(t.Tenant, t.FileID, version),
			Tenant:  t.Tenant,
			FileID:  t.FileID,
			CaseID:  t.CaseID,
			Version: t.Version,
			Body:    all[n],
		}
		if n > 0 {
			d.Key += "/" + strconv.Itoa(n)
		} else {
			d.Pieces, d.PageStarts = len(all), t.PageStarts
			d.Passages = mongox.Each(t.Passages, func(p files.Passage) passageDoc { return passageDoc(p) })
		}
		// A text never changes under its version, so a piece that is there is the same one.
		if err := s.docs.Insert(ctx, d); err != nil && !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	return nil
}

// Get returns a whole text.
func (s *Texts) Get(ctx context.Context, tenant string, fileID string, version int) (files.Text, error) {
	v := strconv.Itoa(version)
	first, err := s.docs.Find(ctx, mongox.One(tenant, fileID, v))
	if err != nil {
		return files.Text{}, err
	}

	return s.whole(ctx, first)
}

// Among returns those of the texts that are there, in no order.
func (s *Texts) Among(ctx context.Context, tenant string, names []files.TextName) ([]files.Text, error) {
	docs, err := s.docs.List(ctx, mongox.AnyOf(tenant, mongox.Each(names, func(n files.TextName) string {
		return n.FileID + "/" + strconv.Itoa(n.Version)
	})), nil, 0, nil)
	if err != nil {
		return nil, err
	}

	all := make([]files.Text, len(docs))
	for i, d := range docs {
		if all[i], err = s.whole(ctx, d); err != nil {
			return nil, err
		}
	}

	return all, nil
}

// whole returns the text whose first piece is known.
func (s *Texts) whole(ctx context.Context, first textDoc) (files.Text, error) {
	t := files.Text{
		FileID: first.FileID, Tenant: first.Tenant, CaseID: first.CaseID, Version: first.Version,
		Body: first.Body, PageStarts: first.PageStarts,
		Passages: mongox.Each(first.Passages, func(p passageDoc) files.Passage { return files.Passage(p) }),
	}
	if first.Pieces < 2 {
		return t, nil
	}
	var body strings.Builder
	body.WriteString(first.Body)

	for n := 1; n < first.Pieces; n++ {
		d, err := s.docs.Find(ctx, mongox.One(first.Tenant, first.FileID, strconv.Itoa(first.Version), strconv.Itoa(n)))
		if err != nil {
			return files.Text{}, err
		}
		body.WriteString(d.Body)
	}
	t.Body = body.String()

	return t, nil
}

// maxPieces is more than the largest text has.
const maxPieces = 6

// Remove deletes a text with all its pieces, also those of a Put that broke off before the first.
func (s *Texts) Remove(ctx context.Context, tenant string, fileID string, version int) error {
	v := strconv.Itoa(version)
	first, err := s.docs.Find(ctx, mongox.One(tenant, fileID, v))
	if errors.Is(err, files.ErrNotFound) {
		first.Pieces, err = maxPieces, nil
	}

	// The first piece goes last: it says how many there are.
	for n := first.Pieces - 1; n > 0 && err == nil; n-- {
		err = s.docs.Remove(ctx, mongox.One(tenant, fileID, v, strconv.Itoa(n)))
	}
	if err != nil {
		return err
	}

	return s.docs.Remove(ctx, mongox.One(tenant, fileID, v))
}
