//go:build !windows

package present

import "syscall"

// closedPipeCodes are codes besides EPIPE that mean a reader has gone: none here.
var closedPipeCodes []syscall.Errno
