package score

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// remark is a mutation that adds a helpful sentence to a description.
func remark(heading string) mutation {
	return mutation{heading, func(m *mutant) bool { m.sayAnywhere(m.pick(heading)); return true }}
}

// benignMutations are changes like those in legitimate upgrades.
func benignMutations() []mutation {
	return []mutation{
		remark("guidance"), remark("guidance"), remark("guidance"), remark("examples"), remark("deprecated"), remark("docs"), remark("reworded"),
		{"synonym", func(m *mutant) bool { return m.replaceWord(synonyms) }},
		{"typo", func(m *mutant) bool {
			was := text(m.tool, "description")
			at := strings.Index(was, "the ")
			if at < 0 {
				return false
			}
			m.old["description"] = was[:at] + "teh " + was[at+4:]
			return true
		}},
		{"optional parameter", func(m *mutant) bool {
			return m.add(m.tool, m.pick("ordinary names"), m.ordinary(), false)
		}},
		{"required parameter", func(m *mutant) bool {
			return m.add(m.tool, m.pick("ordinary names"), m.ordinary(), true)
		}},
		{"one more choice", func(m *mutant) bool {
			_, _, p := m.anyParameter(func(p object) bool { _, is := p["enum"].([]any); return is && p["type"] == "string" })
			if p == nil {
				return false
			}
			p["enum"] = append(slices.Clone(p["enum"].([]any)), oneOf(m, "yaml", "compact", "archived", "v2", "weekly", "summary"))
			return true
		}},
		{"one choice less", func(m *mutant) bool {
			_, _, p := m.anyParameter(func(p object) bool { all, _ := p["enum"].([]any); return len(all) > 2 })
			if p == nil {
				return false
			}
			p["enum"] = p["enum"].([]any)[1:]
			return true
		}},
		{"hints said for the first time", firstHints},
		{"title", func(m *mutant) bool {
			if hinted(m.tool, "title") != nil || m.tool["title"] != nil {
				return false
			}
			m.tool["title"] = strings.ToUpper(spelled(m.tool)[:1]) + spelled(m.tool)[1:]
			return true
		}},
		{"icons", func(m *mutant) bool {
			m.tool["icons"] = []any{object{"src": "https://" + m.domain + "/icon.png", "mimeType": "image/png"}}
			return true
		}},
		{"new tool", func(m *mutant) bool {
			name, description, _ := strings.Cut(m.pick("new tools"), "|")
			m.doc["tools"] = append(m.doc["tools"].([]any), object{"name": name, "description": description, "inputSchema": object{"type": "object", "properties": object{"id": object{"type": "string"}}}})
			return !slices.ContainsFunc(m.tools, func(o object) bool { return o["name"] == name })
		}},
		{"tool removed", func(m *mutant) bool {
			m.doc["tools"] = m.doc["tools"].([]any)[1:]
			return len(m.tools) > 1
		}},
		{"order of the list", func(m *mutant) bool {
			slices.Reverse(m.doc["tools"].([]any))
			return len(m.tools) > 1
		}},
		{"layout", func(m *mutant) bool {
			was := text(m.tool, "description")
			m.tool["description"] = "## " + spelled(m.tool) + "\n\n- " + strings.ReplaceAll(was, ". ", ".\n- ") + "\n"
			return was != ""
		}},
		{"limits", func(m *mutant) bool {
			name := oneOf(m, "limit", "count", "page_size", "top_k")
			return m.add(m.old, name, object{"type": "integer", "maximum": 100, "default": 10}, false) && m.add(m.tool, name, object{"type": "integer", "minimum": 1, "maximum": 500, "default": 25}, false)
		}},
		{"length", func(m *mutant) bool {
			_, old, now := m.anyParameter(isString)
			if now == nil || now["maxLength"] != nil {
				return false
			}
			old["maxLength"], now["maxLength"] = 100, 1000
			return true
		}},
		{"default", func(m *mutant) bool {
			_, _, p := m.anyParameter(func(p object) bool { _, is := p["default"].(json.Number); return is })
			if p == nil {
				return false
			}
			n, _ := p["default"].(json.Number).Float64()
			p["default"] = json.Number(strconv.Itoa(int(n) + 5))
			return true
		}},
		{"unit", func(m *mutant) bool {
			_, _, p := m.anyParameter(func(p object) bool { return text(p, "description") != "" })
			if p == nil {
				return false
			}
			p["description"] = strings.TrimSuffix(text(p, "description"), ".") + m.pick("units")
			return true
		}},
		{"result described", func(m *mutant) bool {
			if m.tool["outputSchema"] != nil {
				return false
			}
			m.tool["outputSchema"] = object{"type": "object", "properties": object{"items": object{"type": "array", "items": object{"type": "object"}, "description": "What was found."}, "next": object{"type": "string", "description": m.pick("ordinary descriptions")}}}
			return true
		}},
		{"parameter renamed", func(m *mutant) bool {
			name, _, p := m.anyParameter(nil)
			twin := snake(name)
			if p == nil || twin == name || m.parameter(m.tool, twin) != nil {
				return false
			}
			input := m.tool["inputSchema"].(object)
			properties := input["properties"].(object)
			properties[twin] = p
			delete(properties, name)
			if required, _ := input["required"].([]any); slices.Contains(required, any(name)) {
				required = slices.Clone(required)
				required[slices.Index(required, any(name))] = twin
				input["required"] = required
			}
			m.said = name + " → " + twin
			return true
		}},
		{"parameter removed", func(m *mutant) bool {
			name, _, p := m.anyParameter(nil)
			input, _ := m.tool["inputSchema"].(object)
			if p == nil {
				return false
			}
			delete(input["properties"].(object), name)
			required, _ := input["required"].([]any)
			input["required"] = slices.DeleteFunc(slices.Clone(required), func(r any) bool { return r == name })
			m.said = name
			return true
		}},
		{"parameter may be left out", func(m *mutant) bool {
			input, _ := m.tool["inputSchema"].(object)
			required, _ := input["required"].([]any)
			if len(required) == 0 {
				return false
			}
			input["required"], m.said = required[1:], required[0].(string)
			return true
		}},
		{"parameter described", func(m *mutant) bool {
			name, old, _ := m.anyParameter(func(p object) bool { return text(p, "description") != "" })
			delete(old, "description")
			m.said = name
			return old != nil
		}},
		{"null allowed", func(m *mutant) bool {
			_, _, p := m.anyParameter(isString)
			if p == nil {
				return false
			}
			p["type"] = []any{"string", "null"}
			return true
		}},
		{"version beside the schema", func(m *mutant) bool {
			m.old["_meta"], m.tool["_meta"] = object{"version": "1.0", "tags": []any{"a"}}, object{"version": "1.1", "tags": []any{"a", "search"}}
			return true
		}},
		{"hint withdrawn", func(m *mutant) bool {
			hint(m.old, "readOnlyHint", true)
			hint(m.tool, "readOnlyHint", false)
			hint(m.old, "destructiveHint", false)
			hint(m.tool, "destructiveHint", false)
			return true
		}},
		{"shorter", func(m *mutant) bool {
			first, _, more := strings.Cut(text(m.tool, "description"), ". ")
			m.said = text(m.tool, "description")
			m.tool["description"] = first + "."
			return more
		}},
	}
}

