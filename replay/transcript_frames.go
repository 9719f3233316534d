package replay

import (
	"bytes"
	"slices"

	"github.com/mcpscan/mcpscan/internal/llm"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// composed is a frame assembled from parts of a transcript. It records where the parts came from,
// so that findings point there.
type composed struct {
	b     []byte
	parts []scanner.Part
	odd   string // why the frame is unusual
}

func (c *composed) lit(s string) { c.b = append(c.b, s...) }

func (c *composed) str(s string) { c.b = wire.AppendString(c.b, []byte(s)) }

func (c *composed) raw(v llm.View) {
	start := len(c.b)
	c.b = append(c.b, v.Raw()...)
	c.parts = append(c.parts, scanner.Part{Start: start, End: len(c.b), Origin: v.Origin()})
}

// callFrame builds the request that a client sends for a call.
func callFrame(id, tool string, i *llm.Item) *composed {
	c := &composed{}
	c.lit(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":`)
	c.str(tool)
	c.lit(`,"arguments":`)
	c.arguments(i)
	c.lit("}}")
	return c
}

// arguments writes the arguments of a call: an object, or the JSON in a string.
func (c *composed) arguments(i *llm.Item) {
	args := i.Args
	if args.Kind() == wire.String && !i.Free {
		if len(bytes.TrimSpace(args.Text())) == 0 {
			c.lit("{}")
			return
		}
		switch parsed, err := args.Parsed(); {
		case err == nil && parsed.Kind() == wire.Object:
			args = parsed
		case wire.ExceedsLimit(err): // the frame must exceed the limit, too: as text, the arguments would evade policies
			start := len(c.b)
			c.b = append(c.b, args.Text()...)
			c.parts = append(c.parts, scanner.Part{Start: start, End: len(c.b), Origin: parsed.Origin()})
			return
		}
	}
	switch args.Kind() {
	case wire.Object:
		c.raw(args)
	case wire.Invalid, wire.Null:
		c.lit("{}")
	default:
		if !i.Free {
			c.odd = "the arguments of a call are not a JSON object: inspected as text"
		}
		c.lit(`{"input":`)
		c.raw(args)
		c.lit("}")
	}
}

// resultFrame builds the response that a server sends with a result.
func resultFrame(id string, i *llm.Item) *composed {
	c := &composed{}
	c.lit(`{"jsonrpc":"2.0","id":` + id + `,"result":`)
	content := i.Content
	if content.Kind() == wire.Object && content.At("content").Kind() == wire.Array && !i.Media.Is() { // already an MCP result
		c.raw(content)
		c.lit("}")
		return c
	}
	c.lit(`{"content":[`)
	switch content.Kind() {
	case wire.Invalid, wire.Null:
		c.lit(`{"type":"text","text":""}`)
	case wire.Array:
		c.blocks(content)
	case wire.String:
		c.text(content)
	}
	c.blocks(i.Media)
	c.lit("]")
	if content.Kind() == wire.Object {
		c.lit(`,"response":`)
		c.raw(content)
	}
	if i.Failed {
		c.lit(`,"isError":true`)
	}
	switch {
	case i.Meta.Kind() == wire.String: // the text of an error
		c.lit(`,"_meta":{"error":`)
		c.raw(i.Meta)
		c.lit("}")
	case i.Meta.Is():
		c.lit(`,"_meta":`)
		c.raw(i.Meta)
	}
	c.lit("}}")
	return c
}

func (c *composed) blocks(list llm.View) {
	for block := list.First(); block.Kind() != wire.Invalid; block = block.Next() {
		if c.b[len(c.b)-1] != '[' {
			c.lit(",")
		}
		c.block(block)
	}
}

func (c *composed) text(v llm.View) {
	c.lit(`{"type":"text","text":`)
	c.raw(v)
	c.lit("}")
}

// resultBlocks are the known types of result blocks. The content of every block is inspected,
// whatever its type.
var resultBlocks = map[string]bool{"": true, "text": true, "image": true, "document": true, "search_result": true, "tool_reference": true, "resource": true,
	"resource_link": true, "audio": true, "input_text": true, "output_text": true, "input_image": true, "input_file": true, "image_url": true,
	"web_search_result": true, "web_search_result_location": true, "container_upload": true, "thinking": true, "content": true, "logs": true, "inputText": true,
	"embed": true, "ref": true, "data": true, "terminal": true, "file": true, "browser_state": true, "media": true,
	"file-data": true, "file-url": true, "file-id": true, "image-data": true, "image-url": true, "image-file-id": true, "custom": true}

// block writes a block in a result. Text blocks are written in MCP's form, whatever their type is
// called, unless they have further members.
func (c *composed) block(v llm.View) {
	kind := v.Str("type")
	if !resultBlocks[kind] {
		c.odd = "a result contains a block of an unknown type: inspected as text"
	}
	said, data := v.At("text"), v.At("data")
	switch {
	case v.Kind() == wire.String:
		c.text(v)
	case kind == "text" && hasOnly(v, "type", "content") && v.At("content").Kind() == wire.String:
		c.text(v.At("content"))
	case kind != "text" && resultBlocks[kind] && hasOnly(v, "type", "text") && said.Kind() == wire.String:
		c.text(said)
	case hasOnly(v, "text") && hasOnly(said, "text") && said.At("text").Kind() == wire.String: // written by Cursor CLI
		c.text(said.At("text"))
	case hasOnly(v, "Text") && v.At("Text").Kind() == wire.String: // written by Kiro CLI
		c.text(v.At("Text"))
	case v.Str("kind") == "text" && hasOnly(v, "kind", "data") && data.Kind() == wire.String: // written by newer versions of Kiro CLI
		c.text(data)
	default:
		c.raw(v)
	}
}

// hasOnly reports whether an object has only members with the given keys.
func hasOnly(v llm.View, keys ...string) bool {
	for m := v.First(); m.Kind() != wire.Invalid; m = m.Next() {
		if !slices.Contains(keys, m.Key()) {
			return false
		}
	}
	return true
}

// forProvider contains the members of a definition that are meant only for the model's provider.
var forProvider = map[string]bool{"type": true, "strict": true, "cache_control": true, "defer_loading": true, "allowed_callers": true, "eager_input_streaming": true}

// schemaMembers are the possible names of the member that contains the arguments' schema. If there are
// several, the first is used, and the others are inspected like any other member.
var schemaMembers = []string{"inputSchema", "input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema"}

// define adds a definition to a list of tools.
func (c *composed) define(i *llm.Item, tool string) {
	if len(c.b) == 0 {
		c.lit(`{"tools":[{"name":`)
	} else {
		c.b = c.b[:len(c.b)-len("]}")]
		c.lit(`,{"name":`)
	}
	if name := i.Tool.At("name"); name.Kind() == wire.String && string(name.Text()) == tool {
		c.raw(name)
	} else {
		c.str(tool)
	}
	schema := slices.IndexFunc(schemaMembers, func(key string) bool { return i.Tool.At(key).Is() })
	for m := i.Tool.First(); m.Kind() != wire.Invalid; m = m.Next() {
		switch key := m.Key(); {
		case key == "name" || forProvider[key] || m.Kind() == wire.Null:
		case schema >= 0 && key == schemaMembers[schema]:
			c.lit(`,"inputSchema":`)
			if inner := m.At("json"); inner.Kind() == wire.Object && m.First().Next().Kind() == wire.Invalid {
				m = inner // Bedrock and Kiro CLI nest the schema
				c.raw(inner)
				m = i.Tool.At(key)
			} else {
				c.raw(m)
			}
		default:
			c.lit(",")
			c.str(key)
			c.lit(":")
			c.raw(m)
		}
	}
	c.lit("}]}")
}
