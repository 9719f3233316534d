package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/mcpscan/mcpscan/scanner"
)

// strictReader reads the values of mcpscan's own files, and collects problems. It rejects unknown
// keys, because a misspelled one would otherwise have no effect without anyone noticing.
type strictReader struct {
	problems []Problem
}

func (r *strictReader) fail(pos Position, format string, args ...any) {
	r.problems = append(r.problems, Problem{Pos: pos, Msg: printable(fmt.Sprintf(format, args...), 600)})
}

// parse returns the roots of a file, or adds its syntax error to the problems.
func (r *strictReader) parse(data []byte, parse func([]byte) ([]*node, *SyntaxError)) []*node {
	plain, failed := plainText(data)
	var roots []*node
	if failed == nil {
		roots, failed = parse(plain)
	}
	if failed != nil {
		r.fail(failed.Position, "%s", failed.Msg)
	}
	return roots
}

// err returns a *SettingsError with all problems, or nil if there are none.
func (r *strictReader) err(path string) error {
	if len(r.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return a.Pos.Compare(b.Pos) })
	return &SettingsError{path, r.problems}
}

// keys maps the allowed keys of an object to functions that read their values.
type keys map[string]func(*node)

// to returns a function that reads a value and stores it.
func to[T any](place *T, read func(*node) T) func(*node) {
	return func(n *node) { *place = read(n) }
}

// each returns a function that reads a list and appends its items.
func each[T any](list func(*node, func(*node)), place *[]T, read func(*node) T) func(*node) {
	return func(n *node) { list(n, func(n *node) { *place = append(*place, read(n)) }) }
}

// within returns a function that reads an object whose keys must be known.
func (r *strictReader) within(known keys) func(*node) {
	return func(n *node) { r.object(n, known) }
}

// object reads an object's members, whose keys must be known. It reports whether n is an object.
func (r *strictReader) object(n *node, known keys) bool {
	if n.kind == kindNull { // everything under the key is commented out
		return false
	}
	if n.kind != kindObject {
		r.fail(n.pos, "expected keys with values (%s), found %s", strings.Join(slices.Sorted(maps.Keys(known)), ", "), n.kind)
		return false
	}
	r.members(n, func(m member) {
		if read := known[m.key]; read != nil {
			read(m.value)
			return
		}
		r.fail(m.pos, "unknown key %s%s", Quoted(m.key), Hint(m.key, slices.Sorted(maps.Keys(known))))
	})
	return true
}

// members invokes read for each member in an object, and rejects duplicate keys.
func (r *strictReader) members(n *node, read func(member)) {
	seen := map[string]Position{}
	for _, m := range n.members {
		if first, again := seen[m.key]; again {
			r.fail(m.pos, "duplicate key %s, first at %s; keep one", Quoted(m.key), first)
			continue
		}
		seen[m.key] = m.pos
		read(m)
	}
}

func (r *strictReader) list(n *node, read func(*node)) {
	if n.kind == kindNull {
		return
	}
	if n.kind != kindArray {
		r.fail(n.pos, "expected a list (- …), found %s", n.kind)
		return
	}
	for _, item := range n.items {
		read(item)
	}
}

// text returns a string. It rejects numbers and words such as "on", because YAML would change their
// spelling.
func (r *strictReader) text(n *node) string {
	switch {
	case n.kind != kindString:
		r.fail(n.pos, "expected a string, found %s; put the value in quotes if it is text", n.kind)
	case strings.TrimSpace(n.text) == "":
		r.fail(n.pos, "expected a non-empty string")
	}
	return n.text
}

// bounded returns a string of limited length, because reports repeat it.
func (r *strictReader) bounded(n *node) string {
	s := r.text(n)
	if len([]rune(s)) > maxText {
		r.fail(n.pos, "longer than %d characters, which is too long for reports; shorten it", maxText)
	}
	return s
}

func (r *strictReader) bool(n *node) *bool {
	if n.kind != kindBool {
		r.fail(n.pos, "expected true or false, found %s", n.kind)
		return nil
	}
	return new(n.text == "true")
}

// share parses a number above 0 and up to 1.
func (r *strictReader) share(n *node) float64 {
	share, err := strconv.ParseFloat(n.text, 64)
	if n.kind != kindNumber || err != nil || !(share > 0 && share <= 1) {
		r.fail(n.pos, "expected a number above 0 and up to 1, such as 0.85")
	}
	return share
}

// oneOf returns a string that must be one of the known words.
func (r *strictReader) oneOf(n *node, what string, known ...string) string {
	if n.kind != kindString {
		article := "a"
		if strings.ContainsRune("aeiou", rune(what[0])) {
			article = "an"
		}
		r.fail(n.pos, "expected %s %s (%s), found %s", article, what, strings.Join(known, ", "), n.kind)
	} else if !slices.Contains(known, n.text) {
		r.fail(n.pos, "unknown %s %s%s", what, Quoted(n.text), Hint(n.text, known))
	}
	return n.text
}

func (r *strictReader) severity(n *node) *scanner.Severity {
	var names []string
	for _, s := range scanner.Severities {
		names = append(names, s.String())
	}
	var s scanner.Severity
	if s.UnmarshalText([]byte(r.oneOf(n, "severity", names...))) != nil {
		return nil
	}
	return &s
}

// Hint returns the end of a message about an unknown word: similar known words, or else all of them
// if they are few.
func Hint(word string, known []string) string {
	const most = 16
	if similar := Similar(word, known); similar != "" || len(known) > most {
		return similar
	}
	return "; expected " + strings.Join(known, ", ")
}

// maxSuggestions is the maximum number of suggestions for a misspelled name.
const maxSuggestions = 3

// Similar suggests the names most similar to a word: those that begin with it, or else those that
// differ in the fewest letters. It returns "" if none is similar enough.
func Similar(word string, names []string) string {
	word = strings.ToLower(word)
	var nearest []string
	least := len(word)/3 + 1
	for _, name := range names {
		d := levenshtein.ComputeDistance(word, name)
		if len(word) > 2 && strings.HasPrefix(name, word) {
			d = 0
		}
		if d < least {
			nearest, least = nil, d
		}
		if d == least && len(nearest) < maxSuggestions && !slices.Contains(nearest, Quoted(name)) {
			nearest = append(nearest, Quoted(name))
		}
	}
	if len(nearest) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(nearest, " or ") + "?"
}

// Quoted formats an untrusted name for a message.
func Quoted(s string) string { return `"` + printable(s, 80) + `"` }
