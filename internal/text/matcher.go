package text

import (
	"fmt"
	"math"
	"regexp"

	"github.com/dlclark/regexp2/v2"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// Pattern describes what to search for in folded text. Anchors are lower-case literals, at least
// one of which occurs in every match; the anchors of all patterns are found in one pass, so a good
// anchor is rare (not "http", not "before"). Expr is matched around an anchor, at most Reach bytes
// before and after it. If Expr is empty, the anchor itself is the match.
//
// Compose replaces Expr if composing the expression is slow: it is not called before an anchor has
// occurred in a text.
//
// Custom marks a user-written pattern made by the function Custom. If it has no anchors, or asserts the
// beginning or end of a text or line (Edged), it is run over each text as a whole. Look is the original
// expression if it has look-around; Expr is the same without it.
type Pattern struct {
	Name    string
	Expr    string
	Compose func() string
	Anchors []string
	Once    bool // one match per text is enough: the caller reads the rest itself
	Custom  bool
	Edged   bool
	Look    string
}

// Reach is how far a match may extend from its anchor, in bytes. It bounds the work per anchor.
// Instructions rarely span more text than this.
const Reach = 240

// The limits for one pattern on one text. Repeating an anchor costs at most one more pass over the
// text, not one per repetition.
const (
	maxWindows  = 48  // windows verified before the pattern is run once over the rest
	maxMatches  = 256 // matches kept from the beginning
	lastMatches = 16  // and from the end, so that repetition before an instruction cannot hide it
)

// Match is a match of a pattern, as offsets in the folded text.
type Match struct {
	Pattern    int
	Start, End int
}

// Matcher finds all patterns of a set in one pass over a text. It is immutable and safe for
// concurrent use; each goroutine needs its own Scanner.
type Matcher struct {
	patterns []Pattern
	exprs    []*lazyregexp.Regexp // nil if the anchor is the whole match
	finders  []*Expr              // likewise; those of user patterns only filter
	looks    []*regexp2.Regexp    // nil if a pattern has no look-around
	whole    []int                // patterns without an anchor
	anchors  *literalTable
}

// NewMatcher returns a matcher for the patterns. It returns an error if a user pattern is invalid or a
// built-in one has no anchor. Tests check everything else about the built-in ones (see
// [Pattern.Validate]), so that the program need not do it at each start.
func NewMatcher(patterns []Pattern) (*Matcher, error) {
	m := &Matcher{patterns: patterns, exprs: make([]*lazyregexp.Regexp, len(patterns)), finders: make([]*Expr, len(patterns)),
		looks: make([]*regexp2.Regexp, len(patterns))}
	for i := range patterns {
		p := &patterns[i]
		if p.Custom || len(p.Anchors) == 0 {
			if err := p.Validate(); err != nil {
				return nil, err
			}
		}
		if len(p.Anchors) == 0 {
			m.whole = append(m.whole, i)
		}
		switch {
		case p.Compose != nil:
			m.exprs[i] = lazyregexp.Composed(p.Compose)
		case p.Expr != "":
			m.exprs[i] = lazyregexp.New(p.Expr)
		default:
			continue
		}
		m.finders[i] = &Expr{re: m.exprs[i]}
		if p.Look != "" {
			var err error
			if m.looks[i], err = compileLook(p.Look); err != nil {
				return nil, fmt.Errorf("pattern %q: %w", p.Name, err)
			}
		}
	}
	m.anchors = newLiteralTable(patterns, false)
	return m, nil
}

// Validate returns an error if the expression is invalid, an anchor is not in folded form, or the
// pattern is built-in and has no anchor.
func (p *Pattern) Validate() error {
	if len(p.Anchors) == 0 && !p.Custom {
		return fmt.Errorf("pattern %q has no anchor: name a literal that every match contains", p.Name)
	}
	var f Folder
	for _, a := range p.Anchors {
		if folded := f.Fold([]byte(a)).Text; a == "" || string(folded) != a {
			return fmt.Errorf("pattern %q: anchor %q must be written in folded form %q", p.Name, a, folded)
		}
	}
	expr := p.Expr
	if p.Compose != nil {
		expr = p.Compose()
	}
	if _, err := regexp.Compile(expr); err != nil {
		return fmt.Errorf("pattern %q: %w", p.Name, err)
	}
	return nil
}

// Scanner is the per-goroutine state of scans.
type Scanner struct {
	m       *Matcher
	runs    []run
	text    int // number of the current text, so that runs need not be cleared
	matches []Match
	cut     []int

	unfinished []int // since Start
}

// run is the state of one pattern in the current text.
type run struct {
	text    int
	windows int
	matches int
	origin  int // start of the filtered range, its end, and the filter's state; zero to start over
	read    int
	state   cursor
	again   int // bytes after anchors that the filter has read, and may read again
	looks   int
	end     int              // end of the last match or of the text last searched
	last    [lastMatches]int // indexes of the last matches among all that are kept
}

// NewScanner returns a scanner for m.
func (m *Matcher) NewScanner() *Scanner {
	return &Scanner{m: m, runs: make([]run, len(m.patterns))}
}

// Scan returns the matches in folded text. Each pattern's matches are in the order of their
// anchors, unless some were dropped. The slice is valid until the next call.
func (s *Scanner) Scan(folded []byte) []Match {
	s.text++
	s.matches, s.cut = s.matches[:0], s.cut[:0]
	s.m.anchors.scan(folded, func(p, start, end int) { s.verify(folded, p, start, end) })
	for _, p := range s.m.whole {
		s.scanWhole(folded, p)
	}
	return s.matches
}

// run returns the state of pattern p in the current text.
func (s *Scanner) run(p int) *run {
	r := &s.runs[p]
	if r.text != s.text {
		*r = run{text: s.text}
	}
	return r
}

// verify looks for a match of pattern p that contains the anchor [start, end).
func (s *Scanner) verify(t []byte, p, start, end int) {
	r := s.run(p)
	if start < r.end {
		return
	}
	if s.m.exprs[p] == nil {
		s.add(r, p, start, end)
		return
	}
	from, to := max(start-Reach, r.end, 0), min(end+Reach, len(t))
	if !s.filtered(t, r, p, from, start, to) {
		return
	}
	if r.windows++; r.windows > maxWindows {
		s.rest(t, r, p, start)
		return
	}
	for from < to {
		loc := s.find(p, t[from:to])
		if loc == nil || from+loc[0] > start {
			return
		}
		if from+loc[1] >= end {
			s.found(t, r, p, from+loc[0], from+loc[1])
			return
		}
		from += max(loc[1], 1)
	}
}

// find returns the leftmost match of pattern p in t, which the filter has accepted.
func (s *Scanner) find(p int, t []byte) []int {
	if s.m.patterns[p].Custom {
		return s.m.exprs[p].FindIndex(t)
	}
	return s.m.finders[p].locate(t)
}

// filtered returns false if no match of pattern p in t[from:to] begins at or before start. In
// overlapping windows, the filter does not read the text before the anchors again. The text after
// an anchor rarely continues a match for long; if it often does, the filter reads windows as a
// whole, but never the same text again.
func (s *Scanner) filtered(t []byte, r *run, p, from, start, to int) bool {
	f := s.m.finders[p].filter()
	if f == nil {
		return true
	}
	if r.state.in == nil || from < r.origin || from > r.read {
		r.origin, r.read, r.state = from, from, f.start()
	}
	until, found := start, false
	if r.again > len(t) {
		until = to
	}
	if r.read < until {
		r.state, _, found = f.run(r.state, t[r.read:until])
		r.read = until
	}
	if !found {
		last, n, ended := f.run(f.settle(r.state), t[r.read:to])
		r.again += n
		found = ended || f.ends(last)
	}
	if found {
		r.state = cursor{}
	}
	return found
}

// rest runs a pattern once over the remainder of a text that has too many of its anchors, and ends
// the search for that pattern. The filter reads all of the remainder, but the expression reads only
// the text around the positions where the filter stops: the expression would be too slow on a long
// text with a single match at its end.
func (s *Scanner) rest(t []byte, r *run, p, start int) {
	at := max(start-Reach, r.end, 0)
	f := s.m.finders[p].filter()
	if s.m.patterns[p].Custom || f == nil {
		s.sweep(t, p, at)
		return
	}
	r.state = cursor{}
	for searched := at; at < len(t); {
		read, ok := f.first(t[at:])
		if !ok {
			break
		}
		hit := at + read
		from, to := max(at, hit-2*Reach), min(max(hit, searched)+2*Reach, len(t))
		if loc := s.firstEndingFrom(p, t[:to], from, hit); loc != nil {
			s.add(r, p, loc[0], loc[1])
			at = max(loc[1], loc[0]+1)
		} else if searched = to; to < len(t) {
			at = to - Reach // a match that begins before this would be longer than allowed
		} else {
			break
		}
	}
	r.end = len(t)
}

// firstEndingFrom returns the first match of pattern p in t[from:] that ends at the position place
// or later.
func (s *Scanner) firstEndingFrom(p int, t []byte, from, place int) []int {
	for from < len(t) {
		loc := s.find(p, t[from:])
		if loc == nil {
			break
		}
		if from+loc[1] >= place {
			return []int{from + loc[0], from + loc[1]}
		}
		from += max(loc[1], 1)
	}
	return nil
}

// add keeps a match. If the pattern has too many matches, the new one replaces the oldest of those
// kept from the end.
func (s *Scanner) add(r *run, p, start, end int) {
	r.end = max(end, r.end)
	if s.m.patterns[p].Once {
		r.end = math.MaxInt
	}
	m, excess := Match{Pattern: p, Start: start, End: end}, r.matches-maxMatches
	r.matches++
	if excess >= lastMatches {
		if excess == lastMatches {
			s.cut = append(s.cut, p)
		}
		s.matches[r.last[excess%lastMatches]] = m
		return
	}
	if excess >= 0 {
		r.last[excess] = len(s.matches)
	}
	s.matches = append(s.matches, m)
}

// Cut returns the patterns that had more matches in the last scanned text than are kept. The
// missing matches lie between those kept from the beginning and those kept from the end or, for a
// user-written pattern, possibly after all that are kept.
func (s *Scanner) Cut() []int { return s.cut }
