package llm

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

var langSmithTypes = []string{"tool", "chain", "llm", "retriever", "embedding", "prompt", "parser"}

// langSmithRun recognises a run in a LangSmith trace. langSmithRuns recognises a list of runs, or an
// object with a page of such a list.
func langSmithRun(v View) bool {
	return v.says("run_type", langSmithTypes...) && v.either("id", "trace_id", "name").Is() && (v.At("inputs").Kind() != wire.Invalid || v.At("outputs").Kind() != wire.Invalid)
}

func langSmithRuns(v View) bool {
	return v.Kind() == wire.Array && langSmithRun(v.First()) || v.has("runs", wire.Array) && langSmithRun(v.At("runs").First())
}

// readLangSmithRuns reads runs in the order in which they ended: tool runs before the runs that contain
// them.
func readLangSmithRuns(r *Reader, b *body) {
	list, pointer := b.root, ""
	if list.Kind() == wire.Object {
		list, pointer = b.members["runs"], "/runs"
	}
	type run struct {
		v  wire.Value
		n  int
		at time.Time
	}
	var all []run
	for c := list.Children(); c.Next(); {
		all = append(all, run{c.Value, len(all), ended(c.Value.Str)})
	}
	slices.SortStableFunc(all, func(a, b run) int { return a.at.Compare(b.at) })
	for _, run := range all {
		if v, ok := r.view(b, run.v, pointer+index(run.n)); ok {
			r.langSmithRun(v)
		}
	}
}

// ended returns the time at which a run ended, or the time at which it started if it has no end.
// Times without a zone, as some programs write them, are in UTC.
func ended(member func(string) (string, bool)) (at time.Time) {
	for _, key := range []string{"end_time", "start_time"} {
		said, _ := member(key)
		said = strings.Replace(said, " ", "T", 1)
		if at = cmp.Or(stamp(said), stamp(said+"Z")); !at.IsZero() {
			break
		}
	}
	return at
}

func (r *Reader) langSmithRun(v View) {
	kind := v.Str("run_type")
	if kind == "" {
		r.skip(v, "%s: an element in an unknown format", r.format)
		return
	}
	at := func(run View) time.Time { return ended(func(key string) (string, bool) { return run.Str(key), true }) }
	var children []View
	v.At("child_runs").each(func(c View) { children = append(children, c) })
	slices.SortStableFunc(children, func(a, b View) int { return at(a).Compare(at(b)) })
	for _, c := range children {
		r.langSmithRun(c)
	}
	r.time, r.history = at(v), false
	r.clock = r.time.IsZero()
	id, m := cmp.Or(v.Str("id"), v.Pointer()), v.At("extra").At("metadata") // the metadata names the conversation that the trace is part of
	r.session, r.turn = cmp.Or(m.Str("thread_id"), m.Str("session_id"), m.Str("conversation_id"), v.Str("trace_id"), id), id
	params := v.At("extra").At("invocation_params")
	params.At("tools").each(r.liteLLMTool)
	params.At("functions").each(func(f View) { r.declare(f, "") })
	for _, key := range []string{"inputs", "outputs"} {
		if elsewhere := v.At(key + "_s3_urls"); !v.At(key).Is() && elsewhere.First().Is() {
			r.skip(elsewhere, "%s: the %s of a run are stored elsewhere", r.format, key)
		}
	}
	if kind == "tool" || kind == "retriever" {
		r.toolRun(v, id)
		return
	}
	for _, key := range []string{"inputs", "outputs"} {
		if said := v.At(key); said.Is() {
			r.history = key == "inputs" || kind != "llm" // these messages repeat those of other runs
			said.At("tools").each(r.liteLLMTool)
			r.runMessages(said, id+"/"+key)
		}
	}
}

// toolRun reads a run of a tool, or of a retriever: a call and its result.
func (r *Reader) toolRun(v View, id string) {
	out := v.At("outputs")
	id = r.ran(Item{At: v, ID: id, Name: v.Str("name"), Args: soleMember(v.At("inputs"), "input")}, answeredIn(out))
	if out = soleMember(out, "output"); isLangChain(out) {
		end := r.paired()
		r.langChain(out)
		end()
	} else {
		r.result(Item{At: out, ID: id, Content: out})
	}
	r.result(Item{At: v.At("error"), ID: id, Content: v.At("error"), Failed: true})
}

// soleMember returns the sole member of an object if it has the given key, and otherwise the object.
func soleMember(v View, key string) View {
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