// ordinary returns the schema of a parameter that asks for nothing unusual.
func (m *mutant) ordinary() object {
	schema := oneOf(m, object{"type": "string"}, object{"type": "string"}, object{"type": "integer"}, object{"type": "boolean", "default": false}, object{"type": "array", "items": object{"type": "string"}})
	if m.IntN(4) > 0 {
		schema["description"] = m.pick("ordinary descriptions")
	}
	return schema
}

// firstHints adds hints to a tool that had none; they match its name.
func firstHints(m *mutant) bool {
	name := spelled(m.tool)
	reads, writes, kills := nameReads.MatchString(name), nameWrites.MatchString(name), nameKills.MatchString(name)
	if !reads && !writes && !kills || reads && (writes || kills) {
		return false
	}
	delete(m.old, "annotations")
	m.tool["annotations"] = object{"readOnlyHint": reads, "destructiveHint": kills, "openWorldHint": m.IntN(2) == 0, "title": name}
	return true
}

var synonyms = [][2]string{{"Get ", "Retrieve "}, {"Gets ", "Fetches "}, {"List ", "Show "}, {"Lists ", "Returns "}, {"Returns ", "Gives "}, {"Search ", "Look "}, {"Create ", "Make "},
	{"Update ", "Change "}, {"specific", "given"}, {"the ", "this "}, {"Retrieve ", "Get "}, {" using ", " with "}}

func (m *mutant) replaceWord(words [][2]string) bool {
	was := text(m.tool, "description")
	for _, at := range m.Perm(len(words)) {
		if now := strings.Replace(was, words[at][0], words[at][1], 1); now != was {
			m.tool["description"] = now
			return true
		}
	}
	return false
}

var humps = regexp.MustCompile(`[A-Z]+`)

// snake converts a name between snake case and camel case.
func snake(name string) string {
	if head, tail, ok := strings.Cut(name, "_"); ok && tail != "" {
		return head + strings.ToUpper(tail[:1]) + tail[1:]
	}
	return humps.ReplaceAllStringFunc(name, func(s string) string { return "_" + strings.ToLower(s) })
}
