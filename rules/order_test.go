package rules_test

import (
	"context"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestOrderOfMembers checks that a definition has the same findings whatever the order of its members
// and the white space between them. A lockfile sorts and indents the definitions of a server, and diff
// and baselines must recognise their findings.
func TestOrderOfMembers(t *testing.T) {
	engine := compiled(t, rules.All(), "")
	for _, rule := range rules.All() {
		for _, file := range cases(t, rule.ID) {
			ar := archive(t, file)
			var doc wire.Doc
			if !has(ar, "definition.json") || doc.Parse([]byte(member(ar, "definition.json"))) != nil {
				continue
			}
			want := fingerprints(t, engine, ar)
			for order, text := range map[string][]byte{"sorted": doc.AppendIndented(nil, 0, 0), "reversed": reversed(nil, &doc, 0)} {
				other := &txtar.Archive{Files: []txtar.File{{Name: "definition.json", Data: text}}}
				if got := fingerprints(t, engine, other); !slices.Equal(got, want) {
					t.Errorf("%s, %s:\ngot:  %q\nwant: %q", file, order, got, want)
				}
			}
		}
	}
}

// fingerprints returns the findings in a case's input, in sorted order.
func fingerprints(t *testing.T, engine *scanner.Engine, ar *txtar.Archive) (all []string) {
	t.Helper()
	if _, err := engine.Run(context.Background(), source(t, ar), sinkFunc(func(f *scanner.Finding) {
		all = append(all, f.Rule.ID+" "+f.Severity.String()+" "+f.Fingerprint())
	})); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// reversed appends a value with the members of all objects in reverse order.
func reversed(b []byte, doc *wire.Doc, i int) []byte {
	kind := doc.Kind(i)
	if kind != wire.Object && kind != wire.Array {
		return append(b, doc.Raw(i)...)
	}
	var children []int
	for c := doc.First(i); c >= 0; c = doc.Next(c) {
		children = append(children, c)
	}
	brackets := "[]"
	if kind == wire.Object {
		brackets = "{}"
		slices.Reverse(children)
	}
	b = append(b, brackets[0])
	for k, c := range children {
		if k > 0 {
			b = append(b, ',')
		}
		if kind == wire.Object {
			b = append(wire.AppendString(b, []byte(doc.KeyString(c))), ':')
		}
		b = reversed(b, doc, c)
	}
	return append(b, brackets[1])
}
