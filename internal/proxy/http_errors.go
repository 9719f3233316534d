package proxy

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// failedCode is the JSON-RPC error code for failures of the proxy or the server: internal error.
const failedCode = -32603

// fail answers a request for which the server gave no usable response.
func (h *HTTP) fail(w http.ResponseWriter, r *http.Request, err error) {
	var ids []string
	x := exchangeOf(r)
	if x != nil {
		ids = x.ids
	}
	if r.Context().Err() != nil { // the client is gone, or has only closed its side of the connection
		writeError(w, http.StatusBadGateway, ids, "the client closed its side of the connection before the server answered; keep it open until the response has arrived")
		return
	}
	if own, ok := errors.AsType[*refusal](err); ok {
		if own.status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", "GET, POST, DELETE")
		}
		writeJSON(w, own.status, failed(ids, "mcpscan: "+own.why, own.code))
		return
	}
	status, why := failure(err)
	if h.upstream.Failed != nil {
		h.upstream.Failed(why)
	}
	if _, network := errors.AsType[*net.OpError](err); x != nil && !network {
		why = x.quotable(why)
	}
	writeError(w, status, ids, h.unanswerable(why))
}

// quotable inspects the reason for an error, which can quote what the server sent, and returns it unless
// it is blocked.
func (x *exchange) quotable(why string) string {
	at := x.at
	at.page = true
	if _, _, do := x.gate.judge(&at, mcp.ServerToClient, []byte("the reason for an error: "+why)); do == scanner.Refuse {
		return "the reason quotes blocked text from the server"
	}
	return why
}

// unanswerable returns a message saying that the server sent no valid response, and why.
func (h *HTTP) unanswerable(why string) string {
	return "the server " + text.Visible(h.upstream.Name, reasonChars) + " sent no valid response: " + why
}

// failure returns the HTTP status and the reason for a failed request.
func failure(err error) (status int, why string) {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // without the URL, which may hold a token
	}
	if op, ok := errors.AsType[*net.OpError](err); ok { // without the local port, which differs each time
		err = &net.OpError{Op: op.Op, Net: op.Net, Addr: op.Addr, Err: op.Err}
	}
	var timeout net.Error
	var wrong *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout():
		return http.StatusGatewayTimeout, "it did not answer in time (--upstream-timeout)"
	case err == io.EOF:
		return http.StatusBadGateway, "it closed the connection without an answer"
	case errors.As(err, &wrong):
		return http.StatusBadGateway, "its certificate is not valid: " + text.Visible(wrong.Err.Error(), reasonChars)
	case errors.As(err, &unknown):
		return http.StatusBadGateway, "its certificate is not valid: " + text.Visible(unknown.Error(), reasonChars)
	}
	return http.StatusBadGateway, text.Visible(err.Error(), reasonChars)
}

// writeError sends an error from the proxy itself as the answer to each of the requests.
func writeError(w http.ResponseWriter, status int, ids []string, why string) {
	writeJSON(w, status, failed(ids, "mcpscan: "+why, failedCode))
}

// failed returns an error for each request or, if there are none, one error with the id null.
func failed(ids []string, why string, code int) []byte {
	if len(ids) == 0 {
		ids = []string{"null"}
	}
	var b []byte
	for _, id := range ids {
		b = append(appendFailure(b, id, code, why), "}}"...)
	}
	return inArray(b, len(ids) > 1)
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails only if the client is gone
}

// tooLongReason explains why a message above the size limit is not inspected.
func tooLongReason(from mcp.Direction, max int64) string {
	sender := "client"
	if from == mcp.ServerToClient {
		sender = "server"
	}
	return fmt.Sprintf("a message from the %s exceeds the limit of %d bytes (--max-message)", sender, max)
}

// bare returns a URL without the parts that may be secret.
func bare(raw string) string { return cmp.Or(text.BareURL(raw), "an unreadable URL") }
