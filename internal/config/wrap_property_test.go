package config

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestWrapProperty wraps and unwraps configurations of every format, formatted at random.
func TestWrapProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &writer{t: t}
		path, data := w.file()
		r, err := read(clientOf(path), path, []byte(data))
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if len(r.file.Problems) > 0 || len(r.file.Entries) != len(w.wraps) {
			t.Fatalf("%v, %d entries\n%s", r.file.Problems, len(r.file.Entries), data)
		}
		chosen := func(s *Server) bool { return len(s.Name)%3 != 0 || s.Name == "abc" }
		after, outcomes, err := Wrap(path, []byte(data), testWrapper, chosen)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outcomes {
			if !o.Changed && w.wraps[o.Server.Name] {
				t.Fatalf("%q is not wrapped: %s\n%s", o.Server.Name, o.Why, data)
			}
		}
		// Edit another part of the file.
		top, end := w.comment(path), w.comment(path)
		edited := top + string(after) + end
		back, _, err := Unwrap(path, []byte(edited), everything)
		if err != nil || string(back) != top+data+end {
			t.Fatalf("%v\nunwrapped:\n%s\nwas:\n%s\nwrapped:\n%s", err, back, data, after)
		}
		// Unwrap one of several entries, and wrap it again.
		if len(outcomes) > 1 {
			first := outcomes[0].Server.Name
			one, _, err := Unwrap(path, after, func(s *Server) bool { return s.Name == first })
			if err != nil {
				t.Fatal(err)
			}
			again, _, err := Wrap(path, one, testWrapper, chosen)
			if err != nil || !bytes.Equal(again, after) {
				t.Fatalf("%v\nwrapped again:\n%s\nwas:\n%s", err, again, after)
			}
		}
	})
}

// writer generates configurations.
type writer struct {
	t     *rapid.T
	nl    string
	wraps map[string]bool // servers that must be wrapped
}

func (w *writer) one(of ...string) string { return rapid.SampledFrom(of).Draw(w.t, "one") }
func (w *writer) yes() bool               { return rapid.Bool().Draw(w.t, "yes") }

func (w *writer) comment(path string) string {
	if strings.Contains(path, ".json") {
		return w.one("", "// a note\n", "/* \"command\": */", "\n ")
	}
	return w.one("", "# a note\n", "\n")
}

// file generates a configuration for a random client.
func (w *writer) file() (path, text string) {
	w.nl, w.wraps = w.one("\n", "\r\n"), map[string]bool{}
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"abc", "b", "ünï", "a b", "x.y", "z\"q", "日本", "d-e", "__proto__"}), 1, 4, rapid.ID).Draw(w.t, "names")
	switch w.one("json", "list", "zed", "codex", "codex inline", "goose", "continue", "flow") {
	case "json":
		return w.one(".mcp.json", ".cursor/mcp.json"), w.json("mcpServers", names, w.jsonEntry)
	case "list":
		return "opencode.jsonc", w.json("mcp", names, w.listEntry)
	case "zed":
		return ".zed/settings.json", w.json("context_servers", names, w.oldZed)
	case "codex":
		return ".codex/config.toml", w.toml(names)
	case "codex inline":
		return ".codex/config.toml", w.inline(names)
	case "goose":
		return "goose/config.yaml", w.goose(names)
	case "continue":
		return ".continue/mcpServers/x.yaml", w.list(names)
	}
	return "librechat.yaml", w.flow(names)
}

// space returns white space or a comment, as JSONC allows.
func (w *writer) space() string {
	return w.one("", " ", "\t", w.nl+"  ", w.nl+"\t\t", " /* c, ] */ ", " // }"+w.nl+"    ", w.nl+w.nl)
}

func (w *writer) jsonList(items []string) string {
	var b strings.Builder
	b.WriteString("[" + w.space())
	for i, item := range items {
		b.WriteString(quote(item) + w.space())
		if i+1 < len(items) || w.yes() {
			b.WriteString("," + w.space())
		}
	}
	return b.String() + "]"
}

