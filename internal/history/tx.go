package history

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// tx is one transaction on one connection.
type tx struct {
	conn *sql.Conn
	d    *dialect
}

// write runs f as the only writer, in one transaction: all of it happens, or
// nothing. It waits for the writer before it until ctx ends.
func (s *Store) write(ctx context.Context, doing string, f func(*tx) error) error {
	return s.wrap(doing, s.transaction(ctx, s.d.begin, f))
}

// read runs f on one unchanging state of the store.
func (s *Store) read(ctx context.Context, doing string, f func(*tx) error) error {
	return s.wrap(doing, s.transaction(ctx, []string{s.d.beginRead}, f))
}

func (s *Store) transaction(ctx context.Context, begin []string, f func(*tx) error) (err error) {
	var conn *sql.Conn
	err = waiting(ctx, func() (err error) {
		conn, err = s.db.Conn(ctx)
		return err
	})
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	t := &tx{conn, s.d}
	done := false
	defer func() {
		if done {
			return
		}
		// A connection that cannot even roll back is of no use to the next one.
		if rollback := t.exec(context.WithoutCancel(ctx), "ROLLBACK"); rollback != nil {
			_ = conn.Raw(func(any) error { return driver.ErrBadConn })
		}
	}()
	for _, statement := range begin {
		if err := waiting(ctx, func() error { return t.exec(ctx, statement) }); err != nil {
			return err
		}
	}
	if err := f(t); err != nil {
		return err
	}
	if err := t.exec(ctx, "COMMIT"); err != nil {
		return err
	}
	done = true
	return nil
}

// waiting repeats f while SQLite says that another process writes, or makes
// the file: its own waiting is bounded.
func waiting(ctx context.Context, f func() error) error {
	for {
		err := f()
		if !busy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w while waiting for another writer", ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// busy reports SQLITE_BUSY and its kinds.
func busy(err error) bool {
	var coded interface{ Code() int }
	return errors.As(err, &coded) && coded.Code()&0xff == 5
}

func (t *tx) exec(ctx context.Context, query string, args ...any) error {
	_, err := t.conn.ExecContext(ctx, query, args...)
	return err
}

// count runs a statement and returns how many rows it changed.
func (t *tx) count(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := t.conn.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (t *tx) one(ctx context.Context, query string, args []any, dest ...any) error {
	return t.conn.QueryRowContext(ctx, query, args...).Scan(dest...)
}

// each calls f for every row of a query.
func (t *tx) each(ctx context.Context, query string, args []any, f func(scan func(...any) error) error) error {
	rows, err := t.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// next takes n numbers of a counter and returns the first.
func (t *tx) next(ctx context.Context, counter string, n int) (int64, error) {
	var after int64
	err := t.one(ctx, `INSERT INTO counter(name, next) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET next = counter.next + excluded.next RETURNING next`, []any{counter, int64(n)}, &after)
	return after - int64(n) + 1, err
}

// forIDs runs a statement with sets of ids in place of {ids}; $1 is the set.
func (t *tx) forIDs(ctx context.Context, ids []int64, query string, args ...any) error {
	const atOnce = 20_000
	query = strings.ReplaceAll(query, "{ids}", t.d.idSet("$1"))
	for len(ids) > 0 {
		n := min(atOnce, len(ids))
		if err := t.exec(ctx, query, append([]any{joinIDs(ids[:n])}, args...)...); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// joinIDs writes ids as dialect.idSet reads them.
func joinIDs(ids []int64) string {
	b := make([]byte, 0, 8*len(ids))
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(b)
}
