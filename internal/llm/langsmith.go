package llm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// runs pairs the calls of models in the runs of LangSmith with the runs of tools, many of which do not name the call
// that they answer. Each of them counts once.
type runs struct {
	asked, ran map[string][]runCall // calls and runs without a counterpart, by session and tool
	shown      map[string]shownCall // by session and the ID that the model gave the call
}

// runCall is a call of a model, or a run of a tool. Its arguments are "" if they are text, such as a dictionary of
// Python.
type runCall struct{ id, args string }

// shownCall is a call that was emitted, with this ID, as the model said it or as a tool ran it.
type shownCall struct {
	id  string
	run bool
}

// The limits of what is remembered.
const (
	maxRuns   = 1 << 16 // calls and tools
	maxPaired = 1 << 10 // calls of one tool
)

// pair returns the ID of the counterpart of a call, or its own if there is none yet.
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

var langSmithTypes = []string{"tool", "chain", "llm", "retriever", "embedding", "prompt", "parser"}

// langSmithRun recognises a run in a trace of LangSmith, and langSmithRuns a list of them, or a page of one.
func langSmithRun(v View) bool {
	return v.says("run_type", langSmithTypes...) && v.either("id", "trace_id", "name").Is() && (v.At("inputs").Kind() != wire.Invalid || v.At("outputs").Kind() != wire.Invalid)
}

func langSmithRuns(v View) bool {
	return v.Kind() == wire.Array && langSmithRun(v.First()) || v.has("runs", wire.Array) && langSmithRun(v.At("runs").First())
}

func readLangSmithRuns(r *Reader, b *body) {
	list, pointer := b.root, ""
	if list.Kind() == wire.Object {
		list, pointer = b.members["runs"], "/runs"
	}
	r.langSmithRuns(b, list, pointer)
}

// langSmithRuns reads runs in the order in which they ended: those of tools before those that contain them.
func (r *Reader) langSmithRuns(b *body, list wire.Value, pointer string) {
	var all []*body
	for c := list.Children(); c.Next(); {
		all = append(all, r.sub(b, c.Value, pointer+index(len(all))))
	}
	slices.SortStableFunc(all, func(a, b *body) int { return langSmithTime(a).Compare(langSmithTime(b)) })
	for _, run := range all {
		readLangSmithRun(r, run)
	}
}

// langSmithTime returns the time at which a run ended. Some writers write times without a zone, which are in UTC.
func langSmithTime(b *body) (at time.Time) {
	said := strings.Replace(cmp.Or(b.str("end_time"), b.str("start_time")), " ", "T", 1)
	if at = stamp(said); at.IsZero() {
		at = stamp(said + "Z")
	}
	return at
}

func readLangSmithRun(r *Reader, b *body) {
	if b.str("run_type") == "" {
		r.skipAt(b.origin(b.root, ""), "%s: an element in an unknown format", r.format)
		return
	}
	r.langSmithRuns(b, b.members["child_runs"], "/child_runs")
	r.time, r.history = langSmithTime(b), false
	r.clock = r.time.IsZero()
	id, kind := cmp.Or(b.str("id"), b.at("")), b.str("run_type")
	r.session, r.turn = cmp.Or(b.str("trace_id"), id), id
	if known := &r.runs; known.shown == nil || len(known.shown)+len(known.asked)+len(known.ran) > maxRuns {
		*known = runs{map[string][]runCall{}, map[string][]runCall{}, map[string]shownCall{}}
	}
	if extra, ok := r.member(b, "extra"); ok {
		m := extra.At("metadata") // names the conversation that the trace is part of
		r.session = cmp.Or(m.Str("thread_id"), m.Str("session_id"), m.Str("conversation_id"), r.session)
		extra.At("invocation_params").At("tools").each(r.liteLLMTool)
		extra.At("invocation_params").At("functions").each(func(f View) { r.declare(f, "") })
	}
	for _, key := range []string{"inputs", "outputs"} {
		if elsewhere := b.members[key+"_s3_urls"]; b.members[key].Kind() <= wire.Null && elsewhere.Kind() == wire.Object && elsewhere.Children().Next() {
			r.skipAt(b.origin(elsewhere, "/"+key+"_s3_urls"), "%s: its %s are stored elsewhere", r.format, key)
		}
	}
	if kind == "tool" || kind == "retriever" {
		r.toolRun(b, id)
		return
	}
	emit := r.Emit
	defer func() { r.Emit = emit }()
	r.Emit = func(i *Item) { r.langSmithItem(i, emit) }
	for _, key := range []string{"inputs", "outputs"} {
		if v, ok := r.member(b, key); ok {
			r.history = key == "inputs" || kind != "llm" // repeats what other runs said
			r.langSmithMessages(b, v, id+"/"+key)
		}
	}
}

