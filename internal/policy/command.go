package policy

import "strings"

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
