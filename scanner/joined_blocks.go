package scanner

import (
	"sort"
	"unicode"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// piece is the part [start, end) of a joined text. It comes from a node's text, where it is [offset, to).
type piece struct {
	start, end int
	node       int
	offset, to int
	text       []byte
}

// sent converts an offset in the joined text to an offset in the node's text.
func (c *piece) sent(at int) int {
	if at >= c.end {
		return c.to
	}
	return min(c.offset+at-c.start, c.to)
}

// piecesReach is how many bytes at each end of a block are joined with its neighbours. No match
// extends farther from its anchor.
const piecesReach = text.Reach

// joined inspects the texts of content blocks in the subtree of node i in sequence, as a model
// reads them, because an instruction or a word can be split across the blocks of a result, the
// contents of a resource or the messages of a prompt. It reports only findings that span blocks;
// findings within one block have already been reported. It returns whether there were several
// blocks.
func (in *Inspector) joined(p TextPass, i int) bool {
	var nodes []int
	for end := int(in.tree.Nodes[i].Next); i < end; i++ {
		if in.isBlockText(i) {
			nodes = append(nodes, i)
		}
	}
	if len(nodes) < 2 {
		return false
	}
	texts := make([][]byte, len(nodes))
	for i, node := range nodes {
		var buf []byte
		texts[i] = in.tree.Text(node, &buf)
	}
	for _, words := range [...]bool{true, false} {
		all, pieces := together(nodes, texts, words)
		if len(pieces) > 0 {
			pass := p
			pass.Source, pass.node, pass.pieces, pass.again = all, pieces[0].node, pieces, !words
			in.match(&pass)
		}
	}
	return true
}

// isBlockText reports whether node i is the text of a content block, or of an embedded resource.
func (in *Inspector) isBlockText(i int) bool {
	return in.tree.Kind(i) == wire.String && in.tree.KeyIs(i, "text")
}

// notRead replaces an omitted part of a joined text.
const notRead = ".\n\n"

// together joins the strings of content blocks. If words is set, it separates all blocks with
// spaces; otherwise, it joins a block that ends within a word directly to the next block, which
// continues the word, and returns no pieces if there is no such block.
func together(nodes []int, texts [][]byte, words bool) (all []byte, pieces []piece) {
	borders := 0
	add := func(node, offset int, part, whole []byte) {
		if words {
			pieces = append(pieces, piece{len(all), len(all) + len(part), node, offset, offset + len(part), whole})
			all = append(append(all, part...), ' ')
			return
		}
		switch {
		case len(part) == 0:
			return
		case offset == 0 && cutWord(all, part):
			borders++
		case offset == 0 && len(all) > 0 && needsSpace(all, part):
			all = append(all, ' ')
		}
		pieces = append(pieces, piece{len(all), len(all) + len(part) - 1, node, offset, offset + len(part) - 1, whole})
		all = append(all, part...)
	}
	for i, s := range texts {
		node := nodes[i]
		if len(s) <= 2*piecesReach {
			add(node, 0, s, s)
			continue
		}
		head, tail := piecesReach, len(s)-piecesReach
		for !utf8.RuneStart(s[head]) {
			head--
		}
		for !utf8.RuneStart(s[tail]) {
			tail++
		}
		add(node, 0, s[:head], s)
		all = append(all, notRead...)
		add(node, tail, s[tail:], s)
	}
	if !words && borders == 0 {
		return nil, nil
	}
	return all, pieces
}

// needsSpace reports whether text ends with a word and next begins with another one.
func needsSpace(text, next []byte) bool {
	last, _ := utf8.DecodeLastRune(text)
	first, _ := utf8.DecodeRune(next)
	return unicode.IsLetter(last) && unicode.IsLetter(first) && !cutWord(text, next)
}

// cutWord reports whether text ends within a word, and next begins with the rest of it.
func cutWord(text, next []byte) bool {
	last, _ := utf8.DecodeLastRune(text)
	first, _ := utf8.DecodeRune(next)
	return unicode.IsLetter(last) && (unicode.IsLower(first) || unicode.IsUpper(first) && unicode.IsUpper(last))
}

// across returns the pieces in which [start, end) begins and ends, and whether they belong to different
// blocks or lines.
func (p *TextPass) across(start, end int) (first, last *piece, ok bool) {
	if len(p.pieces) == 0 {
		return nil, nil, false
	}
	first, last = p.pieceAt(start+1), p.pieceAt(end)
	return first, last, first.node != last.node || p.rereadings > 0 && first != last
}

// pieceAt returns the first piece that does not end before the given offset. A piece includes the
// space after it.
func (p *TextPass) pieceAt(place int) *piece {
	i := sort.Search(len(p.pieces), func(i int) bool { return place <= p.pieces[i].end+1 })
	return &p.pieces[min(i, len(p.pieces)-1)]
}
