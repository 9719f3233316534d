package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// TestShapes reads the archives in testdata. Each file is followed by the expected
// result, in a file with the same name and ".want" appended.
func TestShapes(t *testing.T) {
	for _, c := range archives(t) {
		t.Run(c.name, func(t *testing.T) {
			f, err := Parse(c.path, c.data)
			if got := describe(f, err); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

type archived struct {
	name, path string
	data       []byte
	want       string
}

func archives(t testing.TB) []archived {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives in testdata: %v", err)
	}
	var out []archived
	for _, name := range names {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		// In txtar, a line "-- name --" begins a file.
		parts := regexp.MustCompile(`(?m)^-- (.+) --\n`).FindAllSubmatchIndex(raw, -1)
		name = strings.TrimSuffix(filepath.Base(name), ".txtar")
		for i, p := range parts {
			end := len(raw)
			if i+1 < len(parts) {
				end = parts[i+1][0]
			}
			file, body := string(raw[p[2]:p[3]]), raw[p[1]:end]
			if i%2 == 0 {
				out = append(out, archived{name: name + "/" + file, path: file, data: body})
				continue
			}
			last := &out[len(out)-1]
			if file != last.path+".want" {
				t.Fatalf("%s: %s is not followed by what is wanted of it", name, last.path)
			}
			last.want = string(body)
		}
	}
	return out
}

// describe formats a file, one value with its position per line.
func describe(f *File, err error) string {
	if err != nil {
		var s *SyntaxError
		if errors.As(err, &s) {
			return fmt.Sprintf("syntax %d:%d %s\n", s.Line, s.Column, s.Msg)
		}
		if errors.Is(err, ErrNotConfig) {
			return "not a configuration\n"
		}
		return err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, client %q\n", f.Shape, f.Client)
	for _, s := range f.Entries {
		fmt.Fprintf(&b, "%v %s %q", s.Pos, s.Name, s.Transport)
		if s.Scope != "" {
			fmt.Fprintf(&b, " in %s", s.Scope)
		}
		if s.Disabled {
			b.WriteString(" disabled")
		}
		b.WriteString("\n")
		values := valuesOf(s)
		for _, k := range slices.Sorted(maps.Keys(values)) {
			fmt.Fprintf(&b, "  %s %q %v\n", k, values[k], s.Span[k])
		}
		for _, p := range s.Problems {
			fmt.Fprintf(&b, "  ! %s\n", p)
		}
	}
	for _, s := range f.Settings {
		fmt.Fprintf(&b, "= %s %q %v\n", s.Pointer, s.Text, s.Pos)
	}
	for _, r := range f.References {
		fmt.Fprintf(&b, "> %v %s %s in %s\n", r.Pos, r.Key, filepath.ToSlash(r.Path), filepath.ToSlash(r.Root))
	}
	for _, p := range f.Problems {
		fmt.Fprintf(&b, "! %v %v %s\n", p.Pos, p.Related, p.Msg)
	}
	return b.String()
}

// valuesOf lists the values of a Server by the pointers that Span uses.
func valuesOf(s Server) map[string]string {
	out := map[string]string{}
	one := func(k, v string) {
		if v != "" {
			out[k] = v
		}
	}
	list := func(k string, vs []string) {
		for i, v := range vs {
			out[fmt.Sprintf("%s/%d", k, i)] = v
		}
	}
	pairs := func(k string, vs map[string]string) {
		for name, v := range vs {
			out[k+"/"+wire.EscapePointer(name)] = v
		}
	}
	one("/command", s.Command)
	one("/cwd", s.Cwd)
	one("/url", s.URL)
	list("/args", s.Args)
	for _, a := range s.AutoApprove {
		one(a.Pointer, a.Text)
	}
	list("/toolAllow", s.ToolAllow)
	list("/toolDeny", s.ToolDeny)
	pairs("/env", s.Env)
	pairs("/headers", s.Headers)
	return out
}

func TestSyntaxErrors(t *testing.T) {
	deepYAML := ""
	for i := range 600 {
		deepYAML += strings.Repeat(" ", i) + "a:\n"
	}
	for _, c := range []struct {
		name, path, data string
		line, column     int
		msg              string
	}{
		{"missing comma", "mcp.json", "{\n  \"é\": 1 \"b\": 2\n}", 2, 10, "after object value"},
		{"open comment", ".mcp.json", "// note\n/* note", 2, 1, "comment"},
		{"only a slash", ".mcp.json", "/", 1, 1, "not JSON"},
		{"unfinished string", "mcp.json", `{"a": "b`, 1, 9, "parsing string"},
		{"secret not repeated", "mcp.json", "{\"a\": \"sk-12\n34\"}", 1, 7, "raw control character"},
		{"single quotes", "mcp.json", "{'a': 1}", 1, 2, `'\''`},
		{"after bom", "mcp.json", "\xef\xbb\xbf{\"é\": nope}", 1, 7, "double quotes"},
		{"not utf-8", "mcp.json", "{\n\"a\": \"\xff\"}", 2, 7, "0xff"},
		{"utf-16", "mcp.json", "\xff\xfe{\x00}\x00", 1, 1, "UTF-16"},
		{"utf-32", "mcp.json", "\xff\xfe\x00\x00{\x00\x00\x00", 1, 1, "UTF-32"},
		{"utf-32, the other end first", "mcp.json", "\x00\x00\xfe\xff\x00\x00\x00{", 1, 1, "UTF-32"},
		{"deep json", "mcp.json", strings.Repeat("[", 100000), 1, 513, ""},
		{"deep json in object", "mcp.json", `{"a":` + strings.Repeat(`{"a":`, 100000), 1, 2561, "nested"},
		{"toml", "config.toml", "[mcp_servers.x]\ncommand = \n", 2, 11, "not TOML"},
		{"toml columns", "config.toml", "[mcp_servers.\"é\"]\n\"é\" = nope\n", 2, 7, "not TOML"},
		{"toml value reused", "config.toml", "a = 1\n[a.b]\n", 2, 2, "expected a table"},
		{"deep toml", "config.toml", "a = " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000), 1, 5, "nested"},
		{"deep toml key", "config.toml", "[" + strings.Repeat("a.", 9000) + "a]", 1, 1026, "parts"},
		{"yaml", "c.yaml", "mcpServers:\n  é: [\n", 2, 6, "not YAML"},
		{"yaml version", "c.yaml", "%YAML sk-live-secret\n---\nmcpServers: {}\n", 1, 7, `unknown YAML version "…"`},
		{"yaml crlf", "c.yaml", "# one\r\nmcpServers:\r\n  a: [\r\n", 3, 6, "not YAML"},
		{"yaml alias", "c.yaml", "mcpServers:\n  a: *no\n", 2, 6, "anchor"},
		{"deep yaml", "c.yaml", deepYAML, 513, 514, "nested"},
		{"deep yaml flow", "c.yaml", "a: " + strings.Repeat("[", 100000), 0, 0, ""},
		{"deep yaml entries", "c.yaml", strings.Repeat("- ", 50000) + "a", 1, 1025, "nested"},
		{"deep yaml anchors", "c.yaml", "a: " + strings.Repeat("&a ", 2000), 0, 0, ""},
		{"many keys", "c.yaml", strings.Repeat("a:\n", 200000), 32769, 1, "tokens"},
		{"alias bomb", "c.yaml", bomb(), 0, 0, "aliases expand"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.path, []byte(c.data))
			var s *SyntaxError
			if !errors.As(err, &s) {
				t.Fatalf("got %v, want a SyntaxError", err)
			}
			if s.Path != c.path || c.line > 0 && (s.Line != c.line || s.Column != c.column) || !strings.Contains(s.Msg, c.msg) {
				t.Errorf("got %v, want %d:%d and %q", s, c.line, c.column, c.msg)
			}
			if strings.Contains(err.Error(), "sk-12") {
				t.Errorf("the message repeats the value: %v", err)
			}
		})
	}
}

func bomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), i-1)
	}
	return b.String()
}

