package history

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
)

// pgConnector opens PostgreSQL connections for database/sql, which keeps the
// pool. pgx has such a driver of its own; it brings a second pool with it.
type pgConnector struct{ config *pgx.ConnConfig }

func (c pgConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, c.config)
	if err != nil {
		return nil, err
	}
	return &pgConn{conn}, nil
}

func (c pgConnector) Driver() driver.Driver { return pgDriver{} }

type pgDriver struct{}

func (pgDriver) Open(string) (driver.Conn, error) { return nil, errors.ErrUnsupported }

// pgConn runs statements with pgx, which prepares and caches them itself.
type pgConn struct{ conn *pgx.Conn }

func (c *pgConn) IsValid() bool                            { return !c.conn.IsClosed() }
func (c *pgConn) Begin() (driver.Tx, error)                { return nil, errors.ErrUnsupported }
func (c *pgConn) Prepare(string) (driver.Stmt, error)      { return nil, errors.ErrUnsupported }
func (c *pgConn) CheckNamedValue(*driver.NamedValue) error { return nil }

// Close says goodbye, but does not wait long for a server that is gone.
func (c *pgConn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return c.conn.Close(ctx)
}

func (c *pgConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	tag, err := c.conn.Exec(ctx, query, values(args)...)
	return driver.RowsAffected(tag.RowsAffected()), err
}

func (c *pgConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := c.conn.Query(ctx, query, values(args)...)
	if err != nil {
		return nil, err
	}
	r := &pgRows{rows: rows, more: rows.Next()}
	if !r.more && rows.Err() != nil {
		return nil, rows.Err()
	}
	return r, nil
}

func values(args []driver.NamedValue) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = a.Value
	}
	return out
}

// pgRows is one row ahead, so that an error of the statement is an error of
// the query and not of the first row.
type pgRows struct {
	rows pgx.Rows
	more bool
}

func (r *pgRows) Columns() []string {
	out := make([]string, len(r.rows.FieldDescriptions()))
	for i, f := range r.rows.FieldDescriptions() {
		out[i] = f.Name
	}
	return out
}

func (r *pgRows) Close() error { r.rows.Close(); return r.rows.Err() }

func (r *pgRows) Next(dest []driver.Value) error {
	if !r.more {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	vals, err := r.rows.Values()
	if err != nil {
		return err
	}
	for i, v := range vals {
		switch n := v.(type) {
		case int32:
			v = int64(n)
		case int16:
			v = int64(n)
		}
		dest[i] = v
	}
	r.more = r.rows.Next()
	return nil
}
