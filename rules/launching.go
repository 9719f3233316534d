package rules

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// launches calls each for every server of a configuration that has a command, with what
// that starts.
func launches(p *scanner.ConfigPass, each func(*scanner.Entry, *scanner.Launched)) {
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.Command == "" {
			continue
		}
		l := scanner.Launch(e.Command, e.Args)
		each(e, &l)
	}
}

// fetched calls each for every package that a configuration has fetched.
func fetched(p *scanner.ConfigPass, each func(*scanner.Entry, *scanner.Launched, scanner.Package)) {
	launches(p, func(e *scanner.Entry, l *scanner.Launched) {
		for _, one := range append([]scanner.Package{l.Package}, l.With...) {
			if one.Ecosystem.Fetched() && !text.IsReference(one.Name) {
				each(e, l, one)
			}
		}
	})
}

// wordAt is the pointer to an argument of an entry, and the text there.
func wordAt(e *scanner.Entry, arg int) (pointer, word string) {
	if arg < 0 || arg >= len(e.Args) {
		return "/command", e.Command
	}
	return fmt.Sprintf("/args/%d", arg), e.Args[arg]
}

// owned lowers the severity of what users chose for their own machine; somebody else chose
// what comes with a repository.
func owned(p *scanner.ConfigPass, project, user scanner.Severity) scanner.Severity {
	if p.User {
		return user
	}
	return project
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// private reports whether a host is of a network that is not the public one. A name
// without a dot is that of a neighbour.
func private(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	return !strings.Contains(host, ".") || privateSuffix.MatchString(host)
}

var privateSuffix = lazyregexp.New(`\.(?:local|lan|home|internal|intranet|corp|test|svc|cluster\.local|home\.arpa|ts\.net)$`)

// address reads an absolute URL, without the references in it.
func address(s string) (*url.URL, bool) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" || u.Hostname() == "" || text.IsReference(u.Host) || strings.ContainsAny(u.Host, "<>{}$") {
		return nil, false
	}
	return u, true
}
