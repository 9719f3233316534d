package rules

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

// reach says how far from its reader an address leads.
type reach uint8

const (
	outside reach = iota
	thisMachine
	neighbour // a private network
	linkLocal // what only machines of one network segment, or a machine and its host, say to each other
	metadata  // the service that gives a cloud machine its credentials
)

var reachNames = [...]string{"the public network", "this machine", "a private network", "link-local addresses", "a cloud metadata service"}

func (r reach) String() string { return reachNames[r] }

// destination is the network that an address leads to, and whether it is written to disguise
// that.
type destination struct {
	reach     reach
	disguised bool
}

// destinationOf tells where a host leads, whatever form its figures have: programs that
// connect read 2130706433, 0x7f.1 and 0177.0.0.1 as 127.0.0.1.
func destinationOf(host string) destination {
	plain := strings.ToLower(strings.TrimSuffix(strings.ReplaceAll(norm.NFKC.String(host), "。", "."), "."))
	if ip, err := netip.ParseAddr(plain); err == nil {
		inner := embedded(ip)
		return destination{reachOf(inner), inner != ip.WithZone("") || !strings.EqualFold(strings.TrimSuffix(host, "."), plain)}
	}
	if ip, ok := figures(plain); ok {
		return destination{reachOf(ip), true}
	}
	switch m := spelledOut.FindStringSubmatch(plain); {
	case m != nil:
		if ip, ok := figures(strings.ReplaceAll(m[1], "-", ".")); ok {
			return destination{reachOf(ip), true}
		}
	case metadataHosts[plain]:
		return destination{reach: metadata}
	case mirrorsLoopback.MatchString(plain):
		return destination{thisMachine, true}
	case plain == "localhost" || strings.HasSuffix(plain, ".localhost"):
		return destination{reach: thisMachine}
	}
	return destination{}
}

// Names by which clouds and services of the public DNS lead inside. Source: the
// documentation of the clouds and services named.
var (
	metadataHosts   = wordSet(`metadata.google.internal metadata.goog metadata instance-data instance-data.ec2.internal metadata.tencentyun.com metadata.platformequinix.com`)
	spelledOut      = lazyregexp.New(`(?:^|[.-])(\d{1,3}(?:[.-]\d{1,3}){3})\.(?:nip\.io|sslip\.io|xip\.io)$`)
	mirrorsLoopback = lazyregexp.New(`(?:^|\.)(?:localtest\.me|lvh\.me|vcap\.me|lacolhost\.com|yoogle\.com)$`)
)

// figures reads an IPv4 address as resolvers do: one to four parts, each decimal, octal or
// hexadecimal, of which the last fills the rest.
func figures(host string) (netip.Addr, bool) {
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

// embedded returns the IPv4 address that an IPv6 address carries, or the address itself.
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

// Networks that embed other addresses, and those not reachable from outside: RFC 6052, 4291,
// 3056 and 6598.
var (
	nat64      = netip.MustParsePrefix("64:ff9b::/96")
	compatible = netip.MustParsePrefix("::/96")
	sixToFour  = netip.MustParsePrefix("2002::/16")
	carrier    = netip.MustParsePrefix("100.64.0.0/10")
	thisNet    = netip.MustParsePrefix("0.0.0.0/8")
)

// metadataAddresses are those of the metadata services of AWS, Azure, Google, Oracle
// and Alibaba.
var metadataAddresses = wordSet(`169.254.169.254 169.254.170.2 169.254.170.23 fd00:ec2::254 fd00:ec2::23 fd20:ce::254 168.63.129.16 192.0.0.192 100.100.100.200`)

var figure = lazyregexp.New(`^(?:0x[0-9a-f]+|[0-9]+)$`)

func reachOf(ip netip.Addr) reach {
	switch {
	case metadataAddresses[ip.String()]:
		return metadata
	case ip.IsLoopback(), ip.IsUnspecified(), thisNet.Contains(ip):
		return thisMachine
	case ip.IsLinkLocalUnicast():
		return linkLocal
	case ip.IsPrivate(), carrier.Contains(ip):
		return neighbour
	}
	return outside
}

// destinationURL parses an address as a browser does, which drops white space and reads a
// backslash as a slash. The scheme is in lower case.
func destinationURL(s string) (scheme string, u *url.URL) {
	s = strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, strings.TrimFunc(s, func(r rune) bool { return r <= ' ' }))
	m := urlScheme.FindString(s)
	scheme = strings.ToLower(strings.TrimSuffix(m, ":"))
	if webScheme[scheme] {
		s = m + strings.ReplaceAll(s[len(m):], `\`, "/")
	}
	if u, err := url.Parse(s); err == nil && u.Hostname() != "" {
		return scheme, u
	}
	return scheme, nil
}

var (
	urlScheme = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	webScheme = wordSet("http https ws wss")
)

// lookalikeHost reports a host, also in Punycode, with a name that mixes look-alike alphabets,
// or consists of look-alike letters before an ASCII suffix.
func lookalikeHost(host string) bool {
	if said, err := idna.Punycode.ToUnicode(host); err == nil {
		host = said
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	suffix := labels[len(labels)-1]
	for _, label := range labels {
		if _, _, mixed := mixedAlphabets([]byte(label)); mixed {
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

// looksASCII reports a label of non-ASCII letters that look like ASCII. Accented Latin letters
// are visible as such.
func looksASCII(label string) bool {
	for _, r := range label {
		if r > unicode.MaxASCII && (unicode.Is(unicode.Latin, r) || !ascii(scanner.FoldName("a"+string(r)+"a"))) {
			return false
		}
	}
	return !ascii(label)
}
