package proxy

import (
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/replay"
)

// geminiFlow is a Gemini stream. Each event is a complete response that contains the next parts of
// the answer.
type geminiFlow struct{ said map[int][]replay.Said }

func (f *geminiFlow) take(_ *llmEvent, doc *wire.Doc) llmStep {
	list := doc.Get(0, "candidates")
	if list < 0 {
		return passOn
	}
	for c := doc.First(list); c >= 0; c = doc.Next(c) {
		parts := doc.Find(c, "/content/parts")
		if parts < 0 {
			continue
		}
		for p := doc.First(parts); p >= 0; p = doc.Next(p) {
			if doc.Get(p, "functionCall") >= 0 || doc.Get(p, "function_call") >= 0 {
				return judgeIt
			}
		}
	}
	return passOn
}

func (f *geminiFlow) decide(said []replay.Said, _ bool) {
	f.said = map[int][]replay.Said{}
	for _, s := range said {
		f.said[s.Event] = append(f.said[s.Event], s)
	}
}

func (f *geminiFlow) write(dst []byte, e *llmEvent, _ *wire.Doc) []byte {
	said := f.said[e.nth]
	delete(f.said, e.nth)
	if data := rewriteLLM(e.data, said); data != nil {
		return append(dst, withData(e.block, data)...)
	}
	return append(dst, e.raw...)
}
