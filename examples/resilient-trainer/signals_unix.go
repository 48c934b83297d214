//go:build unix

package main

import (
	"os"
	"syscall"
)

// signals that ask the run to save and end: of a person, of Kubernetes and
// sellers, of Slurm.
var signals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1}
