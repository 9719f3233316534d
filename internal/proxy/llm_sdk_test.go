//go:build sdk

// Compiling the SDKs takes as long as compiling all other tests of this package together.

package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/mcpscan/mcpscan/scanner"
)

// answered is an answer as an SDK presents it to an agent: texts and calls in order, and the stop
// reason.
type answered struct {
	said []string
	end  string
}

func (a *answered) text(s string) {
	if s != "" {
		a.said = append(a.said, s)
	}
}

func (a *answered) call(id, name, arguments string) {
	a.said = append(a.said, fmt.Sprintf("%s %s %s", id, name, arguments))
}

const (
	readCall = `%s mcp__mail__read_inbox {"folder":"inbox","limit":3}`
	noSend   = "[mcpscan] Tool 'mcp__mail__denied_send' blocked by policy: it is denied"
	noDrop   = "[mcpscan] Tool 'mcp__mail__denied_drop' blocked by policy: it is denied"
	lookup   = "I will look that up."
)

// TestLLMClients checks that the providers' official SDKs accept answers changed by the proxy, and
// interpret them as intended.
func TestLLMClients(t *testing.T) {
	clients := []struct {
		name, file string
		ask        func(url string) (answered, error)
		id         string // id of the first call
		calls, end string // finish reasons of answers with and without calls
		content    string // of an answer with a call; "" if there is none
		joined     string // separator between texts; "" if they stay separate
	}{
		{"anthropic", "anthropic-buffered", askAnthropic, "toolu_1", "tool_use", "end_turn", lookup, ""},
		{"anthropic stream", "anthropic-streamed", streamAnthropic, "toolu_1", "tool_use", "end_turn", lookup, ""},
		{"chat", "openai-buffered", askChat, "call_1", "tool_calls", "stop", "", "\n"},
		{"chat stream", "openai-streamed", streamChat, "call_1", "tool_calls", "stop", "", "\n\n"},
		{"responses", "responses-buffered", askResponses, "call_1", "completed", "completed", lookup, ""},
		{"responses stream", "responses-streamed", streamResponses, "call_1", "completed", "completed", lookup, ""},
	}
	for _, c := range clients {
		x, _ := readExchange(t, "testdata/llm/"+c.file+".txtar")
		read := fmt.Sprintf(readCall, c.id)
		wants := map[string]answered{
			"none":       {[]string{read}, c.calls},
			"one":        {[]string{noSend}, c.end},
			"one-of-two": {[]string{read, noSend}, c.calls},
			"all":        {[]string{noSend, noDrop}, c.end},
		}
		if c.joined != "" { // there is only one text, which precedes the calls
			wants["one-of-two"] = answered{[]string{noSend, read}, c.calls}
			wants["all"] = answered{[]string{noSend + c.joined + noDrop}, c.end}
		}
		for _, name := range cases {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				a := inFrontOf(t, engineOf(t, scanner.Options{Policy: denying{}}), func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					say(w, x.kind, x.answers[name])
				}, nil)
				got, err := c.ask(a.url)
				if err != nil {
					t.Fatal(err)
				}
				want := wants[name]
				if c.content != "" {
					want.said = append([]string{c.content}, want.said...)
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("got  %q\nwant %q", got, want)
				}
			})
		}
	}
}

func anthropicClient(url string) (anthropic.Client, anthropic.MessageNewParams) {
	client := anthropic.NewClient(anthropicoption.WithBaseURL(url), anthropicoption.WithAPIKey("sk-ant-test"), anthropicoption.WithMaxRetries(0))
	return client, anthropic.MessageNewParams{
		Model: "claude-sonnet-4-5", MaxTokens: 1024,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("What is new?"))},
		Tools:    []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "mcp__mail__read_inbox"}}},
	}
}

func ofMessage(m *anthropic.Message) (a answered) {
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			a.text(b.Text)
		case "tool_use":
			a.call(b.ID, b.Name, string(b.Input))
		}
	}
	a.end = string(m.StopReason)
	return a
}

func askAnthropic(url string) (answered, error) {
	client, params := anthropicClient(url)
	m, err := client.Messages.New(context.Background(), params)
	if err != nil {
		return answered{}, err
	}
	return ofMessage(m), nil
}

func streamAnthropic(url string) (answered, error) {
	client, params := anthropicClient(url)
	s := client.Messages.NewStreaming(context.Background(), params)
	var m anthropic.Message
	for s.Next() {
		if err := m.Accumulate(s.Current()); err != nil {
			return answered{}, err
		}
	}
	return ofMessage(&m), s.Err()
}