func TestNotConfig(t *testing.T) {
	for _, c := range []struct{ name, path, data string }{
		{"registry entry", "server.json", `{"name": "io.github.o/s", "packages": [{"identifier": "x"}], "remotes": [{"type": "sse", "url": "https://x/sse"}]}`},
		{"bundle manifest", "manifest.json", `{"manifest_version": "0.3", "name": "n", "server": {"type": "node", "mcp_config": {"command": "node", "args": []}}}`},
		{"package.json", "package.json", `{"name": "x", "scripts": {"command": "y"}}`},
		{"openapi", "api.json", `{"openapi": "3.1.0", "servers": [{"url": "https://x"}]}`},
		{"asyncapi", "api.json", `{"asyncapi": "2.6.0", "servers": {"p": {"url": "https://x", "protocol": "mqtt"}}}`},
		{"links", "links.json", `{"a": {"url": "https://a"}, "b": {"url": "https://b"}}`},
		{"list", "x.json", `[{"command": "x"}]`},
		{"gemini settings", ".gemini/settings.json", `{"mcp": {"allowed": ["a"]}}`},
		{"opencode without", "x.json", `{"mcp": {}}`},
		{"empty", "x", ""},
		{"empty json", ".mcp.json", ""},
		{"only space", ".mcp.json", "\xef\xbb\xbf \r\n\t"},
		{"only comments", ".vscode/settings.json", "// note\n/* note */ /**/\n// end"},
		{"prose", "x", "Hello there,\nthis: is: not [yaml"},
		{"prose yaml", "x.yaml", "just words\n"},
		{"markdown", "README.md", "# Title\n\nmcpServers: {}\n"},
		{"cargo", "Cargo.toml", "[package]\nname = \"x\"\n"},
		{"empty front matter", "a.md", "---\n---\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if f, err := Parse(c.path, []byte(c.data)); !errors.Is(err, ErrNotConfig) {
				t.Errorf("got %v, want ErrNotConfig", describe(f, err))
			}
		})
	}
}

