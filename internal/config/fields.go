package config

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// commandKeys returns the keys for the program; the first one present is used.
func commandKeys() []string { return []string{"command", "cmd"} }

// urlKeys returns the keys for the address. httpUrl comes first: if it is present, Gemini CLI
// ignores the other keys.
func urlKeys() []string { return []string{"httpUrl", "url", "serverUrl", "uri"} }

// address reads the address of a remote server.
func (b *entryReader) address(client string) {
	keys := urlKeys()
	if _, n := b.named(keys[0]); n != nil && (client == "gemini-cli" || client == "qwen-code") {
		keys = keys[:1]
	}
	b.text(&b.s.URL, "/url", keys...)
}

// command reads the program and, if they are in the same value, its arguments: the value is a list in
// opencode, and an object in old versions of Zed.
func (b *entryReader) command() {
	name, n := b.only(commandKeys()...)
	switch {
	case n == nil:
	case n.kind == kindArray && len(n.items) > 0:
		b.put(&b.s.Command, "/command", name, n.items[0])
		b.items(&b.s.Args, name, "/args", n.items[1:])
	case n.kind == kindObject:
		inner := entryReader{s: b.s, keys: b.index(name, n)}
		inner.text(&b.s.Command, "/command", "path")
		inner.texts(&b.s.Args, "command/args", "/args", "args")
		inner.pairs(&b.s.Env, "command/env", "/env", inner.first("env"))
	default:
		b.put(&b.s.Command, "/command", name, n)
	}
}

// environment reads the environment variables. Variables that the client takes from its own
// environment or key store are listed by name only; they become references.
func (b *entryReader) environment() {
	for _, k := range []string{"env_vars", "env_keys"} {
		b.passed(k, b.first(k))
	}
	for _, k := range []string{"environment", "envs", "env"} {
		b.pairs(&b.s.Env, k, "/env", b.first(k))
	}
}

func (b *entryReader) passed(name string, n *node) {
	if n == nil {
		return
	}
	if n.kind != kindArray {
		b.problem(n.pos, "%s is %s: expected a list of variable names", Quoted(name), n.kind)
		return
	}
	for i, item := range n.items {
		v := item
		if item.is(kindObject) { // Codex: {name = "TOKEN", source = "local"}
			v = item.get("name")
		}
		if !v.is(kindString) {
			b.problem(item.pos, "%s has %s as item %d: expected a variable name", Quoted(name), item.kind, i+1)
			continue
		}
		b.pair(&b.s.Env, "/env", v.text, "${"+v.text+"}", v.pos)
	}
}

// headers reads a remote server's headers. Codex can name variables instead of values; these become
// references.
func (b *entryReader) headers() {
	const span = "/headers"
	if n := b.first("bearer_token_env_var"); n.is(kindString) {
		b.pair(&b.s.Headers, span, "Authorization", "Bearer ${"+n.text+"}", n.pos)
	} else if n != nil {
		b.problem(n.pos, `"bearer_token_env_var" is %s: expected a variable name`, n.kind)
	}
	var fromEnv map[string]string
	b.pairs(&fromEnv, "env_http_headers", span, b.first("env_http_headers"))
	for k, v := range fromEnv {
		b.pair(&b.s.Headers, span, k, "${"+v+"}", b.s.Span[span+"/"+wire.EscapePointer(k)])
	}
	b.pairs(&b.s.Headers, "http_headers", span, b.first("http_headers"))
	b.pairs(&b.s.Headers, "headers", span, b.first("headers"))
}

// tools reads the lists of tools that are enabled, disabled, or run without asking.
func (b *entryReader) tools() {
	for _, k := range []string{"alwaysAllow", "autoApprove", "trust"} {
		b.approved(k)
	}
	for _, k := range []string{"includeTools", "enabled_tools", "enabledTools", "available_tools", "allowed_tools", "tools"} {
		b.toolList(&b.s.ToolAllow, k, "/toolAllow")
	}
	for _, k := range []string{"excludeTools", "disabledTools", "disabled_tools", "disallowed_tools"} {
		b.toolList(&b.s.ToolDeny, k, "/toolDeny")
	}
}

// approved reads the tools that run without asking: a list of names, or true for every tool.
func (b *entryReader) approved(key string) {
	pointer := "/" + key
	if n := b.first(key); n.is(kindBool) {
		if n.text == "true" {
			b.s.Span[pointer] = n.pos
			b.s.AutoApprove = append(b.s.AutoApprove, configfile.Approved{Pointer: pointer, Text: n.text, Every: true})
		}
		return
	}
	var names []string
	b.toolList(&names, key, pointer)
	for i, name := range names {
		b.s.AutoApprove = append(b.s.AutoApprove, configfile.Approved{Pointer: pointer + "/" + strconv.Itoa(i), Text: name, Every: name == "*"})
	}
}

// toolList reads a list of tool names; true means all of them.
func (b *entryReader) toolList(into *[]string, name, span string) {
	n := b.first(name)
	switch {
	case n == nil:
	case n.kind == kindBool && n.text == "false":
	case n.kind == kindBool:
		b.items(into, name, span, []*node{{kind: kindString, text: "*", pos: n.pos}})
	case n.kind == kindObject && name == "tools": // per-tool settings, not a list
	default:
		b.texts(into, name, span, name)
	}
}

// offSwitch is a key that disables an entry in some clients.
type offSwitch struct {
	key, off string
	clients  []string
}

// offSwitches returns the table of keys that disable an entry. A client that is not listed in a row
// starts the entry anyway, so the key is ignored in its files.
func offSwitches() []offSwitch {
	return []offSwitch{
		{"disabled", "true", []string{"amazonq", "cline", "crush", "factory", "kilo", "kiro", "roo", "windsurf"}},
		{"enabled", "false", []string{"codex", "goose", "kilo", "opencode", "zed"}},
	}
}

