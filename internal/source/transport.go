package source

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"time"
)

// NewTransport is the transport of a live refresh: the standard proxy
// variables (HTTPS_PROXY, NO_PROXY), bounded headers and handshakes, and the
// certificates of extraCA (PEM) beside the system's, never instead of them.
func NewTransport(extraCA []byte) (*http.Transport, error) {
	t := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		ForceAttemptHTTP2:      true,
		MaxConnsPerHost:        2 * perHost,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    15 * time.Second,
		MaxResponseHeaderBytes: 1 << 20,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if len(extraCA) == 0 {
		return t, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(extraCA) {
		return nil, errors.New("no certificate in the extra CA file")
	}
	t.TLSClientConfig.RootCAs = pool
	return t, nil
}
