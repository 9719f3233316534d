package scanner

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// The bounds for text whose words are separate values.
const (
	scatteredValues = 4           // minimum number of consecutive values; fewer do not make a sentence
	scatteredBytes  = 48          // maximum size of a value; longer ones have a meaning on their own
	numberBytes     = 64          // maximum size of a number that can be a character code
	listedBytes     = piecesReach // maximum size of a value in a list, which can be a line
	rowValues       = 256         // maximum number of values that are joined
	rowOverlap      = 64          // values at the end of a row that are also joined with the next ones
)

// scattered inspects the content blocks and the short strings in the subtree of node i in sequence, as
// a model reads them, because the words of an instruction can be separate values. In a definition, it
// joins only elements of the same list; elsewhere, it joins all consecutive strings. It reports only
// findings that span values.
func (in *Inspector) scattered(kind mcp.SubjectKind, name string, root, i int) {
	p := TextPass{Subject: kind, Name: name, Direction: in.event.Direction, in: in, root: root}
	if p.client() || in.brief {
		return
	}
	blocks := !kind.Definition() && in.joined(p, i)
	doc, end := in.tree, int(in.tree.Nodes[i].Next)
	var nodes, coded []int // coded: values that may be pieces of one encoded text
	flush := func() {
		if len(nodes) >= scatteredValues {
			in.row(p, nodes)
		}
		nodes = nodes[:0]
	}
	for ; i < end; i++ {
		n := &doc.Nodes[i]
		size, listed, most := int(n.End-n.Start), n.Parent >= 0 && doc.Kind(int(n.Parent)) == wire.Array, scatteredBytes
		if n.Kind == wire.Number && size <= numberBytes || n.Kind == wire.String && size <= scatteredBytes && (listed || !kind.Definition()) {
			coded = append(coded, i)
		}
		if n.Kind != wire.String || blocks && in.isBlockText(i) {
			continue
		}
		if listed {
			most = listedBytes
		}
		if size > most || kind.Definition() && (!listed || len(nodes) > 0 && doc.Nodes[nodes[0]].Parent != n.Parent) {
			flush()
		}
		if size <= most && (listed || !kind.Definition()) {
			nodes = append(nodes, i)
		}
		if len(nodes) == rowValues {
			in.row(p, nodes)
			nodes = append(nodes[:0], nodes[rowValues-rowOverlap:]...)
		}
	}
	flush()
	in.codes(p, coded)
}

// row inspects the strings at the nodes as one text: joined as words, or as letters if at least
// half of them are single characters.
func (in *Inspector) row(p TextPass, nodes []int) {
	letters := 0
	for _, i := range nodes {
		var buf []byte
		if utf8.RuneCount(in.tree.Text(i, &buf)) == 1 {
			letters++
		}
	}
	words := letters*2 < len(nodes)
	var all []byte
	for _, i := range nodes {
		var buf []byte
		s := in.tree.Text(i, &buf)
		if words && bytes.IndexFunc(s, unicode.IsLetter) < 0 || len(s) == 0 {
			continue
		}
		s = bytes.Clone(s)
		if words {
			p.pieces = append(p.pieces, piece{len(all), len(all) + len(s), i, 0, len(s), s})
			all = append(append(all, s...), ' ')
			continue
		}
		p.pieces = append(p.pieces, piece{len(all), len(all) + len(s) - 1, i, 0, len(s) - 1, s})
		all = append(all, s...)
	}
	if len(p.pieces) >= scatteredValues {
		p.Source, p.node = all, p.pieces[0].node
		in.match(&p)
	}
}

// codes decodes the numbers and the strings without spaces at the nodes, as character codes and as pieces
// of one encoded text.
func (in *Inspector) codes(p TextPass, nodes []int) {
	buffers := &in.scatteredCodes
	apart, joined, buf := buffers.apart[:0], buffers.joined[:0], buffers.text[:0]
	n := 0
	for _, i := range nodes {
		s := in.tree.Raw(i)
		if in.tree.Kind(i) == wire.String {
			buf = buf[:0]
			s = in.tree.Text(i, &buf)
		}
		if len(s) == 0 || bytes.IndexByte(s, ' ') >= 0 {
			continue
		}
		n++
		apart = append(append(apart, s...), ' ')
		joined = append(joined, s...)
	}
	if len(joined) <= keptBytes {
		*buffers = codeBuffers{apart, joined, buf}
	}
	if n < scatteredValues {
		return
	}
	p.node = nodes[0]
	for _, s := range [][]byte{apart, joined} {
		p.Source = s
		in.decoding.field()
		in.layers(&p, s, text.Disguised{}, 1)
	}
}

// codeBuffers are the buffers of codes.
type codeBuffers struct{ apart, joined, text []byte }

// blob reports a resource that is declared as text but whose character set cannot be determined
// from its bytes.
func (in *Inspector) blob(i int, src []byte) {
	if !in.tree.KeyIs(i, "blob") {
		return
	}
	mime, _ := in.tree.Str(int(in.tree.Nodes[i].Parent), "mimeType")
	if strings.HasPrefix(strings.ToLower(mime), "text/") && !text.Reads64(src) {
		in.skip("a blob declared as text is in an unknown character set, and was not inspected")
	}
}
