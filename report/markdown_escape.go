package report

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// plainWord matches a word without special meaning in Markdown or in GitHub's and GitLab's
// postprocessing, which links @names, #numbers, commit hashes and bare URLs however they are
// escaped.
var plainWord = lazyregexp.New(`^(?:[\pL\pM]+(?:['’/-][\pL\pM]+)*|[0-9]{1,6}|[–—…›×·]|)$`)

// listMark contains the characters that turn a number into a list item.
const listMark = ".)"

// The punctuation that may surround a word.
const (
	wordLead  = `("'»«“„`
	wordTrail = `.,;:?!)"'»«”…`
)

// prose returns visible text as a sentence in Markdown. A word that could be markup becomes
// code: a backslash would not prevent GitHub from linking it.
func prose(s string) string {
	var b strings.Builder
	var literal []string // pending words to be written as code
	flush := func() {
		b.WriteString(code(strings.Join(literal, " ")))
		literal = nil
	}
	for i, word := range strings.Split(strings.Trim(s, " "), " ") {
		core := strings.TrimRight(strings.TrimLeft(word, wordLead), wordTrail)
		lead := word[:len(word)-len(strings.TrimLeft(word, wordLead))]
		trail := word[len(lead)+len(core):]
		plain := plainWord.MatchString(core) && !(core != "" && core[0] <= '9' && strings.ContainsAny(trail, listMark))
		if len(literal) > 0 && (plain || lead != "") {
			flush()
		}
		if i > 0 && len(literal) == 0 {
			b.WriteByte(' ')
		}
		if plain {
			b.WriteString(word)
			continue
		}
		b.WriteString(lead)
		literal = append(literal, core)
		if trail != "" {
			flush()
			b.WriteString(trail)
		}
	}
	flush()
	return b.String()
}

// maxBackticks is the longest run of backticks that a code span may contain. GitHub's parser
// accepts delimiters of at most 80 backticks.
const maxBackticks = 10

// code returns visible text as a code span, in which nothing is markup. The delimiters are
// longer than any run of backticks in s.
func code(s string) string {
	if s == "" {
		return ""
	}
	run := backticks(s)
	if run > maxBackticks {
		s, run = strings.ReplaceAll(s, "`", "<U+0060>"), 0
	}
	marks := strings.Repeat("`", run+1)
	if strings.ContainsAny(s[:1]+s[len(s)-1:], " `") {
		s = " " + s + " " // parsers strip one space from each end
	}
	return marks + s + marks
}

// fence returns lines as a code block that none of them can end.
func fence(language string, lines []string) string {
	body := strings.Join(lines, "\n")
	marks := strings.Repeat("`", max(3, backticks(body)+1))
	return marks + language + "\n" + body + "\n" + marks + "\n"
}

// backticks returns the length of the longest run of backticks in s.
func backticks(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if run++; s[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
