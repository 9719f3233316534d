package llm

import (
	"cmp"
	"slices"

	"github.com/mcpscan/mcpscan/internal/wire"
)

func readGeminiRequest(r *Reader, b *body) {
	r.style = Underlined
	r.conversation(b, firstSaid(b.members["contents"]), b.members["contents"])
	if b.members["tools"].Kind() == wire.Object { // the API accepts a single element without a list
		v, _ := r.member(b, "tools")
		r.geminiTools(v)
	} else {
		r.each(b, "tools", func(_ int, v View) { r.geminiTools(v) })
	}
	r.messages(b, "contents", r.geminiContent)
}

// geminiTools are the members of a tools entry for tools that the provider runs.
var geminiTools = []string{"googleSearch", "google_search", "googleSearchRetrieval", "google_search_retrieval", "codeExecution", "code_execution",
	"urlContext", "url_context", "exaAiSearch", "exa_ai_search", "parallelAiSearch", "parallel_ai_search",
	"computerUse", "computer_use", "googleMaps", "google_maps", "enterpriseWebSearch", "retrieval",
	"fileSearch", "file_search"}

func (r *Reader) geminiTools(v View) {
	for c := v.First(); c.Is(); c = c.Next() {
		switch key := c.Key(); {
		case key == "functionDeclarations" || key == "function_declarations":
			c.each(func(t View) {
				r.emit(Item{Kind: Declared, At: t, Tool: t, Name: t.Str("name"), Foreign: !t.either("parametersJsonSchema", "parameters_json_schema").Is()})
			})
		case key == "mcpServers" || key == "mcp_servers":
			c.each(func(s View) { r.emit(Item{Kind: Known, At: s, Server: s.Str("name")}) })
		case slices.Contains(geminiTools, key):
			r.ignore(c, "tools defined by the model provider")
		default:
			r.unknown(c, "a tool", key)
		}
	}
}

// codeExecution is the name under which calls to the provider's code execution are reported.
const codeExecution = "code_execution"

// geminiTexts are the members of a part that contains text, media or a thought, rather than a call or a
// result.
var geminiTexts = []string{"text", "thought", "inlineData", "inline_data", "fileData", "file_data", "audioTranscription", "audio_transcription",
	"thoughtSignature", "thought_signature"}

// geminiContent reads a content object. A call or result without an id is identified by its tool's
// name.
func (r *Reader) geminiContent(v View) {
	for p := v.At("parts").First(); p.Kind() != wire.Invalid; p = p.Next() {
		call, answer := p.either("functionCall", "function_call"), p.either("functionResponse", "function_response")
		code, ran := p.either("executableCode", "executable_code"), p.either("codeExecutionResult", "code_execution_result")
		search, found := p.either("toolCall", "tool_call"), p.either("toolResponse", "tool_response") // of tools that the provider runs
		switch {
		case call.Is():
			r.emit(Item{Kind: Call, At: call, ID: geminiID(call), Name: call.Str("name"), Args: call.At("args")})
		case answer.Is():
			r.emit(Item{Kind: Result, At: answer, ID: geminiID(answer), Name: answer.Str("name"), Content: answer.At("response"), Media: answer.At("parts")})
		case code.Is():
			r.emit(Item{Kind: Call, At: code, ID: cmp.Or(code.Str("id"), unnamed+codeExecution), Name: codeExecution, Server: Provider, Args: code})
		case ran.Is():
			r.emit(Item{Kind: Result, At: ran, ID: cmp.Or(ran.Str("id"), unnamed+codeExecution), Server: Provider, Content: ran})
		case search.Is():
			r.emit(Item{Kind: Call, At: search, ID: search.Str("id"), Name: cmp.Or(search.Str("toolType"), search.Str("tool_type")), Server: Provider, Args: search.At("args")})
		case found.Is():
			r.emit(Item{Kind: Result, At: found, ID: found.Str("id"), Server: Provider, Content: found.At("response")})
		case p.either(geminiTexts...).Is(): // last, because thoughtSignature can be beside any other member
			r.text(p)
		default:
			r.unknown(p, "a part", p.First().Key())
		}
	}
}

// geminiID returns the id of a call or result. If calls to the same tool have no ids, they are answered
// in order.
func geminiID(v View) string { return cmp.Or(v.Str("id"), unnamed+v.Str("name")) }

func readGeminiResponse(r *Reader, b *body) {
	r.style = Underlined
	r.history = true
	for _, key := range []string{"automaticFunctionCallingHistory", "automatic_function_calling_history"} { // added by an SDK that ran the calls
		r.each(b, key, func(_ int, v View) { r.geminiContent(v) })
	}
	r.response()
	r.each(b, "candidates", func(_ int, v View) {
		r.geminiContent(v.At("content"))
		grounding := v.either("groundingMetadata", "grounding_metadata")
		r.result(Item{At: grounding, Server: Provider, Content: grounding.either("groundingChunks", "grounding_chunks")}) // results of the provider's search
	})
}

// readGeminiStream reads a response that arrived as an array of pieces.
func readGeminiStream(r *Reader, b *body) {
	i := 0
	for c := b.root.Children(); c.Next(); i++ {
		readGeminiResponse(r, r.sub(b, c.Value, index(i)))
	}
}
