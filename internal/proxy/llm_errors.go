package proxy

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// shape is a provider's error format.
type shape uint8

const (
	openAIShape shape = iota // also used by most other providers
	anthropicShape
	geminiShape
	bedrockShape
)

// shapeOf returns the shape for a body's format, or else for the path.
func shapeOf(format, path string) shape {
	switch {
	case strings.Contains(format, "Anthropic"), format == "" && strings.Contains(path, "/messages"), format == "" && strings.Contains(path, "/anthropic/"):
		return anthropicShape
	case strings.Contains(format, "Gemini"), format == "" && (strings.Contains(path, ":generateContent") || strings.Contains(path, ":streamGenerateContent")):
		return geminiShape
	case strings.Contains(format, "Bedrock"), format == "" && strings.Contains(path, "/converse"):
		return bedrockShape
	}
	return openAIShape
}

// of returns the shape for a format, or s if the format is unknown or names no provider.
func (s shape) of(format string) shape {
	if format == "" || strings.HasSuffix(format, "an LLM") {
		return s
	}
	return shapeOf(format, "")
}

// errorTypes maps status codes to the error types of OpenAI and Anthropic.
var errorTypes = map[int]string{
	http.StatusBadRequest: "invalid_request_error", http.StatusUnauthorized: "authentication_error", http.StatusForbidden: "permission_error",
	http.StatusNotFound: "not_found_error", http.StatusRequestEntityTooLarge: "request_too_large", http.StatusUnsupportedMediaType: "invalid_request_error",
}

// googleStatus maps status codes to the error types of Google.
var googleStatus = map[int]string{
	http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusUnauthorized: "UNAUTHENTICATED", http.StatusForbidden: "PERMISSION_DENIED",
	http.StatusNotFound: "NOT_FOUND", http.StatusServiceUnavailable: "UNAVAILABLE", http.StatusBadGateway: "UNAVAILABLE", http.StatusGatewayTimeout: "DEADLINE_EXCEEDED",
}

// refusalMark begins the message of an error about something that was refused.
const refusalMark = "blocked by mcpscan: "

// amazonTypes maps status codes to the error types of Amazon Bedrock.
var amazonTypes = map[int]string{
	http.StatusBadRequest: "ValidationException", http.StatusUnauthorized: "AccessDeniedException", http.StatusForbidden: "AccessDeniedException",
	http.StatusNotFound: "ResourceNotFoundException", http.StatusRequestEntityTooLarge: "ValidationException", http.StatusUnsupportedMediaType: "ValidationException",
}

// body returns an error in the provider's format.
func (s shape) body(status int, why string) []byte {
	code := `null`
	if strings.HasPrefix(why, refusalMark) {
		code = `"blocked_by_mcpscan"`
	}
	kind := cmp.Or(errorTypes[status], "api_error")
	message := string(wire.AppendString(nil, []byte(why)))
	switch s {
	case anthropicShape:
		return []byte(`{"type":"error","error":{"type":"` + kind + `","message":` + message + `}}`)
	case geminiShape:
		return fmt.Appendf(nil, `{"error":{"code":%d,"message":%s,"status":"%s"}}`, status, message, cmp.Or(googleStatus[status], "INTERNAL"))
	case bedrockShape:
		return []byte(`{"message":` + message + `}`)
	}
	return []byte(`{"error":{"message":` + message + `,"type":"` + kind + `","param":null,"code":` + code + `}}`)
}

// write answers a request with an error.
func (s shape) write(w http.ResponseWriter, status int, why string) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if s == bedrockShape {
		w.Header().Set("X-Amzn-Errortype", cmp.Or(amazonTypes[status], "ServiceUnavailableException"))
	}
	writeJSON(w, status, s.body(status, why))
}

// event returns an error as an event in a stream.
func (s shape) event(why string) []byte {
	data := s.body(http.StatusBadGateway, why)
	if s == anthropicShape {
		return fmt.Appendf(nil, "event: error\ndata: %s\n\n", data)
	}
	return fmt.Appendf(nil, "data: %s\n\n", data)
}

// fail answers a request for which the provider gave no usable response.
func (r *llmRoute) fail(w http.ResponseWriter, in *http.Request, err error) {
	if in.Context().Err() != nil { // the agent is gone
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	status, why := failure(err)
	if r.Failed != nil {
		r.Failed(why)
	}
	s := shapeOf("", in.URL.Path)
	if x, ok := in.Context().Value(llmKey{}).(*llmExchange); ok {
		x.asked()
		s = s.of(x.format)
	}
	s.write(w, status, "mcpscan: the provider at "+text.Visible(bare(r.URL.String()), reasonChars)+" sent no valid response: "+why)
}
