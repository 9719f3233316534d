package session

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// maxReads is the maximum number of reads listed as related to one finding.
const maxReads = 64

// flowWeights contains the severities of a call after a read: the field suspicious applies if the read
// returned something suspicious, or if a name suggests that it returned secrets; plain applies if only
// the order of the calls is known.
type flowWeights struct{ suspicious, plain scanner.Severity }

// reportReads reports the current call if it follows reads on other servers within a window and,
// with sameTurn, in the same turn. setting is the key in mcpscan.yaml that controls the rule.
func reportReads(p *scanner.JudgePass, weights flowWeights, does, setting string, window time.Duration, sameTurn bool) {
	var last *scanner.Call
	var servers []string
	is := scanner.JudgeIssue{Severity: weights.plain, Subject: mcp.CallSubject, Name: p.Message.Target, Pointer: "/name",
		Evidence: p.Message.Target, Offset: p.Message.Offset}
	reads, why := 0, ""
	for r := range p.Earlier(capability.Read, window, sameTurn) {
		if reads++; reads <= maxReads {
			is.Related = append(is.Related, scanner.Related{Location: r.Location, Call: new(*r),
				Message: fmt.Sprintf("%s of server %s read data %searlier", text.QuoteName(r.Tool), text.QuoteName(r.Server), elapsed(p, r))})
		}
		if !slices.Contains(servers, r.Server) {
			servers = append(servers, r.Server)
		}
		if last == nil || r.Time.After(last.Time) {
			last = r
		}
		if why == "" && (keepsSecrets(r.Tool) || keepsSecrets(r.Server)) {
			why = fmt.Sprintf("judging by its name, %s of server %s reads secrets", text.QuoteName(r.Tool), text.QuoteName(r.Server))
		}
	}
	if reads == 0 {
		return
	}
	p.Refuse(scanner.CrossServerCheck, scanner.Block, "the call follows a read on another server ("+setting+" in mcpscan.yaml)")
	slices.Sort(servers) // makes the key independent of the order of calls
	for _, s := range servers {
		is.Key += s + "\x00"
	}
	is.Message = fmt.Sprintf("%s of server %s %s %safter %s of server %s read", text.QuoteName(p.Message.Target), text.QuoteName(p.Server.ID), does,
		elapsed(p, last), text.QuoteName(last.Tool), text.QuoteName(last.Server))
	if reads > 1 {
		is.Message += fmt.Sprintf(", the last of %d reads on other servers", reads)
	}
	for r, s := range p.Suspects(window, sameTurn) {
		why = suspicion(r, s)
		is.Related = append(is.Related, scanner.Related{Location: s.At, Call: new(*r), Message: why})
	}
	if why != "" {
		is.Severity = weights.suspicious
		is.Message += "; " + why
	}
	if p.AlreadyReported("value-flow") {
		is.Message += "; it contains data that another server returned (value-flow)"
	}
	p.Report(is)
}

// elapsed returns the time from a read to the current call, followed by a space, or "" if the recording
// lacks one of the two times.
func elapsed(p *scanner.JudgePass, r *scanner.Call) string {
	if r.Undated || p.Undated() {
		return ""
	}
	return p.Now.Sub(r.Time).String() + " "
}

// suspicion describes what is suspicious about the result of a read.
func suspicion(r *scanner.Call, s scanner.Suspicion) string {
	why := "contains a secret"
	if s.Orders != "" {
		why = "gives instructions to an AI (" + s.Orders + ")"
	}
	return fmt.Sprintf("the result of %s of server %s %s", text.QuoteName(r.Tool), text.QuoteName(r.Server), why)
}

// secretNouns are words that indicate secrets in the name of a tool or server. keysTo are words
// that indicate a secret if "key" or "keys" follows, as in "api key".
var (
	secretNouns = names.Set("password passwords passwd passphrase secret secrets credential credentials vault keychain keyring keystore apikey")
	keysTo      = names.Set("api private ssh secret access signing encryption")
)

// keepsSecrets reports whether a name indicates that the tool or server reads secrets.
func keepsSecrets(name string) bool {
	words := names.Words(name)
	for i, w := range words {
		if secretNouns[w] || i > 0 && (w == "key" || w == "keys") && keysTo[words[i-1]] {
			return true
		}
	}
	return false
}
