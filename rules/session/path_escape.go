package session

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/paths"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var PathEscape = scanner.Rule{
	ID:         "ses-path-escape",
	Category:   "path_traversal",
	Title:      "A call leads out of the place that it starts in",
	Why:        "A server that joins what it is given with its own directory hands over files that nobody shared with it (CVE-2025-53110, CVE-2025-68143). Text that an agent read can have chosen the path.",
	Fix:        "Look at the answer, and find out where the path came from. Let the server resolve paths before it checks them, and refuse what is outside.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "It reports steps up beyond the start of a relative path or the top directory of an absolute one, and, where the client named roots, absolute paths outside of them. People write ../ too, so it is medium; steps that are encoded, or made to survive a filter, have no honest use and are high, as are those that end at a file of keys or accounts. An argument is a path by its name; under another name, two steps up or an encoded one are asked for. Where a symbolic link leads cannot be seen.",
	Refs:       []string{"OWASP-MCP:MCP05", "OWASP-LLM:LLM06", "CWE-22"},
	Arguments:  true,
	On:         scanner.OnRequest,
	Judge: func(p *scanner.JudgePass) {
		m := p.Message
		if m.Kind != scanner.Request || p.Direction != scanner.ClientToServer {
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
			p.Report(scanner.JudgeIssue{Severity: severity, Subject: scanner.CallSubject, Name: m.Target, Pointer: a.Pointer,
				Message: fmt.Sprintf("a path for server %s %s", text.QuoteName(p.Server.ID), how), Evidence: a.Text, Key: a.Text, Offset: a.Offset})
		}
	},
}

// rootsOf returns the paths that the client named, none where it named none that is a
// path.
func rootsOf(s *scanner.Server) (roots []paths.Path) {
	for _, uri := range s.Roots {
		if root, ok := paths.Parse(uri); ok && root.Absolute {
			roots = append(roots, root)
		}
	}
	return roots
}

// argumentEscapes tells how an argument of a call leads out, "" for one that does not.
func argumentEscapes(a *scanner.Argument, roots []paths.Path) (scanner.Severity, string) {
	if !ofCall(a) || len(roots) == 0 && !strings.Contains(a.Text, "..") && !strings.Contains(a.Text, "%") {
		return 0, ""
	}
	name := ownName(a)
	path, ok := paths.Parse(a.Text)
	if !ok || paths.HasWord(name, paths.TextArguments) || strings.Contains(a.Text, "://") && !path.URI {
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

// resourceEscapes does the same for a resource. What a scheme of the server's own
// begins with is a directory like any other.
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

// guarded are places of keys and accounts, which nothing beside the files of a project is.
var guarded = lazyregexp.New(`(?i)\.\.[/\\](?:[^/\\]+[/\\])*(?:etc[/\\](?:shadow|gshadow|sudoers)|proc[/\\](?:self|\d+)[/\\]environ|\.(?:ssh|aws|gnupg|kube)[/\\][^/\\]+|\.(?:netrc|pgpass|git-credentials))$`)

// escapes tells how a path leads out.
func escapes(l *paths.Path, text string, roots []paths.Path) (scanner.Severity, string) {
	inside := len(roots) == 0
	for i := range roots {
		inside = inside || !l.Absolute || l.Under(&roots[i])
	}
	up := l.Climbs > 0 || l.Emptied && (len(roots) == 0 || !inside)
	switch {
	case up && l.Hidden:
		return scanner.High, "leads up and out by steps that are encoded"
	case strings.Contains(text, "....//") || strings.Contains(text, "..././"):
		return scanner.High, "leads up and out when a filter takes ../ out of it"
	case up && guarded.MatchString(text):
		return scanner.High, "leads up and out to where keys or accounts are kept"
	case up:
		return scanner.Medium, "leads up and out of where it starts"
	case !inside:
		return scanner.Medium, "is outside of the roots that the client named"
	}
	return 0, ""
}

// ofCall reports whether what a call was given is one of its arguments, and not the
// name of the tool or what the client says beside it.
func ofCall(a *scanner.Argument) bool { return strings.HasPrefix(a.Pointer, "/arguments/") }

// ownName returns the name of an argument, or of the member that it is inside of one.
func ownName(a *scanner.Argument) string {
	name := a.Name
	for part := range strings.SplitSeq(strings.TrimPrefix(a.Pointer, "/arguments/"), "/") {
		if strings.Trim(part, "0123456789") != "" {
			name = part
		}
	}
	return name
}
