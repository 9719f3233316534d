package scanner

import (
	"bytes"
	"sort"

	"github.com/mcpscan/mcpscan/internal/text"
)

// mostRereadings is the maximum number of readings that lead from a text as sent to one that is inspected: for
// example, HTML within entities within JSON takes three.
const mostRereadings = 3

// rereading has buffers that are reused for each further reading of a text.
type rereading struct {
	renderer text.Renderer
	joined   []byte
	parts    []text.Part
	pieces   []piece
	marked   text.MarkedLines
	pass     TextPass

	of     *TextPass // the text that is rendered
	isJSON bool
	yield  func(rendered []byte, parts []text.Part)
}

// reread inspects the further readings of a text.
func (in *Inspector) reread(p *TextPass) {
	in.rendered(p)
	in.markedLines(p)
	in.subtitles(p)
	in.tableCells(p)
	in.wrapped(p)
}

// rendered inspects the parts of a text that contain markup as a reader sees them, and the prose in a
// JSON text. Tags, marks of emphasis and entities within a sentence separate its words, so patterns
// miss the sentence, and the classifier scores it too low. The score is also too low if lines of markup
// or JSON count as sentences. Unless almost the whole text is read again, rendered reports only what
// spans or borders on markup, because rendering changes nothing else.
//
// The prose of JSON can contain markup itself, and so can text with HTML entities, so both are read again.
func (in *Inspector) rendered(p *TextPass) {
	if p.rereadings == mostRereadings {
		return
	}
	buffers := &in.rereadings[p.rereadings]
	buffers.of, buffers.isJSON = p, text.IsJSON(p.Source)
	if buffers.yield == nil { // once, because each text would need its own closure
		buffers.yield = func(rendered []byte, parts []text.Part) { in.renderedPart(buffers, rendered, parts) }
	}
	if buffers.isJSON {
		buffers.renderer.RenderJSON(p.Source, buffers.yield)
	} else {
		buffers.renderer.Render(p.Source, buffers.yield)
	}
}

func (in *Inspector) renderedPart(buffers *rereading, rendered []byte, parts []text.Part) {
	pass := buffers.of.otherReading(rendered, parts)
	pass.rendered, pass.whole = true, pass.whole || buffers.isJSON // the rest of JSON is not prose
	in.match(pass)
	if buffers.isJSON {
		in.reread(pass)
	} else {
		in.rendered(pass)
	}
}

// markedLines inspects comments and quotations without the marks at the beginning of their lines.
func (in *Inspector) markedLines(p *TextPass) {
	if p.rereadings == mostRereadings {
		return
	}
	in.rereadings[p.rereadings].marked.Yield(p.Source, func(lines []text.Line) {
		if p.Subject.Definition() && !continued(p.Source, lines) { // definitions often contain lists
			return
		}
		in.rereadLines(p, lines, '\n')
	})
}

// subtitles inspects the text of subtitles without their times.
func (in *Inspector) subtitles(p *TextPass) {
	text.Subtitles(p.Source, func(lines []text.Line) { in.rereadLines(p, lines, '\n') })
}

// tableCells inspects values of a table that have several lines.
func (in *Inspector) tableCells(p *TextPass) {
	text.TableCells(p.Source, func(lines []text.Line) { in.rereadLines(p, lines, '\n') })
}

// rereadLines inspects lines of a text, joined by the given byte.
func (in *Inspector) rereadLines(p *TextPass, lines []text.Line, by byte) {
	if p.rereadings == mostRereadings {
		return
	}
	buffers := &in.rereadings[p.rereadings]
	joined, parts := buffers.joined[:0], buffers.parts[:0]
	for _, l := range lines {
		start := len(joined)
		joined = append(append(joined, p.Source[l.Start:l.End]...), by)
		parts = append(parts, text.Part{Start: start, End: len(joined) - 1, From: l.Start, To: l.End})
	}
	if len(joined) <= keptBytes {
		buffers.joined, buffers.parts = joined, parts
	}
	in.match(p.otherReading(joined, parts))
}

// keptBytes is the maximum size of a buffer that is kept for later texts.
const keptBytes = 1 << 20

// otherReading returns a pass for another reading of the text of p, which consists of these parts of it.
func (p *TextPass) otherReading(source []byte, parts []text.Part) *TextPass {
	buffers := &p.in.rereadings[p.rereadings]
	pieces := buffers.pieces[:0]
	original, whole := p.Source, true
	if p.rereadings > 0 {
		original, whole = p.original, p.whole
	}
	for _, part := range parts {
		pieces = p.appendPieces(pieces, part)
	}
	buffers.pieces = pieces
	read := parts[len(parts)-1].To - parts[0].From
	buffers.pass = TextPass{Subject: p.Subject, Name: p.Name, Direction: p.Direction, in: p.in, node: p.node, isKey: p.isKey, root: p.root,
		Source: source, pieces: pieces, rereadings: p.rereadings + 1, original: original, whole: whole && read*4 >= len(p.Source)*3}
	return &buffers.pass
}

// appendPieces appends the pieces of the text as sent that make up a part of another reading of p. A part that
// is a copy is divided where the pieces of p end.
func (p *TextPass) appendPieces(pieces []piece, part text.Part) []piece {
	if p.rereadings == 0 {
		return append(pieces, piece{part.Start, part.End, p.node, part.From, part.To, p.Source})
	}
	of := p.pieces[sort.Search(len(p.pieces), func(i int) bool { return p.pieces[i].end > part.From }):]
	of = of[:sort.Search(len(of), func(i int) bool { return of[i].start >= part.To })]
	if len(of) > 0 && part.End-part.Start != part.To-part.From { // a decoded entity, or the line break for a tag
		return append(pieces, piece{part.Start, part.End, p.node, of[0].sent(max(part.From, of[0].start)), of[len(of)-1].sent(part.To), p.original})
	}
	for i := range of {
		from, to := max(part.From, of[i].start), min(part.To, of[i].end)
		shift := part.Start - part.From
		pieces = append(pieces, piece{from + shift, to + shift, p.node, of[i].sent(from), of[i].sent(to), p.original})
	}
	return pieces
}

// inProse reports whether [start, end) of a JSON text overlaps a value with escapes. A finding there is left to
// the reading without escapes, because escaped line breaks and quotation marks are not recognized as such.
func (p *TextPass) inProse(start, end int) bool {
	if p.original != nil {
		return false
	}
	i := sort.Search(len(p.prose), func(i int) bool { return p.prose[i].End > start })
	return i < len(p.prose) && p.prose[i].Start < end && !p.rule.Markup
}

// inReading reports whether a text decoded from JSON contains a passage no more often than the other readings of
// that JSON. If so, the passage is inspected in those readings, where no syntax surrounds it.
func (p *TextPass) inReading(passage []byte) bool {
	d := &p.in.decoding
	if d.values == nil {
		values, rendered := &p.in.rereadings[0].renderer, &p.in.rereadings[1].renderer
		values.RenderJSON(p.original, func(s []byte, _ []text.Part) {
			if len(d.values) < keptBytes {
				d.values = append(d.values, s...)
				rendered.Render(s, func(s []byte, _ []text.Part) { d.rendered = append(d.rendered, s...) })
			}
		})
	}
	return bytes.Count(p.Source, passage) <= max(bytes.Count(d.values, passage), bytes.Count(d.rendered, passage))
}
