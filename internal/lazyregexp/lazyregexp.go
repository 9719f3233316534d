// Package lazyregexp compiles regular expressions on first use, like the package of the same name
// in the Go distribution, so that a command compiles only the expressions that it needs.
//
// Test binaries compile each expression when it is declared, so that no invalid one is released.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression that is compiled on first use. It is safe for concurrent use.
type Regexp struct {
	source  string
	compose func() string // returns the source; nil if the source was given
	once    sync.Once
	re      *regexp.Regexp
}

// New returns the regular expression with the given source. If the source is invalid, New panics in
// a test binary; elsewhere, the first use of the expression panics.
func New(source string) *Regexp {
	check(source)
	return &Regexp{source: source}
}

// Composed is like New for a source that is expensive to compose: outside a test binary, compose is
// also called only on first use.
func Composed(compose func() string) *Regexp {
	r := &Regexp{compose: sync.OnceValue(compose)}
	if inTest() {
		check(r.Source())
	}
	return r
}

// checked contains the sources that check found valid.
var checked sync.Map

// check panics in a test binary if the source is invalid. It compiles each source only once, because
// tests create many matchers from the same patterns.
func check(source string) {
	if !inTest() {
		return
	}
	if _, done := checked.Load(source); !done {
		regexp.MustCompile(source)
		checked.Store(source, true)
	}
}

// inTest reports whether the program is a test binary.
func inTest() bool {
	return len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")
}

// Source returns the source of the expression.
func (r *Regexp) Source() string {
	if r.compose != nil {
		return r.compose()
	}
	return r.source
}

// Compiled returns the compiled expression.
func (r *Regexp) Compiled() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.Source()) })
	return r.re
}

// Find calls [regexp.Regexp.Find].
func (r *Regexp) Find(b []byte) []byte { return r.Compiled().Find(b) }

// FindAllIndex calls [regexp.Regexp.FindAllIndex].
func (r *Regexp) FindAllIndex(b []byte, n int) [][]int { return r.Compiled().FindAllIndex(b, n) }

// FindAllString calls [regexp.Regexp.FindAllString].
func (r *Regexp) FindAllString(s string, n int) []string { return r.Compiled().FindAllString(s, n) }

// FindAllStringSubmatch calls [regexp.Regexp.FindAllStringSubmatch].
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.Compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex calls [regexp.Regexp.FindAllStringSubmatchIndex].
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.Compiled().FindAllStringSubmatchIndex(s, n)
}

// FindAllSubmatch calls [regexp.Regexp.FindAllSubmatch].
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.Compiled().FindAllSubmatch(b, n)
}

// FindIndex calls [regexp.Regexp.FindIndex].
func (r *Regexp) FindIndex(b []byte) []int { return r.Compiled().FindIndex(b) }

// FindString calls [regexp.Regexp.FindString].
func (r *Regexp) FindString(s string) string { return r.Compiled().FindString(s) }

// FindStringIndex calls [regexp.Regexp.FindStringIndex].
func (r *Regexp) FindStringIndex(s string) []int { return r.Compiled().FindStringIndex(s) }

// FindStringSubmatch calls [regexp.Regexp.FindStringSubmatch].
func (r *Regexp) FindStringSubmatch(s string) []string { return r.Compiled().FindStringSubmatch(s) }

// FindSubmatch calls [regexp.Regexp.FindSubmatch].
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.Compiled().FindSubmatch(b) }

// FindSubmatchIndex calls [regexp.Regexp.FindSubmatchIndex].
func (r *Regexp) FindSubmatchIndex(b []byte) []int { return r.Compiled().FindSubmatchIndex(b) }

// Match calls [regexp.Regexp.Match].
func (r *Regexp) Match(b []byte) bool { return r.Compiled().Match(b) }

// MatchString calls [regexp.Regexp.MatchString].
func (r *Regexp) MatchString(s string) bool { return r.Compiled().MatchString(s) }

// ReplaceAll calls [regexp.Regexp.ReplaceAll].
func (r *Regexp) ReplaceAll(b, with []byte) []byte { return r.Compiled().ReplaceAll(b, with) }

// ReplaceAllString calls [regexp.Regexp.ReplaceAllString].
func (r *Regexp) ReplaceAllString(s, with string) string {
	return r.Compiled().ReplaceAllString(s, with)
}
