package config

import (
	"maps"
	"slices"
	"testing"

	"github.com/mcpscan/mcpscan/internal/text"
)

func TestExpand(t *testing.T) {
	vars := map[string]string{
		"A": "a", "EMPTY": "", "NESTED": "${A}", "workspaceFolder": "/w", "CLAUDE_PLUGIN_ROOT": "/p", "__dirname": "/d",
	}
	lookup := func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
	for _, c := range []struct {
		value, want, unresolved string
		reference               bool
		literal                 string
	}{
		{"plain", "plain", "", false, "plain"},
		{"", "", "", false, ""},
		{"${A}", "a", "", true, ""},
		{"x-${A}-y", "x-a-y", "", true, "x--y"},
		{"${A}${A}", "aa", "", true, ""},
		{"${NO}", "${NO}", "${NO}", true, ""},
		{"${NO:-def}", "def", "", true, "def"},
		{"${A:-def}", "a", "", true, "def"},
		{"${EMPTY:-def}", "", "", true, "def"},
		{"${NO:-}", "", "", true, ""},
		{"${NO:-${A}}", "a", "", true, ""},
		{"${NO:-${NOR}}", "${NOR}", "${NOR}", true, ""},
		{"${env:A}", "a", "", true, ""},
		{"${env:NO}", "${env:NO}", "${env:NO}", true, ""},
		{"{env:A}", "a", "", true, ""},
		{"{env:NO}", "{env:NO}", "{env:NO}", true, ""},
		{"{file:~/key}", "{file:~/key}", "{file:~/key}", true, ""},
		{"$A", "a", "", true, ""},
		{"$NO", "$NO", "$NO", true, ""},
		{"x$A", "x$A", "", false, "x$A"},
		{"$A.b", "$A.b", "", false, "$A.b"},
		{"${{ secrets.A }}", "a", "", true, ""},
		{"${{secrets.A}}", "a", "", true, ""},
		{"${{ inputs.A }}", "${{ inputs.A }}", "${{ inputs.A }}", true, ""},
		{"${input:key}", "${input:key}", "${input:key}", true, ""},
		{"${workspaceFolder}/x", "/w/x", "", true, "/x"},
		{"${CLAUDE_PLUGIN_ROOT}/x", "/p/x", "", true, "/x"},
		{"${__dirname}/x", "/d/x", "", true, "/x"},
		{"${user_config.key}", "${user_config.key}", "${user_config.key}", true, ""},
		{"${config:a.b}", "${config:a.b}", "${config:a.b}", true, ""},
		{"${/}", "${/}", "${/}", true, ""},
		{"${NESTED}", "${A}", "", true, ""},
		{"pa${4}ss", "pa${4}ss", "", false, "pa${4}ss"},
		{"${}", "${}", "", false, "${}"},
		{"${A", "${A", "", false, "${A"},
		{"{A}", "{A}", "", false, "{A}"},
		{"Bearer sk-1 ${A}", "Bearer sk-1 a", "", true, "Bearer sk-1 "},
	} {
		s, unresolved := Expand(Server{URL: c.value}, lookup)
		if s.URL != c.want {
			t.Errorf("Expand(%q) = %q, want %q", c.value, s.URL, c.want)
		}
		if got := slices.Concat(unresolved, []string{""})[0]; got != c.unresolved || len(unresolved) > 1 {
			t.Errorf("Expand(%q) left %q, want %q", c.value, unresolved, c.unresolved)
		}
		if got := text.IsReference(c.value); got != c.reference {
			t.Errorf("IsReference(%q) = %v", c.value, got)
		}
		if got := text.Literal(c.value); got != c.literal {
			t.Errorf("Literal(%q) = %q, want %q", c.value, got, c.literal)
		}
	}
}

func TestExpandServer(t *testing.T) {
	s := Server{
		Name: "$A", Command: "$A", Args: []string{"${A}", "${C}"}, Cwd: "${env:A}", URL: "https://${A}",
		Env: map[string]string{"K": "${A}", "L": "${B}"}, Headers: map[string]string{"H": "${A}", "I": "${B}"},
	}
	got, unresolved := Expand(s, func(name string) (string, bool) { return "v", name == "A" })
	if got.Name != "$A" || got.Command != "v" || got.Cwd != "v" || got.URL != "https://v" ||
		!slices.Equal(got.Args, []string{"v", "${C}"}) ||
		!maps.Equal(got.Env, map[string]string{"K": "v", "L": "${B}"}) ||
		!maps.Equal(got.Headers, map[string]string{"H": "v", "I": "${B}"}) {
		t.Errorf("got %+v", got)
	}
	if !slices.Equal(unresolved, []string{"${C}", "${B}"}) {
		t.Errorf("unresolved %q", unresolved)
	}
	if s.Args[0] != "${A}" || s.Env["K"] != "${A}" || s.Headers["H"] != "${A}" {
		t.Errorf("the argument changed: %+v", s)
	}
}
