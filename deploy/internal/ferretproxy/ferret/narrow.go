package ferret

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/subrosa-legal/subrosa/deploy/internal/ferretproxy"
)

// files are the document files that are open for Narrow, by database.
type files struct {
	mu   sync.Mutex
	open map[string]*file

	copying sync.Mutex // one writes copies at a time: SQLite lets others wait by sleeping
}

// file is an open document file. What is known of it is forgotten with it, so nothing that was read before the
// collections of its database changed is taken for true afterwards.
type file struct {
	*sql.DB

	mu      sync.Mutex
	tables  map[string]string // by collection
	whole   map[string]int    // by table: how many more queries read it whole
	indexed map[string]bool   // by name of an index that was made
	indexes map[string]int    // how many, by table
}

// of returns the open file of a database.
func (f *files) of(database, path string) (*file, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if opened := f.open[database]; opened != nil {
		return opened, nil
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("open a document file: %w", err)
	}

	query := "_pragma=busy_timeout(10000)&mode=rw"
	if database == ferretproxy.Aside {
		// Copies are worth nothing after a crash, so the disk is not waited for. What is removed is overwritten.
		query += "&_pragma=synchronous(off)&_pragma=secure_delete(on)"
	}
	u := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: query}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, fmt.Errorf("open a document file: %w", err)
	}
	if f.open == nil {
		f.open = map[string]*file{}
	}
	f.open[database] = &file{
		DB:      db,
		tables:  map[string]string{},
		whole:   map[string]int{},
		indexed: map[string]bool{},
		indexes: map[string]int{},
	}

	return f.open[database], nil
}

func (f *files) drop(database string) error {
	f.mu.Lock()
	dropped := f.open[database]
	delete(f.open, database)
	f.mu.Unlock()
	if dropped == nil {
		return nil
	}

	return dropped.Close()
}

func (f *files) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []error

	for _, one := range f.open {
		all = append(all, one.Close())
	}
	clear(f.open)

	return errors.Join(all...)
}

func (s *Server) file(database string) (*file, error) {
	return s.files.of(database, filepath.Join(s.documents(), database+extension))
}

// Reshaped closes the file of a database, and forgets what indexes it has.
func (s *Server) Reshaped(database string) {
	if err := s.files.drop(database); err != nil {
		s.log.Warn("a document file was not closed", "err", err)
	}
}

// removeAside removes copies that an end of the process left.
func (s *Server) removeAside() error {
	left, err := filepath.Glob(filepath.Join(s.documents(), ferretproxy.Aside+extension+"*"))
	if err != nil {
		return fmt.Errorf("list the copies of documents: %w", err)
	}

	for _, file := range left {
		if err := os.Remove(file); err != nil {
			return fmt.Errorf("remove the copies of documents: %w", err)
		}
	}

	return nil
}

// NarrowAlways has Narrow copy documents of few as well, which takes longer, so that tests of few show what it would do
// with many. It is for a Server that nobody uses yet.
func (s *Server) NarrowAlways() { s.always = true }

// Narrow copies the documents as they lie in the file, without unpacking them.
func (s *Server) Narrow(
	database, collection string, all []ferretproxy.Condition, into string, most int,
) (int, error) {
	from, err := s.file(database)
	if errors.Is(err, fs.ErrNotExist) {
		// Nothing was written yet, so there is no file; FerretDB answers.
		return -1, nil
	}
	if err != nil {
		return 0, err
	}
	table, err := from.table(collection)
	if err != nil {
		return 0, fmt.Errorf("find a collection: %w", err)
	}
	if table == "" {
		return 0, nil
	}
	if !s.always && from.readsWhole(table) {
		return -1, nil
	}
	if err := from.indexFor(table, all); err != nil {
		s.log.Warn("a collection has no index for a query", "err", err)
	}
	// One more than allowed tells that there are too many.
	docs, err := candidates(from, table, all, most+1)
	if err != nil {
		return 0, err
	}
	if len(docs) > most {
		return -1, nil
	}
	if len(docs) == 0 {
		return 0, nil
	}

	aside, err := s.file(ferretproxy.Aside)
	if err != nil {
		return 0, err
	}

	return len(docs), s.files.fill(aside, into, docs)
}

// Clear empties a collection of copies.
func (s *Server) Clear(into string) {
	aside, err := s.file(ferretproxy.Aside)
	if err == nil {
		err = s.files.fill(aside, into, nil)
	}
	if err != nil {
		s.log.Warn("copies of documents were not removed", "err", err)
	}
}

// table returns the table of a collection, "" where there is none yet.
func (f *file) table(collection string) (string, error) {
	f.mu.Lock()
	table := f.tables[collection]
	f.mu.Unlock()
	if table != "" {
		return table, nil
	}

	tables, err := tablesOf(f.DB, collection)
	if err != nil || len(tables) != 1 {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tables[collection] = tables[0]

	return tables[0], nil
}

const (
	// fewDocuments are unpacked by FerretDB sooner than some of them are copied aside.
	fewDocuments = 8
	// countedAgain is after how many queries a table of few documents is counted anew: it may have grown.
	countedAgain = 16
)

// readsWhole reports whether a table has so few documents that all of them are read. One that cannot be counted has
// many.
func (f *file) readsWhole(table string) bool {
	f.mu.Lock()
	left := f.whole[table]
	f.whole[table] = max(left-1, 0)
	f.mu.Unlock()
	if left > 0 {
		return true
	}

	var n int
	count := fmt.Sprintf(
		`SELECT count(*) FROM (SELECT 1 FROM %q LIMIT %d)`, table, fewDocuments+1,
	)
	if err := f.QueryRowContext(context.Background(), count).Scan(&n); err != nil || n > fewDocuments {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.whole[table] = countedAgain

	return true
}

// candidates returns the documents that may meet all conditions, in the order in which FerretDB reads them.
func candidates(from *file, table string, all []ferretproxy.Condition, most int) ([]string, error) {
	parts, values := make([]string, len(all)), []any{}

	for i, c := range all {
		part, asked := clause(c)
		parts[i], values = part, append(values, asked...)
	}
	query := fmt.Sprintf(
		`SELECT _ferretdb_sjson FROM %q WHERE %s ORDER BY rowid LIMIT %d`, table, strings.Join(parts, " AND "), most,
	)
	rows, err := from.Query(query, values...)
	if err != nil {
		return nil, fmt.Errorf("look for documents: %w", err)
	}

	defer func() { _ = rows.Close() }()
	var docs []string

	for rows.Next() {
		var doc string
		if err := rows.Scan(&doc); err != nil {
			return nil, fmt.Errorf("look for documents: %w", err)
		}
		docs = append(docs, doc)
	}

	return docs, rows.Err()
}

// clause is a condition in the words of SQLite. FerretDB compares what has another type than the value, so nothing is
// left out for it: in SQLite text is larger than any number, and what holds others is nested.
func clause(c ferretproxy.Condition) (text string, values []any) {
	value := top(c.Field)
	if c.Op != "=" {
		return fmt.Sprintf(`(%s %s ? OR %s = %s)`, value, c.Op, value, nested), c.Values
	}

	return fmt.Sprintf(`%s IN (%s%s)`, value, strings.Repeat("?, ", len(c.Values)), nested), c.Values
}

// nested stands for a value that is an array or a document, which meets a condition by what is in it.
const nested = `X''`

// top is the expression of a field's value. Indexes are on the very same text.
func top(field string) string {
	return fmt.Sprintf(
		`(CASE WHEN json_type(_ferretdb_sjson, '$.%[1]s') IN ('array', 'object') THEN %[2]s `+
			`ELSE _ferretdb_sjson->>'$.%[1]s' END)`, field, nested,
	)
}

// mostIndexes bounds the indexes of a collection that are made for queries.
const mostIndexes = 6

// indexFor makes an index of a table for the fields of which a query names values, unless it has it, or enough. They
// are given once per way to ask, which is few.
func (f *file) indexFor(table string, all []ferretproxy.Condition) error {
	var fields []string

	for _, c := range all {
		if c.Op == "=" && !slices.Contains(fields, c.Field) {
			fields = append(fields, c.Field)
		}
	}
	// The order of a filter is chance, and the index is the same.
	slices.Sort(fields)
	name := table + "_of_" + strings.Join(fields, "_")

	f.mu.Lock()
	enough := len(fields) == 0 || f.indexed[name] || f.indexes[table] >= mostIndexes
	if !enough {
		f.indexed[name] = true
		f.indexes[table]++
	}
	f.mu.Unlock()
	if enough {
		return nil
	}

	for i := range fields {
		fields[i] = top(fields[i])
	}
	_, err := f.Exec(fmt.Sprintf(`CREATE INDEX IF NOT EXISTS %q ON %q (%s)`, name, table, strings.Join(fields, ", ")))
	if err != nil {
		return fmt.Errorf("index a collection: %w", err)
	}

	return nil
}

// fill replaces what is in a collection of copies.
func (f *files) fill(aside *file, into string, docs []string) error {
	f.copying.Lock()
	defer f.copying.Unlock()

	table, err := aside.table(into)
	if err != nil || table == "" {
		return errors.Join(err, errors.New("find the collection of copies"))
	}
	ctx := context.Background()
	change, err := aside.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("copy documents: %w", err)
	}

	// After a commit this does nothing.
	defer func() { _ = change.Rollback() }()

	_, err = change.ExecContext(ctx, fmt.Sprintf(`DELETE FROM %q`, table))
	for i := 0; i < len(docs) && err == nil; i++ {
		_, err = change.ExecContext(ctx, fmt.Sprintf(`INSERT INTO %q (_ferretdb_sjson) VALUES (?)`, table), docs[i])
	}
	if err == nil {
		err = change.Commit()
	}
	if err != nil {
		return fmt.Errorf("copy documents: %w", err)
	}

	return nil
}
