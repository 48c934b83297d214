package present

import (
	"errors"
	"io"
	"slices"
	"syscall"
)

// IsBrokenPipe reports whether a write failed because the reader has gone, as
// with `| head -1`. That is no fault of the answer: the program ends quietly.
func IsBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) ||
		slices.ContainsFunc(closedPipeCodes, func(n syscall.Errno) bool { return errors.Is(err, n) })
}
