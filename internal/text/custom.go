package text

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits on the literals derived from an expression.
const (
	maxAnchors   = 64 // literals, at least one of which must occur in a match
	minAnchor    = 3  // bytes; shorter literals are too common
	maxAnchorLen = 48 // bytes; a longer anchor is hardly rarer
)

// Custom makes a pattern from a user-written expression, and derives its anchors. The expression may use
// look-around, and is matched case-insensitively, because folded text is lower case. An expression with
// a literal that cannot occur in folded text, or one that matches the empty string, is an error: it
// would look like a check, but would match no text or every text.
func Custom(name, expr string) (Pattern, error) {
	plain, look, err := withoutLook(expr)
	if err != nil {
		return Pattern{}, err
	}
	tree, err := syntax.Parse(plain, syntax.Perl|syntax.FoldCase)
	if err != nil {
		return Pattern{}, err
	}
	if width(tree) == 0 {
		return Pattern{}, errors.New("it matches the empty string, so it would match everywhere; make it match at least one character")
	}
	d := deriver{least: minAnchor, most: maxAnchors}
	if err := d.folded(tree); err != nil {
		return Pattern{}, err
	}
	p := Pattern{Name: name, Expr: "(?i)" + plain, Custom: true, Edged: edged(tree)}
	if !p.Edged {
		p.Anchors = d.required(tree)
	}
	if look {
		p.Look = expr
		if _, err := compileLook(expr); err != nil {
			return Pattern{}, err
		}
	}
	_, err = regexp.Compile(p.Expr)
	return p, err
}

// width returns the minimum number of characters that an expression matches.
func width(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpCapture, syntax.OpPlus:
		return width(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min * width(re.Sub[0])
	case syntax.OpConcat:
		sum := 0
		for _, s := range re.Sub {
			sum += width(s)
		}
		return sum
	case syntax.OpAlternate:
		least := width(re.Sub[0])
		for _, s := range re.Sub[1:] {
			least = min(least, width(s))
		}
		return least
	}
	return 0
}

// edged reports whether an expression asserts the beginning or end of a text or line, in which case
// it must be run on the whole text.
func edged(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText:
		return true
	}
	return slices.ContainsFunc(re.Sub, edged)
}

// deriver derives literals, at least one of which occurs in every match.
type deriver struct {
	fold        Folder
	least, most int  // minimum bytes of a literal, and maximum number of literals
	any         bool // the text to be searched is not folded
}

// isFolded reports whether s can occur in folded text.
func (d *deriver) isFolded(s string) bool { return d.any || string(d.fold.Fold([]byte(s)).Text) == s }

// folded returns an error for a literal that cannot occur in folded text.
func (d *deriver) folded(re *syntax.Regexp) error {
	if re.Op == syntax.OpLiteral {
		if s := literal(re); !d.isFolded(s) {
			return fmt.Errorf("it is matched against folded text (lower case, no diacritics, white space as one space), in which %q is %q; use that form", s, d.fold.Fold([]byte(s)).Text)
		}
	}
	for _, s := range re.Sub {
		if err := d.folded(s); err != nil {
			return err
		}
	}
	return nil
}

// literal returns the text of a literal, in lower case if it is case-insensitive.
func literal(re *syntax.Regexp) string {
	if re.Flags&syntax.FoldCase != 0 {
		return strings.ToLower(string(re.Rune))
	}
	return string(re.Rune)
}

// required returns folded literals, at least one of which occurs in every match, or nil if there
// are none worth searching for.
func (d *deriver) required(re *syntax.Regexp) []string {
	if whole := d.anchors(d.exact(re)); whole != nil {
		return whole
	}
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return d.required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return d.required(re.Sub[0])
		}
	case syntax.OpAlternate:
		var all []string
		for _, s := range re.Sub {
			each := d.required(s)
			if each == nil {
				return nil
			}
			all = append(all, each...)
		}
		if len(all) <= d.most {
			return all
		}
	case syntax.OpConcat:
		return d.requiredOf(re.Sub)
	}
	return nil
}

// requiredOf returns the best literals, at least one of which occurs in every match of a concatenation.
// They come from a single part, or from consecutive parts for which d.exact can enumerate all strings.
func (d *deriver) requiredOf(parts []*syntax.Regexp) (best []string) {
	run := []string{""}
	better := func(c []string) {
		if rarity(c) > rarity(best) {
			best = c
		}
	}
	for _, s := range parts {
		known := d.exact(s)
		if next := d.joined(run, known); next != nil {
			run = next
			continue
		}
		better(d.anchors(run))
		if run = known; known == nil {
			run = []string{""}
			better(d.required(s))
		}
	}
	better(d.anchors(run))
	return best
}

// rarity ranks a set of anchors by the length of its shortest anchor.
func rarity(set []string) int {
	if set == nil {
		return 0
	}
	return len(slices.MinFunc(set, func(a, b string) int { return len(a) - len(b) }))
}

// exact returns all strings that an expression matches, or nil if there are too many or they are
// unknown.
func (d *deriver) exact(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}
	case syntax.OpLiteral:
		if d.any && re.Flags&syntax.FoldCase != 0 {
			return nil
		}
		return []string{literal(re)}
	case syntax.OpCharClass:
		return d.class(re)
	case syntax.OpCapture:
		return d.exact(re.Sub[0])
	case syntax.OpQuest:
		if known := d.exact(re.Sub[0]); known != nil {
			return append([]string{""}, known...)
		}
	case syntax.OpAlternate:
		var all []string
		for _, s := range re.Sub {
			known := d.exact(s)
			if known == nil || len(all)+len(known) > d.most {
				return nil
			}
			all = append(all, known...)
		}
		return all
	case syntax.OpConcat:
		all := []string{""}
		for _, s := range re.Sub {
			if all = d.joined(all, d.exact(s)); all == nil {
				return nil
			}
		}
		return all
	}
	return nil
}

// class returns the characters of a small class, in lower case for folded text.
func (d *deriver) class(re *syntax.Regexp) []string {
	var all []string
	for i := 0; i < len(re.Rune); i += 2 {
		if int(re.Rune[i+1]-re.Rune[i]) >= d.most {
			return nil
		}
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			if d.any {
				all = append(all, string(r))
			} else {
				all = append(all, string(unicode.ToLower(r)))
			}
		}
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > d.most {
		return nil
	}
	return all
}

// joined returns every string of a followed by every string of b, or nil if there are too many or
// either is unknown.
func (d *deriver) joined(a, b []string) []string {
	if a == nil || b == nil || len(a)*len(b) > d.most {
		return nil
	}
	var all []string
	for _, head := range a {
		for _, tail := range b {
			all = append(all, head+tail)
		}
	}
	return all
}

// anchors turns the strings that an expression matches into anchors: it drops those that cannot
// occur in folded text and truncates long ones. It returns nil if one is too short.
func (d *deriver) anchors(exact []string) []string {
	var out []string
	for _, s := range exact {
		if !d.isFolded(s) {
			continue
		}
		if cut := prefix(s, maxAnchorLen); d.isFolded(cut) {
			s = cut
		}
		if len(s) < d.least {
			return nil
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// prefix returns the longest prefix of s of at most n bytes that does not split a character.
func prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
