package text

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// marksInside is the number of marks inside words from which a line counts as broken up by
// emphasis; three adjacent words that are each marked separately also count. Genuine emphasis is
// applied once, around the whole phrase.
const marksInside = 2

var (
	// emphasis matches markup that is invisible in rendered Markdown or HTML.
	emphasis = `(?:\*{1,3}|~~|<!--[^<>\n]{0,40}-->|</?(?:b|i|u|s|em|strong|span|mark|font|small|wbr)(?:\s[^<>\n]{0,80})?/?>)`

	insideWord = LazyExpr(`(?i)[a-z]` + emphasis + `+[a-z]`)
	wordByWord = LazyExpr(`(?i)(?:(?:` + emphasis + `|[_` + "`" + `]{1,3})[a-z'’]+[.,;:!?]?(?:` + emphasis + `|[_` + "`" + `]{1,3})[.,;:!?]?(?:\s|$)){3}`)

	// marks matches what is removed from such a line. An underscore inside a word is part of the
	// word.
	marks = lazyregexp.New(`(?i)` + emphasis + `|` + "`" + `|\b_{1,3}\B|\B_{1,3}\b`)
)

// markedWords is the minimum number of marks in a match of wordByWord: one on either side of three words.
const markedWords = 6

// marksIn is the number of characters in a line that begin a mark, and of those that begin one which
// can be inside a word.
type marksIn struct{ marks, emphasis int }

func countMarks(line []byte) (n marksIn) {
	for _, b := range line {
		switch b {
		case '*', '~', '<':
			n.emphasis++
			n.marks++
		case '_', '`':
			n.marks++
		}
	}
	return n
}

// unmarked yields lines whose words are broken up by emphasis, without the emphasis. They look the
// same on a screen, but no pattern matches words that are marked one by one.
func unmarked(s []byte, yield func(Hidden)) {
	for start := 0; start < len(s); {
		end := start + bytes.IndexByte(s[start:], '\n')
		if end < start {
			end = len(s)
		}
		line := s[start:end]
		if n := countMarks(line); n.emphasis >= marksInside && insideWord.Match(line) && len(insideWord.re.FindAllIndex(line, marksInside)) == marksInside ||
			n.marks >= markedWords && wordByWord.Match(line) {
			yield(Hidden{Start: start, End: end, Via: "emphasis within words or on every word", Text: marks.ReplaceAll(line, nil)})
		}
		start = end + 1
	}
}
