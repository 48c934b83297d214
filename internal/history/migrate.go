package history

import (
	"context"
	"errors"
	"fmt"
)

// ErrVersion is returned for a store that this program cannot use as it is.
var ErrVersion = errors.New("the store has another version")

// migrations are the steps from an empty database, oldest first. A step is
// never changed once it is released; version n is reached after n steps.
var migrations = []func(*dialect) []string{createTables, createInterruption}

// migrate brings the store to the newest version. It is one transaction under
// the write lock, so several processes may open a new store at once.
func (s *Store) migrate(ctx context.Context) error {
	if version, err := s.version(ctx); err != nil || version == len(migrations) {
		return err
	}
	return s.transaction(ctx, s.d.begin, func(t *tx) error {
		if s.d == postgresDialect {
			if err := t.createSchema(ctx); err != nil {
				return err
			}
		}
		version, err := t.version(ctx)
		if err != nil {
			return err
		}
		for ; version < len(migrations); version++ {
			for _, statement := range migrations[version](s.d) {
				if err := t.exec(ctx, statement); err != nil {
					return fmt.Errorf("migration %d: %w", version+1, err)
				}
			}
			if err := t.exec(ctx, "INSERT INTO schema_version(version) VALUES ($1)", int64(version+1)); err != nil {
				return err
			}
		}
		return nil
	})
}

// createSchema makes the default schema if it is missing. One that the user
// has named must be there: a typing error must not become a second store.
func (t *tx) createSchema(ctx context.Context) error {
	var missing bool
	var path string
	err := t.one(ctx, "SELECT current_schema() IS NULL, current_setting('search_path')", nil, &missing, &path)
	switch {
	case err != nil || !missing:
		return err
	case path != defaultSchema:
		return fmt.Errorf("there is no schema %s", path)
	}
	return t.exec(ctx, "CREATE SCHEMA "+defaultSchema)
}

// checkVersion refuses a store that has not the newest version.
func (s *Store) checkVersion(ctx context.Context) error {
	version, err := s.version(ctx)
	if err == nil && version != len(migrations) {
		return fmt.Errorf("%w: %d, want %d; a refresh migrates it", ErrVersion, version, len(migrations))
	}
	return err
}

func (s *Store) version(ctx context.Context) (version int, err error) {
	err = s.transaction(ctx, []string{s.d.beginRead}, func(t *tx) error {
		version, err = t.version(ctx)
		return err
	})
	return version, err
}

// version is 0 for an empty database and an error for one written by a newer
// program.
func (t *tx) version(ctx context.Context) (int, error) {
	var n int
	if err := t.one(ctx, t.d.hasTable, []any{"schema_version"}, &n); err != nil || n == 0 {
		return 0, err
	}
	err := t.one(ctx, "SELECT COALESCE(MAX(version), 0) FROM schema_version", nil, &n)
	if err == nil && n > len(migrations) {
		return 0, fmt.Errorf("%w: %d, this program knows %d; use a newer gpucost", ErrVersion, n, len(migrations))
	}
	return n, err
}
