// Package cli is the command line: one file per command, and nothing that
// computes. It is the only user of cobra and viper.
package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
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

	settings  settings
	stdinRead bool
	ctx       context.Context
	store     *present.StoreNote // what --store gave the answer
}

// Main runs one command line and returns its exit code.
func Main(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// A reader that has gone is an error of the write, not the end of the program.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)
	a := &App{
		Stdin: stdin, Stdout: stdout, Stderr: stderr,
		Env: lookup(env), Now: time.Now, ReadFile: readBounded,
		Terminal: func() (int, bool) { return terminal(stdout) }, ErrTerminal: func() (int, bool) { return terminal(stderr) },
	}
	done := make(chan int, 1)
	go func() { done <- a.Run(ctx, args) }()
	select {
	case code := <-done:
		return code
	case <-ctx.Done():
	}
	select { // what writes has a moment to end well; what only computes is left alone
	case code := <-done:
		return code
	case <-time.After(interruptGrace):
		return exitInterrupted
	}
}

// interruptGrace is how long an interrupted command may take to tidy up.
const interruptGrace = 2 * time.Second

// watched remembers a failed write, also one whose error nobody looked at, such
// as that of a help text.
type watched struct {
	io.Writer
	failed error
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if w.failed == nil {
		w.failed = err
	}
	return n, err
}

// Run executes the arguments and reports an error the way they ask for.
func (a *App) Run(ctx context.Context, args []string) int {
	out := &watched{Writer: a.Stdout}
	a.Stdout = out
	a.settings = settings{values: map[string]string{"output": a.askedOutput(args)}}
	first := ""
	if len(args) > 0 {
		first = args[0]
	}
	root := a.root(first)
	a.ctx = ctx
	if a.askedLang(args) == present.ZH {
		translate(root)
	}
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	if err == nil {
		err = out.failed
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
		return nil, usagef("%s: larger than %d MiB", name, maxFile>>20)
	}
	return b, nil
}

// read takes a file's name or - for standard input.
func (a *App) read(name string) ([]byte, error) {
	if name == "-" {
		if a.stdinRead {
			return nil, usagef("-: standard input can be read only once")
		}
		a.stdinRead = true
		return readAll(a.Stdin, "standard input")
	}
	b, err := a.ReadFile(name)
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return nil, usagef("%s: %v", name, path.Err)
	}
	return b, err
}
