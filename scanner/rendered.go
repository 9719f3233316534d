package scanner

import "github.com/mcpscan/mcpscan/internal/text"

// rereading has buffers that are reused for each further reading of a text.
type rereading struct {
	renderer text.Renderer
	joined   []byte
	pieces   []piece
}

// rendered inspects the parts of a text that contain markup as a reader sees them, and the prose of a text in
// JSON. Tags, marks of emphasis and entities within a sentence separate its words, so that patterns miss it,
// and the classifier scores it too low; so it does if lines of markup or JSON count as sentences. Unless almost
// the whole text is read again, rendered reports only what spans or borders on markup: the rest reads as before.
func (in *Inspector) rendered(p *TextPass) {
	render, isJSON := in.rereading.renderer.Render, text.IsJSON(p.Source)
	if isJSON {
		render = in.rereading.renderer.RenderJSON
	}
	render(p.Source, func(rendered []byte, parts []text.Part) {
		pieces := in.rereading.pieces[:0]
		for _, part := range parts {
			pieces = append(pieces, piece{part.Start, part.End, p.node, part.From, part.To, p.Source})
		}
		in.rereading.pieces = pieces
		pass := p.reread(rendered, pieces)
		pass.rendered, pass.whole = true, pass.whole || isJSON // the rest of JSON is not prose
		in.match(&pass)
	})
}

// markedLines inspects comments and quotations without the marks at the beginning of their lines.
func (in *Inspector) markedLines(p *TextPass) {
	text.MarkedLines(p.Source, func(lines []text.Line) {
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

// rereadLines inspects lines of a text, joined by the given byte.
func (in *Inspector) rereadLines(p *TextPass, lines []text.Line, by byte) {
	joined, pieces := in.rereading.joined[:0], in.rereading.pieces[:0]
	for _, l := range lines {
		start := len(joined)
		joined = append(append(joined, p.Source[l.Start:l.End]...), by)
		pieces = append(pieces, piece{start, len(joined) - 1, p.node, l.Start, l.End, p.Source})
	}
	if len(joined) <= keptBytes {
		in.rereading.joined, in.rereading.pieces = joined, pieces
	}
	pass := p.reread(joined, pieces)
	in.match(&pass)
}

// keptBytes is the maximum size of a buffer that is kept for later texts.
const keptBytes = 1 << 20

// reread returns a pass for another reading of the text of p, which consists of these pieces of it.
func (p *TextPass) reread(source []byte, pieces []piece) TextPass {
	read := pieces[len(pieces)-1].to - pieces[0].offset
	return TextPass{Subject: p.Subject, Name: p.Name, Direction: p.Direction, in: p.in, node: p.node, isKey: p.isKey, root: p.root,
		Source: source, pieces: pieces, wrapped: true, original: p.Source, whole: read*4 >= len(p.Source)*3}
}
