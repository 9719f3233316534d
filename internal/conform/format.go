package conform

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

// formats returns the check for a format, or nil. Formats are checked only in draft 7, because in
// later drafts they are annotations by default.
func formats(name string) func(string) bool {
	switch name {
	case "date":
		return isDate
	case "time":
		return isTime
	case "date-time":
		return func(s string) bool {
			return len(s) > 10 && s[10]|0x20 == 't' && isDate(s[:10]) && isTime(s[11:])
		}
	case "email":
		return isEmail
	case "hostname":
		return isHost
	case "ipv4":
		return isIPv4
	case "ipv6":
		return isIPv6
	case "uri", "iri":
		return func(s string) bool { u := parseURI(s); return u != nil && u.IsAbs() }
	case "uri-reference", "iri-reference":
		return func(s string) bool { return !strings.Contains(s, `\`) && parseURI(s) != nil }
	case "uuid":
		return func(s string) bool { return forms().uuid.MatchString(s) }
	}
	return nil
}

// forms holds regular expressions for formats, compiled on first use.
var forms = sync.OnceValue(func() (f struct{ time, label, local, uuid *regexp.Regexp }) {
	f.time = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([zZ]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)
	f.label = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)
	f.local = regexp.MustCompile("^(\"[^\"\\\\]*\"|([!#-'*+/-9=?A-Z^-~-]+(\\.[!#-'*+/-9=?A-Z^-~-]+)*)?)$")
	f.uuid = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)
	return f
})

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isTime accepts a leap second at any time of day, because its local time depends
// on the time zone.
func isTime(s string) bool { return forms().time.MatchString(s) }

func isIPv4(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is4()
}

func isIPv6(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is6() && addr.Zone() == ""
}

func isHost(s string) bool {
	s = strings.TrimSuffix(s, ".")
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if !forms().label.MatchString(label) {
			return false
		}
	}
	return true
}

func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if len(s) > 254 || at < 0 || at > 64 || !forms().local.MatchString(s[:at]) {
		return false
	}
	host := s[at+1:]
	literal, ok := strings.CutPrefix(host, "[")
	if literal, closed := strings.CutSuffix(literal, "]"); ok && closed {
		if six, ok := strings.CutPrefix(literal, "IPv6:"); ok {
			return isIPv6(six)
		}
		return isIPv4(literal)
	}
	return isHost(host)
}

func parseURI(s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil || strings.Contains(u.Hostname(), ":") && (!strings.HasPrefix(u.Host, "[") || !isIPv6(u.Hostname())) {
		return nil
	}
	return u
}
