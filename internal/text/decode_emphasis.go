package text

import (
	"bytes"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// marksInside is the minimum number of marks inside words for a line to count as broken up by
// emphasis; a line with three adjacent words that are each marked separately also counts. Genuine
// emphasis is applied once, around the whole phrase.
const marksInside = 2

var (
	// emphasis detects markup that is invisible in rendered Markdown or HTML.
	emphasis = `(?:\*{1,3}|~~|<!--[^<>\n]{0,40}-->|</?(?:b|i|u|s|em|strong|span|mark|font|small|wbr)(?:\s[^<>\n]{0,80})?/?>)`

	insideWord = LazyExpr(`(?i)[a-z]` + emphasis + `+[a-z]`)
	wordByWord = LazyExpr(`(?i)(?:(?:` + emphasis + `|[_` + "`" + `]{1,3})[a-z'’]+[.,;:!?]?(?:` + emphasis + `|[_` + "`" + `]{1,3})[.,;:!?]?(?:\s|$)){3}`)

	// marks detects the markup that unmarked removes from a line broken up by emphasis. An
	// underscore inside a word is part of the word.
	marks = lazyregexp.New(`(?i)` + emphasis + `|` + "`" + `|\b_{1,3}\B|\B_{1,3}\b`)
)

// markedGaps is the number of gaps between the words in a match of wordByWord.
const markedGaps = 2

// The delimiters of emphasis, and the classes of the bytes next to them. A letter may be non-ASCII,
// because some non-ASCII letters match [a-z] if case is ignored.
const (
	opensInside = 1 << iota // the first byte of a mark that can be inside a word
	opensWord               // the first byte of a mark before a word
	closesWord              // the last byte of a mark after a word
	stopsWord               // punctuation that can follow such a mark
	blankByte
)

var markClass = func() (t [256]uint8) {
	for class, marks := range map[uint8]string{opensInside: "*~<", opensWord: "*~<_`", closesWord: "*~>_`", stopsWord: ".,;:!?", blankByte: "\t\f\r "} {
		for _, b := range []byte(marks) {
			t[b] |= class
		}
	}
	return
}()

// unmarked yields lines whose words are broken up by emphasis, without the emphasis. On a screen,
// emphasis hardly changes a line, but no pattern matches words that are marked separately. To save
// time, it runs the patterns only on lines with at least marksInside marks that can be inside a
// word, or markedGaps gaps between marked words.
func unmarked(s []byte, yield func(Hidden)) {
	for start := 0; start < len(s); {
		i := start + nextMark(s[start:])
		if i == len(s) {
			return
		}
		start += bytes.LastIndexByte(s[start:i], '\n') + 1
		end := i + bytes.IndexByte(s[i:], '\n')
		if end < i {
			end = len(s)
		}
		line := s[start:end]
		inside, gaps := marksIn(line, i-start)
		if inside >= marksInside && insideWord.Match(line) && len(insideWord.re.FindAllIndex(line, marksInside)) == marksInside || gaps >= markedGaps && wordByWord.Match(line) {
			yield(Hidden{Start: start, End: end, Via: "emphasis on parts of words or on each word", Text: marks.ReplaceAll(line, nil)})
		}
		start = end + 1
	}
}

// nextMark returns the position of the first mark in s, or len(s).
func nextMark(s []byte) int {
	for i, b := range s {
		if markClass[b]&opensWord != 0 {
			return i
		}
	}
	return len(s)
}

// marksIn counts the marks in a line, from i on, that can be inside a word, and those before a word
// that follows another marked word.
func marksIn(line []byte, i int) (inside, gaps int) {
	for ; i < len(line); i++ {
		class := markClass[line[i]]
		if class&opensWord == 0 || i == 0 {
			continue
		}
		if class&opensInside != 0 && isLetter[line[i-1]] && insideAt(line, i) {
			inside++
		}
		if markClass[line[i-1]]&blankByte != 0 && markedBefore(line[:i-1]) {
			gaps++
		}
	}
	return inside, gaps
}

// insideAt reports whether a letter can follow the marks at line[i]. It reads no more of a tag than
// the first letter of its name.
func insideAt(line []byte, i int) bool {
	for i < len(line) && (line[i] == '*' || line[i] == '~') {
		i++
	}
	if i+1 < len(line) && line[i] == '<' {
		if i++; line[i] == '/' {
			i++
		}
		return i < len(line) && (line[i] >= utf8.RuneSelf || bytes.IndexByte([]byte("!biusemfw"), line[i]|0x20) >= 0)
	}
	return i < len(line) && isLetter[line[i]]
}

// markedBefore reports whether s ends with a mark after a word.
func markedBefore(s []byte) bool {
	n := len(s)
	if n > 1 && markClass[s[n-1]]&stopsWord != 0 {
		n--
	}
	return n > 0 && markClass[s[n-1]]&closesWord != 0
}
