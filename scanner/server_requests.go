package scanner

import (
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// notification inspects the parameters of a notification.
func (in *Inspector) notification(m *Message, node int) {
	doc := in.tree
	if doc.Kind(node) != wire.Object {
		in.region(mcp.NotificationSubject, "", node, node)
	}
	for c := doc.First(node); c >= 0 && doc.Kind(node) == wire.Object; c = doc.Next(c) {
		if doc.KeyIs(c, "inputRequests") && doc.Kind(c) == wire.Object {
			in.inputRequests(m, mcp.NotificationSubject, node, c)
		} else {
			in.region(mcp.NotificationSubject, "", node, c)
		}
	}
	in.scattered(mcp.NotificationSubject, "", node, node)
}

// inputRequests inspects the requests (sampling, elicitation, roots) that, as of protocol version
// 2026-07-28, a result or a notification about a task can contain. Their keys, which the server chooses,
// belong to the given subject, which begins at node from.
func (in *Inspector) inputRequests(m *Message, subject mcp.SubjectKind, from, node int) {
	doc := in.tree
	for c := doc.First(node); c >= 0; c = doc.Next(c) {
		in.asks(m, c)
		method, _ := doc.Str(c, "method")
		kind := requestSubject(method)
		if kind == mcp.NoSubject {
			kind = mcp.MessageSubject
		}
		in.span(subject, "", from, c, c+1)
		in.span(kind, "", c, c+1, int(doc.Nodes[c].Next))
		in.scattered(kind, "", c, c)
	}
}

// asks adds the request at node i to the message, once for each method that some parser reads in it.
func (in *Inspector) asks(m *Message, i int) {
	var asked Message
	in.methodsOf(&asked, i)
	a := Ask{Method: asked.Method, Offset: int(in.tree.Nodes[i].Start - in.tree.Nodes[in.event.root].Start)}
	if params := in.member(i, "params"); params >= 0 && in.engine.options.Policy != nil && !in.brief && len(m.Asks) <= maxAsks {
		a.Arguments, a.Partial = in.arguments(params)
		a.Partial = a.Partial || in.misplaced(params)
	}
	for _, method := range append([]string{a.Method}, asked.OtherMethods...) {
		if a.Method = method; len(m.Asks) <= maxAsks {
			m.Asks = append(m.Asks, a)
		}
	}
}

func requestSubject(method string) mcp.SubjectKind {
	switch method {
	case "sampling/createMessage":
		return mcp.SamplingSubject
	case "elicitation/create":
		return mcp.ElicitationSubject
	}
	return mcp.NoSubject
}