// switches reads the keys that disable the entry for the client that reads the file.
func (b *entryReader) switches(client string) {
	for _, f := range offSwitches() {
		n := b.first(f.key)
		switch {
		case n == nil || !slices.Contains(f.clients, client):
		case n.kind != kindBool:
			b.problem(n.pos, "%s is %s: expected true or false", Quoted(f.key), n.kind)
		case n.text == f.off:
			b.s.Disabled = true
			b.s.Span["/disabled"] = n.pos
		}
	}
}

// clientOfEntry returns the client that reads an entry: the client to which the path belongs, or
// else the only client that uses the shape. The shapes of other entries are ignored, because
// otherwise adding an entry could disable this one.
func (r *reader) clientOfEntry(shape string) string {
	if r.file.Client != "" {
		return r.file.Client
	}
	return clientOfShapes([]string{shape})
}

// envFiles collects the names of environment files from the client's keys and from the command's
// options.
func (b *entryReader) envFiles() {
	for _, k := range []string{"envFile", "env_file", "envFiles", "env_files"} {
		n := b.first(k)
		if n.is(kindString) {
			b.items(&b.s.EnvFiles, k, "/envFiles", []*node{n})
		} else if n != nil {
			b.texts(&b.s.EnvFiles, k, "/envFiles", k)
		}
	}
	for i, arg := range b.s.Args {
		name, value, assigned := strings.Cut(arg, "=")
		if name != "--env-file" && name != "--env-file-if-exists" {
			continue
		}
		if !assigned && i+1 < len(b.s.Args) {
			value = b.s.Args[i+1]
		}
		b.s.EnvFiles = append(b.s.EnvFiles, value)
	}
}

// InProject returns the path of a file named by an entry, relative to the project directory, or ""
// if the file is or may be outside the project.
func InProject(name string) string {
	name = slashed(name)
	for _, root := range []string{"${workspaceFolder}", "${workspaceRoot}", "${CLAUDE_PROJECT_DIR}", "$PWD", "${PWD}"} {
		name = strings.TrimPrefix(name, root+"/")
	}
	name = path.Clean(name)
	if path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") || strings.HasPrefix(name, "~") || strings.ContainsAny(name, "$%:") {
		return ""
	}
	return name
}

// ParseEnvFile reads a file of NAME=VALUE lines as client settings. If the file belongs to a launcher,
// the names of the corresponding environment variables begin with prefix: for npm, npm_config_registry
// is the same setting as registry in .npmrc. In a YAML file, colons separate names and values.
func ParseEnvFile(name, client, prefix string, data []byte) *File {
	f := &File{ClientConfig: configfile.ClientConfig{Path: name, Client: client, Shape: "variables"}}
	number, separator := 0, "="
	if e := extension(name); e == ".yml" || e == ".yaml" {
		separator = ":"
	}
	for physical := range bytes.Lines(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) {
		number++
		for line := range strings.SplitSeq(string(physical), "\r") { // ends a line, too
			key, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), separator)
			if key = strings.TrimSpace(key); !ok || key == "" || key[0] == '#' {
				continue
			}
			if len(f.Settings) == maxSettings {
				f.Problems = append(f.Problems, Problem{Pos: Position{Line: number, Column: 1}, Msg: "more variables than the limit: the others were not checked"})
				return f
			}
			if value = strings.TrimSpace(value); prefix != "" {
				key, value = launcherSetting(key, value)
			}
			if strings.HasSuffix(name, PNPMWorkspace) {
				key, value = workspaceSetting(key, value)
			}
			f.Settings = append(f.Settings, configfile.Setting{Pointer: "/envFile/" + wire.EscapePointer(prefix+key), Text: unquoted(value), Pos: Position{Line: number, Column: 1}})
		}
	}
	return f
}

// launcherSetting returns the name of a launcher's setting, spelled as in an environment variable, and
// its value. It removes references from the name, because npm replaces them there, too.
func launcherSetting(key, value string) (name, set string) {
	if table, ok := strings.CutPrefix(value, "{"); ok { // {url = "…"} in TOML
		value = table[max(strings.IndexAny(table, `"'`), 0):]
	}
	key = text.Literal(unquoted(key))
	if !strings.HasPrefix(key, "@") { // not the scope of a registry
		key = strings.ReplaceAll(key, "-", "_")
	}
	return key, value
}

// PNPMWorkspace is the name of a settings file of pnpm.
const PNPMWorkspace = "pnpm-workspace.yaml"

// workspaceSetting returns the name of a setting of pnpm as in an environment variable, and its value.
// Under registries, the keys are scopes, default or addresses.
func workspaceSetting(key, value string) (name, set string) {
	switch scheme := strings.Trim(key, `"'`); {
	case scheme == "http" || scheme == "https":
		return "registry", scheme + ":" + strings.TrimRight(value, `"': `)
	case strings.HasPrefix(key, "@"):
		return key + ":registry", value
	case key == "default":
		return "registry", value
	}
	return strings.ToLower(camel.ReplaceAllString(key, "${1}_${2}")), value
}

// camel matches the border between two words of a name such as scriptShell.
var camel = lazyregexp.New(`([a-z])([A-Z])`)

// unquoted returns a value without its quotes. In double quotes, it also decodes JSON escapes.
func unquoted(value string) string {
	var decoded string
	q := value[:min(len(value), 1)]
	switch {
	case q != `"` && q != "'":
		return value
	case q == `"` && json.Unmarshal([]byte(value), &decoded) == nil:
		return decoded
	}
	value, _, _ = strings.Cut(value[1:], q)
	return value
}
