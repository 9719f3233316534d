package llm

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// Cline and programs derived from it, such as Roo Code, use text instead of tool calls for many models:
// the model writes a call as XML into its answer, and the result is text from the user.
var (
	clineCall   = lazyregexp.New(`(?s)<use_mcp_tool>(.*?)</use_mcp_tool>`)
	clineResult = lazyregexp.New(`^\[(\w+)(?: for '(.*?)')?.*\] Result:`)
	clineTools  = map[string]bool{"use_mcp_tool": true, "access_mcp_resource": true}
)

// clineMessage reads the calls and results of MCP servers in the text of a message.
func (r *Reader) clineMessage(v View) {
	server, begun := "", true // the server whose result is being read, and whether its first block was read
	for block := v.At("content").First(); block.Kind() != wire.Invalid; block = block.Next() {
		said := block.At("text")
		text := string(said.Text())
		m := clineResult.FindStringSubmatch(text)
		switch {
		case said.Kind() != wire.String:
			continue
		case v.says("role", "assistant"):
			for _, call := range clineCall.FindAllStringSubmatch(text, -1) {
				r.clineCall(said, call[1])
			}
			continue
		case !begun: // the result, even if it looks like the beginning of another one
		case m != nil && clineTools[m[1]]:
			server = m[2]
			if begun = strings.TrimSpace(text[len(m[0]):]) != ""; !begun { // the result is in the next block
				continue
			}
		case m != nil || strings.HasPrefix(text, "<environment_details>"):
			server = ""
		}
		if begun = true; server != "" {
			r.emit(Item{Kind: Result, At: block, ID: unnamed + server, Server: server, Content: said})
		}
	}
}

func (r *Reader) clineCall(said View, xml string) {
	member := func(name string) string {
		_, rest, _ := strings.Cut(xml, "<"+name+">")
		value, _, _ := strings.Cut(rest, "</"+name+">")
		return strings.TrimSpace(value)
	}
	args, _ := r.quoted(said.Origin(), wire.AppendString(nil, []byte(member("arguments"))))
	server := member("server_name")
	r.emit(Item{Kind: Call, At: said, ID: unnamed + server, Name: member("tool_name"), Server: server, Args: args})
}
