package present

import "syscall"

// closedPipeCodes are ERROR_BROKEN_PIPE and ERROR_NO_DATA, which is how Windows
// says that the reader of a pipe has gone.
var closedPipeCodes = []syscall.Errno{109, 232}
