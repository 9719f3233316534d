package text

import (
	"bytes"
	"io"
)

// Guard returns a writer that passes text on in which no line begins with two
// colons, however far it is indented: a runner of GitHub Actions takes such a line
// of any program's output for a workflow command, and where a line of wrapped text
// or of a diff begins is up to whoever wrote the text. The first colon is spelled
// out. A colon that a last line consists of is kept back.
func Guard(w io.Writer) io.Writer { return &lineGuard{w: w} }

// lineGuard is the writer that Guard returns.
type lineGuard struct {
	w      io.Writer
	inside bool // the line has begun with something else than spaces
	colon  bool // the line has begun with a colon, which is not written yet
	out    []byte
}

// spelledColon is what stands for the first colon of a line.
const spelledColon = "<U+003A>"

// Write writes p but for a colon that could be the first of two.
func (g *lineGuard) Write(p []byte) (int, error) {
	g.out = g.out[:0]
	for rest := p; len(rest) > 0; {
		if g.inside { // most of it
			end := bytes.IndexByte(rest, '\n') + 1
			if end == 0 {
				g.out = append(g.out, rest...)
				break
			}
			g.out = append(g.out, rest[:end]...)
			rest, g.inside = rest[end:], false
			continue
		}
		g.begin(rest[0])
		rest = rest[1:]
	}
	if _, err := g.w.Write(g.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// begin takes one of the bytes that a line begins with.
func (g *lineGuard) begin(b byte) {
	switch {
	case g.colon && b == ':':
		g.out = append(g.out, spelledColon+":"...)
	case g.colon:
		g.out = append(g.out, ':', b)
	case b == ':':
		g.colon = true
		return
	default:
		g.out = append(g.out, b)
	}
	g.inside = g.colon && b != '\n' || b != ' ' && b != '\n'
	g.colon = false
}
