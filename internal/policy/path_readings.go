package policy

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// readings are the cleaned paths that programs may interpret a string as. An allow rule must match every
// reading in sure; for a deny rule, one match in sure or maybe is enough.
type readings struct {
	sure, maybe []string
	directory   bool // written with a trailing slash
	partial     bool // some readings are missing: the string is encoded in more layers than are decoded, or contains more than MaxPieces paths
}

// maxDecodings is the maximum number of layers of percent encoding that are decoded. Each program
// that a path passes through may decode one layer.
const maxDecodings = 3

// read returns a string's readings.
func read(s string) (r readings) {
	for i := 0; ; i++ {
		r.plain(s)
		if short := shortened(s); short != s {
			r.plain(short)
		}
		r.alike(s)
		if once := strings.ReplaceAll(strings.ReplaceAll(s, "../", ""), `..\`, ""); strings.Contains(once, "..") { // a filter that deletes ../ turns ....// into ../
			r.plain(once)
		}
		decoded := unescape(s)
		if decoded == s {
			break
		}
		if i == maxDecodings {
			r.partial = true
			break
		}
		s = decoded
	}
	return r
}

// unescape decodes one layer of percent encoding.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	return string(text.Unpercent([]byte(s)))
}

// plain adds the readings of a string without further decoding. C programs stop at NUL, others drop
// it; white space around a path may or may not be trimmed.
func (r *readings) plain(s string) {
	r.addOne(s)
	if head, _, ok := strings.Cut(s, "\x00"); ok {
		r.addOne(head)
		r.addOne(strings.ReplaceAll(s, "\x00", ""))
	}
	if trimmed := strings.TrimSpace(s); trimmed != s {
		r.addOne(trimmed)
	}
	if joined := lineless.Replace(s); joined != s { // some URL parsers join lines
		r.addOne(joined)
	}
	r.several(s)
}

// lineless removes tabs and line breaks, which parsers that follow the WHATWG URL standard, such as
// browsers', ignore anywhere in a URL.
var lineless = strings.NewReplacer("\t", "", "\r", "", "\n", "")

// addOne adds the readings of a path or URI.
func (r *readings) addOne(s string) {
	if s == "" {
		return
	}
	r.directory = r.directory || strings.HasSuffix(s, "/") || strings.HasSuffix(s, `\`)
	if rest, ok := cutFile(s); ok {
		r.file(rest, strings.HasPrefix(s[5:], "//"))
		return
	}
	r.web(s)
	if scheme, rest, ok := strings.Cut(s, "://"); ok && plainScheme(scheme) {
		r.url(strings.ToLower(scheme), rest)
		return
	}
	r.native(s)
	if at := strings.IndexAny(s, "/~"); at > 0 && !drive(s) && strings.ContainsAny(s[:at], ":@=\"'`[{(<") { // host:/path, @/path, --option=/path, "/path"
		r.addPossible(s[at:])
	}
}

// file adds the path of a file URI. Some programs treat its host as part of the path.
func (r *readings) file(rest string, authority bool) {
	if authority && rest != "" && rest[0] != '/' && rest[0] != '~' && !drive(rest) {
		if _, p, ok := strings.Cut(rest, "/"); ok {
			r.native("/" + p)
		}
		rest = "/" + rest
	}
	r.native(rest)
	if i := strings.IndexAny(rest, "?#"); i > 0 {
		r.native(rest[:i])
	}
}

// plainScheme reports whether s is a valid URI scheme.
func plainScheme(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-") == ""
}

// url adds a URL with a lower-case host and a cleaned path. The server may interpret the path as
// a file system path.
func (r *readings) url(scheme, rest string) {
	for _, rest := range slashes(rest) {
		end := len(rest)
		if i := strings.IndexAny(rest, "?#"); i >= 0 {
			end = i
		}
		host, p, hasPath := strings.Cut(rest[:end], "/")
		if hasPath {
			p = path.Clean("/" + p)
		}
		r.add(scheme + "://" + strings.ToLower(host) + p + rest[end:])
		if !slices.Contains([]string{"http", "https", "ws", "wss"}, scheme) {
			r.addPossible(p)
			r.addPossible("/" + host + p)
		}
	}
}

// slashes returns a path and, if it has backslashes, also the path with slashes instead. For a path
// that begins with a drive letter or \\, it returns only the path with slashes, because backslashes
// always separate the elements of such a path.
func slashes(s string) []string {
	if !strings.Contains(s, `\`) {
		return []string{s}
	}
	turned := strings.ReplaceAll(s, `\`, "/")
	if drive(s) || strings.HasPrefix(s, `\\`) {
		return []string{turned}
	}
	return []string{s, turned}
}

// native adds a file system path.
func (r *readings) native(s string) {
	for _, p := range slashes(s) {
		sure, maybe := cleaned(p)
		r.add(sure)
		for _, m := range maybe {
			r.addPossible(m)
		}
		if short := windowsEnds.ReplaceAllString(p, "$1$2"); short != p {
			r.addPossible(short)
		}
	}
}

// windowsEnds matches what Windows drops at the end of a path element: dots, spaces, and the name
// of the default stream, as in id_rsa::$DATA.
var windowsEnds = lazyregexp.New(`([^/. ])(?:[. ]+|:[^/:]*:\$[^/]*)(/|$)`)

func (r *readings) add(s string) {
	if !slices.Contains(r.sure, s) {
		r.sure = append(r.sure, s)
	}
}

// addPossible cleans a path and adds it as a possible reading.
func (r *readings) addPossible(s string) {
	if s != "" {
		sure, maybe := cleaned(s)
		r.maybe = append(append(r.maybe, sure), maybe...)
	}
}

// homeWords are other names for the user's home directory, ~.
var homeWords = [...]string{"${HOME}", "$HOME", "%USERPROFILE%", "$env:USERPROFILE", "${env:USERPROFILE}"}

// homeDirectories are the directories that contain users' home directories.
var homeDirectories = [...]string{"/home/", "/Users/", "C:/Users/"}

// cleaned returns a path with "." and ".." elements resolved, and its other possible readings. A
// relative path may still begin with "..".
func cleaned(s string) (sure string, maybe []string) {
	for _, word := range homeWords {
		if rest, ok := strings.CutPrefix(s, word); ok && (rest == "" || rest[0] == '/') {
			s = "~" + rest
		}
	}
	for _, device := range [...]string{"//?/", "//./", "/??/"} { // \\?\C:\…
		if rest, ok := strings.CutPrefix(s, device); ok && drive(rest) {
			s = rest
		}
	}
	switch {
	case drive(s):
		return strings.ToUpper(s[:1]) + ":" + path.Clean("/"+s[2:]), nil
	case strings.HasPrefix(s, "~"):
		return cleanedHome(s)
	case strings.HasPrefix(s, "/"):
		sure = path.Clean(s)
		return sure, append(aliases(sure), throughProcess(s)...)
	}
	sure = path.Clean(s)
	switch rest, up := climbed(sure); {
	case up: // relative to an unknown directory, so it may lead to the root or the home directory
		maybe = append(maybe, "/"+rest, "~/"+rest)
	case len(sure) > 1 && sure[0] == '.':
		maybe = append(maybe, "~/"+sure)
	}
	return sure, maybe
}

// climbed removes the leading ".." elements from a cleaned path.
func climbed(s string) (rest string, up bool) {
	for s == ".." || strings.HasPrefix(s, "../") {
		s, up = strings.TrimPrefix(s[2:], "/"), true
	}
	return s, up
}

// cleanedHome cleans a path in a home directory.
func cleanedHome(s string) (sure string, maybe []string) {
	user, below, _ := strings.Cut(s, "/")
	sure = user
	if below = path.Clean(below); below == "." {
		below = ""
	} else {
		if rest, up := climbed(below); up {
			maybe = append(maybe, "/"+rest)
		}
		below = "/" + below
	}
	sure += below
	if user == "~" {
		maybe = append(maybe, path.Clean("/root"+below))
	} else {
		user = user[1:]
	}
	for _, homes := range homeDirectories {
		maybe = append(maybe, path.Clean(homes+user+below))
	}
	return sure, maybe
}

// aliases returns other paths of the same file, which result from well-known symbolic links and
// mounts, such as /private on macOS.
func aliases(s string) (maybe []string) {
	for _, link := range [...]struct{ from, to string }{
		{"/private/", "/"}, {"/System/Volumes/Data/", "/"},
	} {
		if rest, ok := strings.CutPrefix(s, link.from); ok {
			maybe = append(maybe, link.to+rest)
		}
	}
	if d := drives.FindStringSubmatch(s); d != nil {
		maybe = append(maybe, strings.ToUpper(d[1]+d[2])+":"+d[3])
	}
	return maybe
}

// drives matches paths below the mount point of a Windows drive, or in the share of a whole drive.
var drives = lazyregexp.New(`(?i)^/(?:(?:mnt/|cygdrive/)?([a-z])|(?:\?/UNC/)?[^/]+/([a-z])\$)(/.*)$`)

// shortened decodes overlong two- and three-byte UTF-8 encodings of ASCII characters, as lenient
// decoders do.
func shortened(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch rest := s[i:]; {
		case len(rest) > 1 && rest[0]|1 == 0xC1 && rest[1]&0xC0 == 0x80:
			b.WriteByte(rest[0]&1<<6 | rest[1]&0x3F)
			i++
		case len(rest) > 2 && rest[0] == 0xE0 && rest[1]|1 == 0x81 && rest[2]&0xC0 == 0x80:
			b.WriteByte(rest[1]&1<<6 | rest[2]&0x3F)
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// alike adds a string's readings in programs and file systems that normalise Unicode. They count as
// certain if normalisation produces a ".." element or changes the number of slashes.
func (r *readings) alike(s string) {
	if strings.IndexFunc(s, func(c rune) bool { return c >= utf8.RuneSelf }) < 0 || !utf8.ValidString(s) {
		return
	}
	plain := strings.Map(likeASCII, norm.NFKC.String(s))
	switch {
	case plain == s:
	case climbs(plain) && !climbs(s), strings.Count(plain, "/") != strings.Count(s, "/"):
		r.plain(plain)
	default:
		var other readings
		other.addOne(plain)
		r.maybe = append(append(r.maybe, other.sure...), other.maybe...)
	}
}

// likeASCII returns the ASCII character that c looks like in a path, or -1 if some file systems
// drop c.
func likeASCII(c rune) rune {
	switch {
	case c == 0x2044 || c == 0x2215 || c == 0x29F8: // slashes
		return '/'
	case c == 0x2216 || c == 0x29F5 || c == 0x29F9: // backslashes
		return '\\'
	case c >= utf8.RuneSelf && unicode.Is(unicode.Cf, c): // invisible
		return -1
	}
	return c
}

// spelled returns a name's spellings, cached for all rules.
func (q *request) spelled(name string) []string {
	known, ok := q.spelt[name]
	if !ok {
		if q.spelt == nil {
			q.spelt = map[string][]string{}
		}
		known = spellings(name)
		q.spelt[name] = known
	}
	return known
}

// webPorts are the schemes whose URLs clients parse according to the WHATWG URL standard, with their
// default ports.
var webPorts = map[string]string{"http": ":80", "https": ":443", "ws": ":80", "wss": ":443"}

// web adds a web URL as clients read it: with two slashes after the scheme, however many were written,
// with the host in canonical form, and without the user and the default port. A URL without a path has
// the path "/". Only rules that refuse need this reading.
func (r *readings) web(s string) {
	scheme, rest, _ := strings.Cut(s, ":")
	scheme = strings.ToLower(scheme)
	port, ok := webPorts[scheme]
	if !ok {
		return
	}
	query := len(rest)
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		query = i
	}
	authority, below, _ := strings.Cut(strings.TrimLeft(strings.ReplaceAll(rest[:query], `\`, "/"), "/"), "/")
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	own := ""
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host, own = host[:i], ":"+strings.TrimLeft(host[i+1:], "0")
	}
	if own == port || own == ":" {
		own = ""
	}
	origin, below := scheme+"://"+destination.Host(host)+own, path.Clean("/"+below)
	r.maybe = append(r.maybe, origin+below+rest[query:])
	if below == "/" { // a pattern may leave it out
		r.maybe = append(r.maybe, origin+rest[query:])
	}
}
