package source

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestTransport: a proxy is asked for, and an extra certificate is trusted
// beside the system's.
func TestTransport(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	for _, extra := range [][]byte{nil, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})} {
		tr, err := NewTransport(extra)
		if err != nil {
			t.Fatal(err)
		}
		if tr.Proxy == nil || tr.TLSClientConfig.InsecureSkipVerify {
			t.Error("no proxy, or no verification")
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := tr.RoundTrip(req)
		if (err == nil) != (extra != nil) {
			t.Errorf("with %d bytes of certificates: %v", len(extra), err)
		}
		if res != nil {
			_ = res.Body.Close()
		}
	}
	if _, err := NewTransport([]byte("nonsense")); err == nil {
		t.Error("nonsense is a certificate")
	}
}
