package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

// BenchmarkDecide evaluates a call against a policy with a typical number of rules.
func BenchmarkDecide(b *testing.B) {
	var file strings.Builder
	for i := range 30 {
		fmt.Fprintf(&file, "[rules.r%d]\naction='deny'\nmatch.tool_name=['tool_%d_*']\n[rules.p%d]\naction='deny'\nmatch.resource_path=['~/.secret%d/**', '**/x%d/*.key']\n", i, i, i, i, i)
	}
	p, err := ParsePolicy("p.toml", []byte(file.String()))
	if err != nil {
		b.Fatal(err)
	}
	r := &scanner.PolicyRequest{Method: "tools/call", Target: "read_file", Arguments: []scanner.Argument{
		{Name: "path", Pointer: "/arguments/path", Text: "/home/user/project/main.go"}, {Name: "limit", Pointer: "/arguments/limit", Text: "10"}}}
	for b.Loop() {
		p.Decide(r)
	}
}

// BenchmarkDecideHostile evaluates repeatedly encoded paths in the largest possible
// request.
func BenchmarkDecideHostile(b *testing.B) {
	p, err := ParsePolicy("p.toml", []byte("[rules.a]\naction='deny'\nmatch.resource_path=['**/a*b/**', '**a**b**c', '~/**/x']\n"))
	if err != nil {
		b.Fatal(err)
	}
	r := &scanner.PolicyRequest{Method: "tools/call", Target: "x"}
	for i := range 4 {
		r.Arguments = append(r.Arguments, scanner.Argument{Name: "path", Pointer: fmt.Sprint("/arguments/path/", i), Text: "~/" + strings.Repeat("%25252fa%25252fb", 4000)})
	}
	for b.Loop() {
		p.Decide(r)
	}
}

// BenchmarkCheck checks the largest possible policy.
func BenchmarkCheck(b *testing.B) {
	var file strings.Builder
	for i := range maxRules {
		fmt.Fprintf(&file, "[rules.r%d]\naction='deny'\nmatch.tool_name=['tool_%d_*']\n", i, i)
	}
	p, err := ParsePolicy("p.toml", []byte(file.String()))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p.Check()
	}
}
