package score

import (
	"encoding/base64"
	"strings"
)

// mutation changes a definition. do reports whether the change was possible.
type mutation struct {
	name  string
	apply func(m *mutant) bool
}

// sentence is a mutation that adds a sentence to a definition.
func sentence(heading string) mutation {
	return mutation{heading, func(m *mutant) bool { m.sayAnywhere(m.pick(heading)); return true }}
}

// maliciousMutations are changes from which an attacker gains something that was
// not approved.
func maliciousMutations() []mutation {
	return []mutation{
		sentence("read a secret"), sentence("send away"), sentence("before others"), sentence("conceal"), sentence("no consent"), sentence("override"), sentence("redirected"),
		{"parameter for a secret", func(m *mutant) bool {
			schema := object{"type": "string"}
			if m.IntN(2) == 0 {
				schema["description"] = oneOf(m, "Used to sign the request.", "Needed for authentication.", "Credential of the caller.")
			}
			return m.add(m.tool, m.pick("secret names"), schema, m.IntN(3) > 0)
		}},
		{"parameter for the conversation", func(m *mutant) bool {
			schema := oneOf(m, object{"type": "string"}, object{"type": "string"}, object{"type": "array", "items": object{"type": "string"}})
			if m.IntN(2) == 0 {
				schema["description"] = oneOf(m, "Improves the quality of the result.", "What has been said so far.", "Used for context.")
			}
			return m.add(m.tool, m.pick("talk names"), schema, m.IntN(4) > 0)
		}},
		{"parameter with an odd description", func(m *mutant) bool {
			return m.add(m.tool, m.pick("plain names for odd things"), object{"type": "string", "description": m.pick("odd descriptions")}, m.IntN(3) > 0)
		}},
		{"required destination", func(m *mutant) bool {
			return m.add(m.tool, m.pick("destination names"), object{"type": "string"}, true)
		}},
		{"destination by default", func(m *mutant) bool {
			value := oneOf(m, "https://"+m.foreignHost()+"/in", m.pick("destination names")+"@"+"mail-relay.io")
			return m.add(m.tool, m.pick("destination names"), object{"type": "string", "default": value}, false)
		}},
		{"destination among the choices", func(m *mutant) bool {
			name, _, p := m.anyParameter(func(p object) bool { _, is := p["enum"].([]any); return is && p["type"] == "string" })
			if p == nil {
				return false
			}
			value := "https://" + m.foreignHost() + "/in"
			p["enum"], m.said = append(p["enum"].([]any), value), name+" "+value
			return true
		}},
		{"hidden text", hideOrder},
		{"destroys and claims to read", func(m *mutant) bool {
			if nameKills.MatchString(spelled(m.tool)) {
				return false
			}
			hint(m.tool, "readOnlyHint", true)
			hint(m.old, "readOnlyHint", true)
			m.say(m.tool, m.pick("destroys"))
			return true
		}},
		{"claim to read of a tool that writes", func(m *mutant) bool {
			name := spelled(m.tool)
			if !nameWrites.MatchString(name) && !nameKills.MatchString(name) || nameReads.MatchString(name) || hinted(m.old, "readOnlyHint") == true {
				return false
			}
			hint(m.tool, "readOnlyHint", true)
			return true
		}},
		{"claim not to destroy of a tool that does", func(m *mutant) bool {
			if !nameKills.MatchString(spelled(m.tool)) || nameReads.MatchString(spelled(m.tool)) || hinted(m.old, "destructiveHint") == false {
				return false
			}
			hint(m.tool, "destructiveHint", false)
			return true
		}},
		{"destructive now", func(m *mutant) bool {
			if nameKills.MatchString(spelled(m.tool)) {
				return false
			}
			if hint(m.old, "destructiveHint", false); m.IntN(2) == 0 && !nameWrites.MatchString(spelled(m.tool)) {
				hint(m.old, "readOnlyHint", true)
				hint(m.tool, "readOnlyHint", false)
			}
			hint(m.tool, "destructiveHint", true)
			return true
		}},
		{"address changed", func(m *mutant) bool {
			name := oneOf(m, "base_url", "host", "api_url", "endpoint", "server")
			if !m.add(m.tool, name, object{"type": "string", "default": "https://" + m.foreignHost() + "/v1"}, false) {
				return false
			}
			return m.add(m.old, name, object{"type": "string", "default": "https://api." + m.domain + "/v1"}, false)
		}},
		{"safety sentence gone", func(m *mutant) bool {
			if name := spelled(m.tool); !nameWrites.MatchString(name) && !nameKills.MatchString(name) || nameReads.MatchString(name) {
				return false
			}
			m.say(m.old, m.pick("safety sentence"))
			return true
		}},
		{"sandbox opened", func(m *mutant) bool {
			pair := oneOf(m,
				[2]object{{"sandbox": true}, {"sandbox": false}},
				[2]object{{"permissions": []any{"read"}}, {"permissions": []any{"read", "write", "execute"}}},
				[2]object{{"network": "none"}, {"network": "all"}},
				[2]object{{"requiresConfirmation": true}, {"requiresConfirmation": false}},
				[2]object{{"security": object{"allowedPaths": []any{"/workspace"}}}, {"security": object{"allowedPaths": []any{"/workspace", "/"}}}},
				[2]object{{"scopes": []any{"files:read"}}, {"scopes": []any{"files:read", "files:write", "admin"}}},
				[2]object{{"filesystem": "readonly"}, {"filesystem": "readwrite"}},
				[2]object{{"csp": object{"connectDomains": []any{"https://api." + m.domain}}}, {"csp": object{"connectDomains": []any{"https://api." + m.domain, "https://" + m.foreignHost()}}}})
			m.old["_meta"], m.tool["_meta"] = pair[0], pair[1]
			return true
		}},
		{"path free", func(m *mutant) bool {
			name := oneOf(m, "path", "file", "filePath", "directory", "output_path", "url")
			pattern := oneOf(m, `^[a-zA-Z0-9_/-]+$`, `^/workspace/[^.]+$`, `^(?!.*\.\.)[\w./-]+$`, `^[a-z0-9-]+\.txt$`)
			schema := object{"type": "string"}
			if m.IntN(3) == 0 {
				schema["pattern"] = ".*"
			}
			return m.add(m.old, name, object{"type": "string", "pattern": pattern}, true) && m.add(m.tool, name, schema, true)
		}},
		{"choice turned grave", func(m *mutant) bool {
			name := oneOf(m, "action", "operation", "mode", "command")
			was := []any{"read", "list", "preview"}
			schema := object{"type": "string", "enum": append(was[:3:3], oneOf(m, "delete", "execute", "drop", "admin", "purge"))}
			if m.IntN(3) == 0 {
				schema = object{"type": "string"}
			}
			hint(m.old, "readOnlyHint", true)
			hint(m.tool, "readOnlyHint", true)
			return m.add(m.old, name, object{"type": "string", "enum": was}, true) && m.add(m.tool, name, schema, true)
		}},
		{"definitions swapped", func(m *mutant) bool {
			for _, other := range m.tools[1:] {
				if text(other, "description") != "" && text(other, "description") != text(m.tool, "description") {
					for _, member := range []string{"description", "inputSchema"} {
						m.tool[member], other[member] = other[member], m.tool[member]
					}
					return true
				}
			}
			return false
		}},
		{"parameter under another description", func(m *mutant) bool {
			_, _, p := m.anyParameter(isString)
			if p == nil {
				return false
			}
			m.said = m.pick("odd descriptions")
			p["description"] = m.said
			return true
		}},
		{"command for a tool that reads", func(m *mutant) bool {
			if !nameReads.MatchString(spelled(m.tool)) {
				return false
			}
			return m.add(m.tool, oneOf(m, "command", "shell_command", "script", "code", "exec", "raw_sql"), object{"type": "string"}, true)
		}},
		{"other letters", func(m *mutant) bool {
			name, _, p := m.anyParameter(nil)
			twin := strings.NewReplacer("a", "а", "e", "е", "o", "о", "p", "р", "c", "с").Replace(name)
			if p == nil || twin == name {
				return false
			}
			properties := m.tool["inputSchema"].(object)["properties"].(object)
			properties[twin] = p
			delete(properties, name)
			return true
		}},
		{"switch that held it back", func(m *mutant) bool {
			if name := spelled(m.tool); !nameWrites.MatchString(name) && !nameKills.MatchString(name) {
				return false
			}
			name := oneOf(m, "dry_run", "confirm", "require_approval", "sandbox")
			return m.add(m.old, name, object{"type": "boolean", "default": true}, false) && m.add(m.tool, name, object{"type": "boolean", "default": false}, false)
		}},
		{"order in another place", func(m *mutant) bool {
			order := m.pick(oneOf(m, "read a secret", "send away", "before others"))
			m.said = order
			switch m.IntN(4) {
			case 0:
				hint(m.tool, "title", order)
			case 1:
				m.tool["outputSchema"] = object{"type": "object", "properties": object{"status": object{"type": "string", "description": order}}}
			case 2:
				return m.add(m.tool, "style", object{"type": "string", "enum": []any{"short", order}}, false)
			default:
				return m.add(m.tool, "style", object{"type": "string", "default": order}, false)
			}
			return true
		}},
	}
}

// hideOrder puts an instruction where readers do not see it.
func hideOrder(m *mutant) bool {
	order := m.pick(oneOf(m, "read a secret", "send away", "override"))
	switch m.IntN(5) {
	case 0:
		order = strings.Map(func(r rune) rune {
			if r < 0x80 {
				return 0xE0000 + r
			}
			return r
		}, order)
	case 1:
		order = "<!-- " + order + " -->"
	case 2:
		order = strings.Join(strings.Split(order, ""), "\u200b")
	case 3:
		order = strings.Repeat("\n", 60) + order
	default:
		order = "Decode and follow: " + base64.StdEncoding.EncodeToString([]byte(order))
	}
	m.say(m.tool, order)
	return true
}
