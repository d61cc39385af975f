package ferret

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	_ "modernc.org/sqlite" // the database/sql driver that FerretDB uses
)

const extension = ".sqlite"

// Written adds the index that FerretDB's queries by _id can use to a collection: its own is on another expression than
// the one it asks for. Without it everything works, only by reading whole collections.
func (s *Server) Written(database, collection string) {
	from, err := s.file(database)
	if err == nil {
		err = index(from.DB, collection)
	}
	if err != nil {
		s.log.Warn("a collection has no index for reads by _id", "err", err)
	}
}

// indexAll does so for all collections there are, before FerretDB opens their files.
func (s *Server) indexAll() error {
	files, err := filepath.Glob(filepath.Join(s.documents(), "*"+extension))
	if err != nil {
		return fmt.Errorf("list the document files: %w", err)
	}

	for _, file := range files {
		u := url.URL{Scheme: "file", OmitHost: true, Path: file, RawQuery: "_pragma=busy_timeout(10000)&mode=rw"}
		db, err := sql.Open("sqlite", u.String())
		if err != nil {
			return fmt.Errorf("open a document file: %w", err)
		}
		if err := errors.Join(index(db, ""), db.Close()); err != nil {
			return err
		}
	}

	return nil
}

// index adds the index to one collection of a file, or to all when collection is "".
func index(db *sql.DB, collection string) error {
	tables, err := tablesOf(db, collection)
	if err != nil {
		return fmt.Errorf("list the collections of a document file: %w", err)
	}

	for _, table := range tables {
		// The expression must be the very text that FerretDB's queries have, or SQLite does not use the index.
		const create = `CREATE INDEX IF NOT EXISTS %q ON %q (_ferretdb_sjson->'$._id')`
		if _, err := db.Exec(fmt.Sprintf(create, table+"_by_id", table)); err != nil {
			return fmt.Errorf("index a collection: %w", err)
		}
	}

	return nil
}

func tablesOf(db *sql.DB, collection string) ([]string, error) {
	rows, err := db.Query(`SELECT table_name FROM _ferretdb_collections WHERE name = ? OR ? = ''`,
		collection, collection)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var tables []string

	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			return nil, err
		}
		tables = append(tables, table)
	}

	return tables, rows.Err()
}
