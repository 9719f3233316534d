package policy

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// request is a request with what rules look at, which is found once for all of them.
type request struct {
	*scanner.PolicyRequest
	event   string   // its event_type
	names   []string // what it gives for its target; more than one where the key is there twice
	values  []argumentValue
	paths   []value
	command bool                // one of its arguments is a command, or code
	lost    bool                // there is more in it than was looked at
	spelt   map[string][]string // the spellings of names that were asked for
	unnamed bool                // it does not name its tool, prompt or resource where it must
}

// argumentValue is one of the values of the arguments. paths[first:last] are its own.
type argumentValue struct {
	*scanner.Argument
	keys        []string // the names that it is under
	first, last int
}

// The words of event_type. Connect is not a message, but a request that contains an address.
const (
	toolCall     = "tool_call"
	resourceRead = "resource_read"
	promptGet    = "prompt_get"
	sampling     = "sampling"
	list         = "list"
	notification = "notification"
	other        = "other"
	connect      = "connect"
)

// EventTypes are the words that event_type knows.
var EventTypes = []string{toolCall, resourceRead, promptGet, sampling, list, notification, other, connect}

// eventOf returns the event_type of a method.
func eventOf(method string) string {
	switch method {
	case "tools/call":
		return toolCall
	case "resources/read":
		return resourceRead
	case "prompts/get":
		return promptGet
	case "sampling/createMessage":
		return sampling
	}
	switch {
	case strings.HasPrefix(method, "notifications/"):
		return notification
	case strings.HasSuffix(method, "/list"):
		return list
	}
	return other
}

// Methods are those of MCP, of all versions of the protocol.
var Methods = []string{
	"tools/call", "resources/read", "prompts/get", "sampling/createMessage", "initialize", "ping", "tools/list", "resources/list",
	"resources/templates/list", "resources/subscribe", "resources/unsubscribe", "prompts/list", "completion/complete", "logging/setLevel",
	"elicitation/create", "roots/list", "tasks/get", "tasks/list", "tasks/result", "tasks/cancel", "tasks/update", "server/discover",
	"subscriptions/listen", "notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/message",
	"notifications/tools/list_changed", "notifications/resources/list_changed", "notifications/resources/updated",
	"notifications/prompts/list_changed", "notifications/roots/list_changed", "notifications/elicitation/complete",
	"notifications/tasks/status", "notifications/subscriptions/acknowledged",
}

// newRequest returns a request, with its values and paths where they are asked for.
func newRequest(r *scanner.PolicyRequest, paths bool) *request {
	q := &request{PolicyRequest: r, event: eventOf(r.Method), lost: r.Partial, names: []string{r.Target}}
	nested := r.Method == "tools/call" || r.Method == "prompts/get"
	for i := range r.Arguments {
		a := &r.Arguments[i]
		if !paths {
			if nested && strings.EqualFold(a.Pointer, "/name") && a.Text != r.Target {
				q.names = append(q.names, a.Text)
			}
			continue
		}
		keys := strings.Split(strings.TrimPrefix(a.Pointer, "/"), "/")
		for k, seg := range keys {
			keys[k] = wire.UnescapePointer(seg)
		}
		switch {
		case nested && len(keys) == 1 && strings.EqualFold(keys[0], "name") && a.Text != r.Target:
			q.names = append(q.names, a.Text)
		case nested && strings.EqualFold(keys[0], "arguments"):
			q.values = append(q.values, argumentValue{Argument: a, keys: keys[1:]})
		case !(nested && strings.EqualFold(keys[0], "name")): // there are servers that look beside them
			q.values = append(q.values, argumentValue{Argument: a, keys: keys})
		}
	}
	q.unnamed = r.Target == "" && (nested || r.Method == "resources/read")
	if paths {
		q.look()
	}
	return q
}

// decided are the methods that rules in TOML decide about. All others pass.
var decided = map[string]bool{"tools/call": true, "resources/read": true, "prompts/get": true, "sampling/createMessage": true}
