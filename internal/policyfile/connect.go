package policyfile

import (
	"slices"
	"strings"
)

// networkSchemes are those of URLs that name an address on a network. What other schemes
// stand for is known to the server alone, which can have its own for what it keeps.
var networkSchemes = wordSet("http https ws wss ftp ftps sftp scp ssh tcp udp tls git svn smb cifs nfs ldap ldaps redis rediss postgres postgresql mysql " +
	"mariadb mongodb srv amqp amqps mqtt mqtts kafka nats grpc grpcs gopher telnet dict tftp rtsp rtmp smtp smtps imap imaps pop3 irc ircs socks socks4 socks5 s3 gs")

// hostWords are those in the name of an argument that holds an address without a scheme.
var hostWords = wordSet("host hosts hostname hostnames domain domains endpoint endpoints ip ips url urls server proxy")

// connects reports whether the request names an address on a network.
func (q *request) connects() bool {
	for i := range q.paths {
		if slices.ContainsFunc(q.paths[i].sure, network) {
			return true
		}
	}
	return slices.ContainsFunc(q.values, func(v argumentValue) bool {
		return slices.ContainsFunc(v.keys, func(key string) bool { return named(key, hostWords) }) && host(v.Text)
	})
}

// network reports whether a string is a URL of a scheme for networks, also behind another
// scheme and as lenient readers take it, or names an address in another way.
func network(s string) bool {
	s = strings.ToLower(strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(s))
	if strings.HasPrefix(s, "/dev/tcp/") || strings.HasPrefix(s, "/dev/udp/") { // of shells
		return true
	}
	if i := strings.IndexAny(s, ":/"); i > 2 && s[i] == ':' && strings.Contains(s[1:i-1], "@") { // user@host:path
		return true
	}
	for {
		scheme, rest, ok := strings.Cut(s, ":")
		if !ok {
			return false
		}
		if rest != "" && (rest[0] == '/' || rest[0] == '\\') && slices.ContainsFunc(strings.Split(scheme, "+"), func(w string) bool { return networkSchemes[w] }) {
			return true
		}
		s = rest
	}
}

// host reports whether the value of an argument for hosts looks like one: a name with a
// dot, or an address, perhaps with a port and a path.
func host(s string) bool {
	s = strings.TrimPrefix(strings.TrimSpace(s), "//")
	if strings.Contains(s, ":/") || drive(s) { // a URL of another scheme, or a path
		return false
	}
	name := s
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		name = s[:i]
	}
	return strings.EqualFold(name, "localhost") || strings.HasPrefix(strings.ToLower(name), "localhost:") ||
		!strings.ContainsAny(name, " \t\n\\") && strings.ContainsAny(strings.Trim(name, "."), ".:")
}
