package destination

import (
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Named returns the hosts other than this machine that the value of a variable, header or setting names:
// those of addresses as SCHEME://HOST[:PORT], and bare ones as HOST[:PORT]. A bare host is an IP
// address, or a name with a private or public suffix; a name with a public suffix must also have a port
// or several dots, unless the name of the setting suggests an address, as API_HOST does. In a secret,
// nothing counts as a bare host.
func Named(name, value string) []string {
	found := addresses(value)
	if len(found) < 2 && strings.ContainsAny(value, "\t\r\n") { // not a list: URL parsers drop them
		found = addresses(lineBreaks.Replace(value))
	}
	key := name
	for _, word := range words.FindAllStringSubmatch(value, -1) {
		if word[2] != "" {
			key = word[1]
			continue
		}
		if host := bareHost(word[1], key); host != "" && !text.NamesSecret(key) {
			found = append(found, host)
		}
		key = name
	}
	return found
}

var (
	lineBreaks = strings.NewReplacer("\t", "", "\r", "", "\n", "")
	// words matches the items of a list, and the keys and values of an object or a connection string.
	words = lazyregexp.New("([^\\s,;|&=\"'`()\\[\\]{}<>]+)([\"']?\\s*=|[\"']\\s*:)?")
	// addressed matches names of settings that contain addresses, such as API_HOST, X-Upstream and Server.
	addressed = lazyregexp.New(`(?i)(?:host|server|ur[il]|endpoint|addr(?:ess)?|domain|origin|upstream|proxy|gateway|broker|registry|base)(?:name)?s?\d*$`)
	// hosting matches names of settings that contain hosts, whose suffix may be that of a private network.
	hosting = lazyregexp.New(`(?i)(?:host|server|addr(?:ess)?|domain)(?:name)?s?\d*$`)
	// scheme matches the beginning of an address. For special schemes such as http, WHATWG parsers
	// ignore the number and direction of slashes.
	scheme    = lazyregexp.New(`(?i)\b(?:[a-z][a-z0-9+.-]*:[/\\]{2,}|(?:https?|wss?|ftp):[/\\]?)`)
	authority = lazyregexp.New("^[^/?#\"'`<>|\\s]+")
	// between matches what separates hosts: the comma in a list, and the backslash, because only some parsers
	// end the host there.
	between = lazyregexp.New(`[,\\]+`)
)

// addresses returns SCHEME://HOST[:PORT] for each host of the addresses in a value.
func addresses(value string) (found []string) {
	for _, at := range scheme.Compiled().FindAllStringIndex(value, -1) {
		begin := strings.ToLower(value[at[0]:at[1]])
		name, slashes, _ := strings.Cut(begin, ":")
		for i, host := range between.Compiled().Split(authority.FindString(value[at[1]:]), -1) {
			host = strings.ToLower(strings.TrimRight(host[strings.LastIndexByte(host, '@')+1:], ".;)}"))
			if !strings.Contains(host, "[") {
				host = strings.TrimSuffix(host, "]")
			}
			plain := (&url.URL{Host: host}).Hostname()
			alone := i == 0 && len(slashes) > 1 // elsewhere, a name without a dot may be an ordinary word
			if plain == "" || strings.ContainsAny(host, "{}$%") || !alone && !strings.ContainsAny(plain, ".:") || Loopback(plain) {
				continue
			}
			found = append(found, name+"://"+host)
		}
	}
	return found
}

// bareHost returns HOST[:PORT] if a word in a setting with this name is a host with an optional user, port and
// path, and "" otherwise.
func bareHost(word, name string) string {
	word = strings.TrimPrefix(strings.TrimPrefix(word, "//"), `\\`)
	if end := strings.IndexAny(word, `/\?#`); end >= 0 {
		word = word[:end]
	}
	at := strings.LastIndexByte(word, '@')
	parts := hostAndPort.FindStringSubmatch(strings.ToLower(word[at+1:]))
	if parts == nil || Loopback(parts[1]) {
		return ""
	}
	host, port := parts[1], parts[2]
	_, notIP := netip.ParseAddr(host)
	suffix, icann := publicsuffix.PublicSuffix(host)
	switch {
	case at >= 0 && port == "": // an email address
	case notIP == nil, localSuffixes[suffix], privateSuffix.MatchString(host):
		return host + port
	case FileEnding(suffix) || !icann && !hosting.MatchString(name): // a file name, a version or an identifier
	case addressed.MatchString(name), port != "", strings.Contains(suffix, "."), strings.Count(host, ".") > 1: // not one like wsgi.app
		return host + port
	}
	return ""
}

var (
	hostAndPort   = lazyregexp.New(`^((?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+(?:[a-z][a-z0-9-]*[a-z0-9]|\d{1,3}))\.?(:\d{1,5})?$`)
	localSuffixes = names.Set(`example test invalid internal`)
)

// FileEnding reports whether a top-level domain is also a common file name extension.
func FileEnding(suffix string) bool { return fileEndings[suffix] }

var fileEndings = names.Set(`sh py md rs zip mov ts ps pl`)
