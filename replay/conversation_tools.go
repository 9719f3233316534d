package replay

import (
	"github.com/mcpscan/mcpscan/internal/llm"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// list collects definitions from one server.
type list struct {
	foreign bool
	event   *scanner.Event
	frame   composed
	marks   []mark
	said    []*Said
	in      *conversation
}

// declare adds a definition to its server's list, unless the server already has an identical one.
func (c *conversations) declare(i *llm.Item) {
	s := c.session(i)
	server, tool := c.servers.of(i)
	once := *i
	once.History, once.Fresh, once.ID = false, false, "declared" // a repeated list is not reported again
	m := markOf([]byte("tool"), []byte(server), []byte(tool), i.Tool.AppendCanonical(nil))
	if c.before(s, &once, m) {
		c.reportSaid(s, m, saidOf(i))
		return
	}
	key := server
	if i.Foreign {
		key += "\x00"
	}
	l := c.lists[key]
	if l == nil {
		l = &list{foreign: i.Foreign, in: s}
		l.event = c.event(s, i, server, &composed{})
		l.event.Kind, l.event.Type, l.event.Direction = scanner.DefinitionEvent, typeDefinitions, mcp.ServerToClient
		c.lists[key], c.order = l, append(c.order, l)
	}
	l.frame.define(i, tool)
	if c.judge != nil {
		l.marks, l.said = append(l.marks, m), append(l.said, saidOf(i))
	}
}

// flush emits the declared definitions.
func (c *conversations) flush() {
	for _, l := range c.order {
		e := l.event
		e.Frame, e.Parts, e.Projected, e.Rewritten = l.frame.b, l.frame.parts, true, l.foreign
		for k := range e.Parts {
			e.Parts[k].Origin.File = c.file
		}
		if c.judge == nil {
			c.yield(e)
			continue
		}
		decisions := c.judge(e)
		for k := range l.marks {
			c.decided(l.in, l.marks[k], l.said[k], decisions[k])
		}
	}
	clear(c.lists)
	c.order = c.order[:0]
}
