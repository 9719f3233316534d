package text

import (
	"bytes"
	"io"
)

// Guard returns a writer to w that replaces the first colon of each line that begins with two
// colons, possibly after spaces, with <U+003A>. GitHub Actions treats such a line in any program's
// output as a workflow command, and a text's author can influence where the lines of wrapped text or a
// diff begin. A colon at the start of a line is held back until the next byte is written.
func Guard(w io.Writer) io.Writer { return &lineGuard{w: w} }

// lineGuard is the writer that Guard returns.
type lineGuard struct {
	w      io.Writer
	inside bool // the line has begun with something other than spaces
	colon  bool // the line has begun with a colon, which is not yet written
	out    []byte
}

// spelledColon replaces the first colon of a line.
const spelledColon = "<U+003A>"

// Write writes p, holding back a final colon that could be the first of two.
func (g *lineGuard) Write(p []byte) (int, error) {
	g.out = g.out[:0]
	for rest := p; len(rest) > 0; {
		if g.inside { // the common case
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

// begin handles a byte at the beginning of a line.
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
