package text

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// The emphasis that gives a line away: marks inside of words, or three words
// side by side that are each marked by themselves. Who means to emphasise does it once,
// around what he means.
const marksInside = 2

var (
	// emphasis is a mark that a reader of Markdown or HTML does not see.
	emphasis = `(?:\*{1,3}|~~|<!--[^<>\n]{0,40}-->|</?(?:b|i|u|s|em|strong|span|mark|font|small|wbr)(?:\s[^<>\n]{0,80})?/?>)`

	insideWord = LazyExpr(`(?i)[a-z]` + emphasis + `+[a-z]`)
	wordByWord = LazyExpr(`(?i)(?:(?:` + emphasis + `|[_` + "`" + `]{1,3})[a-z'’]+[.,;:!?]?(?:` + emphasis + `|[_` + "`" + `]{1,3})[.,;:!?]?(?:\s|$)){3}`)

	// marks are what is taken out of such a line: an underscore inside of a word
	// belongs to it.
	marks = lazyregexp.New(`(?i)` + emphasis + `|` + "`" + `|\b_{1,3}\B|\B_{1,3}\b`)
)

// unmarked yields the lines whose words are taken apart by emphasis, without it.
// A screen shows no difference, and no pattern matches what is marked word by word.
func unmarked(s []byte, yield func(Hidden)) {
	for start := 0; start < len(s); {
		end := start + bytes.IndexByte(s[start:], '\n')
		if end < start {
			end = len(s)
		}
		line := s[start:end]
		if bytes.ContainsAny(line, "*~<_`") && (insideWord.Match(line) && len(insideWord.re.FindAllIndex(line, marksInside)) == marksInside || wordByWord.Match(line)) {
			yield(Hidden{Start: start, End: end, Via: "emphasis of parts of words or of each word", Text: marks.ReplaceAll(line, nil)})
		}
		start = end + 1
	}
}
