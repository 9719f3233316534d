package llm

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// runs pairs each tool call that a model requested in a trace with the tool's run, so that the call is
// counted only once. Many runs do not name the call that they answer.
type runs struct {
	asked, ran map[string][]runCall // calls and runs without a counterpart, by session and tool
	shown      map[string]shownCall // by session and the ID that the model gave the call
}

// runCall is a tool call requested by a model, or the run of a tool. args is "" if the arguments are not
// a JSON object but, for example, a Python dictionary written as text.
type runCall struct{ id, args string }

// shownCall is a call that was emitted.
type shownCall struct {
	id  string // the ID with which it was emitted
	run bool   // it was emitted as a tool run, not as a call requested by a model
}

// The limits on the calls and runs that are remembered.
const (
	maxRuns   = 1 << 16 // calls and tools
	maxPaired = 1 << 10 // calls of one tool
)

// pair returns the ID of the counterpart of c, or the ID of c if it has no counterpart yet.
func (c runCall) pair(mine, theirs map[string][]runCall, key string) string {
	for i, t := range theirs[key] {
		if t.args == c.args || t.args == "" || c.args == "" {
			theirs[key] = slices.Delete(theirs[key], i, i+1)
			return t.id
		}
	}
	if len(mine[key]) < maxPaired {
		mine[key] = append(mine[key], c)
	}
	return c.id
}

// paired pairs the calls and results of the items that follow, until the function that it returns is
// called.
func (r *Reader) paired() (end func()) {
	emit := r.Emit
	r.Emit = func(i *Item) {
		key := r.session + "\x00" + i.ID
		shown, again := r.pairs().shown[key]
		if i.Kind == Call && i.ID != "" && !again {
			c := runCall{i.ID, argumentsIn(i.Args)}
			shown.id = c.pair(r.runs.asked, r.runs.ran, r.session+"\x00"+i.Name)
			shown.run = shown.id != i.ID
			r.runs.shown[key] = shown
		}
		if shown.id != "" {
			i.ID = shown.id
		}
		if i.Kind != Call || !shown.run { // otherwise, it was emitted as the run of a tool
			emit(i)
		}
	}
	return func() { r.Emit = emit }
}

// pairs returns the calls and runs remembered so far. If there are too many, it first forgets them all.
func (r *Reader) pairs() *runs {
	if r.runs.shown == nil || len(r.runs.shown)+len(r.runs.asked)+len(r.runs.ran) > maxRuns {
		r.runs = runs{map[string][]runCall{}, map[string][]runCall{}, map[string]shownCall{}}
	}
	return &r.runs
}

// ran emits the call that a run of a tool answers, and returns the ID of the call. If the call was
// emitted before, ran emits it again as an echo, but only if its arguments are a JSON object. answers is
// the ID that the model gave the call, or "" if that is unknown.
func (r *Reader) ran(call Item, answers string) (id string) {
	known := r.pairs()
	key, args := r.session+"\x00"+answers, argumentsIn(call.Args)
	shown, before := known.shown[key]
	switch {
	case answers == "":
		shown.id = runCall{call.ID, args}.pair(known.ran, known.asked, r.session+"\x00"+call.Name)
		before = shown.id != call.ID
	case !before:
		shown = shownCall{answers, true}
		known.shown[key] = shown
	}
	if !before || args != "" {
		call.Kind, call.ID, call.Free, call.Echo = Call, shown.id, args == "", before
		r.emit(call)
	}
	return shown.id
}

// argumentsIn returns arguments in canonical form, or "" if they are not a JSON object.
func argumentsIn(v View) string {
	var err error
	if v.Kind() == wire.String {
		v, err = v.Parsed()
	}
	if err != nil || v.Kind() != wire.Object {
		return ""
	}
	return string(v.AppendCanonical(nil))
}

// runMessages reads the messages in the input or output of a model or of another run.
func (r *Reader) runMessages(v View, turn string) {
	if r.history {
		r.emit(Item{Kind: Begin, At: v, Session: r.session})
	}
	list, end := messagesIn(nil, v), r.time
	if len(list) == 0 {
		r.text(v)
	}
	defer r.paired()()
	for i, m := range list {
		if r.turn = turn; r.history {
			r.turn = fmt.Sprint(turn, "-", i)
			if !end.IsZero() { // rounds of calls must not look simultaneous
				r.time = end.Add(time.Duration(i-len(list)) * time.Second)
			}
		}
		if isItem(m) {
			r.responsesItem(m)
		} else {
			r.langChain(m)
		}
	}
	r.time = end
}

// isItem recognises an item of the OpenAI Responses API.
func isItem(v View) bool {
	kind := v.Str("type")
	return v.Str("call_id") != "" && (strings.HasSuffix(kind, "_call") || strings.HasSuffix(kind, "_output"))
}

// messagesIn appends the messages in a value.
func messagesIn(list []View, v View) []View {
	if isLangChain(v) || isItem(v) || v.Str("role") != "" && v.either("content", "tool_calls").Is() {
		return append(list, v)
	}
	v.each(func(c View) {
		if c.Kind() >= wire.Array && c.Key() != "tools" {
			list = messagesIn(list, c)
		}
	})
	return list
}
