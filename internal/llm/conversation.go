package llm

import (
	"cmp"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// firstSaid returns a key for the conversation that a list of messages belongs to: its first
// messages, up to the first one from the user.
func firstSaid(list wire.Value) string {
	var said []byte
	for c := list.Children(); c.Next() && len(said) < maxKey; {
		m, role := membersOf(c.Value)
		said = append(append(said, role...), 0)
		content := m.Get("content")
		if content.Kind() == wire.Invalid {
			content = m.Get("parts")
		}
		said = appendSaid(said, content)
		if role == "user" || role == "human" || role == "user_input" {
			break
		}
	}
	return string(said[:min(len(said), maxKey)])
}

// membersOf returns the object with the members of a message, which LangChain nests, and the message's
// role.
func membersOf(message wire.Value) (m wire.Value, role string) {
	if role, _ = message.Str("role"); role != "" {
		return message, role
	}
	role, _ = message.Str("type")
	for _, key := range []string{"data", "kwargs"} {
		if m = message.Get(key); m.Get("content").Kind() != wire.Invalid {
			for class := message.Get("id").Children(); key == "kwargs" && class.Next(); {
				role = plainKind(string(class.Value.Text()))
			}
			return m, role
		}
	}
	return message, role
}

// firstCall returns the ID of the first call in a list of messages, or "" if there is none.
func firstCall(list wire.Value) (id string) {
	str := func(v wire.Value, key string) string {
		s, _ := v.Str(key)
		return s
	}
	for c := list.Children(); list.Kind() == wire.Array && id == "" && c.Next(); {
		m, _ := membersOf(c.Value)
		if kind := str(m, "type"); strings.HasSuffix(kind, "_call") {
			id = cmp.Or(str(m, "call_id"), str(m, "id"))
			continue
		}
		for calls := m.Get("tool_calls").Children(); id == "" && calls.Next(); {
			id = str(calls.Value, "id")
		}
		for _, key := range []string{"content", "parts"} {
			list := m.Get(key)
			for blocks := list.Children(); list.Kind() == wire.Array && id == "" && blocks.Next(); {
				block := blocks.Value
				if strings.HasSuffix(str(block, "type"), "tool_use") {
					id = str(block, "id")
				} else if use := block.Get("toolUse"); use.Kind() == wire.Object {
					id = str(use, "toolUseId")
				} else if use := block.Get("functionCall"); use.Kind() == wire.Object {
					id = cmp.Or(str(use, "id"), unnamed+str(use, "name"))
				}
			}
		}
	}
	return id
}

// unnamed is the prefix of the IDs given to calls without one; such calls to the same tool are
// answered in order.
const unnamed = "name "

func appendSaid(said []byte, content wire.Value) []byte {
	if content.Kind() == wire.String {
		return append(said, content.Text()[:min(len(content.Text()), maxKey)]...)
	}
	for c := content.Children(); content.Kind() == wire.Array && c.Next() && len(said) < maxKey; {
		if s, ok := c.Value.Str("text"); ok {
			said = append(said, s[:min(len(s), maxKey)]...)
		}
	}
	return said
}

// The limits on what is read or kept from a text.
const (
	maxValues = 16_000_000 // values of one body or line
	maxKey    = 4 << 10    // bytes of the first messages, which identify a conversation
)
