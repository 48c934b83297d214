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

// rows are rows to add to a table. All share the values of the first columns;
// rows beside each other often agree in the next ones, where they are alike.
type rows struct {
	table      string
	columns    []string
	shared     []any
	n          int
	same       func(k, l int) bool         // whether two rows are alike
	alike, own func(k int, to []any) []any // append the values of row k
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

// rowsAtOnce is the most rows of a VALUES list, alikeAtOnce the fewest that
// are worth a list of their own.
const (
	rowsAtOnce  = 16
	alikeAtOnce = 4
)

// insertValues inserts with VALUES lists, past database/sql: binding values is
// much of the time of an import, so what the rows of a list agree in is bound
// once, and nothing is converted twice.
func insertValues(ctx context.Context, c *sql.Conn, r *rows) error {
	return c.Raw(func(driverConn any) (err error) {
		v := valuesWriter{rows: r, conn: driverConn.(driver.ConnPrepareContext), prepared: map[form]driver.Stmt{}}
		defer func() {
			for _, s := range v.prepared {
				err = errors.Join(err, s.Close())
			}
		}()
		for k := 0; k < r.n; {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			f := r.formAt(k)
			if err := v.write(k, f); err != nil {
				return err
			}
			k += f.n
		}
		return nil
	})
}

// form is that of a VALUES list.
type form struct {
	n     int
	alike bool // the rows are, and their values are bound once
}

// formAt is the form of the list that starts with a row.
func (r *rows) formAt(k int) form {
	if n := r.run(k, rowsAtOnce); n >= alikeAtOnce {
		return form{n, true}
	}
	n := 1
	for n < min(rowsAtOnce, r.n-k) && r.run(k+n, alikeAtOnce) < alikeAtOnce {
		n++
	}
	return form{n: n}
}

// run counts the rows from a row on that are alike, up to so many.
func (r *rows) run(k, most int) int {
	n := 1
	for n < min(most, r.n-k) && r.same(k, k+n) {
		n++
	}
	return n
}

// valuesWriter writes lists with one prepared statement for each form.
type valuesWriter struct {
	*rows
	conn     driver.ConnPrepareContext
	prepared map[form]driver.Stmt
	args     []any
	named    []driver.NamedValue
}

func (v *valuesWriter) write(k int, f form) (err error) {
	v.args = append(v.args[:0], v.shared...)
	for i := range f.n {
		if i == 0 || !f.alike {
			v.args = v.alike(k+i, v.args)
		}
		v.args = v.own(k+i, v.args)
	}
	v.named = v.named[:0]
	for i, x := range v.args {
		v.named = append(v.named, driver.NamedValue{Ordinal: i + 1, Value: x})
	}
	ctx := context.Background() // one that can end would cost a goroutine a list
	stmt := v.prepared[f]
	if stmt == nil {
		if stmt, err = v.conn.PrepareContext(ctx, v.statement(f, len(v.alike(k, nil)))); err != nil {
			return err
		}
		v.prepared[f] = stmt
	}
	_, err = stmt.(driver.StmtExecContext).ExecContext(ctx, v.named)
	return err
}

// statement is the INSERT of a list whose rows have so many alike columns.
// What is bound once stands before the list, so that every parameter is a
// plain one: numbered ones the driver looks up one by one.
func (r *rows) statement(f form, alike int) string {
	once := len(r.shared)
	if f.alike {
		once += alike
	}
	each := len(r.columns) - once
	selected := slices.Repeat([]string{"?"}, once)
	for j := range each {
		selected = append(selected, "column"+strconv.Itoa(j+1))
	}
	row := "(?" + strings.Repeat(",?", each-1) + ")"
	return "INSERT INTO " + r.table + " (" + strings.Join(r.columns, ",") + ") SELECT " + strings.Join(selected, ",") +
		" FROM (VALUES " + row + strings.Repeat(","+row, f.n-1) + ")"
}

// copyRows inserts with PostgreSQL's COPY.
func copyRows(ctx context.Context, c *sql.Conn, r *rows) error {
	if r.n == 0 {
		return nil
	}
	args := slices.Clone(r.shared)
	source := pgx.CopyFromSlice(r.n, func(k int) ([]any, error) {
		args = r.own(k, r.alike(k, args[:len(r.shared)]))
		return args, nil
	})
	return c.Raw(func(driverConn any) error {
		_, err := driverConn.(*pgConn).conn.CopyFrom(ctx, pgx.Identifier{r.table}, r.columns, source)
		return err
	})
}
