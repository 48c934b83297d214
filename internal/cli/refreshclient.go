package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"github.com/gpucost/gpucost/internal/source"
)

// sourceClient fetches with this App's clock, environment and transport.
func (a *App) sourceClient(o *refreshOptions) (*source.Client, error) {
	transport, err := a.transport(o.caFile)
	if err != nil {
		return nil, err
	}
	key, err := a.keyCommand()
	return &source.Client{
		Transport: transport, Env: a.Env, Now: a.Now, Command: key, Jitter: rand.Float64, Timeout: o.timeout,
		Agent: "gpucost/" + version + " (+https://github.com/gpucost/gpucost)",
	}, err
}

// transport is the network, by way of the usual proxy variables, unless the
// App brings its own. caFile adds certificates to the system's.
func (a *App) transport(caFile string) (http.RoundTripper, error) {
	if a.Transport != nil {
		return a.Transport, nil
	}
	if caFile == "" {
		return source.NewTransport(nil)
	}
	pem, err := a.read(caFile)
	if err != nil {
		return nil, err
	}
	t, err := source.NewTransport(pem)
	if err != nil {
		return nil, usagef("--ca-file %s: %v", caFile, err)
	}
	return t, nil
}

const (
	keyWait = 30 * time.Second // for a person to unlock a password store
	maxKey  = 64 << 10         // bytes
)

// keyCommand runs the command of the setting key-command with the source's
// name as its last argument; what it prints is the key. It is not taken from
// ./gpucost.yaml: a folder somebody else wrote must not run programs.
func (a *App) keyCommand() (func(context.Context, string) (string, error), error) {
	line := a.settings.get("key-command")
	if line == "" {
		return nil, nil
	}
	if a.settings.origin("key-command") == configFile {
		return nil, usagef("%s: key-command is not taken from the current directory", configFile).
			hint("put it into the configuration of your own, or set GPUCOST_KEY_COMMAND")
	}
	words := strings.Fields(line)
	return func(ctx context.Context, name string) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, keyWait)
		defer cancel()
		cmd := exec.CommandContext(ctx, words[0], append(words[1:len(words):len(words)], name)...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, a.Stderr
		if err := cmd.Run(); err != nil {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			return "", fmt.Errorf("%s: %w", words[0], err) // never its output
		}
		if out.Len() > maxKey {
			return "", errors.New(words[0] + ": printed too much for a key")
		}
		return out.String(), nil
	}, nil
}
