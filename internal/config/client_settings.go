package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// maxSettings is the maximum number of settings kept per file. Long permission lists have a few
// hundred.
const maxSettings = 10_000

// settingKeys contains keys of settings that rules use and that the given clients read from the
// same files as their servers. A key that ends in * stands for all keys with that prefix.
type settingKeys struct {
	clients []string
	paths   []string // key paths, with keys separated by spaces
}

// settingsBeside returns the table of settings that grant approvals, load plugins, run a command,
// choose an endpoint, set environment variables, or supply values for entries.
func settingsBeside() []settingKeys {
	editor := []string{"chat.tools.*", "chat.mcp.*", "chat.agent.*", "chat.plugins.*"}
	for _, under := range []string{"settings ", "customizations vscode settings "} {
		for _, key := range editor[:4] {
			editor = append(editor, under+key)
		}
	}
	return []settingKeys{
		{[]string{"claude-code"}, []string{"enableAllProjectMcpServers", "enabledMcpjsonServers", "permissions", "hooks", "env", "apiKeyHelper",
			"awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper", "statusLine", "fileSuggestion", "sandbox enabled",
			"skipDangerousModePermissionPrompt"}},
		{[]string{"claude-code", "copilot"}, []string{"enabledPlugins", "extraKnownMarketplaces"}},
		{[]string{"copilot"}, []string{"hooks"}},
		{[]string{"vscode", "cursor"}, editor},
		{[]string{"vscode"}, []string{"inputs", "mcp inputs"}},
		{[]string{"cursor"}, []string{"hooks", "permissions"}},
		{[]string{"gemini-cli", "qwen-code"}, []string{"autoAccept", "allowedTools", "tools autoAccept", "tools allowed", "tools approvalMode", "general defaultApprovalMode",
			"hooks", "toolDiscoveryCommand", "toolCallCommand", "tools discoveryCommand", "tools callCommand", "mcp serverCommand"}},
		{[]string{"codex"}, []string{"approval_policy", "sandbox_mode", "notify", "model_providers", "openai_base_url", "chatgpt_base_url", "hooks", "profiles"}},
		{[]string{"opencode", "kilo"}, []string{"permission", "provider", "plugin"}},
		{[]string{"crush"}, []string{"permissions", "providers"}},
		{[]string{"amp"}, []string{"amp.dangerouslyAllowAll", "amp.commands.allowlist", "amp.permissions", "amp.url"}},
		{[]string{"zed"}, []string{"agent always_allow_tool_actions", "agent tool_permissions"}},
		{[]string{"kiro", "amazonq"}, []string{"allowedTools", "hooks"}},
	}
}

// settings collects the file's settings that are in settingsBeside. In front matter, only hooks are
// settings.
func (r *reader) settings(root *node) {
	for _, b := range settingsBeside() {
		if !slices.Contains(b.clients, r.file.Client) {
			continue
		}
		for _, p := range b.paths {
			if Markdown(r.file.Path) && p != "hooks" {
				continue
			}
			r.setting(root, "", strings.Split(p, " "))
		}
	}
	slices.SortStableFunc(r.file.Settings, func(a, b configfile.Setting) int { return a.Pos.Compare(b.Pos) })
}

// setting follows a key path and records all values below it.
func (r *reader) setting(n *node, pointer string, keys []string) {
	if len(keys) == 0 {
		r.values(n, pointer)
		return
	}
	if n == nil {
		return
	}
	prefix, several := strings.CutSuffix(keys[0], "*")
	for _, m := range n.members {
		if m.key == keys[0] || several && strings.HasPrefix(m.key, prefix) {
			r.setting(m.value, pointer+"/"+wire.EscapePointer(m.key), keys[1:])
		}
	}
}

// values collects the scalars in a subtree.
func (r *reader) values(n *node, pointer string) {
	r.read[n] = true
	switch {
	case n.scalar() && len(r.file.Settings) == maxSettings:
		r.problem(n.pos, Position{}, "more than %d settings, which no client needs: the rest was not inspected", maxSettings)
		r.file.Settings = append(r.file.Settings, configfile.Setting{}) // avoids repeating the problem
	case n.scalar() && len(r.file.Settings) < maxSettings:
		r.file.Settings = append(r.file.Settings, configfile.Setting{Pointer: pointer, Text: n.text, Pos: n.pos})
	}
	for at, v := range n.below(pointer) {
		r.values(v, at)
	}
}

// plugins reports the plugins that the settings load, because their contents are in other files.
func (r *reader) plugins() {
	for _, s := range r.file.Settings {
		name, ok := strings.CutPrefix(s.Pointer, "/enabledPlugins/")
		if name, _, _ = strings.Cut(name, "/"); ok && s.Text != "false" {
			r.file.Elsewhere = append(r.file.Elsewhere, Problem{Pos: s.Pos, Msg: fmt.Sprintf("plugin %s: its servers, hooks and commands are not in this file", Quoted(name))})
		}
	}
}

// helper adds to the settings the command that a client runs to get the headers for an entry.
func (r *reader) helper(shape string, e member) {
	if n := e.value.get("headersHelper"); n.is(kindString) && len(r.file.Settings) < maxSettings {
		r.file.Settings = append(r.file.Settings, configfile.Setting{Pointer: "/" + wire.EscapePointer(shape) + "/" + wire.EscapePointer(e.key) + "/headersHelper", Text: n.text, Pos: n.pos})
	}
}

// Belongs reports whether a path is a user or system location, where files do not come with a
// repository.
func (d Dirs) Belongs(name string) bool {
	return slices.ContainsFunc(places(), func(p place) bool { return p.scope() != "project" && d.at(p, name) })
}