func (w *writer) words() []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"-y", "--", "a b", "x@1.0.0", "", "é\"\\", "--env-file", "${HOME}/x", "proxy", "]", "#", "--name=q", "null", "5"}), 0, 4).Draw(w.t, "words")
}

func (w *writer) program() string { return w.one("npx", "/usr/bin/x y", "uvx", `C:\x\n.exe`, "é") }

// object generates an object with its members in random order.
func (w *writer) object(members ...string) string {
	members = rapid.Permutation(members).Draw(w.t, "order")
	var b strings.Builder
	b.WriteString("{" + w.space())
	for i, m := range members {
		b.WriteString(m + w.space())
		if i+1 < len(members) || w.yes() {
			b.WriteString("," + w.space())
		}
	}
	return b.String() + "}"
}

func (w *writer) member(key, value string) string {
	return quote(key) + w.space() + ":" + w.space() + value
}

func (w *writer) jsonEntry() string {
	members := []string{w.member("command", quote(w.program()))}
	switch w.one("args", "null", "none") {
	case "args":
		members = append(members, w.member("args", w.jsonList(w.words())))
	case "null":
		members = append(members, w.member("args", "null"))
	}
	if w.yes() {
		members = append(members, w.member("env", w.object(w.member("TOKEN", `"${TOKEN}"`), w.member("B", `"b"`))))
	}
	if w.yes() {
		members = append(members, w.member("type", `"stdio"`))
	}
	return w.object(members...)
}

func (w *writer) listEntry() string {
	return w.object(w.member("type", `"local"`), w.member("command", w.jsonList(append([]string{w.program()}, w.words()...))))
}

func (w *writer) oldZed() string {
	return w.object(w.member("settings", "{}"), w.member("command", w.object(w.member("path", quote(w.program())), w.member("args", w.jsonList(w.words())))))
}

func (w *writer) json(key string, names []string, entry func() string) string {
	var members []string
	for _, name := range names {
		w.wraps[name] = true
		members = append(members, w.member(name, entry()))
	}
	return w.space() + w.object(w.member(key, w.object(members...)), w.member("other", `[1, {"commands": "x"}]`)) + w.space()
}

// literal returns a string that is also valid in TOML or YAML.
func (w *writer) literal(s string) string {
	if !strings.ContainsAny(s, "'\n") && w.yes() {
		return "'" + s + "'"
	}
	return quote(s)
}

func (w *writer) literals(words []string, multiline bool) string {
	space := func() string {
		if multiline {
			return w.one("", " ", w.nl+"  ", " # ] \" c"+w.nl)
		}
		return w.one("", " ")
	}
	var b strings.Builder
	b.WriteString("[" + space())
	for i, word := range words {
		b.WriteString(w.literal(word) + space())
		if i+1 < len(words) || multiline && w.yes() {
			b.WriteString("," + space())
		}
	}
	return b.String() + "]"
}

func (w *writer) toml(names []string) string {
	var b strings.Builder
	b.WriteString(w.one("", "# top"+w.nl, "model = 'x'"+w.nl))
	for _, name := range names {
		w.wraps[name] = true
		indent := w.one("", "  ", "\t")
		b.WriteString(w.one("", w.nl) + "[mcp_servers." + quote(name) + "]" + w.one("", " # c") + w.nl)
		lines := []string{"command" + w.one("=", " = ", "\t=  ") + w.literal(w.program()) + w.one("", " ", " # the \"command\"")}
		if w.yes() {
			lines = append(lines, "args = "+w.literals(w.words(), true))
		}
		if w.yes() {
			lines = append(lines, `env = { TOKEN = "x", "B" = 'b' }`, "startup_timeout_sec = 10")
		}
		for _, line := range rapid.Permutation(lines).Draw(w.t, "order") {
			b.WriteString(indent + line + w.nl)
		}
	}
	return b.String()
}

