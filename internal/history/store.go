package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite" // registers the driver "sqlite"
)

// Store is an open store. It is safe for concurrent use.
type Store struct {
	db       *sql.DB
	d        *dialect
	location string
}

// ErrNoStore is returned by [OpenRead] for an SQLite file that is not there.
var ErrNoStore = errors.New("no price store")

// Open opens the store at url for reading and writing, creating and migrating
// it as needed. url is a path of an SQLite file (optionally "sqlite:path"; its
// folder is created) or a postgres:// URL. In PostgreSQL the tables are in the
// schema gpucost unless the URL has a search_path.
func Open(ctx context.Context, url string) (*Store, error) {
	s, err := open(url, false)
	if err != nil {
		return nil, err
	}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(s.wrap("open", err), s.Close())
	}
	return s, nil
}

// OpenRead opens an existing store for reading only: it creates, migrates and
// changes nothing.
func OpenRead(ctx context.Context, url string) (*Store, error) {
	s, err := open(url, true)
	if err != nil {
		return nil, err
	}
	if err := s.checkVersion(ctx); err != nil {
		return nil, errors.Join(s.wrap("open", err), s.Close())
	}
	return s, nil
}

func open(location string, readOnly bool) (*Store, error) {
	scheme, rest, found := strings.Cut(location, ":")
	switch {
	case found && (scheme == "postgres" || scheme == "postgresql"):
		return openPostgres(location, readOnly)
	case found && scheme == "sqlite":
		return openSQLite(strings.TrimPrefix(rest, "//"), readOnly)
	case strings.Contains(location, "://"):
		return nil, fmt.Errorf("store: unknown kind %q, want a file or postgres://", scheme)
	case location == "":
		return nil, errors.New("store: no file or URL given")
	}
	return openSQLite(location, readOnly)
}

func openSQLite(path string, readOnly bool) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// Prices may be private: the file is the user's alone.
	if readOnly {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %s", ErrNoStore, path)
		}
	} else if err := createPrivate(path); err != nil {
		return nil, err
	}
	pragmas := url.Values{"_pragma": {
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)",
		"temp_store(MEMORY)", "cache_size(-65536)", "journal_size_limit(67108864)",
	}}
	if readOnly {
		pragmas = url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)", "query_only(ON)", "temp_store(MEMORY)"}}
	}
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: pragmas.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(8)
	return &Store{db, sqliteDialect, path}, nil
}

func createPrivate(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func openPostgres(location string, readOnly bool) (*Store, error) {
	config, err := pgx.ParseConfig(location)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if config.RuntimeParams["search_path"] == "" {
		config.RuntimeParams["search_path"] = defaultSchema
	}
	if readOnly {
		config.RuntimeParams["default_transaction_read_only"] = "on"
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "gpucost"
	}
	db := sql.OpenDB(pgConnector{config})
	db.SetMaxOpenConns(8)
	return &Store{db, postgresDialect, fmt.Sprintf("postgres://%s:%d/%s", config.Host, config.Port, config.Database)}, nil
}

// Close releases the store. It is safe to call more than once.
func (s *Store) Close() error { return s.db.Close() }

// Location says where the store is, without user name and password.
func (s *Store) Location() string { return s.location }

func (s *Store) wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("price store %s: %s: %w", s.location, doing, err)
}
