package scanner

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/text"
)

// wrapped inspects prose in lines that have the same prefix without the prefixes and line breaks, as a
// model reads it. Otherwise, they would separate the words of an instruction, which patterns would miss,
// and divide its sentences, which the classifier scores one by one. wrapped reports only findings that
// span lines, and skips definitions, which rarely have such lines.
func (in *Inspector) wrapped(p *TextPass) {
	if p.Subject.Definition() || bytes.IndexByte(p.Source, '\n') < 0 {
		return
	}
	src := p.Source
	text.Wrapped(src, func(lines []text.Line) {
		pass := TextPass{Subject: p.Subject, Name: p.Name, Direction: p.Direction, in: in, node: p.node, isKey: p.isKey, root: p.root, wrapped: true, original: src}
		for _, l := range lines {
			start := len(pass.Source)
			pass.Source = append(append(pass.Source, src[l.Start:l.End]...), ' ')
			pass.pieces = append(pass.pieces, piece{start, len(pass.Source) - 1, p.node, l.Start, src})
		}
		in.match(&pass)
	})
}
