//go:build !unix

package main

import "os"

// signals that ask the run to save and end.
var signals = []os.Signal{os.Interrupt}
