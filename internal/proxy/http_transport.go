package proxy

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

const (
	dialWait        = 10 * time.Second
	upstreamIdle    = 64      // idle connections kept to the server
	maxResponseHead = 1 << 20 // in bytes
)

// NewTransport returns the transport for a server. headWait limits the wait for response headers; 0
// means no limit. fingerprint is the SHA-256 that the server's certificate must have; nil accepts
// any valid certificate.
func NewTransport(headWait time.Duration, fingerprint []byte) *http.Transport {
	t := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: dialWait}).DialContext,
		TLSHandshakeTimeout:   dialWait,
		ResponseHeaderTimeout: headWait,
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConnsPerHost:   upstreamIdle,
		DisableCompression:    true, // forward the body unchanged
		ForceAttemptHTTP2:     true,
	}
	t.MaxResponseHeaderBytes = maxResponseHead
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if fingerprint != nil {
		t.TLSClientConfig.VerifyConnection = func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) == 0 {
				return errors.New("the server has no certificate")
			}
			sum := sha256.Sum256(state.PeerCertificates[0].Raw)
			if subtle.ConstantTimeCompare(sum[:], fingerprint) != 1 {
				return fmt.Errorf("the certificate has the fingerprint %x, expected %x (--tls-fingerprint)", sum, fingerprint)
			}
			return nil
		}
	}
	return t
}

// maxRedirects is the maximum number of redirects followed for a message.
const maxRedirects = 5

// withinOrigin follows redirects within the server's origin, as clients do: many servers redirect /mcp
// to /mcp/. It follows none for requests without GetBody: those for authentication, and those that are
// too long to keep.
type withinOrigin struct{ http.RoundTripper }

func (w withinOrigin) RoundTrip(r *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		once := *r
		once.GetBody = nil // with GetBody, the transport may resend a message that has an Idempotency-Key
		resp, err := w.RoundTripper.RoundTrip(&once)
		if err != nil || n == maxRedirects {
			return resp, err
		}
		next := redirected(r, resp)
		if next == nil {
			return resp, nil
		}
		_, _ = io.CopyN(io.Discard, resp.Body, 4096) // so that the connection can be used again
		resp.Body.Close()
		r = next
	}
}

// redirected returns the request that follows a redirect, or nil if the response is not one, leads to
// another origin, or would make clients change the method.
func redirected(r *http.Request, resp *http.Response) *http.Request {
	switch resp.StatusCode {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		if r.Method != http.MethodGet {
			return nil
		}
	default:
		return nil
	}
	location := resp.Header.Get("Location")
	to, err := r.URL.Parse(location)
	if location == "" || err != nil || r.GetBody == nil || to.User != nil || !wire.SameOrigin(to, r.URL) {
		return nil
	}
	next := r.Clone(r.Context())
	if next.URL = to; next.Body != nil {
		if next.Body, err = r.GetBody(); err != nil {
			return nil
		}
	}
	return next
}

// ParseFingerprint parses a certificate's SHA-256 fingerprint: 64 hexadecimal digits, optionally
// separated by colons and prefixed with sha256:.
func ParseFingerprint(s string) ([]byte, error) {
	digits := strings.ToLower(strings.TrimSpace(s))
	digits = strings.TrimPrefix(strings.TrimPrefix(digits, "sha256:"), "sha256=")
	sum, err := hex.DecodeString(strings.ReplaceAll(digits, ":", ""))
	if err != nil || len(sum) != sha256.Size {
		return nil, errors.New("expected the SHA-256 of a certificate in 64 hexadecimal digits, as openssl x509 -fingerprint -sha256 prints it")
	}
	return sum, nil
}
