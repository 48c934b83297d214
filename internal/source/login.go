package source

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// login finds the keys: environment first, then the command. They go into a
// header, never into a URL, a log or a record.
func (v *visit) login(ctx context.Context) error {
	var keys []string
	for _, k := range v.f.Keys {
		s := k.value(v.f, v.env())
		if s == "" && v.cl.Command != nil {
			out, err := v.cl.Command(ctx, v.f.Name)
			if err != nil {
				return fmt.Errorf("%w: the key command failed: %w", ErrNoKey, err)
			}
			s = strings.TrimSpace(out)
		}
		if s == "" {
			if v.f.KeysOpt {
				return nil
			}
			return fmt.Errorf("%w: set %s", ErrNoKey, v.f.Auth())
		}
		keys = append(keys, s)
		v.secret(s)
	}
	switch {
	case len(keys) == 0:
		return nil
	case v.f.Login.TokenURL != "":
		return v.clientCredentials(ctx, keys)
	}
	v.auth = v.f.Login.Prefix + keys[0]
	return nil
}

func (v *visit) env() func(string) string {
	if v.cl.Env != nil {
		return v.cl.Env
	}
	return func(string) string { return "" }
}

// clientCredentials changes a client id and secret for a bearer token.
func (v *visit) clientCredentials(ctx context.Context, keys []string) error {
	if len(keys) != 2 {
		return errors.New("a client id and a secret are needed")
	}
	ask, _ := json.Marshal(map[string]string{"grant_type": "client_credentials", "client_id": keys[0], "client_secret": keys[1]})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.f.Login.TokenURL, bytes.NewReader(ask))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", firstOf(v.cl.Agent, userAgent))
	res, err := v.http().Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // reading only
	if res.StatusCode/100 != 2 {
		return v.statusError(res, v.f.Login.TokenURL)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return err
	}
	var token struct {
		Access string `json:"access_token"`
	}
	if err := json.Unmarshal(body, &token); err != nil || token.Access == "" {
		return errors.New("the login's answer has no access_token")
	}
	v.secret(token.Access)
	v.auth = v.f.Login.Prefix + token.Access
	return nil
}

const redacted = "[redacted]"

// secret remembers a value, and how it looks in a URL or in base64, so that
// it never leaves the program.
func (v *visit) secret(s string) {
	v.secrets = append(v.secrets, s, url.QueryEscape(s), url.PathEscape(s), base64.StdEncoding.EncodeToString([]byte(s)))
}

func (v *visit) redactText(s string) string {
	for _, secret := range v.secrets {
		if len(secret) >= 4 {
			s = strings.ReplaceAll(s, secret, redacted)
		}
	}
	return s
}

// redact keeps an error's identity and takes the secrets out of its text.
func (v *visit) redact(err error) error {
	if text := v.redactText(err.Error()); text != err.Error() {
		return &redactedError{text, err}
	}
	return err
}

type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }

func (e *redactedError) Is(target error) bool { return errors.Is(e.err, target) }

func (v *visit) holdsSecret(b []byte) bool {
	for _, s := range v.secrets {
		if len(s) >= 4 && bytes.Contains(b, []byte(s)) {
			return true
		}
	}
	return false
}
