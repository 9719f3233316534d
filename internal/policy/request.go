package policy

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// request adds to a PolicyRequest the data that rules inspect, computed once for all rules.
type request struct {
	*scanner.PolicyRequest
	event   string    // event_type of the request
	names   []string  // names of its target; more than one if the key is duplicated
	uris    [][]value // for each name, its paths if it is a URI
	values  []argumentValue
	paths   []value
	command bool                // some argument is a command or code
	lost    bool                // parts of the request were not inspected
	spelt   map[string][]string // cache of the spellings of names
	unnamed bool                // the request lacks the required name of its tool, prompt or resource
}

// argumentValue is one value in the arguments, with its paths in paths[first:last].
type argumentValue struct {
	*scanner.Argument
	keys        []string // keys that lead to the value
	about       topics   // of the keys
	outer       int      // number of keys that lead to the JSON text which contains the value
	first, last int
	inner       bool // part of a JSON text in a string; only rules that refuse compare it with args
	escaped     bool // the key or the value has escapes in that text, so the text does not show it
	lines       bool // that text has several lines
}

// topics says what the keys that lead to a value are about. Each key is read only once, because many
// values can have the same long keys.
type topics struct {
	path, command, host bool
	media               bool // set from the argument's own name only, not from nested keys
}

// knownTopics are the topics of the keys that were read.
type knownTopics map[string]topics

func (k knownTopics) of(key string) topics {
	t, known := k[key]
	if !known {
		t = topics{names.HasWord(key, pathWords), names.HasWord(key, commandWords), names.HasWord(key, hostWords), names.HasWord(key, mediaWords)}
		k[key] = t
	}
	return t
}

func (k knownTopics) value(a *scanner.Argument, keys []string) argumentValue {
	v := argumentValue{Argument: a, keys: keys, about: topics{media: k.of(a.Name).media}}
	for _, key := range keys {
		v.about = v.about.and(k.of(key))
	}
	return v
}

// and adds the topics of a further key.
func (t topics) and(o topics) topics {
	return topics{t.path || o.path, t.command || o.command, t.host || o.host, t.media}
}

// The values of event_type. Connect is not a message type; it stands for a request that contains a
// network address.
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

// EventTypes are the valid values of event_type.
var EventTypes = []string{toolCall, resourceRead, promptGet, sampling, list, notification, other, connect}

// eventOf returns the event_type for a method.
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

// Methods are the MCP methods of all protocol versions.
var Methods = []string{
	"tools/call", "resources/read", "prompts/get", "sampling/createMessage", "initialize", "ping", "tools/list", "resources/list",
	"resources/templates/list", "resources/subscribe", "resources/unsubscribe", "prompts/list", "completion/complete", "logging/setLevel",
	"elicitation/create", "roots/list", "tasks/get", "tasks/list", "tasks/result", "tasks/cancel", "tasks/update", "server/discover",
	"subscriptions/listen", "notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/message",
	"notifications/tools/list_changed", "notifications/resources/list_changed", "notifications/resources/updated",
	"notifications/prompts/list_changed", "notifications/roots/list_changed", "notifications/elicitation/complete",
	"notifications/tasks/status", "notifications/subscriptions/acknowledged",
}

// nameKeys maps methods to the parameter that names the target.
var nameKeys = map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

// newRequest returns a request, with its values and paths if they are needed.
func newRequest(r *scanner.PolicyRequest, paths bool) *request {
	q := &request{PolicyRequest: r, event: eventOf(r.Method), lost: r.Partial, names: []string{r.Target}}
	key := nameKeys[r.Method]
	nested, known := key == "name", knownTopics{}
	for i := range r.Arguments {
		a := &r.Arguments[i]
		if !paths {
			if key != "" && strings.EqualFold(a.Pointer, "/"+key) && a.Text != r.Target {
				q.names = append(q.names, a.Text)
			}
			continue
		}
		keys := strings.Split(strings.TrimPrefix(a.Pointer, "/"), "/")
		for k, seg := range keys {
			keys[k] = wire.UnescapePointer(seg)
		}
		if key != "" && len(keys) == 1 && strings.EqualFold(keys[0], key) && a.Text != r.Target {
			q.names = append(q.names, a.Text)
		}
		switch {
		case nested && strings.EqualFold(keys[0], "arguments"):
			q.values = append(q.values, known.value(a, keys[1:]))
		case !(nested && strings.EqualFold(keys[0], "name")): // some servers also read parameters other than name and arguments
			q.values = append(q.values, known.value(a, keys))
		}
	}
	q.unnamed = r.Target == "" && key != ""
	if paths {
		q.unpack(known)
		q.look()
	}
	return q
}

// decided are the methods that TOML rules decide on. All others pass.
var decided = map[string]bool{"tools/call": true, "resources/read": true, "prompts/get": true, "sampling/createMessage": true}
