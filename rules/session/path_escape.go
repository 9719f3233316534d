package session

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/paths"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var PathEscape = scanner.Rule{
	ID:         "ses-path-escape",
	Category:   "path_traversal",
	Title:      "A path in a call leaves its directory",
	Why:        "A server that does not properly check whether a path is inside its directory can give access to files outside it (CVE-2025-53110, CVE-2025-68143). Untrusted text that the agent read may have chosen the path.",
	Fix:        "Check what the server returned, and find out where the path came from. Make the server resolve paths before it checks them, and reject paths outside its directory.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The rule reports a relative path that climbs above its starting directory, an absolute path that climbs above its top-level directory, and absolute paths outside the client's roots. Legitimate paths can contain ../ too, so the severity is medium. A ../ that is encoded, or written to survive a filter, has no legitimate use and is rated high, as is a path to a key or account file. An argument counts as a path if its name suggests one; an argument with another name is reported only if it contains ../.. or a path that is rated high. mcpscan cannot see where a symbolic link leads.",
	Refs:       []string{"OWASP-MCP:MCP05", "OWASP-LLM:LLM06", "CWE-22"},
	Arguments:  true,
	On:         mcp.OnRequest,
	Judge: func(p *scanner.JudgePass) {
		m := p.Message
		if m.Kind != mcp.Request || p.Direction != mcp.ClientToServer {
			return
		}
		escape := argumentEscapes
		switch m.Method {
		case "tools/call":
		case "resources/read":
			escape = resourceEscapes
		default:
			return
		}
		roots := rootsOf(p.Server)
		for i := range m.Arguments {
			a := &m.Arguments[i]
			severity, how := escape(a, roots)
			if how == "" {
				continue
			}
			p.Report(scanner.JudgeIssue{Severity: severity, Subject: mcp.CallSubject, Name: m.Target, Pointer: a.Pointer,
				Message: fmt.Sprintf("a path for server %s %s", text.QuoteName(p.Server.ID), how), Evidence: a.Text, Key: a.Text, Offset: a.Offset})
		}
	},
}

// rootsOf returns the roots of the client that are absolute paths.
func rootsOf(s *scanner.Server) (roots []paths.Path) {
	for _, uri := range s.Roots {
		if root, ok := paths.Parse(uri); ok && root.Absolute {
			roots = append(roots, root)
		}
	}
	return roots
}

// argumentEscapes describes how the path in an argument leaves its directory, or returns ""
// if it does not.
func argumentEscapes(a *scanner.Argument, roots []paths.Path) (scanner.Severity, string) {
	if !ofCall(a) || len(roots) == 0 && !strings.Contains(a.Text, "..") && !strings.Contains(a.Text, "%") {
		return 0, ""
	}
	name := ownName(a)
	path, ok := paths.Parse(a.Text)
	if !ok || names.HasWord(name, paths.TextArguments) || strings.Contains(a.Text, "://") && !path.URI {
		return 0, ""
	}
	if paths.NamesPath(name) {
		return escapes(&path, a.Text, roots)
	}
	if severity, how := escapes(&path, a.Text, nil); severity > scanner.Medium || path.Climbs > 1 && !strings.Contains(a.Text, " ") {
		return severity, how
	}
	return 0, ""
}

// resourceEscapes is like argumentEscapes, but for a resource's URI. The start of a URI in the
// server's own scheme counts as a directory.
func resourceEscapes(a *scanner.Argument, roots []paths.Path) (scanner.Severity, string) {
	if a.Name != "uri" {
		return 0, ""
	}
	path, ok := paths.Parse(a.Text)
	if _, rest, scheme := strings.Cut(a.Text, "://"); ok && scheme && !path.URI {
		rest, _, _ = strings.Cut(rest, "?")
		if path, ok = paths.Parse(strings.TrimLeft(rest, "/")); ok {
			roots = nil
		}
	}
	if !ok {
		return 0, ""
	}
	return escapes(&path, a.Text, roots)
}

// guarded matches paths to key and account files, which are rarely among project files.
var guarded = lazyregexp.New(`(?i)\.\.[/\\](?:[^/\\]+[/\\])*(?:etc[/\\](?:shadow|gshadow|sudoers)|proc[/\\](?:self|\d+)[/\\]environ|` +
	`\.(?:ssh|aws|gnupg|kube)[/\\][^/\\]+|\.(?:netrc|pgpass|git-credentials))$`)

// escapes describes how a path leaves its directory, or returns "" if it does not.
func escapes(l *paths.Path, text string, roots []paths.Path) (scanner.Severity, string) {
	inside := len(roots) == 0
	for i := range roots {
		inside = inside || !l.Absolute || l.Under(&roots[i])
	}
	up := l.Climbs > 0 || l.Emptied && (len(roots) == 0 || !inside)
	switch {
	case up && l.Hidden:
		return scanner.High, "leaves its directory with encoded ../ steps"
	case strings.Contains(text, "....//") || strings.Contains(text, "..././"):
		return scanner.High, "leaves its directory when a filter removes ../"
	case up && guarded.MatchString(text):
		return scanner.High, "leaves its directory and leads to keys or accounts"
	case up:
		return scanner.Medium, "leaves its directory"
	case !inside:
		return scanner.Medium, "is outside the client's roots"
	}
	return 0, ""
}

// ofCall reports whether a value is an argument of the call, rather than the tool's name or another
// parameter from the client.
func ofCall(a *scanner.Argument) bool { return strings.HasPrefix(a.Pointer, "/arguments/") }

// ownName returns the name of an argument, or of the innermost member that contains it.
func ownName(a *scanner.Argument) string {
	name := a.Name
	for part := range strings.SplitSeq(strings.TrimPrefix(a.Pointer, "/arguments/"), "/") {
		if strings.Trim(part, "0123456789") != "" {
			name = part
		}
	}
	return name
}
