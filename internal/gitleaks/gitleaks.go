// Package gitleaks provides credential formats from the gitleaks project. genrules generates
// rules.jsonl from the project's published rules, which are under the MIT licence in LICENSE. Rules
// based on file paths, and generic-api-key, which is a list of names, are not included.
package gitleaks

import (
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

//go:embed rules.jsonl
var data string

// Rule is one credential format, as written by genrules.
type Rule struct {
	ID        string
	Regex     string
	Group     int      `json:",omitempty"` // the credential's group; 0 means the first that matched
	Entropy   float64  `json:",omitempty"` // minimum entropy of the credential, in bits per character
	Keywords  []string // lower case; every match contains at least one of them
	Regexes   []string `json:",omitempty"` // matched only by false positives
	Stopwords []string `json:",omitempty"` // contained only in false positives

	form *lazyregexp.Regexp
	not  []*lazyregexp.Regexp
}

// OfAll is the ID of the record whose exceptions apply to all rules.
const OfAll = "*"

// rules parses the data on first use, without compiling any expression.
var rules = sync.OnceValue(func() []Rule {
	var all []Rule
	for line := range strings.Lines(data) {
		var r Rule
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			panic(err) // the data is part of the program
		}
		r.form = lazyregexp.New(r.Regex)
		for _, expr := range r.Regexes {
			r.not = append(r.not, lazyregexp.New(expr))
		}
		all = append(all, r)
	}
	return all
})

// Find returns the ID of the first rule that finds a credential in a string such as NAME="value",
// or "" if none does.
func Find(text string) string {
	low := strings.ToLower(text)
	all := rules()
	for i := range all[1:] {
		if r := &all[1+i]; r.finds(text, low, &all[0]) {
			return r.ID
		}
	}
	return ""
}

// finds reports whether a rule finds a credential that is not excluded by its own exceptions or by
// those for all rules.
func (r *Rule) finds(text, low string, all *Rule) bool {
	if !slices.ContainsFunc(r.Keywords, func(k string) bool { return strings.Contains(low, k) }) {
		return false
	}
	for _, m := range r.form.FindAllStringSubmatch(text, -1) {
		if secret := r.credential(m); entropy(secret) >= r.Entropy && !r.excludes(secret) && !all.excludes(secret) {
			return true
		}
	}
	return false
}

// credential returns the secret part of a match.
func (r *Rule) credential(match []string) string {
	if r.Group > 0 {
		return match[r.Group]
	}
	for _, group := range match[1:] {
		if group != "" {
			return group
		}
	}
	return strings.Trim(match[0], "\n")
}

func (r *Rule) excludes(secret string) bool {
	low := strings.ToLower(secret)
	return slices.ContainsFunc(r.Stopwords, func(w string) bool { return strings.Contains(low, w) }) ||
		slices.ContainsFunc(r.not, func(re *lazyregexp.Regexp) bool { return re.MatchString(secret) })
}

// entropy returns the entropy of a string, in bits per character.
func entropy(s string) float64 {
	count, n := map[rune]float64{}, 0.0
	for _, c := range s {
		count[c]++
		n++
	}
	bits := 0.0
	for _, c := range count {
		bits -= c / n * math.Log2(c/n)
	}
	return bits
}
