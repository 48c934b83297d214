// Package cli is the command line: one file per command, and nothing that
// computes. It is the only user of cobra and viper.
package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/gpucost/gpucost/internal/present"
)

// App is the world a command runs in: everything that a test wants to replace.
type App struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Env            func(string) string // the environment
	Now            func() time.Time
	ReadFile       func(string) ([]byte, error)
	Terminal       func() (width int, ok bool) // of stdout
	ErrTerminal    func() (width int, ok bool) // of stderr; nil: it is none
	Transport      http.RoundTripper           // of the two commands that use the network; nil: the network

	settings settings
	ctx      context.Context
	store    *present.StoreNote // what --store gave the answer
}

// Main runs one command line and returns its exit code.
func Main(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &App{
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Env: lookup(env), Now: time.Now, ReadFile: readBounded,
		Terminal: func() (int, bool) { return terminal(stdout) }, ErrTerminal: func() (int, bool) { return terminal(stderr) },
	}
	return a.Run(ctx, args)
}

// Run executes the arguments and reports an error the way they ask for.
func (a *App) Run(ctx context.Context, args []string) int {
	root := a.root()
	a.ctx = ctx
	if a.askedLang(args) == present.ZH {
		translate(root)
	}
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	return a.report(err)
}

func lookup(env []string) func(string) string {
	return func(name string) string {
		for _, e := range slices.Backward(env) {
			if k, v, ok := strings.Cut(e, "="); ok && k == name {
				return v
			}
		}
		return ""
	}
}

func terminal(w io.Writer) (int, bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	return width, err == nil
}

// maxFile bounds every file a user names.
const maxFile = 64 << 20

func readBounded(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // reading only
	return readAll(f, name)
}

func readAll(r io.Reader, name string) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxFile {
		return nil, failf("%s: larger than %d MiB", name, maxFile>>20)
	}
	return b, nil
}

// read takes a file's name or - for standard input.
func (a *App) read(name string) ([]byte, error) {
	if name == "-" {
		return readAll(a.Stdin, "standard input")
	}
	b, err := a.ReadFile(name)
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return nil, usagef("%s: %v", name, path.Err)
	}
	return b, err
}
