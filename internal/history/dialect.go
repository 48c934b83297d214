package history

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// dialect is what differs between the two databases. Everything else is one
// text for both: numbered parameters, ON CONFLICT, window functions.
type dialect struct {
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
	insert   func(ctx context.Context, c *sql.Conn, rows *rows) error
}

// rows are rows to add to a table: n rows that share the values of some
// columns; row appends the values of row k in the other columns to a list.
type rows struct {
	table   string
	shared  []any
	columns []string // the shared ones first
	n       int
	row     func(k int, to []any) []any
}

// advisoryLock is the lock of every writer and migration of one schema:
// "gpucost" in ASCII and the schema's name.
const advisoryLock = "SELECT pg_advisory_xact_lock(29115572082930548 # hashtext(COALESCE(current_schema(), '" + defaultSchema + "')))"

// defaultSchema holds the tables unless the URL has a search_path.
const defaultSchema = "gpucost"

var sqliteDialect = &dialect{
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
	begin:     []string{"BEGIN", advisoryLock},
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

// insertValues inserts with VALUES lists of up to 32 rows, past database/sql:
// binding values is most of the time of an import, so shared values are bound
// once per list and none is converted twice.
func insertValues(ctx context.Context, c *sql.Conn, r *rows) error {
	return c.Raw(func(driverConn any) error {
		var args []any
		var named []driver.NamedValue
		k := 0
		for _, atOnce := range []int{32, 1} {
			if r.n-k < atOnce {
				continue
			}
			stmt, err := driverConn.(driver.ConnPrepareContext).PrepareContext(ctx, r.statement(atOnce))
			if err != nil {
				return err
			}
			for ; r.n-k >= atOnce && err == nil; k += atOnce {
				args = append(args[:0], r.shared...)
				for i := range atOnce {
					args = r.row(k+i, args)
				}
				named = named[:0]
				for i, v := range args {
					named = append(named, driver.NamedValue{Ordinal: i + 1, Value: v})
				}
				_, err = stmt.(driver.StmtExecContext).ExecContext(ctx, named)
			}
			if err := errors.Join(err, stmt.Close()); err != nil {
				return err
			}
		}
		return nil
	})
}

// statement is the INSERT of so many rows.
func (r *rows) statement(atOnce int) string {
	var b strings.Builder
	b.WriteString("INSERT INTO " + r.table + " (" + strings.Join(r.columns, ",") + ") VALUES ")
	for i := range atOnce {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('(')
		for j := range r.columns {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteByte('?')
			if j < len(r.shared) {
				b.WriteString(strconv.Itoa(j + 1))
			}
		}
		b.WriteByte(')')
	}
	return b.String()
}

// copyRows inserts with PostgreSQL's COPY.
func copyRows(ctx context.Context, c *sql.Conn, r *rows) error {
	if r.n == 0 {
		return nil
	}
	args := slices.Clone(r.shared)
	source := pgx.CopyFromSlice(r.n, func(k int) ([]any, error) {
		args = r.row(k, args[:len(r.shared)])
		return args, nil
	})
	return c.Raw(func(driverConn any) error {
		_, err := driverConn.(*pgConn).conn.CopyFrom(ctx, pgx.Identifier{r.table}, r.columns, source)
		return err
	})
}
