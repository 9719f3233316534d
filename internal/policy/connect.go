package policy

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/names"
)

// networkSchemes are the schemes of URLs that contain a network address. The meaning of other
// schemes, which servers can define themselves, is unknown.
var networkSchemes = names.Set("http https ws wss ftp ftps sftp scp ssh tcp udp tls dtls quic git svn hg bzr cvs fossil rsync smb cifs nfs afp " +
	"dav davs webdav webdavs caldav carddav ldap ldaps redis rediss postgres postgresql mysql mariadb mssql sqlserver oracle db2 mongodb couchdb couchbase " +
	"cassandra clickhouse neo4j bolt influxdb memcached elasticsearch etcd consul zookeeper srv amqp amqps mqtt mqtts stomp kafka nats pulsar zmq " +
	"grpc grpcs xmlrpc thrift gopher gemini finger whois telnet dict tftp rtsp rtmp rtp mms smtp smtps imap imaps pop3 nntp news irc ircs xmpp sip sips " +
	"stun turn socks socks4 socks5 vnc rdp s3 gs gcs abfs abfss wasb hdfs webhdfs ipp ipps snmp syslog docker oci ipfs ipns magnet dns doh unc")

// webSchemes are schemes after which URL parsers find a host even without slashes.
var webSchemes = names.Set("http https ws wss ftp")

// hostWords are words in argument names that indicate an address without a scheme.
var hostWords = names.Set("host hosts hostname hostnames domain domains endpoint endpoints ip ips url urls server proxy")

// connects reports whether the request contains a network address.
func (q *request) connects() bool {
	for i := range q.paths {
		if slices.ContainsFunc(q.paths[i].sure, network) {
			return true
		}
	}
	return slices.ContainsFunc(q.values, func(v argumentValue) bool { return addressed(v.Text) || v.host() })
}

// host reports whether the argument has a name like host, and its value looks like one.
func (v *argumentValue) host() bool {
	return v.about.host && host(v.Text)
}

// network reports whether a path or URI is or contains a network address, such as a shell's
// /dev/tcp.
func network(s string) bool {
	low := strings.ToLower(s)
	return strings.HasPrefix(low, "/dev/tcp/") || strings.HasPrefix(low, "/dev/udp/") || addressed(s)
}

// addressed reports whether a string contains a network address, even after another scheme,
// percent-encoded, or with characters that URL parsers ignore.
func addressed(s string) bool {
	for range maxDecodings + 1 {
		if holdsAddress(s) {
			return true
		}
		if plain := strings.Map(seen, norm.NFKC.String(s)); plain != s && holdsAddress(plain) {
			return true
		}
		decoded := unescape(s)
		if decoded == s {
			return false
		}
		s = decoded
	}
	return false
}

// seen drops the characters that URL parsers ignore or that are not displayed.
func seen(c rune) rune {
	if c < ' ' || c == 0x7F || unicode.Is(unicode.Cf, c) {
		return -1
	}
	return c
}

// shares matches a Windows share, or an address without its scheme.
var shares = lazyregexp.New(`(?:^|[^\\/:\pL\pN])(?:\\\\(?:[?.]\\UNC\\)?[\pL\pN][\pL\pN._@-]*\\[^\\\s]|[\\/]{2}[\pL\pN-]+(?:\.[\pL\pN-]+)+(?:[\\/:?#]|$))`)

func holdsAddress(s string) bool {
	for i := range len(s) {
		if s[i] != ':' || i+1 == len(s) {
			continue
		}
		start := i
		for start > 0 && schemeByte(s[start-1]) {
			start--
		}
		if leadsOut(strings.ToLower(s[start:i]), s[i+1:]) || start > 0 && s[start-1] == '@' && start > 1 && schemeByte(s[start-2]) && start < i && hostPath(s[i+1:]) {
			return true
		}
	}
	return strings.ContainsAny(s, `\/`) && shares.MatchString(s)
}

// leadsOut reports whether a scheme and the text after its colon form a network address.
func leadsOut(scheme, rest string) bool {
	if scheme == "file" {
		path, ok := cutFile("file:" + rest)
		return ok && strings.HasPrefix(rest, "//") && path != "" && !strings.ContainsAny(path[:1], `/\~`) && !drive(path)
	}
	slash := rest[0] == '/' || rest[0] == '\\'
	known := func(in map[string]bool) bool {
		return slices.ContainsFunc(strings.FieldsFunc(scheme, func(c rune) bool { return strings.ContainsRune("+.-", c) }), func(w string) bool { return in[w] })
	}
	return slash && known(networkSchemes) || webSchemes[scheme] && letterOrDigit(rest[0])
}

// hostPath reports whether the text after user@host: is a path or an rsync module.
func hostPath(rest string) bool {
	rest = strings.TrimPrefix(rest, ":")
	return rest != "" && (letterOrDigit(rest[0]) || strings.ContainsRune("/~._", rune(rest[0])))
}

func letterOrDigit(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '['
}

func schemeByte(c byte) bool {
	return c != '[' && letterOrDigit(c) || strings.IndexByte("+.-_", c) >= 0
}

// host reports whether the value of a host argument looks like a host: an address, or a name with a
// dot, optionally with a port and a path.
func host(s string) bool {
	s = strings.TrimPrefix(strings.TrimSpace(s), "//")
	if strings.Contains(s, ":/") || drive(s) { // a URL whose scheme is not in networkSchemes, or a path
		return false
	}
	name := s
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		name = s[:i]
	}
	if ip, ok := destination.IP(name); ok && ip.Is4() && ip.As4()[0] != 0 { // 2130706433, but not a small number
		return true
	}
	return strings.EqualFold(name, "localhost") || strings.HasPrefix(strings.ToLower(name), "localhost:") ||
		!strings.ContainsAny(name, " \t\n\\") && strings.ContainsAny(strings.Trim(name, "."), ".:")
}
