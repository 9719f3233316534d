package drift

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/scanner"
)

// moved rates a value that leads to a different destination than the previous values, and describes
// the destination. where is "" for any other value: one that is not a destination, or that has the
// registrable domain of a previous value. If no previous value was a destination, only an address on
// a host that is new to the definition counts.
func (s *schemaChange) moved(before []string, value string) (weight scanner.Severity, where string) {
	now := s.placeOf(value)
	if now == "" {
		return 0, ""
	}
	var was []string
	for _, b := range before {
		if p := s.placeOf(b); p != "" {
			was = append(was, p)
		}
	}
	site := siteOf(now)
	if len(was) == 0 && len(before) > 0 && leadsSomewhere(value) && s.strange(now) {
		return scanner.High, "leads to " + strconv.Quote(now) + ", a host that the definition did not mention before"
	}
	if len(was) == 0 || slices.ContainsFunc(was, func(w string) bool { return siteOf(w) == site }) {
		return 0, ""
	}
	poses := slices.ContainsFunc(was, func(w string) bool { return posesAs(now, w) })
	_, numeric := destination.IP(now)
	switch where = "leads to " + strconv.Quote(now) + " instead of " + strconv.Quote(was[0]); {
	case destination.Loopback(now):
		return scanner.Medium, where
	case poses:
		return scanner.High, where + ", which it imitates"
	case numeric:
		return scanner.High, where + ", an IP address without an identifiable owner"
	}
	first, _, _ := strings.Cut(site, ".")
	return s.mentionWeight(site, first, now), where
}

// leadsSomewhere reports whether a value contains a web or mail address.
func leadsSomewhere(value string) bool {
	return strings.Contains(value, "://") || strings.Contains(value, "@") && hostName.MatchString(value[strings.LastIndexByte(value, '@')+1:])
}

// strange reports whether a host is new to the definition and not named like the server or the
// tool.
func (c *change) strange(host string) bool {
	if destination.Loopback(host) || c.mentioned(siteOf(host)) {
		return false
	}
	label, _, _ := strings.Cut(siteOf(host), ".")
	own := names.FoldName(c.serverName() + " " + c.d.Name)
	return len(label) < rootLetters || !c.mentioned(label) && !strings.Contains(own, names.FoldName(label))
}

var (
	hostName  = lazyregexp.New(`^(?:[\pL\pN_-]+\.)+[\pL][\pL\pN-]+$`)
	imageName = names.Set(`image images container registry`)
	placeName = names.Set(`bucket buckets recipient recipients payee wallet iban bcc cc webhook`)
	hostParam = names.Set(`host hosts hostname domain server endpoint url uri base api address gateway proxy relay registry mirror index origin broker remote site`)
)

// placeOf returns the host or other destination in a value, or "" if there is none.
func (s *schemaChange) placeOf(value string) string {
	value = strings.TrimSpace(value)
	if len(value) > 2048 || strings.ContainsAny(value, " \n") {
		return ""
	}
	if u, err := url.Parse(value); err == nil && u.Host != "" && u.Scheme != "" {
		return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	}
	if at := strings.LastIndexByte(value, '@'); at > 0 && hostName.MatchString(value[at+1:]) {
		return strings.ToLower(value[at+1:])
	}
	head, rest, more := strings.Cut(strings.ToLower(value), "/")
	bare, _, _ := strings.Cut(head, ":")
	_, err := netip.ParseAddr(bare)
	named := err == nil || hostName.MatchString(bare) || bare == "localhost"
	switch {
	case anyWord(s.name, imageName) && more && named && bare != "docker.io":
		return bare
	case anyWord(s.name, imageName):
		return imageOwner(head, rest, more)
	case anyWord(s.name, hostParam) && named:
		return bare
	case anyWord(s.name, placeName) && value != "" && value != "null":
		return strings.ToLower(value)
	}
	return ""
}

// imageOwner returns the publisher of an image in the default registry.
func imageOwner(head, rest string, more bool) string {
	if head == "docker.io" {
		head, _, more = strings.Cut(rest, "/")
	}
	if !more || head == "library" {
		return "docker.io"
	}
	return "docker.io/" + head
}

// siteOf returns the registrable domain of a host.
func siteOf(host string) string {
	if _, numeric := destination.IP(host); numeric {
		return host
	}
	if site, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return site
	}
	return host
}

// posesAs reports whether a host imitates another: it contains the other's name, differs from it
// only in look-alike letters or by one letter, or has letters outside ASCII.
func posesAs(now, was string) bool {
	site := siteOf(was)
	name, _, _ := strings.Cut(site, ".")
	foreign := strings.ContainsFunc(now, func(r rune) bool { return r > 0x7F })
	if names.FoldName(now) == names.FoldName(was) || strings.Contains(now, "xn--") || foreign {
		return true
	}
	other, _, _ := strings.Cut(siteOf(now), ".")
	return len(name) >= rootLetters && other != name && (strings.Contains(now, site) || strings.Contains(now, name) || names.Lookalike(other, name))
}