func (w *writer) inline(names []string) string {
	var b strings.Builder
	b.WriteString("[mcp_servers]" + w.nl)
	for _, name := range names {
		w.wraps[name] = true
		members := []string{"command = " + w.literal(w.program())}
		if w.yes() {
			members = append(members, "args = "+w.literals(w.words(), false))
		}
		if w.yes() { // a dotted key
			for _, m := range members {
				b.WriteString(w.one("", "  ") + quote(name) + "." + m + w.nl)
			}
			continue
		}
		b.WriteString(quote(name) + " = {" + w.one("", " ") + strings.Join(rapid.Permutation(members).Draw(w.t, "order"), w.one(",", ", ")) + w.one("", " ") + "}" + w.one("", " # c") + w.nl)
	}
	return b.String()
}

// blockArgs returns a YAML list as the value of a key at the given indentation.
func (w *writer) blockArgs(indent string, words []string) string {
	if len(words) == 0 || w.yes() {
		return " " + w.literals(words, false) + w.nl
	}
	var b strings.Builder
	b.WriteString(w.one("", " # c") + w.nl)
	if w.yes() {
		indent += "  "
	}
	for _, word := range words {
		item := w.literal(word)
		if strings.Trim(word, "abcxy@./-0123456789") == "" && word != "" && word != "--" && word != "5" && word[0] != '@' && w.yes() {
			item = word // a plain scalar
		}
		b.WriteString(indent + "-" + w.one(" ", "   ") + item + w.one("", " # - x") + w.nl)
	}
	return b.String()
}

func (w *writer) yamlCommand() string {
	p := w.program()
	if w.yes() && !strings.ContainsAny(p, `:\`) {
		return p
	}
	return w.literal(p)
}

func (w *writer) yamlMembers(indent, command string) (members []string) {
	members = []string{command + ": " + w.yamlCommand() + w.one("", " # c") + w.nl}
	if w.yes() {
		members = append(members, "args:"+w.blockArgs(indent, w.words()))
	}
	if w.yes() {
		members = append(members, "timeout: 300"+w.nl)
	}
	return rapid.Permutation(members).Draw(w.t, "order")
}

func (w *writer) goose(names []string) string {
	var b strings.Builder
	b.WriteString(w.one("", "# top"+w.nl, "GOOSE_MODEL: x"+w.nl) + "extensions:" + w.nl)
	for _, name := range names {
		w.wraps[name] = true
		b.WriteString("  " + quote(name) + ":" + w.nl + "    type: stdio" + w.nl)
		for _, m := range w.yamlMembers("    ", "cmd") {
			b.WriteString("    " + m)
		}
		if w.yes() {
			b.WriteString("    envs: {A: \"b\"}" + w.nl + "    env_keys: [TOKEN]" + w.nl)
		}
	}
	return b.String()
}

func (w *writer) list(names []string) string {
	var b strings.Builder
	b.WriteString("mcpServers:" + w.nl)
	for _, name := range names {
		w.wraps[name] = true
		members := append(w.yamlMembers("    ", "command"), "name: "+quote(name)+w.nl)
		for i, m := range rapid.Permutation(members).Draw(w.t, "order") {
			if i == 0 {
				b.WriteString("  - " + m)
			} else {
				b.WriteString("    " + m)
			}
		}
	}
	return b.String()
}

func (w *writer) flow(names []string) string {
	var entries []string
	for _, name := range names {
		w.wraps[name] = true
		members := []string{"command: " + w.literal(w.program())}
		if w.yes() {
			members = append(members, "args: "+w.literals(w.words(), false))
		}
		entries = append(entries, fmt.Sprintf("  %s: {%s}%s", quote(name), strings.Join(rapid.Permutation(members).Draw(w.t, "order"), ", "), w.nl))
	}
	return "mcpServers:" + w.nl + strings.Join(entries, "")
}
