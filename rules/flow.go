package rules

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// maxReads bounds the reads that one finding relates.
const maxReads = 64

// shownName bounds a foreign name in a message, in characters.
const shownName = 120

// flowWeights are the severities of a call after a read: if the read returned something
// suspicious, and if only the order of calls is known.
type flowWeights struct{ suspicious, plain scanner.Severity }

// reportReads reports the call at hand where others read before it, on other servers
// and within a window, or in the same turn besides.
func reportReads(p *scanner.JudgePass, weights flowWeights, does string, window time.Duration, sameTurn bool) {
	var last *scanner.Call
	var servers []string
	is := scanner.JudgeIssue{Severity: weights.plain, Subject: scanner.CallSubject, Name: p.Message.Target, Pointer: "/name",
		Evidence: p.Message.Target, Offset: p.Message.Offset}
	reads, why := 0, ""
	for r := range p.Earlier(scanner.ReadTool, window, sameTurn) {
		if reads++; reads <= maxReads {
			is.Related = append(is.Related, scanner.Related{Location: r.Location, Call: new(*r),
				Message: fmt.Sprintf("%s of server %s read %s before", shown(r.Tool), shown(r.Server), p.Now.Sub(r.Time))})
		}
		if !slices.Contains(servers, r.Server) {
			servers = append(servers, r.Server)
		}
		if last == nil || r.Time.After(last.Time) {
			last = r
		}
		if why == "" && (keepsSecrets(r.Tool) || keepsSecrets(r.Server)) {
			why = fmt.Sprintf("by its name, %s of server %s reads secrets", shown(r.Tool), shown(r.Server))
		}
	}
	if reads == 0 {
		return
	}
	p.Refuse(scanner.CrossServerCheck, scanner.Block, "a read on another server came before this call")
	slices.Sort(servers) // the first to be called is no part of what the finding is
	for _, s := range servers {
		is.Key += s + "\x00"
	}
	is.Message = fmt.Sprintf("%s of server %s %s %s after %s of server %s read", shown(p.Message.Target), shown(p.Server.ID), does,
		p.Now.Sub(last.Time), shown(last.Tool), shown(last.Server))
	if reads > 1 {
		is.Message += fmt.Sprintf(", the last of %d reads on other servers", reads)
	}
	for r, s := range p.Suspects(window, sameTurn) {
		why = suspicion(r, s)
		is.Related = append(is.Related, scanner.Related{Location: r.Location, Call: new(*r), Message: why})
	}
	if why != "" {
		is.Severity = weights.suspicious
		is.Message += "; " + why
	}
	if p.Told("value-flow") {
		is.Message += "; it contains data from that read (value-flow)"
	}
	p.Report(is)
}

// suspicion explains what is suspicious in the answer to a read.
func suspicion(r *scanner.Call, s scanner.Suspicion) string {
	why := "contains a secret"
	if s.Orders != "" {
		why = "gives orders to an AI (" + s.Orders + ")"
	}
	return fmt.Sprintf("what %s of server %s returned %s", shown(r.Tool), shown(r.Server), why)
}

// secretNouns are the words of names under which nothing but secrets is kept, and
// keysTo those that make one of a key.
var (
	secretNouns = wordSet("password passwords passwd passphrase secret secrets credential credentials vault keychain keyring keystore apikey")
	keysTo      = wordSet("api private ssh secret access signing encryption")
)

// keepsSecrets reports a name that says that secrets are read there.
func keepsSecrets(name string) bool {
	words := scanner.Words(name)
	for i, w := range words {
		if secretNouns[w] || i > 0 && (w == "key" || w == "keys") && keysTo[words[i-1]] {
			return true
		}
	}
	return false
}

// shown quotes a foreign name for a message.
func shown(name string) string {
	return `"` + text.Visible(text.Mask(name[:min(len(name), 4*shownName)]), shownName) + `"`
}

// oneOfSeveral reports whether the session has other servers too.
func oneOfSeveral(p *scanner.JudgePass) bool { return len(p.Session.Servers) > 1 }
