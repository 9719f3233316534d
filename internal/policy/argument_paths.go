package policy

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/names"
)

// Limits for the paths in one request. Anything beyond them counts as not inspected.
const (
	MaxPath  = 64 << 10 // bytes of a path
	maxPaths = 4096
)

// value is a string from a request. It is or contains a path or URI.
type value struct {
	readings
	low  []string // sure, maybe and the string itself, in lower case; also with a trailing slash
	word bool     // the string is from a command or other text
	// aside is set for a path in a multi-line string with other text, or in a JSON text inside a string
	// unless it is a host; such a path does not prevent a request from passing.
	aside bool
}

// pathWords are words in argument names that indicate a path, whatever the value looks like.
var pathWords = names.Set("path paths file files filename filenames filepath filepaths dir dirs directory directories folder folders " +
	"source src destination dest dst target uri uris url urls cwd root roots location workspace")

// commandWords are words in argument names that indicate a command or code.
var commandWords = names.Set("command commands cmd cmds cmdline commandline script scripts shell bash sh zsh exec code args argv program executable powershell")

// shellWords are words in tool names that indicate that the arguments are commands.
var shellWords = names.Set("shell bash sh zsh exec execute terminal command cmd powershell")

// mediaWords are words in argument names that indicate a media type.
var mediaWords = names.Set("mime mimetype media content type")

// pathLike reports whether a string looks like a path or URI.
func pathLike(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > MaxPath || strings.ContainsAny(s, "\n\r") {
		return false
	}
	for _, start := range [...]string{"/", `\`, "~", "./", "../", `.\`, `..\`, "$HOME", "${HOME}", "%USERPROFILE%", "%2f", "%2F"} {
		if strings.HasPrefix(s, start) {
			return true
		}
	}
	_, file := cutFile(s)
	return s == ".." || drive(s) || file ||
		!strings.ContainsAny(s, " \t") && (strings.ContainsAny(s, `/\`) || strings.ContainsAny(unescapeAll(s), `/\`) || holdsAddress(s))
}

func unescapeAll(s string) string {
	for range maxDecodings {
		s = unescape(s)
	}
	return s
}

// mediaType reports whether a string is a media type.
func mediaType(s string) bool {
	kind, sub, ok := strings.Cut(s, "/")
	return ok && !strings.ContainsAny(sub, `/\%~`) && !strings.Contains(sub, "..") &&
		slices.Contains([]string{"application", "audio", "font", "image", "message", "model", "multipart", "text", "video"}, kind)
}

// add adds a string as a path.
func (q *request) add(s string, word bool) {
	if len(s) > MaxPath || len(q.paths) == maxPaths {
		q.lost = true
		return
	}
	r := read(s)
	q.lost = q.lost || r.partial
	v := value{readings: r, word: word}
	for _, s := range append(slices.Concat(r.sure, r.maybe), s) { // patterns may match the string as written
		if s = strings.ToLower(s); !strings.HasSuffix(s, "/") {
			v.low = append(v.low, s+"/")
		}
		v.low = append(v.low, s)
	}
	slices.Sort(v.low)
	v.low = slices.Compact(v.low)
	q.paths = append(q.paths, v)
}

// look finds everything in the arguments that is or may be a path.
func (q *request) look() {
	shell := q.Method == "tools/call" && names.HasWord(q.Target, shellWords)
	if q.event == resourceRead {
		for _, uri := range q.names {
			before := len(q.paths)
			q.add(uri, false)
			q.uris = append(q.uris, q.paths[before:])
		}
	}
	for i := range q.values {
		v := &q.values[i]
		v.first = len(q.paths)
		isPath, isCommand, meta := v.about.path, shell || v.about.command, len(v.keys) > 0 && v.keys[0] == "_meta"
		for _, seg := range v.keys[v.outer:] {
			if meta && metaName(seg) {
				continue
			}
			if shown := v.inner && !v.escaped; !shown && (strings.ContainsAny(seg, `/\`) || strings.HasPrefix(seg, "~")) { // the key itself is a path
				q.add(seg, false)
			}
		}
		switch {
		case slices.Contains([]string{"", "null", "true", "false"}, v.Text), v.about.media && mediaType(v.Text):
		case v.inner && !v.escaped && v.shown(isPath): // already found in the text around it
		case isPath, v.host(), pathLike(v.Text) && (!meta || begins(v.Text)): // in _meta, relative paths are IDs
			q.add(v.Text, false)
		default:
			q.text(v.Text)
		}
		if isCommand {
			q.command = q.command || !v.inner
			q.words(v.Text)
		}
		v.last = len(q.paths)
		for i := v.first; i < v.last; i++ {
			q.paths[i].aside = q.paths[i].aside || v.inner && (v.lines || !v.host())
		}
	}
}

// shown reports whether whoever reads the JSON text around a value as words finds the paths in it. That
// text contains the value, but splitting it into words can cut a path short, as in "/a b/../etc/passwd".
func (v *argumentValue) shown(isPath bool) bool {
	if begins(v.Text) {
		return !strings.ContainsAny(v.Text, wordEnds)
	}
	return !isPath && !v.host()
}

// wordEnds are the characters that end a word of a command or code.
const wordEnds = " \t\r\n;|&<>()=,`[]"

// maxQuoting is the maximum depth of nested commands that are parsed.
const maxQuoting = 3

// words adds the words of a command that look like paths. It splits the command in two ways: as a
// shell does and, for code in other languages, at wordEnds and quotes.
func (q *request) words(s string) {
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(wordEnds+`'"`, r) }) {
		q.word(w)
	}
	q.shell(s, maxQuoting)
}

// word adds a word that may be a path, and also its part from the first slash or tilde.
func (q *request) word(w string) {
	if !strings.ContainsAny(w, `/\~`) && !strings.HasPrefix(w, "$HOME") && !strings.Contains(w, "%2") && w != ".." {
		return
	}
	q.add(w, true)
	if at := strings.IndexAny(w, "/~"); at > 0 {
		q.add(w[at:], true)
	}
}

// shell adds the words of a command as a shell splits it, and the words of the commands quoted in
// it.
func (q *request) shell(s string, depth int) {
	var b strings.Builder
	var quote rune
	quoted, escaped := false, false
	end := func() {
		if w := b.String(); quoted || strings.Contains(w, "/") {
			q.word(w)
			if depth > 1 && strings.ContainsAny(w, wordEnds) {
				q.shell(w, depth-1)
			}
		}
		b.Reset()
		quoted = false
	}
	for _, r := range s {
		switch {
		case escaped && r == '\n': // line continuation
			escaped = false
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, quoted = true, true
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, quoted = r, true
		case quote == 0 && strings.ContainsRune(wordEnds, r):
			end()
		default:
			b.WriteRune(r)
		}
	}
	end()
}
