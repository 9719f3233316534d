package proxy

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/replay"
)

// geminiFlow is a Gemini stream. Each event is a complete response that contains the next parts of
// the answer.
type geminiFlow struct{ said map[int][]replay.Said }

func (f *geminiFlow) take(_ *llmEvent, doc *wire.Doc) llmStep {
	step := passOn
	eachGeminiCall(doc, func(int) { step = judgeIt })
	return step
}

func (f *geminiFlow) decide(said []replay.Said) { f.said = byEvent(said) }

func (f *geminiFlow) write(dst []byte, e *llmEvent, doc *wire.Doc) []byte {
	said := f.said[e.nth]
	delete(f.said, e.nth)
	eachGeminiCall(doc, func(call int) {
		path := string(doc.AppendPointer(nil, 0, call))
		if !slices.ContainsFunc(said, func(s replay.Said) bool { return s.Kind == replay.SaidCall && s.Path == path }) {
			s := unjudged(str(doc, call, "name"))
			s.Path = path
			said = append(said, *s)
		}
	})
	return e.rewritten(dst, said)
}

// eachGeminiCall visits the calls in an event.
func eachGeminiCall(doc *wire.Doc, visit func(call int)) {
	for c := doc.First(doc.Get(0, "candidates")); c >= 0; c = doc.Next(c) {
		for p := doc.First(doc.Find(c, "/content/parts")); p >= 0; p = doc.Next(p) {
			for _, key := range [...]string{"functionCall", "function_call"} {
				if call := doc.Get(p, key); doc.Kind(call) > wire.Null {
					visit(call)
					break // a part has at most one call
				}
			}
		}
	}
}
