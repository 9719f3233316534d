package text

import (
	"bytes"
	"html"
	"strings"
)

// Part is the part [Start, End) of a rendered text. In the text as sent, it is [From, To).
type Part struct{ Start, End, From, To int }

// Bounds on what is rendered at a time.
const (
	renderedBytes = 32 << 10 // a rendered text ends with the first block that exceeds this length,
	renderedParts = 8 << 10  // or with this number of parts
	plainBytes    = 16 << 10 // of a longer text without markup, only the ends are rendered:
	nearMarkup    = 2 << 10  // this much before and after markup; also the maximum length of a link's text or target
)

// Render yields, as a reader sees them, the parts of a text that contain markup: without HTML tags and
// without the marks of emphasis and links in Markdown, and with HTML entities decoded. Paragraphs
// without markup are left out. The slices are valid until yield returns.
func (r *Renderer) Render(s []byte, yield func(rendered []byte, parts []Part)) {
	r.begin(s, yield)
	for i := 0; i < len(s); {
		if i += nextMarkup(s[i:]); i == len(s) {
			break
		}
		i = r.mark(i)
	}
	r.endBlock(len(s))
	r.flush()
}

// Renderer renders texts. It reuses its buffers; the zero value is ready for use.
type Renderer struct {
	s     []byte
	yield func([]byte, []Part)

	out    []byte
	parts  []Part
	from   int  // end of the source that parts covers
	marked bool // the paragraph contains markup

	closing    [len(emphasisMarks)][emphasisRun + 1]int // for each kind of emphasis, where it ends
	unclosed   [len(emphasisMarks)][emphasisRun + 1]int // offset before which no such emphasis ends
	noComment  bool                                     // no comment ends in the rest
	noRawClose bool                                     // no script or style sheet ends in the rest
	closed     map[string]bool                          // whether the text has an end tag, by name
}

const emphasisMarks = "*_~"

// emphasisRun is the maximum number of marks before or after emphasized text.
const emphasisRun = 3

func (r *Renderer) begin(s []byte, yield func([]byte, []Part)) {
	clear(r.closed)
	*r = Renderer{s: s, yield: yield, out: r.out[:0], parts: r.parts[:0], closed: r.closed}
}

// mark processes the byte at i, which can begin markup, and returns where to continue.
func (r *Renderer) mark(i int) int {
	switch r.s[i] {
	case '\n':
		end := skip(r.s, i+1, isBlank)
		if end < len(r.s) && r.s[end] == '\n' {
			r.endBlock(end)
		}
		return end
	case '<':
		return r.tag(i)
	case '&':
		return r.entity(i)
	case '[':
		return r.link(i)
	}
	return r.emphasis(i)
}

// remove leaves out the markup [start, end).
func (r *Renderer) remove(start, end int) {
	r.plain(start)
	r.from, r.marked = end, true
	if len(r.parts) >= renderedParts {
		r.flush()
	}
}

// plain adds the text without markup up to end.
func (r *Renderer) plain(end int) {
	if end-r.from > plainBytes {
		if r.marked {
			r.add(r.from, r.from+nearMarkup)
		}
		r.flush()
		r.from = end - nearMarkup
	}
	r.add(r.from, end)
	r.from = max(r.from, end)
}

func (r *Renderer) add(from, to int) {
	if from < to {
		r.put(r.s[from:to], from, to)
	}
}

// put adds rendered text that is [from, to) in the source.
func (r *Renderer) put(rendered []byte, from, to int) {
	r.parts = append(r.parts, Part{len(r.out), len(r.out) + len(rendered), from, to})
	r.out = append(r.out, rendered...)
}

// endBlock ends a paragraph.
func (r *Renderer) endBlock(end int) {
	if r.marked {
		r.plain(end)
	}
	if !r.marked || len(r.out) > renderedBytes {
		r.flush()
	}
	r.from, r.marked = end, false
}

func (r *Renderer) flush() {
	if len(r.parts) > 0 {
		r.yield(r.out, r.parts)
	}
	r.out, r.parts = r.out[:0], r.parts[:0]
}

// emphasis removes marks of emphasis at i. It does so only in pairs on one line, outside words.
func (r *Renderer) emphasis(i int) int {
	c := r.s[i]
	end := i + 1
	for end < len(r.s) && r.s[end] == c {
		end++
	}
	n, kind := end-i, bytes.IndexByte([]byte(emphasisMarks), c)
	if n > emphasisRun {
		return end
	}
	switch closing := &r.closing[kind][n]; {
	case *closing == i && i > 0:
		r.remove(i, end)
	case *closing <= i && r.opens(i, end):
		if *closing = r.closes(kind, n, end); *closing > 0 {
			r.remove(i, end)
		}
	}
	return end
}

// opens reports whether marks [i, end) can begin emphasis.
func (r *Renderer) opens(i, end int) bool {
	return end < len(r.s) && r.s[end] > ' ' && (i == 0 || !isAlnum(r.s[i-1]) && r.s[i-1] < 0x80)
}

// closes returns where emphasis that begins before i ends, or 0.
func (r *Renderer) closes(kind, n, i int) int {
	if i < r.unclosed[kind][n] {
		return 0
	}
	c := emphasisMarks[kind]
	for start := i; i < len(r.s) && r.s[i] != '\n'; i++ {
		if r.s[i] != c {
			continue
		}
		first := i
		for i+1 < len(r.s) && r.s[i+1] == c {
			i++
		}
		if last := i + 1; last-first == n && first > start && r.s[first-1] > ' ' && (last == len(r.s) || !isAlnum(r.s[last]) && r.s[last] < 0x80) {
			return first
		}
	}
	r.unclosed[kind][n] = i
	return 0
}