// langSmithMessages reads the messages that a run received or returned.
func (r *Reader) langSmithMessages(b *body, v View, turn string) {
	v.At("tools").each(r.liteLLMTool)
	if r.history {
		r.within(b, r.session)
	}
	list, end := messagesIn(nil, v), r.time
	if len(list) == 0 {
		r.text(v)
	}
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

// langSmithItem passes on an item of a message, unless it is a call that a run of a tool has shown.
func (r *Reader) langSmithItem(i *Item, emit func(*Item)) {
	key := r.session + "\x00" + i.ID
	shown, again := r.runs.shown[key]
	if i.Kind == Call && i.ID != "" && !again {
		c := runCall{i.ID, argumentsIn(i.Args)}
		shown.id = c.pair(r.runs.asked, r.runs.ran, r.session+"\x00"+i.Name)
		shown.run = shown.id != i.ID
		r.runs.shown[key] = shown
	}
	if shown.id != "" {
		i.ID = shown.id
	}
	if i.Kind != Call || !shown.run {
		emit(i)
	}
}

// argumentsIn returns arguments in canonical form, or "" if they are text.
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

// toolRun reads a run of a tool, or of a retriever: a call and its result.
func (r *Reader) toolRun(b *body, id string) {
	answers := ""
	if out, ok := r.member(b, "outputs"); ok {
		answers = answeredIn(out)
	}
	in, _ := r.member(b, "inputs")
	in = only(in, "input")
	name, args := b.str("name"), argumentsIn(in)
	shown, known := r.runs.shown[r.session+"\x00"+answers]
	switch {
	case answers == "":
		shown.id = runCall{id, args}.pair(r.runs.ran, r.runs.asked, r.session+"\x00"+name)
		known = shown.id != id
	case !known:
		shown = shownCall{answers, true}
		r.runs.shown[r.session+"\x00"+answers] = shown
	}
	if !known || args != "" {
		r.emit(Item{Kind: Call, At: in, ID: shown.id, Name: name, Args: in, Free: args == "", Echo: known, origin: new(b.origin(b.root, ""))})
	}
	out, _ := r.member(b, "outputs")
	if out = only(out, "output"); isLangChain(out) {
		emit := r.Emit
		r.Emit = func(i *Item) { r.langSmithItem(i, emit) }
		r.langChain(out)
		r.Emit = emit
	} else {
		r.result(Item{At: out, ID: shown.id, Content: out})
	}
	if failure, ok := r.member(b, "error"); ok {
		r.result(Item{At: failure, ID: shown.id, Content: failure, Failed: true})
	}
}

// only returns the member of an object that has no other.
func only(v View, key string) View {
	if m := v.First(); m.Key() == key && !m.Next().Is() {
		return m
	}
	return v
}

// answeredIn returns the ID of the call that a result names.
func answeredIn(v View) (id string) {
	if id = v.Str("tool_call_id"); id != "" {
		return id
	}
	v.each(func(c View) {
		if id == "" && c.Kind() >= wire.Array {
			id = answeredIn(c)
		}
	})
	return id
}
