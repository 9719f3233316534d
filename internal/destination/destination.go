// Package destination determines where a host or URL leads: the public network, a private one, this
// machine, or a cloud metadata service.
package destination

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
)

// reach is the kind of network that an address leads to.
type reach uint8

const (
	Outside reach = iota
	ThisMachine
	Neighbour // a private network
	LinkLocal // reachable only within a network segment, or between a machine and its host
	metadata  // the service that gives a cloud machine its credentials
)

var reachNames = [...]string{"the public network", "this machine", "a private network", "link-local addresses", "a cloud metadata service"}

func (r reach) String() string { return reachNames[r] }

// Destination is the network that an address leads to, and whether the address disguises it.
type Destination struct {
	Reach     reach
	Disguised bool
}

// Of returns the destination of a host.
func Of(host string) Destination {
	plain := plainHost(host)
	if ip, ok := IP(host); ok {
		written, err := netip.ParseAddr(plain)
		return Destination{reachOf(ip), err != nil || ip != written.WithZone("") || !strings.EqualFold(strings.TrimSuffix(host, "."), plain)}
	}
	switch m := spelledOut.FindStringSubmatch(plain); {
	case m != nil:
		if ip, ok := parseInetAton(strings.ReplaceAll(m[1], "-", ".")); ok {
			return Destination{reachOf(ip), true}
		}
	case metadataHosts[plain]:
		return Destination{Reach: metadata}
	case mirrorsLoopback.MatchString(plain):
		return Destination{ThisMachine, true}
	case plain == "localhost" || strings.HasSuffix(plain, ".localhost"):
		return Destination{Reach: ThisMachine}
	}
	return Destination{}
}

// IP parses a host that is an IP address, in the notations that clients accept, such as 2130706433,
// 0x7f.1 and 0177.0.0.1 for 127.0.0.1. An IPv6 address that embeds an IPv4 address is converted to that IPv4 address.
func IP(host string) (ip netip.Addr, ok bool) {
	plain := plainHost(host)
	if ip, err := netip.ParseAddr(plain); err == nil {
		return embedded(ip), true
	}
	return parseInetAton(plain)
}

// plainHost returns a host in lower case, without compatibility characters or a trailing dot.
func plainHost(host string) string {
	return strings.ToLower(strings.TrimSuffix(strings.ReplaceAll(norm.NFKC.String(host), "。", "."), "."))
}

// Host returns the canonical form of a host in a URL, which is the same for all its notations. An
// IPv6 address that embeds an IPv4 address becomes that IPv4 address; any other IPv6 address is in
// brackets.
func Host(host string) string {
	plain := plainHost(host)
	switch ip, ok := IP(strings.Trim(plain, "[]")); {
	case !ok:
		return plain
	case ip.Is6():
		return "[" + ip.String() + "]"
	default:
		return ip.String()
	}
}

// Public DNS names and cloud host names that resolve to internal addresses. Source: the
// documentation of these clouds and services.
var (
	metadataHosts   = names.Set(`metadata.google.internal metadata.goog metadata instance-data instance-data.ec2.internal metadata.tencentyun.com metadata.platformequinix.com`)
	spelledOut      = lazyregexp.New(`(?:^|[.-])(\d{1,3}(?:[.-]\d{1,3}){3})\.(?:nip\.io|sslip\.io|xip\.io)$`)
	mirrorsLoopback = lazyregexp.New(`(?:^|\.)(?:localtest\.me|lvh\.me|vcap\.me|lacolhost\.com|yoogle\.com)$`)
)

// parseInetAton parses an IPv4 address as inet_aton does: one to four parts, each decimal, octal or
// hexadecimal. The last part fills the remaining bytes.
func parseInetAton(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var all uint64
	for i, part := range parts {
		if !figure.MatchString(part) {
			return netip.Addr{}, false
		}
		n, err := strconv.ParseUint(part, 0, 32)
		width := 8
		if i == len(parts)-1 {
			width = 8 * (5 - len(parts))
		}
		if err != nil || n >= 1<<width {
			return netip.Addr{}, false
		}
		all = all<<width | n
	}
	return netip.AddrFrom4([4]byte{byte(all >> 24), byte(all >> 16), byte(all >> 8), byte(all)}), true
}

// embedded returns the IPv4 address embedded in an IPv6 address, or the address itself.
func embedded(ip netip.Addr) netip.Addr {
	if ip = ip.WithZone(""); ip.Is4In6() {
		return ip.Unmap()
	}
	b := ip.As16()
	switch {
	case ip.Is6() && nat64.Contains(ip), ip.Is6() && compatible.Contains(ip) && (b[12] != 0 || b[13] != 0):
		return netip.AddrFrom4([4]byte(b[12:]))
	case ip.Is6() && sixToFour.Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:6]))
	}
	return ip
}

// Networks whose addresses embed IPv4 addresses, and networks not reachable from outside: RFC 6052,
// 4291, 3056, 6598 and 1122.
var (
	nat64      = netip.MustParsePrefix("64:ff9b::/96")
	compatible = netip.MustParsePrefix("::/96")
	sixToFour  = netip.MustParsePrefix("2002::/16")
	carrier    = netip.MustParsePrefix("100.64.0.0/10")
	thisNet    = netip.MustParsePrefix("0.0.0.0/8")
)

