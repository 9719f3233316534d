package config

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// maxDepth is the maximum nesting depth. Client configurations need fewer than ten levels; the
// parsers are recursive, and a stack overflow would end the process.
const maxDepth = 512

// format is a configuration format. A file can contain several YAML documents, hence several roots.
type format struct {
	name  string
	parse func([]byte) ([]*node, *SyntaxError)
}

// plainText strips the byte order mark and rejects text that is not UTF-8.
func plainText(data []byte) ([]byte, *SyntaxError) {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe, 0, 0}) || bytes.HasPrefix(data, []byte{0, 0, 0xfe, 0xff}) {
		return nil, syntaxError(start, "expected UTF-8 text, found UTF-32: save the file as UTF-8")
	}
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return nil, syntaxError(start, "expected UTF-8 text, found UTF-16: save the file as UTF-8")
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if utf8.Valid(data) {
		return data, nil
	}
	for off := 0; off < len(data); {
		r, n := utf8.DecodeRune(data[off:])
		if r == utf8.RuneError && n == 1 {
			return nil, syntaxError(newLocator(data).at(off), "expected UTF-8 text, found the invalid byte 0x%02x: save the file as UTF-8", data[off])
		}
		off += n
	}
	return data, nil
}

var (
	tomlHeader = lazyregexp.New(`^\[\[?[^\[\]{},]+\]\]?\s*(#.*)?$`)
	tomlValue  = lazyregexp.New(`^("[^"]*"|'[^']*'|[\w-]+)(\s*\.\s*("[^"]*"|'[^']*'|[\w-]+))*\s*=`)
	yamlStart  = lazyregexp.New(`^(---|%YAML|- |("[^"]*"|'[^']*'|[\w.$/ -]+)\s*:(\s|$))`)
)

// candidates returns the formats that the text may be in, most likely first.
func candidates(name string, data []byte) []format {
	jsonc, toml, yaml := format{"json", parseJSON}, format{"toml", parseTOML}, format{"yaml", parseYAML}
	if Markdown(name) {
		if front := frontMatter(data); front > 0 {
			return []format{{"yaml", func(b []byte) ([]*node, *SyntaxError) { return parseFrontMatter(b[:front]) }}}
		}
		return nil
	}
	ext := extension(name)
	isYAML := ext == ".yaml" || ext == ".yml"
	switch line := firstLine(data); {
	case strings.HasPrefix(line, "{") && isYAML:
		return []format{jsonc, yaml}
	case strings.HasPrefix(line, "{"), strings.HasPrefix(line, "//"), strings.HasPrefix(line, "/*"):
		return []format{jsonc}
	case ext == ".json" || ext == ".jsonc":
		return []format{jsonc}
	case tomlHeader.MatchString(line), tomlValue.MatchString(line):
		return []format{toml, yaml}
	case ext == ".toml":
		return []format{toml}
	case isYAML, yamlStart.MatchString(line):
		return []format{yaml}
	}
	return nil
}

// extension returns a file name's extension in lower case, with its dot.
func extension(name string) string { return strings.ToLower(path.Ext(slashed(name))) }

// Markdown reports whether a file is a document whose front matter may contain a configuration.
func Markdown(name string) bool { return slices.Contains([]string{".md", ".mdc"}, extension(name)) }

// frontMatterKey matches a key under which front matter contains a configuration.
var frontMatterKey = lazyregexp.New(`(?im)^[\s{,?]*["']?(?:mcp[-_]?servers|hooks)["']?\s*:`)

// parseFrontMatter parses YAML. Front matter that does not match frontMatterKey need not be valid:
// clients also accept descriptions with unquoted colons, for example.
func parseFrontMatter(front []byte) ([]*node, *SyntaxError) {
	roots, err := parseYAML(front)
	if err != nil && !frontMatterKey.Match(front) {
		return nil, nil
	}
	return roots, err
}

// firstLine returns the first line that is neither blank nor a # comment. It is truncated: the
// patterns need only its start.
func firstLine(data []byte) string {
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line[:min(len(line), 4096)])
		if len(line) > 0 && line[0] != '#' {
			return string(line)
		}
	}
	return ""
}

// frontMatter returns the length of the YAML front matter of a Markdown file, up to its closing
// line, or 0. It is at the start of the file, so positions remain valid.
func frontMatter(data []byte) int {
	n := 0
	for line := range bytes.Lines(data) {
		mark := string(bytes.TrimRight(line, " \t\r\n")) == "---"
		switch {
		case n == 0 && !mark:
			return 0
		case n > 0 && mark:
			return n
		}
		n += len(line)
	}
	return 0
}

// slashed returns a path with forward slashes, whatever system it is from.
func slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }
