package proxy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/replay"
)

// chatFlow is a Chat Completions stream: chunks with pieces of one or more choices.
type chatFlow struct {
	choices map[string]*chatChoice // by index
	waiting map[string][]*chatCall // calls not inspected yet, by slot
	of      map[*llmEvent][]*chatCall
	held    bool
}

// chatChoice is one choice in an answer.
type chatChoice struct {
	slots []string // slots of its calls, in the order in which they began
	calls map[string]*chatCall
	all   []*chatCall
	ended bool
	text  bool // it contained text
}

// chatCall is a tool call in a Chat Completions response. Some providers give several calls the
// same index but different ids.
type chatCall struct {
	slot, id, name string
	refused        *replay.Said
	replaced       bool // the agent has received the replacement text
}

func newChatFlow() *chatFlow {
	return &chatFlow{choices: map[string]*chatChoice{}, waiting: map[string][]*chatCall{}, of: map[*llmEvent][]*chatCall{}}
}

func (f *chatFlow) choice(index string) *chatChoice {
	c := f.choices[index]
	if c == nil {
		c = &chatChoice{calls: map[string]*chatCall{}}
		f.choices[index] = c
	}
	return c
}

func (f *chatFlow) take(e *llmEvent, doc *wire.Doc) llmStep {
	if string(e.data) == "[DONE]" {
		for _, c := range f.choices { // some providers give no finish_reason
			c.ended = true
		}
		if f.held {
			return judgeIt
		}
		return passOn
	}
	calls, ends := false, false
	eachChoice(doc, func(n int, index string) {
		c := f.choice(index)
		eachCall(doc, n, func(call int, legacy bool) {
			calls = true
			f.of[e] = append(f.of[e], f.piece(c, index, doc, call, legacy))
		})
		if raw := raw(doc, n, "finish_reason"); raw != "" && raw != "null" && len(c.all) > 0 {
			c.ended, ends = true, true
		}
	})
	if !calls && !(ends && f.held) {
		return passOn
	}
	if f.held = true; f.ended() {
		return judgeIt
	}
	return holdOn
}

// piece adds a piece of a call, and returns the call.
func (f *chatFlow) piece(c *chatChoice, index string, doc *wire.Doc, n int, legacy bool) *chatCall {
	slot, id := index+"/"+raw(doc, n, "index"), str(doc, n, "id")
	if legacy {
		slot = index + "/"
	}
	call := c.calls[slot]
	if call == nil || call.id != "" && id != "" && call.id != id {
		if call == nil {
			c.slots = append(c.slots, slot)
		}
		call = &chatCall{slot: slot}
		c.calls[slot], c.all, c.ended = call, append(c.all, call), false
		f.waiting[slot] = append(f.waiting[slot], call)
	}
	if id != "" {
		call.id = id
	}
	function := n
	if !legacy {
		if function = doc.Get(n, "function"); function < 0 {
			function = doc.Get(n, "custom")
		}
	}
	call.name += str(doc, function, "name")
	return call
}

// ended reports whether no call is in progress.
func (f *chatFlow) ended() bool {
	for _, c := range f.choices {
		if len(c.all) > 0 && !c.ended {
			return false
		}
	}
	return true
}

func (f *chatFlow) decide(said []replay.Said) {
	var cut []*chatCall // calls of choices that have not ended
	for _, c := range f.choices {
		for _, slot := range c.slots {
			if !c.ended {
				cut = append(cut, f.waiting[slot]...)
			}
		}
	}
	for i := range said {
		s := &said[i]
		waiting := f.waiting[s.Slot]
		if s.Kind != replay.SaidCall || len(waiting) == 0 {
			continue
		}
		if f.waiting[s.Slot] = waiting[1:]; isRefused(s) {
			waiting[0].refused = s
		}
	}
	for slot, calls := range f.waiting {
		for _, call := range calls {
			call.refused = unjudged(call.name)
		}
		delete(f.waiting, slot)
	}
	for _, call := range cut {
		if call.refused == nil {
			call.refused = unjudged(call.name)
		}
	}
	f.held = false
}

func (f *chatFlow) write(dst []byte, e *llmEvent, doc *wire.Doc) []byte {
	calls := f.of[e]
	delete(f.of, e)
	w := &rewriting{doc: *doc, gone: map[int]bool{}}
	changed, empty := false, true
	eachChoice(doc, func(n int, index string) {
		c := f.choice(index)
		delta := doc.Get(n, "delta")
		var texts []string
		refused := false
		eachCall(doc, n, func(node int, _ bool) {
			call := calls[0]
			calls = calls[1:]
			switch {
			case call.refused == nil:
				w.renumber(c, call, node)
			case !call.replaced:
				call.replaced = true
				texts = append(texts, blockedText(call.refused))
				fallthrough
			default:
				w.gone[node], refused = true, true
			}
		})
		if refused {
			changed = true
			separator := ""
			if c.text {
				separator = "\n\n"
			}
			text := strings.Join(texts, "\n")
			if doc.Get(delta, "content") < 0 && text != "" {
				text = separator + text
			}
			w.strip(delta, text, separator)
			c.text = c.text || text != ""
			empty = empty && text == ""
		}
		content := doc.Get(delta, "content")
		c.text = c.text || len(raw(doc, delta, "content")) > len(`""`) && doc.Kind(content) == wire.String
		if reason := doc.Get(n, "finish_reason"); reason >= 0 && c.stripped() && endReasons[str(doc, n, "finish_reason")] != "" {
			w.edit(reason, []byte(endReasons[str(doc, n, "finish_reason")]))
			empty = false
		}
		empty = empty && refused && onlyCalls(doc, n, delta, w)
	})
	switch {
	case changed && empty && doc.Kind(doc.Get(0, "usage")) != wire.Object:
		return dst
	case len(w.edits) == 0:
		return append(dst, e.raw...)
	}
	return append(dst, withData(e.block, wire.Apply(e.data, w.edits))...)
}

// onlyCalls reports whether a chunk's choice contains nothing but removed calls.
func onlyCalls(doc *wire.Doc, choice, delta int, w *rewriting) bool {
	if r := raw(doc, choice, "finish_reason"); r != "" && r != "null" {
		return false
	}
	for m := doc.First(delta); m >= 0; m = doc.Next(m) {
		if !w.gone[m] && (!doc.KeyIs(m, "tool_calls") || w.anyLeft(m)) && doc.Kind(m) != wire.Null {
			return false
		}
	}
	return true
}

// renumber closes the gaps that refused calls leave in the indices of later calls.
func (w *rewriting) renumber(c *chatChoice, call *chatCall, node int) {
	now := 0
	for _, slot := range c.slots {
		if slot == call.slot {
			break
		}
		for _, other := range c.all {
			if other.slot == slot && other.refused == nil {
				now++
				break
			}
		}
	}
	was := w.doc.Get(node, "index")
	if was < 0 || !c.refused() || string(w.doc.Raw(was)) == strconv.Itoa(now) {
		return
	}
	w.edit(was, []byte(strconv.Itoa(now)))
}

// refused reports whether any call in the choice is refused, and stripped reports whether all are.
func (c *chatChoice) refused() bool {
	return slices.ContainsFunc(c.all, func(call *chatCall) bool { return call.refused != nil })
}

func (c *chatChoice) stripped() bool {
	return len(c.all) > 0 && !slices.ContainsFunc(c.all, func(call *chatCall) bool { return call.refused == nil })
}

// eachChoice visits the choices in a chunk.
func eachChoice(doc *wire.Doc, visit func(n int, index string)) {
	for c := doc.First(doc.Get(0, "choices")); c >= 0; c = doc.Next(c) {
		visit(c, raw(doc, c, "index"))
	}
}

// eachCall visits the tool-call fragments in one choice of a chunk.
func eachCall(doc *wire.Doc, choice int, visit func(n int, legacy bool)) {
	delta := doc.Get(choice, "delta")
	for c := doc.First(doc.Get(delta, "tool_calls")); c >= 0; c = doc.Next(c) {
		visit(c, false)
	}
	if legacy := doc.Get(delta, "function_call"); doc.Kind(legacy) == wire.Object {
		visit(legacy, true)
	}
}