func openAIClient(url string) (openai.Client, openai.ChatCompletionNewParams) {
	client := openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("sk-test"), option.WithMaxRetries(0))
	return client, openai.ChatCompletionNewParams{
		Model: "gpt-5", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("What is new?")},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "mcp__mail__read_inbox"})},
	}
}

func ofChat(c *openai.ChatCompletion) (a answered) {
	for _, choice := range c.Choices {
		a.text(choice.Message.Content)
		for _, call := range choice.Message.ToolCalls {
			a.call(call.ID, call.Function.Name, call.Function.Arguments)
		}
		a.end = choice.FinishReason
	}
	return a
}

func askChat(url string) (answered, error) {
	client, params := openAIClient(url)
	c, err := client.Chat.Completions.New(context.Background(), params)
	if err != nil {
		return answered{}, err
	}
	return ofChat(c), nil
}

func streamChat(url string) (answered, error) {
	client, params := openAIClient(url)
	s := client.Chat.Completions.NewStreaming(context.Background(), params)
	var all openai.ChatCompletionAccumulator
	for s.Next() {
		if !all.AddChunk(s.Current()) {
			return answered{}, fmt.Errorf("the SDK does not accept %s", s.Current().RawJSON())
		}
	}
	return ofChat(&all.ChatCompletion), s.Err()
}

func ofResponse(r *responses.Response) (a answered) {
	for _, item := range r.Output {
		switch item.Type {
		case "message":
			for _, part := range item.Content {
				a.text(part.Text)
			}
		case "function_call":
			a.call(item.CallID, item.Name, item.Arguments.OfString)
		}
	}
	a.end = string(r.Status)
	return a
}

func responsesParams() responses.ResponseNewParams {
	return responses.ResponseNewParams{
		Model: "gpt-5", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("What is new?")},
		Tools: []responses.ToolUnionParam{responses.ToolParamOfFunction("mcp__mail__read_inbox", map[string]any{"type": "object"}, false)},
	}
}

func askResponses(url string) (answered, error) {
	client, _ := openAIClient(url)
	r, err := client.Responses.New(context.Background(), responsesParams())
	if err != nil {
		return answered{}, err
	}
	return ofResponse(r), nil
}

// streamResponses reads the items from the events in a stream, and compares them with the complete
// response at its end.
func streamResponses(url string) (answered, error) {
	client, _ := openAIClient(url)
	s := client.Responses.NewStreaming(context.Background(), responsesParams())
	var items, deltas []string
	var whole answered
	for s.Next() {
		switch e := s.Current().AsAny().(type) {
		case responses.ResponseOutputItemDoneEvent:
			one := ofResponse(&responses.Response{Output: []responses.ResponseOutputItemUnion{e.Item}})
			items = append(items, one.said...)
		case responses.ResponseTextDeltaEvent:
			deltas = append(deltas, e.Delta)
		case responses.ResponseCompletedEvent:
			whole = ofResponse(&e.Response)
		}
	}
	if fmt.Sprint(items) != fmt.Sprint(whole.said) {
		return whole, fmt.Errorf("the items are %q, and those of the response %q", items, whole.said)
	}
	for _, d := range whole.said {
		if said := strings.Join(deltas, ""); strings.HasPrefix(d, "[mcpscan]") && !strings.Contains(said, d) {
			return whole, fmt.Errorf("no delta contains %q: %q", d, deltas)
		}
	}
	return whole, s.Err()
}

// TestLLMRefusedRequests checks that for a refused request, an SDK gets an error in the
// provider's format and does not retry.
func TestLLMRefusedRequests(t *testing.T) {
	a := inFrontOf(t, blockingEngine(t), func(http.ResponseWriter, *http.Request) { t.Error("the provider was asked") }, nil)
	client, params := anthropicClient(a.url)
	params.Tools[0].OfTool.Description = anthropic.String(poison)
	_, err := client.Messages.New(context.Background(), params)
	if refused, ok := err.(*anthropic.Error); !ok || refused.StatusCode != 403 || !strings.Contains(refused.RawJSON(), `"permission_error"`) || !strings.Contains(err.Error(), "blocked by mcpscan") {
		t.Errorf("anthropic: %v", err)
	}
	other, chat := openAIClient(a.url)
	chat.Tools[0].OfFunction.Function.Description = openai.String(poison)
	_, err = other.Chat.Completions.New(context.Background(), chat)
	if refused, ok := err.(*openai.Error); !ok || refused.StatusCode != 403 || refused.Code != "blocked_by_mcpscan" || !strings.Contains(refused.Message, "blocked by mcpscan") {
		t.Errorf("openai: %v", err)
	}
}