// metadataAddresses lists the addresses of the metadata services of AWS, Azure, Google, Oracle and
// Alibaba.
var metadataAddresses = names.Set(`169.254.169.254 169.254.170.2 169.254.170.23 fd00:ec2::254 fd00:ec2::23 fd20:ce::254 168.63.129.16 192.0.0.192 100.100.100.200`)

var figure = lazyregexp.New(`^(?:0x[0-9a-f]+|[0-9]+)$`)

func reachOf(ip netip.Addr) reach {
	switch {
	case metadataAddresses[ip.String()]:
		return metadata
	case ip.IsLoopback(), ip.IsUnspecified(), thisNet.Contains(ip):
		return ThisMachine
	case ip.IsLinkLocalUnicast():
		return LinkLocal
	case ip.IsPrivate(), carrier.Contains(ip):
		return Neighbour
	}
	return Outside
}

// ParseURL parses a URL as a browser does: it drops tabs and line breaks, and spaces and control
// characters at both ends, and treats backslashes as slashes in http, https, ws and wss URLs. The
// scheme is returned in lower case.
func ParseURL(s string) (scheme string, u *url.URL) {
	s = strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, strings.TrimFunc(s, func(r rune) bool { return r <= ' ' }))
	m := urlScheme.FindString(s)
	scheme = strings.ToLower(strings.TrimSuffix(m, ":"))
	if WebScheme[scheme] {
		s = m + strings.ReplaceAll(s[len(m):], `\`, "/")
	}
	if u, err := url.Parse(s); err == nil && u.Hostname() != "" {
		return scheme, u
	}
	return scheme, nil
}

var (
	urlScheme = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	WebScheme = names.Set("http https ws wss")
)

// LookalikeHost reports whether a host, possibly in Punycode, has a label that mixes look-alike
// alphabets, or a label of look-alike letters before an ASCII suffix.
func LookalikeHost(host string) bool {
	if said, err := idna.Punycode.ToUnicode(host); err == nil {
		host = said
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	suffix := labels[len(labels)-1]
	for _, label := range labels {
		if _, _, mixed := names.MixedAlphabets([]byte(label)); mixed {
			return true
		}
		if ascii(suffix) && looksASCII(label) {
			return true
		}
	}
	return false
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

// looksASCII reports whether a label has non-ASCII characters that all look like ASCII. Accented
// Latin letters do not count, because readers recognise them.
func looksASCII(label string) bool {
	for _, r := range label {
		if r > unicode.MaxASCII && (unicode.Is(unicode.Latin, r) || !ascii(names.FoldName("a"+string(r)+"a"))) {
			return false
		}
	}
	return !ascii(label)
}

// ReservedHost matches hosts that are examples, placeholders or local: names reserved by RFC 2606,
// 6761 and 6762, other suffixes of local networks, and placeholders such as your-domain.com.
var ReservedHost = lazyregexp.New(`(^|\.)(example|test|invalid|localhost|local|internal|lan)$|(^|\.)example\.(com|org|net)$|` +
	`(^|[.-])(your|my|some|our)?-?(domain|company|org|organization|server|site|website|e?mail|host|app|business|team)\.(com|org|net|io|tld)$|` +
	`^(your|my)`)

// Loopback reports whether a host is this machine.
func Loopback(host string) bool {
	if ip, ok := IP(host); ok {
		return reachOf(ip) == ThisMachine
	}
	host = plainHost(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// Development reports whether a host is this machine, the machine on which a container runs, or a name without
// a dot, such as that of a service in the same Docker network.
func Development(host string) bool {
	plain := plainHost(host)
	if _, ok := IP(plain); ok {
		return Loopback(plain)
	}
	return !strings.Contains(plain, ".") || Of(plain).Reach == ThisMachine || containerHosts[plain]
}

// containerHosts lists the names by which containers reach their host, from the documentation of Docker Desktop, Podman and Lima.
var containerHosts = names.Set(`host.docker.internal gateway.docker.internal docker.for.mac.localhost docker.for.mac.host.internal docker.for.win.host.internal host.containers.internal host.lima.internal`)

// Private reports whether a host is on a private network, has a link-local address, or is the
// address of a metadata service. A name counts as private if it has no dot, or a suffix that only
// private networks use, such as .local.
func Private(host string) bool {
	if ip, ok := IP(host); ok {
		return reachOf(ip) > ThisMachine
	}
	host = plainHost(host)
	return !strings.Contains(host, ".") || privateSuffix.MatchString(host)
}

var privateSuffix = lazyregexp.New(`\.(?:local|lan|home|internal|intranet|corp|test|svc|cluster\.local|home\.arpa|ts\.net)$`)

// Address parses an absolute URL. It returns false if the host contains a variable reference.
func Address(s string) (*url.URL, bool) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" || u.Hostname() == "" || text.IsReference(u.Host) || strings.ContainsAny(u.Host, "<>{}$") {
		return nil, false
	}
	return u, true
}

// Describe returns where an address leads and whether it is disguised.
func (d Destination) Describe() string {
	if d.Disguised {
		return d.Reach.String() + ", in disguised form"
	}
	return d.Reach.String()
}
