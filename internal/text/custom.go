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

// The limits of what is derived from an expression.
const (
	maxAnchors   = 64 // literals of which one must be in a match
	minAnchor    = 3  // bytes; shorter literals are in every text
	maxAnchorLen = 48 // bytes; more of them make an anchor no rarer
)

// Custom makes a pattern of an expression that its author wrote without
// anchors. It is searched without regard to case, as folded text has none, and
// may look ahead and behind. An expression that cannot match folded text, or
// that matches nothing at all, is an error: it would look like a check and be none.
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
		return Pattern{}, errors.New("it matches the empty text, so it would match everywhere; make it match at least one character")
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

// width returns how many characters an expression takes at least.
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

// edged reports whether an expression asks for the edge of a text or line: what
// it is given must have no other edges.
func edged(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText:
		return true
	}
	return slices.ContainsFunc(re.Sub, edged)
}

// deriver finds the literals that a match must contain.
type deriver struct {
	fold        Folder
	least, most int  // bytes of a literal, and how many literals
	any         bool // they are looked for in texts as they are, not folded ones
}

// isFolded reports whether s can be in folded text.
func (d *deriver) isFolded(s string) bool { return d.any || string(d.fold.Fold([]byte(s)).Text) == s }

// folded refuses a literal that no folded text has.
func (d *deriver) folded(re *syntax.Regexp) error {
	if re.Op == syntax.OpLiteral {
		if s := literal(re); !d.isFolded(s) {
			return fmt.Errorf("it is searched in folded text (lower case, no diacritics, white space as one space), where %q reads %q; write that", s, d.fold.Fold([]byte(s)).Text)
		}
	}
	for _, s := range re.Sub {
		if err := d.folded(s); err != nil {
			return err
		}
	}
	return nil
}

// literal is the text of a literal in the case that folded text has.
func literal(re *syntax.Regexp) string {
	if re.Flags&syntax.FoldCase != 0 {
		return strings.ToLower(string(re.Rune))
	}
	return string(re.Rune)
}

// required returns literals in folded form of which one is in every match,
// or nil where there are none that are worth looking for.
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

// requiredOf returns the best literals of what stands side by side: those of
// one part, or of several that are known by the letter and stand together.
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

// rarity orders sets of anchors: by the shortest of each.
func rarity(set []string) int {
	if set == nil {
		return 0
	}
	return len(slices.MinFunc(set, func(a, b string) int { return len(a) - len(b) }))
}

// exact returns all texts that an expression matches, where they are few.
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

// class returns the characters of a small class, in the case that folded text has.
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

// joined returns every text of a followed by every text of b, where those are
// few, and nil where one is unknown.
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

// anchors makes anchors of the texts that an expression matches: what folded
// text cannot have is left out, what is long is cut.
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

// prefix returns at most n bytes of s, in whole characters.
func prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
