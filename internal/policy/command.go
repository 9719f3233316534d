package policy

import "strings"

// wordEnds end the words of a command, or of code.
const wordEnds = " \t\r\n;|&<>()=,`[]"

// maxQuoting is how many commands inside commands are taken apart.
const maxQuoting = 3

// words takes those words of a command that look like paths: with every quote as the
// end of a word, as in code that is not one for a shell, and as a shell has them.
func (q *request) words(s string) {
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(wordEnds+`'"`, r) }) {
		q.word(w)
	}
	q.shell(s, maxQuoting)
}

// word takes a word where it can be a path, and the path that it may end with.
func (q *request) word(w string) {
	if !strings.ContainsAny(w, `/\~`) && !strings.HasPrefix(w, "$HOME") && !strings.Contains(w, "%2") && w != ".." {
		return
	}
	q.add(w, true)
	if at := strings.IndexAny(w, "/~"); at > 0 {
		q.add(w[at:], true)
	}
}

// shell takes the words of a command as a shell reads them, and those of the commands
// that it quotes.
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
		case escaped && r == '\n': // the line goes on
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
