package crossserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/scanner"
)

var ServerLookalike = scanner.Rule{
	ID:         "xs-server-lookalike",
	Category:   "name_similarity",
	Title:      "A server's name is almost identical to another server's",
	Why:        "Users may install or call the wrong package or server if its name differs from the intended one by a single letter.",
	Fix:        "Compare the name with the intended one, letter by letter, and check the origin of the server. Give your own servers distinct names.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis: "Names are compared word by word, and only a typo counts, so server-b does not imitate server-a, but githab imitates github. " +
		"If only one of the two servers is named in a configuration, lockfile or server list of the run, the finding is about the other one; otherwise it is about the server that appeared later. " +
		"The finding is high if both servers are in one session and one of the two words that differ is a known word. It is medium if neither word is known, or if the name resembles only a well-known name, not another server's. It is low if the names differ only in their scopes or in common words.",
	Refs:  []string{"OWASP-MCP:MCP04", "OWASP-MCP:MCP09", "OWASP-LLM:LLM03", "ATLAS:AML.T0074", "CWE-1007"},
	On:    mcp.OnNewServer | mcp.OnIntroduction,
	Judge: JudgeServerName(nil),
}

// JudgeServerName returns the rule's check. If alike is not nil, it decides on names that differ by
// more than a typo.
func JudgeServerName(alike func(p *scanner.JudgePass, other string) bool) func(*scanner.JudgePass) {
	return func(p *scanner.JudgePass) {
		if !p.Server.Seen {
			serverBeside(p, alike)
			famous(p, p.Server.ID, "")
		}
		if s := p.Message.Server; s != nil && s.Name != p.Server.Info.Name && !slices.Equal(names.Distinctive(s.Name), names.Distinctive(p.Server.ID)) {
			famous(p, s.Name, "/serverInfo/name")
		}
	}
}

// AlikeByLetters compares whole names as agentsh does, so server-a imitates server-b.
func AlikeByLetters(p *scanner.JudgePass, other string) bool {
	return p.Server.ID != other && names.Similarity(p.Server.ID, other) >= p.Similarity
}

// serverBeside compares a new server with the other servers of its session.
func serverBeside(p *scanner.JudgePass, alike func(p *scanner.JudgePass, other string) bool) {
	own := names.Distinctive(p.Server.ID)
	for _, other := range p.Session.First {
		if other == p.Server || len(p.Server.ID)+len(other.ID) > names.MaxCompared {
			continue
		}
		severity, how := scanner.High, "is almost identical to"
		beside := names.Distinctive(other.ID)
		same := len(own) > 0 && slices.Equal(own, beside)
		is, sure := names.Slip(own, beside, p.Similarity)
		if !is { // the typo may be in a common word
			is, sure = names.Slip(names.FoldWords(p.Server.Words), names.FoldWords(other.Words), p.Similarity)
		}
		switch {
		case same && names.Disguised(p.Server.ID) != names.Disguised(other.ID):
			how = "looks like"
		case same:
			severity, how = scanner.Low, "differs only in its scope, or in common words, from"
		case !is && alike != nil && alike(p, other.ID):
		case !is:
			continue
		case !sure:
			severity = scanner.Medium
		}
		imitation, original, known := p.Server.ID, other.ID, ""
		switch mine, theirs := p.Expected(imitation), p.Expected(original); {
		case mine && !theirs:
			imitation, original, known = original, imitation, ", which is configured or approved"
		case theirs && !mine:
			known = ", which is configured or approved"
		}
		reportServer(p, severity, imitation, "", original,
			fmt.Sprintf("the name of server %q %s the name of server %q in the same session%s", imitation, how, original, known))
	}
}

// famous compares a name with well-known names, as a whole and word by word.
func famous(p *scanner.JudgePass, name, pointer string) {
	if len(name) > names.MaxCompared {
		return
	}
	words := names.Distinctive(name)
	if scope, _, ok := strings.Cut(name, "/"); ok && strings.HasPrefix(scope, "@") {
		words = append(words, names.FoldName(scope[1:]))
	}
	if !names.Disguised(name) && !slices.ContainsFunc(words, func(w string) bool { return !names.KnownWord(w) }) {
		return // a known word is not a typo
	}
	for _, known := range names.WellKnown() {
		is, _ := names.Slip(words, known, p.Similarity)
		is = is || slices.Equal(words, known) && names.Disguised(name)
		for i := 0; i < len(words) && !is && len(known) == 1; i++ {
			is, _ = names.Slip(words[i:i+1], known, p.Similarity)
		}
		if is {
			title := strings.Join(known, " ")
			reportServer(p, scanner.Medium, name, pointer, title, fmt.Sprintf("the server's name %q is almost identical to the well-known name %s", name, title))
			return
		}
	}
}

func reportServer(p *scanner.JudgePass, severity scanner.Severity, name, pointer, other, message string) {
	is := scanner.JudgeIssue{Severity: severity, Subject: mcp.ServerSubject, Other: other, Pointer: pointer, Offset: p.Message.Offset,
		Message: message, Evidence: name, Key: name + "\x00" + other}
	if pointer == "" {
		is.Server = name
	}
	p.Report(is)
}
