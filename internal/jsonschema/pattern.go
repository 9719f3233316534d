package jsonschema

import (
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// manyTimes is the number of repetitions that counts as unbounded: if each of twenty repetitions
// can match in two ways, there are a million ways to match the whole.
const manyTimes = 20

// maxProbes is the maximum number of characters to try for a pattern.
const maxProbes = 16

// CatastrophicPattern reports whether a pattern has exponentially many ways to match a string of
// one repeated character. This is so if repetitions are nested and nothing in the outer one
// requires a different character. Examples are (a+)+, (\w+\s?)* and (.*,)*. A backtracking engine
// then takes exponential time if the rest fails to match.
func CatastrophicPattern(pattern string) bool {
	if strings.Count(pattern, "*")+strings.Count(pattern, "+")+strings.Count(pattern, "{") < 2 {
		return false
	}
	pattern = counted.Compiled().ReplaceAllStringFunc(lookaround.Replace(pattern), unbounded)
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return false // a dialect that package regexp does not support
	}
	probes := map[rune]bool{}
	collectProbes(re, probes)
	for r := range probes {
		if _, _, exponential := readings(re, r); exponential {
			return true
		}
	}
	return false
}

// lookaround replaces lookaround syntax, which Go lacks, with groups, because a backtracking engine
// also matches their content.
var lookaround = strings.NewReplacer("(?=", "(?:", "(?!", "(?:", "(?<=", "(?:", "(?<!", "(?:")

// counted detects a counted repetition. Go limits the counts, and above manyTimes the exact count
// does not matter.
var counted = lazyregexp.New(`\{(\d+)(,?)(\d*)\}`)

// unbounded replaces a counted repetition with * or + if its limit is so high that it counts as
// unbounded.
func unbounded(quantifier string) string {
	m := counted.FindStringSubmatch(quantifier)
	most := m[3]
	if m[2] == "" {
		most = m[1]
	}
	if n, err := strconv.Atoi(most); err == nil && n < manyTimes {
		return quantifier
	}
	if m[1] == "0" {
		return "*"
	}
	return "+"
}

// collectProbes collects characters from a pattern: the characters of literals, and the first of
// each range.
func collectProbes(re *syntax.Regexp, probes map[rune]bool) {
	if len(probes) >= maxProbes {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			addProbe(probes, r)
		}
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			addProbe(probes, re.Rune[i])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		addProbe(probes, 'a')
	}
	for _, sub := range re.Sub {
		collectProbes(sub, probes)
	}
}

func addProbe(probes map[rune]bool, r rune) {
	if len(probes) < maxProbes {
		probes[r] = true
	}
}

// readings reports whether a pattern can match strings of the character r, whether the length of
// these strings is unlimited, and whether it can match them in exponentially many ways.
func readings(re *syntax.Regexp, r rune) (can, unbounded, exponential bool) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, l := range re.Rune {
			if l != r {
				return false, false, false
			}
		}
		return true, false, false
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			can = can || re.Rune[i] <= r && r <= re.Rune[i+1]
		}
		return can, false, false
	case syntax.OpAnyCharNotNL:
		return r != '\n', false, false
	case syntax.OpAnyChar, syntax.OpEmptyMatch:
		return true, false, false
	case syntax.OpCapture:
		return readings(re.Sub[0], r)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return repeated(re, r)
	case syntax.OpConcat:
		can = true
		for _, sub := range re.Sub {
			c, u, e := readings(sub, r)
			can, unbounded, exponential = can && c, unbounded || u, exponential || e
		}
		return can, can && unbounded, exponential
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			c, u, e := readings(sub, r)
			can, unbounded, exponential = can || c, unbounded || u, exponential || e
		}
		return can, unbounded, exponential
	}
	return false, false, false // a line or word boundary does not match between two equal characters
}

func repeated(re *syntax.Regexp, r rune) (can, unbounded, exponential bool) {
	sub, inner, exponential := readings(re.Sub[0], r)
	many := re.Op == syntax.OpStar || re.Op == syntax.OpPlus || re.Op == syntax.OpRepeat && re.Max < 0
	optional := re.Op == syntax.OpStar || re.Op == syntax.OpQuest || re.Op == syntax.OpRepeat && re.Min == 0
	return sub || optional, sub && (inner || many && consumes(re.Sub[0])), exponential || many && sub && inner
}

// consumes reports whether a pattern can consume characters, unlike ^ or an empty pattern.
func consumes(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	}
	return slices.ContainsFunc(re.Sub, consumes)
}
