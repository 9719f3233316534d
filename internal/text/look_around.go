package text

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// The limits on user-written patterns. A pattern with look-around backtracks, so it is run only on
// short windows, which the same expression without its look-around finds in linear time.
const (
	stretch  = 16 << 10               // bytes that an expression is run on at a time
	overlap  = 2 * Reach              // bytes that consecutive stretches share
	lookTime = 100 * time.Millisecond // time limit for one window; a benign one takes microseconds
	maxLooks = maxMatches             // windows of one pattern in one text
)

// scanWhole runs a pattern without anchors on a whole text.
func (s *Scanner) scanWhole(t []byte, p int) {
	if !s.m.patterns[p].Edged {
		s.sweep(t, p, 0)
		return
	}
	found := s.m.exprs[p].FindAllIndex(t, maxMatches)
	for _, loc := range found {
		s.found(t, s.run(p), p, loc[0], loc[1])
	}
	if len(found) == maxMatches {
		s.cut = append(s.cut, p)
	}
}

// sweep runs a pattern over a text from a position on, one stretch at a time, because an expression
// such as a.*b|a scans all the text that it is given for each match.
func (s *Scanner) sweep(t []byte, p, from int) {
	r := s.run(p)
	for n := 0; from < len(t); {
		to := min(from+stretch, len(t))
		loc := s.m.exprs[p].FindIndex(t[from:to])
		switch {
		case loc == nil && to == len(t):
			from = to
			continue
		case loc == nil:
			for from = to - overlap; !utf8.RuneStart(t[from]); {
				from--
			}
			continue
		case to < len(t) && from+loc[1] > to-overlap && loc[0] > overlap: // the match may continue
			from += loc[0]
			continue
		}
		if n++; n > maxMatches {
			s.cut = append(s.cut, p)
			break
		}
		s.found(t, r, p, from+loc[0], from+loc[1])
		from = max(from+loc[1], r.end)
	}
	r.end = len(t)
}

// found handles a match of a pattern's expression.
func (s *Scanner) found(t []byte, r *run, p, start, end int) {
	if s.m.looks[p] != nil {
		s.look(t, r, p, start, end)
		return
	}
	s.add(r, p, start, end)
}

// compileLook compiles an expression in Go syntax extended by look-around.
func compileLook(expr string) (*regexp2.Regexp, error) {
	re, err := regexp2.Compile(expr, regexp2.RE2|regexp2.IgnoreCase)
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = lookTime
	return re, nil
}

// look takes a match [start, end) that was found by ignoring the expression's look-around, and verifies
// it with the full expression. If a window takes too long, or a text has too many windows, the pattern
// is no longer searched for until Start is called, and Unfinished reports it.
func (s *Scanner) look(t []byte, r *run, p, start, end int) {
	if end <= r.end || slices.Contains(s.unfinished, p) {
		return
	}
	if r.looks++; r.looks > maxLooks {
		s.unfinished = append(s.unfinished, p)
		return
	}
	from, to := max(start-Reach, 0), min(end+Reach, len(t))
	for from > 0 && !utf8.RuneStart(t[from]) {
		from--
	}
	for to < len(t) && !utf8.RuneStart(t[to]) {
		to++
	}
	m, err := s.m.looks[p].FindStringMatchStartingAt(string(t[from:to]), max(start, r.end)-from)
	if err != nil {
		s.unfinished = append(s.unfinished, p)
		return
	}
	if m == nil {
		return
	}
	at, length := m.ByteRange()
	s.add(r, p, from+at, from+at+length)
}

// Start marks the beginning of another event. Patterns that exceeded a limit are searched for
// again.
func (s *Scanner) Start() { s.unfinished = s.unfinished[:0] }

// Unfinished returns the patterns that exceeded the limits since Start and were not searched for in
// all texts.
func (s *Scanner) Unfinished() []int { return s.unfinished }

// withoutLook removes each look-ahead and look-behind from an expression and reports whether there
// was any. The plain expression matches wherever the original one does.
func withoutLook(expr string) (plain string, look bool, err error) {
	var b strings.Builder
	for i := 0; i < len(expr); {
		n := element(expr[i:])
		if !lookAround(expr[i:]) {
			b.WriteString(expr[i : i+n])
			i += n
			continue
		}
		end := group(expr[i:])
		if end < 0 {
			return "", false, errors.New("missing ) after " + expr[i:min(i+20, len(expr))])
		}
		b.WriteString("(?:)")
		look = true
		i += end
	}
	return b.String(), look, nil
}

func lookAround(s string) bool {
	return slices.ContainsFunc([]string{"(?=", "(?!", "(?<=", "(?<!"}, func(open string) bool { return strings.HasPrefix(s, open) })
}

// group returns the length of the group at the start of s, or -1 if it is not closed.
func group(s string) int {
	depth := 0
	for i := 0; i < len(s); i += element(s[i:]) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// element returns the length of the syntax element at the start of s: an escape, quoted text, a
// class, or else a single byte.
func element(s string) int {
	switch {
	case strings.HasPrefix(s, `\Q`):
		if end := strings.Index(s, `\E`); end >= 0 {
			return end + 2
		}
		return len(s)
	case s[0] == '\\':
		return min(2, len(s))
	case s[0] == '[':
		return classLength(s)
	}
	return 1
}

// classLength returns the length of the class at the start of s. A closing bracket directly after
// the opening one belongs to the class, and so does a class name such as [:alpha:].
func classLength(s string) int {
	i := 1
	if strings.HasPrefix(s[i:], "^") {
		i++
	}
	if strings.HasPrefix(s[i:], "]") {
		i++
	}
	for i < len(s) {
		switch {
		case s[i] == ']':
			return i + 1
		case s[i] == '\\':
			i++
		case strings.HasPrefix(s[i:], "[:"):
			if end := strings.Index(s[i:], ":]"); end > 0 {
				i += end + 1
			}
		}
		i++
	}
	return len(s)
}
