// Package published has the forms of credentials that the gitleaks project publishes, as
// data: rules.jsonl is made of its rule set, under the MIT licence in LICENSE, by genrules.
// Rules that go by the path of a file or by a value alone (generic-api-key) are not in it.
package published

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

// Rule is one form of a credential, as genrules writes it.
type Rule struct {
	ID        string
	Regex     string
	Group     int      `json:",omitempty"` // that is the credential; 0 is the first that matched
	Entropy   float64  `json:",omitempty"` // of the credential, in bits for each character, at least
	Keywords  []string // in lower case, of which one is in every match
	Regexes   []string `json:",omitempty"` // what a credential looks like that is none
	Stopwords []string `json:",omitempty"` // what is in a credential that is none

	form *lazyregexp.Regexp
	not  []*lazyregexp.Regexp
}

// OfAll is the ID of the record with what is no credential for any rule.
const OfAll = "*"

// rules parses the data when they are first asked for, and compiles nothing.
var rules = sync.OnceValue(func() []Rule {
	var all []Rule
	for line := range strings.Lines(data) {
		var r Rule
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			panic(err) // the data are part of the program
		}
		r.form = lazyregexp.New(r.Regex)
		for _, expr := range r.Regexes {
			r.not = append(r.not, lazyregexp.New(expr))
		}
		all = append(all, r)
	}
	return all
})

// Find returns the ID of the first rule that finds a credential in a text such as
// NAME="value", "" for none.
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

// finds reports whether a rule finds a credential that neither it nor all takes out.
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

// credential is the part of a match that is secret.
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

// entropy is that of the characters of a text, in bits for each.
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
