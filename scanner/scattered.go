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

// The bounds of texts whose words are values of their own.
const (
	scatteredValues = 4           // values in a row: fewer are no sentence
	scatteredBytes  = 48          // of a value: what is longer says something by itself
	listedBytes     = piecesReach // of one in a list, which can be lines
	scatteredCodes  = 10          // numbers in a list
	rowValues       = 256         // that are read together
	rowOverlap      = 64          // of them that are read together with the next ones as well
)

// scattered inspects the short strings in the subtree of node i as a model reads them,
// one behind the other: an order can be cut into words that are values of their own. In
// a definition these are the elements of one list, elsewhere all that follow each other.
// Only what reaches from one value into another is reported.
func (in *Inspector) scattered(kind mcp.SubjectKind, name string, root, i int) {
	p := TextPass{Subject: kind, Name: name, Direction: in.event.Direction, in: in, root: root}
	if p.client() || in.brief {
		return
	}
	doc, end := in.tree, int(in.tree.Nodes[i].Next)
	var nodes []int
	flush := func() {
		if len(nodes) >= scatteredValues {
			in.row(p, nodes)
		}
		nodes = nodes[:0]
	}
	for ; i < end; i++ {
		n := &doc.Nodes[i]
		if n.Kind == wire.Array {
			in.codes(p, i)
		}
		if n.Kind != wire.String {
			continue
		}
		listed, most := n.Parent >= 0 && doc.Kind(int(n.Parent)) == wire.Array, scatteredBytes
		if listed {
			most = listedBytes
		}
		if int(n.End-n.Start) > most || kind.Definition() && (!listed || len(nodes) > 0 && doc.Nodes[nodes[0]].Parent != n.Parent) {
			flush()
		}
		if int(n.End-n.Start) <= most && (listed || !kind.Definition()) {
			nodes = append(nodes, i)
		}
		if len(nodes) == rowValues {
			in.row(p, nodes)
			nodes = append(nodes[:0], nodes[rowValues-rowOverlap:]...)
		}
	}
	flush()
}

// row inspects the strings at some nodes as one text: as words, or as letters where that
// is what most of them are.
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
			p.pieces = append(p.pieces, piece{len(all), len(all) + len(s), i, 0, s})
			all = append(append(all, s...), ' ')
			continue
		}
		p.pieces = append(p.pieces, piece{len(all), len(all) + len(s) - 1, i, 0, s})
		all = append(all, s...)
	}
	if len(p.pieces) >= scatteredValues {
		p.Source, p.node = all, p.pieces[0].node
		in.match(&p)
	}
}

// codes inspects a list of numbers that are the codes of characters.
func (in *Inspector) codes(p TextPass, list int) {
	n := 0
	for c := in.tree.First(list); c >= 0 && n < scatteredCodes; c = in.tree.Next(c) {
		if in.tree.Kind(c) != wire.Number {
			return
		}
		n++
	}
	if n < scatteredCodes {
		return
	}
	p.node, p.Source = list, in.tree.Raw(list)
	clear(in.decoding.seen)
	in.layers(&p, p.Source, text.Disguised{}, 1)
}

// blob counts the bytes of a resource that is said to be text and that is in no
// character set which can be told from its bytes.
func (in *Inspector) blob(i int, src []byte) {
	if !in.tree.KeyIs(i, "blob") {
		return
	}
	mime, _ := in.tree.Str(int(in.tree.Nodes[i].Parent), "mimeType")
	if strings.HasPrefix(strings.ToLower(mime), "text/") && !text.Reads64(src) {
		in.skip("a blob declared as text is in an unknown character set: not inspected")
	}
}
