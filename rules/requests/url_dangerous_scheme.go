package requests

import (
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/scanner"
)

var UrlDangerousScheme = scanner.Rule{
	ID:         "url-dangerous-scheme",
	Category:   "shell_injection",
	Title:      "An address runs code or reads a file when it is opened",
	Why:        "A client that opens javascript:, vbscript: or data:text/html runs the server's code in its own window, with the user's sessions. file: and similar schemes access the machine.",
	Fix:        "Do not open the address. The client should accept only http and https, and data: images for icons.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The specification requires clients to refuse these schemes. The code in a link within a text runs only if a client renders the text. In a result, such a link is rated medium if its code connects to a host, reads stored data or runs more code, and low otherwise; in a definition, one level higher. It is not reported if the code does nothing, as in javascript:void(0) on many pages.",
	Refs:       []string{"OWASP-MCP:MCP05", "OWASP-LLM:LLM05", "ATLAS:AML.T0011.003", "CWE-79", "CWE-829"},
	Patterns: []scanner.Pattern{{
		Name:    "link_that_runs",
		Expr:    `(?:\]\(\s*<?|\b(?:href|src|action|formaction)\s*=\s*["']?)\s*(?:javascript:|vbscript:|data:text/html)[^\n"'<>]{0,160}`,
		Anchors: []string{"javascript:", "vbscript:", "data:text/html"},
	}},
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			link := p.Folded[m.Start:min(len(p.Folded), m.End+linkReach)]
			severity := scanner.Low
			switch {
			case callsOut.Match(link):
				severity = clause.LowerInResult(p, scanner.High)
			case idleLink.Match(link):
				continue
			case !clause.IsResult(p):
				severity = scanner.Medium
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Message: "a link runs code when it is opened"})
		}
	},
	Message: func(p *scanner.MessagePass) {
		followed(p, func(node int, place addressPlace) {
			said := jsonschema.Text(p.Doc, node)
			if scheme, _ := destination.ParseURL(said); dangerous(scheme, said, place) {
				p.Report(node, false, scanner.High, place.String()+" has the scheme "+scheme+":")
			}
		})
	},
}

// linkReach is the maximum number of bytes of a link that are read after the end of a match.
const linkReach = 160

var (
	callsOut = lazyregexp.New(`\b(?:fetch|xmlhttprequest|sendbeacon|import|eval|function|atob|settimeout|postmessage)\s*\(|` +
		`\b(?:cookie|localstorage|sessionstorage|indexeddb)\b|\bnew\s+(?:image|websocket)\b|https?:|<\s*script|%3cscript|;base64,`)
	// idleLink matches the code of a link that does nothing, or only what a browser button
	// does.
	idleLink = lazyregexp.New(`javascript:\s*(?:void|;|//|#|["')\s]|$|history\.|(?:window|self|top)\.(?:print|close|history|scroll)|print\(|return\b|false|true|undefined|\{\})`)
	// codeInData matches data: media types with executable content.
	codeInData = lazyregexp.New(`^(?:text/html|application/xhtml|text/xml|application/xml|text/javascript|application/javascript|application/x-javascript)`)
)

// runsCode are the schemes of addresses that contain code.
var runsCode = names.Set("javascript vbscript livescript mocha jscript")

// dangerous reports whether clients must not open an address with this scheme at this location in a
// message. Only resource links may use schemes such as file:.
func dangerous(scheme, said string, place addressPlace) bool {
	switch {
	case runsCode[scheme]:
		return true
	case scheme == "data":
		_, rest, _ := strings.Cut(said, ":")
		return codeInData.MatchString(strings.ToLower(strings.TrimSpace(rest))) || place == elicitationPlace || place == authPlace || drawsAndRuns(rest)
	case scheme == "file" || scheme == "view-source" || scheme == "filesystem" || scheme == "blob":
		return place != linkPlace
	}
	return false
}

// drawsAndRuns reports whether a data: URL is an SVG image with a script, which runs if the image
// is opened directly.
func drawsAndRuns(data string) bool {
	kind, drawing, _ := strings.Cut(data[:min(len(data), maxDrawing)], ",")
	if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(kind)), "image/svg") {
		return false
	}
	if strings.HasSuffix(strings.ToLower(kind), ";base64") {
		plain, _ := base64.StdEncoding.DecodeString(drawing) // use the part that can be decoded
		return scriptInDrawing.Match(plain)
	}
	if plain, err := url.PathUnescape(drawing); err == nil {
		drawing = plain
	}
	return scriptInDrawing.MatchString(drawing)
}

// maxDrawing is the maximum number of bytes read from an SVG image.
const maxDrawing = 256 << 10

var scriptInDrawing = lazyregexp.New(`(?i)<script\b|\son\w{3,20}\s*=|javascript:`)
