package proxy

import (
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/replay"
)

// geminiFlow is a Gemini stream. Each event is a complete response that contains the next parts of
// the answer.
type geminiFlow struct{ said map[int][]replay.Said }

func (f *geminiFlow) take(_ *llmEvent, doc *wire.Doc) llmStep {
	for c := doc.First(doc.Get(0, "candidates")); c >= 0; c = doc.Next(c) {
		for p := doc.First(doc.Find(c, "/content/parts")); p >= 0; p = doc.Next(p) {
			if doc.Get(p, "functionCall") >= 0 || doc.Get(p, "function_call") >= 0 {
				return judgeIt
			}
		}
	}
	return passOn
}

func (f *geminiFlow) decide(said []replay.Said) { f.said = byEvent(said) }

func (f *geminiFlow) write(dst []byte, e *llmEvent, _ *wire.Doc) []byte {
	said := f.said[e.nth]
	delete(f.said, e.nth)
	return e.rewritten(dst, said)
}
