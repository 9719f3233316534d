package llm

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

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
	for _, key := range []string{"inputs", "outputs"} {
		if v, ok := r.member(b, key); ok {
			r.history = key == "inputs" || kind != "llm" // repeats what other runs said
			v.At("tools").each(r.liteLLMTool)
			r.runMessages(b, v, id+"/"+key)
		}
	}
}

// toolRun reads a run of a tool, or of a retriever: a call and its result.
func (r *Reader) toolRun(b *body, id string) {
	answers := ""
	if out, ok := r.member(b, "outputs"); ok {
		answers = answeredIn(out)
	}
	in, _ := r.member(b, "inputs")
	in = only(in, "input")
	id = r.ran(Item{ID: id, Name: b.str("name"), Args: in, origin: new(b.origin(b.root, ""))}, answers)
	out, _ := r.member(b, "outputs")
	if out = only(out, "output"); isLangChain(out) {
		end := r.paired()
		r.langChain(out)
		end()
	} else {
		r.result(Item{At: out, ID: id, Content: out})
	}
	if failure, ok := r.member(b, "error"); ok {
		r.result(Item{At: failure, ID: id, Content: failure, Failed: true})
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
