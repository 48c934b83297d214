package history

import (
	"context"
	"database/sql"
	"strings"

	"github.com/jackc/pgx/v5"
)

// dialect is what differs between the two databases. Everything else is one
// text for both: numbered parameters, ON CONFLICT, window functions.
type dialect struct {
	name string
	// begin takes the one write lock, or waits for it.
	begin []string
	// beginRead starts a transaction in which all reads see one state.
	beginRead string
	// types replaces the {words} of the migrations.
	types *strings.Replacer
	// moment and decimal show a column of microseconds and of nano-units in
	// the view that people read.
	moment, decimal func(column string) string
	// idSet makes a set of ids out of one parameter "1,2,3".
	idSet func(parameter string) string
	// hasTable counts the tables of a name.
	hasTable string
	// insert adds n rows to a table; row appends the values of row k to a list.
	insert func(ctx context.Context, c *sql.Conn, table string, columns []string, n int, row rowFunc) error
}

type rowFunc func(k int, to []any) []any

// lockKey is the advisory lock of every writer and migration: "gpucost" in
// ASCII. It is per database.
const lockKey = "29115572082930548"

var sqliteDialect = &dialect{
	name:      "sqlite",
	begin:     []string{"BEGIN IMMEDIATE"},
	beginRead: "BEGIN",
	types: strings.NewReplacer(
		"{int}", "INTEGER", "{bool}", "INTEGER", "{bytes}", "BLOB",
		"{strict}", " STRICT", "{clustered}", " STRICT, WITHOUT ROWID"),
	moment: func(c string) string {
		return "strftime('%Y-%m-%dT%H:%M:%fZ', " + c + " / 1e6, 'unixepoch')"
	},
	decimal: func(c string) string {
		return "printf('%d.%09d', " + c + " / 1000000000, " + c + " % 1000000000)"
	},
	idSet: func(p string) string {
		return "(SELECT value FROM json_each('[' || " + p + " || ']'))"
	},
	hasTable: "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = $1",
	insert:   insertValues,
}

var postgresDialect = &dialect{
	name:      "postgres",
	begin:     []string{"BEGIN", "SELECT pg_advisory_xact_lock(" + lockKey + ")"},
	beginRead: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
	types: strings.NewReplacer(
		"{int}", "BIGINT", "{bool}", "BOOLEAN", "{bytes}", "BYTEA",
		" TEXT", ` TEXT COLLATE "C"`, // orders text as SQLite does
		"{strict}", "", "{clustered}", " WITH (fillfactor = 80)"),
	moment:  func(c string) string { return "to_timestamp(" + c + " / 1e6)" },
	decimal: func(c string) string { return "(" + c + " / 1e9::numeric(20, 0))::numeric(20, 9)" },
	idSet: func(p string) string {
		return "(SELECT unnest(string_to_array(" + p + ", ',')::bigint[]))"
	},
	hasTable: "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = $1",
	insert:   copyRows,
}

// insertValues inserts with VALUES lists of up to 32 rows: more gains nothing,
// binding the values is what takes the time.
func insertValues(ctx context.Context, c *sql.Conn, table string, columns []string, n int, row rowFunc) error {
	one := "(" + strings.TrimSuffix(strings.Repeat("?,", len(columns)), ",") + "),"
	into := "INSERT INTO " + table + " (" + strings.Join(columns, ",") + ") VALUES "
	var args []any
	k := 0
	for _, atOnce := range []int{32, 1} {
		if n-k < atOnce {
			continue
		}
		stmt, err := c.PrepareContext(ctx, into+strings.TrimSuffix(strings.Repeat(one, atOnce), ","))
		if err != nil {
			return err
		}
		for ; n-k >= atOnce; k += atOnce {
			args = args[:0]
			for i := range atOnce {
				args = row(k+i, args)
			}
			if _, err := stmt.ExecContext(ctx, args...); err != nil {
				stmt.Close()
				return err
			}
		}
		stmt.Close()
	}
	return nil
}

// copyRows inserts with PostgreSQL's COPY.
func copyRows(ctx context.Context, c *sql.Conn, table string, columns []string, n int, row rowFunc) error {
	if n == 0 {
		return nil
	}
	var args []any
	source := pgx.CopyFromSlice(n, func(k int) ([]any, error) {
		args = row(k, args[:0])
		return args, nil
	})
	return c.Raw(func(driverConn any) error {
		_, err := driverConn.(*pgConn).conn.CopyFrom(ctx, pgx.Identifier{table}, columns, source)
		return err
	})
}