// TestMarksAndComments covers input that txtar cannot contain.
func TestMarksAndComments(t *testing.T) {
	for name, data := range map[string]string{
		"bom":              "\xef\xbb\xbf{\"mcpServers\": {\"ü\": {\"command\": \"ü\", \"args\": [\"x\"]}}}",
		"comment ends it":  "{\"mcpServers\": {\"ü\": {\"command\": \"ü\", \"args\": [\"x\"]}}} // end",
		"crlf":             "{\"mcpServers\": {\"ü\": {\"command\": \"ü\", \"args\": [\"x\"]}}}\r\n",
		"bracket in quote": "{\"mcpServers\": {\"ü\": {\"command\": \"ü\", \"args\": [\"x\"], \"x\": \"" + strings.Repeat("[", 600) + "\"}}}",
		"bracket in note":  "{\"mcpServers\": {\"ü\": {\"command\": \"ü\", \"args\": [\"x\"]}}/*" + strings.Repeat("[", 600) + "*/}",
	} {
		f, err := Parse("x.json", []byte(data))
		if err != nil || len(f.Entries) != 1 {
			t.Errorf("%s: %v", name, describe(f, err))
			continue
		}
		s := f.Entries[0]
		if s.Pos != (Position{Line: 1, Column: 17}) || s.Span["/args/0"] != (Position{Line: 1, Column: 48}) {
			t.Errorf("%s: got %v and %v, want 1:17 and 1:48", name, s.Pos, s.Span["/args/0"])
		}
	}
}

// TestNamesAreEscaped checks that messages contain no control characters from a
// file.
func TestNamesAreEscaped(t *testing.T) {
	f, err := Parse("x.json", []byte(`{"mcpServers": {"\u001b[2J\u202e": {"command": "a"}, "\u001b[2J\u202e": 5}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Problems {
		if strings.ContainsAny(p.Msg, "\x1b\u202e") {
			t.Errorf("message contains control characters: %q", p.Msg)
		}
	}
	if len(f.Problems) != 1 || len(f.Entries) != 2 || len(f.Entries[1].Problems) != 1 {
		t.Errorf("got %s", describe(f, nil))
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range archives(f) {
		f.Add(c.path, c.data)
	}
	f.Add("x.yaml", []byte("a: &a {b: 1}\nmcpServers: {x: {<<: *a, command: !!str 5}}\n? k\n: v\n"))
	f.Add("x.md", []byte("---\nmcp-servers:\n  a: {command: b}\n---\n"))
	f.Fuzz(func(t *testing.T, path string, data []byte) {
		file, err := Parse(path, data)
		again, _ := Parse(path, data)
		if err != nil {
			var s *SyntaxError
			if !errors.As(err, &s) && !errors.Is(err, ErrNotConfig) {
				t.Fatalf("error of another kind: %v", err)
			}
			if s != nil && (s.Line < 1 || s.Column < 1) {
				t.Fatalf("no place: %v", s)
			}
			return
		}
		if describe(file, nil) != describe(again, nil) {
			t.Fatal("two readings differ")
		}
		for _, s := range file.Entries {
			checkSpans(t, s)
			Expand(s, func(string) (string, bool) { return "v", true })
		}
	})
}

// checkSpans checks that every value of a server has a position.
func checkSpans(t *testing.T, s Server) {
	for k, v := range valuesOf(s) {
		if p := s.Span[k]; p.Line < 1 || p.Column < 1 {
			t.Fatalf("%s = %q has no place: %v", k, v, p)
		}
	}
	if s.Pos.Line < 1 || s.Pos.Column < 1 {
		t.Fatalf("%q has no place", s.Name)
	}
}
