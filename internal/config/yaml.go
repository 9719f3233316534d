package config

import (
	"errors"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

const (
	// maxYAMLBytes and maxYAMLTokens limit parsing to about two seconds, because the parser's time
	// is quadratic in the number of keys in a mapping. The largest LibreChat examples have 5000
	// tokens.
	maxYAMLBytes  = MaxSettings
	maxYAMLTokens = 1 << 16
	// maxYAMLNodes limits the expansion of aliases.
	maxYAMLNodes = 1 << 19
)

// parseYAML reads all documents of a YAML file.
func parseYAML(data []byte) ([]*node, *SyntaxError) {
	if len(data) > maxYAMLBytes {
		return nil, syntaxError(start, "larger than %d bytes, the limit for a YAML configuration: check that this is the right file", maxYAMLBytes)
	}
	// Replace CRLF, because the lexer counts it twice after a comment.
	file, err := yamlFile(strings.ReplaceAll(string(data), "\r\n", "\n"))
	if err != nil {
		return nil, err
	}
	var roots []*node
	for _, doc := range file.Docs {
		r := yamlReader{anchors: map[string]sized{}}
		root := r.read(doc.Body)
		if r.err != nil {
			return nil, r.err
		}
		roots = append(roots, root.node)
	}
	return roots, nil
}

// yamlFile runs the third-party parser. It converts panics, which have occurred, to errors, so
// that one hostile file does not end the scan of the others.
func yamlFile(text string) (file *ast.File, failed *SyntaxError) {
	defer func() {
		if recover() != nil {
			file, failed = nil, syntaxError(start, "not YAML: the parser gave up on this file; look for unusual anchors, tags or escapes")
		}
	}()
	tokens := lexer.Tokenize(text)
	if len(tokens) > maxYAMLTokens {
		return nil, syntaxError(tokenPos(tokens[maxYAMLTokens]), "more than %d YAML tokens, the limit for a configuration: check that this is the right file", maxYAMLTokens)
	}
	if t := tooDeepYAML(tokens); t != nil {
		return nil, syntaxError(tokenPos(t), "nested more than %d levels deep, which no configuration needs: remove the nesting here", maxDepth)
	}
	if t := emptyDocument(tokens); t != nil {
		return nil, syntaxError(tokenPos(t), "the YAML document before this --- is empty, and some parsers ignore what follows: remove one ---")
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err == nil {
		return file, nil
	}
	pos, msg := start, "not YAML: the file cannot be parsed"
	var at interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &at) {
		pos, msg = tokenPos(at.GetToken()), "not YAML: "+quotation.ReplaceAllString(at.GetMessage(), `"…"`)
	}
	return nil, syntaxError(pos, "%s", msg)
}

// quotation matches text that a parser's message quotes from the file.
var quotation = lazyregexp.New(`"[^"]{2,}"`)

// emptyDocument returns the --- that ends the first empty document, which contains at most comments, or
// nil if there is none. The parser drops everything after an empty document.
func emptyDocument(tokens token.Tokens) *token.Token {
	empty := false
	for _, t := range tokens {
		switch t.Type {
		case token.DocumentHeaderType:
			if empty {
				return t
			}
			empty = true
		case token.CommentType:
		default:
			empty = false
		}
	}
	return nil
}

func tokenPos(t *token.Token) Position {
	if t == nil || t.Position == nil {
		return start
	}
	return Position{Line: max(1, t.Position.Line), Column: max(1, t.Position.Column)}
}

// tooDeepYAML returns the first token at which the parser may recurse beyond maxDepth, or nil if
// there is none. It overestimates the depth: it counts every indicator on a line whose indentation
// still encloses the token, every open bracket, and, within brackets, every indicator since the
// last value.
func tooDeepYAML(tokens token.Tokens) *token.Token {
	type line struct{ col, indicators int }
	var open []line
	block, flow, run, number := 0, 0, 0, 0
	for _, t := range tokens {
		if len(open) == 0 || flow == 0 && t.Position.Line != number {
			number = t.Position.Line
			for len(open) > 0 && open[len(open)-1].col >= t.Position.Column {
				block -= open[len(open)-1].indicators
				open = open[:len(open)-1]
			}
			open = append(open, line{col: t.Position.Column})
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow, run = max(0, flow-1), 0
		case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType, token.TagType, token.AnchorType:
			if flow > 0 {
				run++
				break
			}
			open[len(open)-1].indicators++
			block++
		default:
			run = 0
		}
		if block+flow+run > maxDepth {
			return t
		}
	}
	return nil
}

// sized is a node and the number of nodes in it after alias expansion.
type sized struct {
	node *node
	size int
}

// yamlReader converts the syntax tree to the common tree. An alias shares the node that it refers
// to, so that reading stays linear; the node's full size still counts for each alias, because code that
// walks the tree visits the node each time.
type yamlReader struct {
	anchors map[string]sized
	err     *SyntaxError
}

func (r *yamlReader) fail(pos Position, format string, args ...any) sized {
	if r.err == nil {
		r.err = syntaxError(pos, format, args...)
	}
	return sized{&node{pos: pos}, 1}
}

func (r *yamlReader) read(n ast.Node) sized {
	if n == nil || r.err != nil {
		return sized{&node{pos: start}, 1}
	}
	pos := tokenPos(n.GetToken())
	out := sized{&node{pos: pos}, 1}
	switch x := n.(type) {
	case *ast.MappingNode:
		return r.mapping(pos, x.Values)
	case *ast.MappingValueNode:
		return r.mapping(pos, []*ast.MappingValueNode{x})
	case *ast.SequenceNode:
		out.node.kind = kindArray
		for _, v := range x.Values {
			item := r.read(v)
			out.node.items = append(out.node.items, item.node)
			out.size += item.size
		}
		return r.bounded(out)
	case *ast.AnchorNode:
		out = r.read(x.Value)
		r.anchors[x.Name.GetToken().Value] = out
	case *ast.AliasNode:
		known, ok := r.anchors[x.Value.GetToken().Value]
		if !ok {
			return r.fail(pos, "not YAML: no anchor above the alias has this name; define one, or write the value out")
		}
		return known
	case *ast.TagNode:
		out = r.read(x.Value)
		if x.Start.Value == "!!str" && out.node.scalar() {
			out.node = &node{kind: kindString, pos: out.node.pos, text: out.node.text}
		}
	case *ast.MappingKeyNode:
		return r.read(x.Value)
	default:
		yamlScalar(out.node, n)
	}
	return out
}

// yamlScalar fills in the kind and text of a scalar. Anything that is not a value, such as a lone
// comment, remains null.
func yamlScalar(out *node, n ast.Node) {
	switch x := n.(type) {
	case *ast.StringNode:
		out.kind, out.text = kindString, x.Value
	case *ast.LiteralNode:
		out.kind, out.text = kindString, x.Value.Value
	case *ast.BoolNode:
		out.kind, out.text = kindBool, strings.ToLower(x.GetToken().Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		out.kind, out.text = kindNumber, n.GetToken().Value
	}
}

// mapping reads the pairs in a mapping. Merge keys (<<) add only missing keys.
func (r *yamlReader) mapping(pos Position, pairs []*ast.MappingValueNode) sized {
	out := sized{&node{kind: kindObject, pos: pos}, 1}
	var merges []*node
	for i, pair := range pairs {
		if r.err != nil {
			break
		}
		keyPos := tokenPos(pair.Key.GetToken())
		if i == 0 {
			out.node.pos = keyPos
		}
		value := r.read(pair.Value)
		out.size += value.size
		if pair.Key.IsMergeKey() {
			merges = append(merges, value.node)
			continue
		}
		name := r.read(pair.Key)
		if !name.node.scalar() && name.node.kind != kindNull {
			return r.fail(keyPos, "expected a plain key: write the key of this pair as a string")
		}
		out.node.members = append(out.node.members, member{name.node.text, name.node.pos, value.node})
	}
	if out = r.bounded(out); r.err == nil && len(merges) > 0 {
		out.size += merge(out.node, merges)
	}
	return r.bounded(out)
}

// merge copies the members that the target lacks from the sources (mappings or lists of mappings),
// and returns how many it added.
func merge(into *node, sources []*node) int {
	have := make(map[string]bool, len(into.members))
	for _, m := range into.members {
		have[m.key] = true
	}
	before := len(into.members)
	for _, s := range sources {
		for _, from := range append([]*node{s}, s.items...) {
			for _, m := range from.members {
				if !have[m.key] {
					have[m.key] = true
					into.members = append(into.members, m)
				}
			}
		}
	}
	return len(into.members) - before
}

// bounded rejects documents whose aliases expand to too many nodes.
func (r *yamlReader) bounded(s sized) sized {
	if s.size > maxYAMLNodes {
		return r.fail(s.node.pos, "aliases expand to more than %d values, which no configuration needs: remove the aliases here", maxYAMLNodes)
	}
	return s
}