// link removes the brackets of a link in Markdown, and its target.
func (r *Renderer) link(i int) int {
	text := i + 1
	end := text + bytes.IndexAny(r.s[text:min(len(r.s), text+nearMarkup)], "[]\n")
	if end < text || !bytes.HasPrefix(r.s[end:], []byte("](")) {
		return text
	}
	target := end + len("](")
	to := target + bytes.IndexAny(r.s[target:min(len(r.s), target+nearMarkup)], ")([ \n")
	if to < target || r.s[to] != ')' {
		return text
	}
	if i > 0 && r.s[i-1] == '!' && i-1 >= r.from {
		i--
	}
	r.remove(i, text)
	r.plain(end)
	r.remove(end, to+1)
	return to + 1
}

// entity decodes an HTML entity.
func (r *Renderer) entity(i int) int {
	end := i + 1
	for end < len(r.s) && end < i+entityBytes && (isAlnum(r.s[end]) || r.s[end] == '#') {
		end++
	}
	if end == len(r.s) || r.s[end] != ';' || end < i+3 {
		return i + 1
	}
	end++
	raw := string(r.s[i:end])
	decoded := html.UnescapeString(raw)
	if decoded == raw {
		return end
	}
	if decoded == "\u00a0" {
		decoded = " "
	}
	r.remove(i, end)
	r.put([]byte(decoded), i, end)
	return end
}

// entityBytes is the maximum length of an HTML entity, in bytes.
const entityBytes = 33

// tag removes an HTML tag or comment. A tag that is not inline becomes a line break.
func (r *Renderer) tag(i int) int {
	name, end := r.tagAt(i)
	if end == 0 {
		return i + 1
	}
	r.remove(i, end)
	if name == "script" || name == "style" {
		end = r.rawEnd(name, end)
	}
	if !inlineTags[name] {
		end = skip(r.s, end, func(b byte) bool { return isBlank(b) || b == '\n' })
		if len(r.out) > 0 && r.out[len(r.out)-1] != '\n' {
			r.put([]byte{'\n'}, i, end)
		}
		if len(r.out) > renderedBytes {
			r.flush()
		}
	}
	r.from = end
	return end
}

// tagAt returns the name of the tag or comment at i, in lower case, and its end, or 0.
func (r *Renderer) tagAt(i int) (name string, end int) {
	if bytes.HasPrefix(r.s[i:], []byte("<!--")) {
		if !r.noComment {
			if end := bytes.Index(r.s[i:], []byte("-->")); end >= 0 {
				return "span", i + end + len("-->")
			}
			r.noComment = true
		}
		return "", 0
	}
	start := i + 1
	if start < len(r.s) && r.s[start] == '/' {
		start++
	}
	end = start
	for end < len(r.s) && end <= start+tagNameBytes && (isAlnum(r.s[end]) || bytes.IndexByte([]byte(":-_"), r.s[end]) >= 0) {
		end++
	}
	if end == start || end == len(r.s) || bytes.IndexByte([]byte("> /\t\r\n"), r.s[end]) < 0 {
		return "", 0
	}
	if name = lowerASCII(string(r.s[start:end])); r.s[i+1] != '/' && !r.isElement(name) {
		return "", 0
	}
	if after := bytes.IndexAny(r.s[end:min(len(r.s), end+maxTag)], "<>"); after >= 0 && r.s[end+after] == '>' {
		return name, end + after + 1
	}
	return "", 0
}

// isElement reports whether a start tag with this name begins an element, and is not a placeholder such as
// <name>: HTML allows it without an end tag, or the text has an end tag.
func (r *Renderer) isElement(name string) bool {
	if unclosedTags[name] {
		return true
	}
	closed, known := r.closed[name]
	if !known && len(r.closed) < maxTagNames {
		closed = bytes.Contains(r.s, []byte("</"+name)) || bytes.Contains(r.s, []byte("</"+strings.ToUpper(name)))
		if r.closed == nil {
			r.closed = map[string]bool{}
		}
		r.closed[name] = closed
	}
	return closed
}

// The maximum lengths of a tag and of its name, in bytes, and the maximum number of different names.
const (
	maxTag       = 4 << 10
	tagNameBytes = 24
	maxTagNames  = 64
)

// rawEnd returns the end of a script or style sheet that begins at i.
func (r *Renderer) rawEnd(name string, i int) int {
	if r.noRawClose {
		return i
	}
	end := bytes.Index(r.s[i:], []byte("</"+name))
	if end < 0 {
		r.noRawClose = true
		return i
	}
	return i + end
}

// The HTML tags that do not interrupt a line of text, and those of elements that need no end tag.
var (
	inlineTags   = tagNames("a abbr b bdi bdo big cite code data del dfn em font i img ins kbd label mark q s samp small span strong sub sup time tt u var wbr")
	unclosedTags = tagNames("area base br col dd dt embed hr img input li link meta option p param source td th tr track wbr")
)

func tagNames(list string) map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		names[name] = true
	}
	return names
}

// markupBytes are the bytes at which markup can begin, and the line feed.
var markupBytes = bytesOf("<&[\n" + emphasisMarks)

// nextMarkup returns the position of the first byte of s that can begin markup, or len(s).
func nextMarkup(s []byte) int {
	for i, b := range s {
		if markupBytes[b] {
			return i
		}
	}
	return len(s)
}
