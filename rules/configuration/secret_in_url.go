package configuration

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// secretInURL rates the password of a URL and the secrets in its query and path.
func secretInURL(u *url.URL) (scanner.Severity, string) {
	if severity, message := passwordIn(u); message != "" {
		return severity, message
	}
	query, _ := url.ParseQuery(u.RawQuery) // skips what it cannot parse
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, v := range query[name] {
			if literal := text.Literal(v); secrets.NamesSecret(name) && !secrets.Placeholder(literal) && secrets.LooksRandom(literal) {
				return scanner.High, "the query of the address contains a secret"
			}
		}
	}
	if len(secrets.InPath(u)) > 0 {
		return scanner.Medium, "the path of the address contains what looks like a secret"
	}
	return 0, ""
}

// passwordIn rates the password of a URL that leads to another machine.
func passwordIn(u *url.URL) (scanner.Severity, string) {
	word, ok := u.User.Password()
	user, hosts := u.User.Username(), hostsOf(u)
	switch {
	case !ok || text.IsReference(word) || !slices.ContainsFunc(hosts, func(host string) bool { return !destination.Loopback(host) }):
	case secrets.LooksLikePasswordFrom(word, wordLength):
		return scanner.High, "the address contains a password"
	case !slices.ContainsFunc(hosts, leadsAway) || user != "" && secrets.Placeholder(user) && !secrets.DefaultPassword(user):
	case secrets.DefaultPassword(word):
		return scanner.Medium, "the address leads to another machine and contains a default password"
	case len(word) >= wordLength && !secrets.Placeholder(word) && !strings.ContainsAny(word, " \t\n/"):
		return scanner.Medium, "the address contains a password"
	}
	return 0, ""
}

// hostsOf returns the hosts of a URL. Databases accept several, separated by commas.
func hostsOf(u *url.URL) (hosts []string) {
	for host := range strings.SplitSeq(u.Host, ",") {
		hosts = append(hosts, (&url.URL{Host: host}).Hostname())
	}
	return hosts
}

// leadsAway reports whether a host is neither a placeholder nor part of a development
// environment, where a weak password does no harm.
func leadsAway(host string) bool {
	return !text.IsReference(host) && !destination.Development(host) && !placeholderHost.MatchString(host)
}

// placeholderHost matches hosts that stand for another host in documentation.
var placeholderHost = lazyregexp.New(`(?i)[<>{}$*]|%\w+%|\byour|^(?:www\.)?example\.(?:com|net|org)$`)
