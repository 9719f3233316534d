package config

import "strings"

// The transports that an entry can have.
const (
	stdio = "stdio"
	http  = "http"
	sse   = "sse"
	ws    = "ws"
	// remote is the type used by opencode; the address determines the transport.
	remote = "remote"
)

var transports = map[string]string{
	"stdio": stdio, "local": stdio,
	"http": http, "streamablehttp": http, "https": http,
	"sse": sse,
	"ws":  ws, "websocket": ws,
	"remote": remote,
}

// transportOf maps the type in a client file to a transport, or "".
func transportOf(written string) string {
	return transports[strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(written))]
}

func knownTransport(written string) bool { return transportOf(written) != "" }

// builtinType reports whether the type denotes a Goose extension whose code is in the client or in
// the configuration, rather than in a program to start.
func builtinType(written string) bool {
	return written == "builtin" || written == "platform" || written == "frontend" || written == "inline_python"
}

// transport determines how the server is reached, from the stated type and the contents of the
// entry; if they disagree, the contents take precedence.
func (b *entryReader) transport(client string, gemini bool) {
	s, stated := b.s, ""
	n := b.first("type", "transport", "transportType")
	if n.is(kindString) {
		stated = transportOf(n.text)
		b.s.Span["/transport"] = n.pos
	} else if n != nil {
		b.problem(n.pos, `"type" is %s: expected "stdio", "http" or "sse"`, n.kind)
	}
	if n.is(kindString) && builtinType(n.text) {
		b.s.Span["/builtin"] = n.pos
		b.problem(n.pos, "the type %s refers to code in the client or in this file: not checked", Quoted(n.text))
		return
	}
	if n.is(kindString) && stated == "" {
		b.problem(n.pos, `unknown type %s: expected "stdio", "http" or "sse"`, Quoted(n.text))
	}
	switch {
	case s.SwitchesOff():
	case s.Command == "" && s.URL == "" && client == "zed":
		s.Span["/builtin"] = s.Pos
		b.problem(s.Pos, "an extension of Zed starts this server, with a command that is not in this file: not checked; to check the server, find out which command the extension runs, and run mcpscan scan -- COMMAND")
	case s.Command == "" && s.URL == "":
		b.problem(s.Pos, "neither command nor url: mcpscan cannot determine what this entry starts; add one of them")
	case s.Command != "" && s.URL != "":
		b.problem(b.s.Span["/url"], "both command and url: clients differ in which one they use; remove one")
		if s.Transport = stated; stated == "" || stated == remote {
			s.Transport = stdio
		}
	case s.Command != "":
		s.Transport = stdio
		if stated != "" && stated != stdio {
			b.problem(n.pos, "type %s without url: treated as stdio, because the entry has a command", Quoted(n.text))
		}
	default:
		s.Transport = b.remoteTransport(stated, gemini)
		if stated == stdio {
			b.problem(n.pos, "type %s without command: treated as %s, because the entry has a url", Quoted(n.text), s.Transport)
		}
	}
}

// remoteTransport distinguishes HTTP, SSE and WebSocket. A stated transport takes precedence over
// the address. If neither determines the transport, it is SSE for Gemini's plain url, and otherwise
// HTTP.
func (b *entryReader) remoteTransport(stated string, gemini bool) string {
	address, _, _ := strings.Cut(b.s.URL, "#")
	address, _, _ = strings.Cut(address, "?")
	address = strings.ToLower(strings.TrimRight(address, "/"))
	switch {
	case stated == http || stated == sse || stated == ws:
		return stated
	case strings.HasPrefix(address, "ws:"), strings.HasPrefix(address, "wss:"):
		return ws
	case strings.HasSuffix(address, "/sse"):
		return sse
	case gemini && stated == "" && b.first("httpUrl") == nil && b.first("url") != nil:
		return sse
	}
	return http
}
