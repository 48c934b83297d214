package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/gpucost/gpucost/internal/catalog"
	"github.com/gpucost/gpucost/internal/present"
	"github.com/gpucost/gpucost/internal/pricing"
)

// Exit codes are promises; see docs and `gpucost help exit-codes`.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitCheck       = 3
	exitNothing     = 4
	exitPartial     = 5
	exitInterrupted = 130
)

// fault is an error with its exit code. A silent fault has already been told
// by the answer itself.
type fault struct {
	exit   int
	code   string
	msg    string
	hints  []string
	silent bool
}

func (f *fault) Error() string { return f.msg }

func usagef(format string, args ...any) *fault {
	return &fault{exit: exitUsage, code: "usage", msg: fmt.Sprintf(format, args...)}
}

func failf(format string, args ...any) *fault {
	return &fault{exit: exitFailed, code: "failed", msg: fmt.Sprintf(format, args...)}
}

func checkf(format string, args ...any) *fault {
	return &fault{exit: exitCheck, code: "check_failed", msg: fmt.Sprintf(format, args...)}
}

func nothingf(format string, args ...any) *fault {
	return &fault{exit: exitNothing, code: "nothing", msg: fmt.Sprintf(format, args...)}
}

func (f *fault) hint(format string, args ...any) *fault {
	f.hints = append(f.hints, fmt.Sprintf(format, args...))
	return f
}

// asFault gives every error its exit code and its hints.
func asFault(err error) *fault {
	if f, ok := errors.AsType[*fault](err); ok {
		return f
	}
	var gpu *catalog.UnknownGPUError
	var ambiguous *catalog.AmbiguousGPUError
	var name *catalog.UnknownNameError
	var syntax *catalog.GPUSyntaxError
	var sort *pricing.SortError
	switch {
	case errors.As(err, &gpu):
		return usagef("%v", gpu).near(gpu.Near)
	case errors.As(err, &ambiguous):
		return usagef("%v", ambiguous).near(ambiguous.Candidates)
	case errors.As(err, &name):
		return usagef("%v", name).near(name.Near)
	case errors.As(err, &syntax):
		return usagef("%v", syntax)
	case errors.As(err, &sort):
		return usagef("%v", sort).near(sort.Near)
	}
	return &fault{exit: exitFailed, code: "failed", msg: err.Error()}
}

// whereFault is a filter that cannot be read.
func whereFault(err error) *fault {
	f := usagef("--where: %v", err)
	if w, ok := errors.AsType[*pricing.WhereError](err); ok {
		f = f.near(w.Near)
	}
	return f
}

// near adds a did-you-mean hint.
func (f *fault) near(names []string) *fault {
	if s := orList(names); s != "" {
		return f.hint("did you mean %s?", s)
	}
	return f
}

func orList(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
	return strings.Join(names, "")
}

// report prints an error and returns the exit code. A reader that went away
// is no error.
func (a *App) report(err error) int {
	if err == nil || present.IsBrokenPipe(err) {
		return 0
	}
	f := asFault(err)
	if f.silent {
		return f.exit
	}
	if a.settings.jsonErrors() {
		a.reportJSON(f)
		return f.exit
	}
	fmt.Fprintf(a.Stderr, "gpucost: %s\n", f.msg)
	for _, h := range f.hints {
		fmt.Fprintf(a.Stderr, "hint: %s\n", h)
	}
	return f.exit
}

func (a *App) reportJSON(f *fault) {
	type body struct {
		Code    string   `json:"code"`
		Message string   `json:"message"`
		Hints   []string `json:"hints"`
	}
	hints := f.hints
	if hints == nil {
		hints = []string{}
	}
	enc := json.NewEncoder(a.Stderr)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(map[string]body{"error": {f.code, f.msg, hints}})
}
