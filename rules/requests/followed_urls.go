package requests

import (
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// addressPlace identifies where in a message a client finds an address that it fetches or opens.
type addressPlace uint8

const (
	iconPlace addressPlace = iota
	websitePlace
	linkPlace        // in a resource_link in a result
	authPlace        // in authorization metadata
	elicitationPlace // opened by the user
)

var addressPlaceNames = [...]string{"the address of an icon", "websiteUrl", "the address of a resource link", "an address in the authorization metadata",
	"the address of an elicitation"}

func (a addressPlace) String() string { return addressPlaceNames[a] }

// authMembers are the members of authorization metadata with addresses that clients fetch or open.
// Source: RFC 8414, 9728 and OpenID Connect Discovery.
var authMembers = names.Set(`authorization_endpoint token_endpoint registration_endpoint jwks_uri revocation_endpoint introspection_endpoint
	userinfo_endpoint end_session_endpoint device_authorization_endpoint pushed_authorization_request_endpoint
	authorization_servers resource_metadata resource_documentation service_documentation op_policy_uri op_tos_uri`)

// notFollowed are members with arbitrary data, in which clients follow no addresses.
var notFollowed = names.Set(`structuredContent arguments inputSchema outputSchema requestedSchema`)

// followed invokes visit for each address in a message that clients fetch, or open for the user.
func followed(p *scanner.MessagePass, visit func(node int, place addressPlace)) {
	if p.Direction == mcp.ClientToServer {
		return
	}
	doc, end := p.Doc, int(p.Doc.Nodes[p.Root].Next)
	var buf []byte
	links := map[int]bool{} // cached by object, because an object may have any number of members
	for i := p.Root + 1; i < end && !p.Full(); i++ {
		n := &doc.Nodes[i]
		if n.KeyEnd == 0 {
			if n.Kind == wire.String && authList(doc, int(n.Parent)) {
				visit(i, authPlace)
			}
			continue
		}
		buf = buf[:0]
		key := doc.Key(i, &buf)
		if n.Kind != wire.String {
			if notFollowed[string(key)] && int(n.Parent) != p.Root {
				i = int(n.Next) - 1
			}
			continue
		}
		switch {
		case string(key) == "src" && inIcons(doc, int(n.Parent)):
			visit(i, iconPlace)
		case string(key) == "websiteUrl":
			visit(i, websitePlace)
		case string(key) == "uri":
			link, known := links[int(n.Parent)]
			if !known {
				kind, _ := doc.Str(int(n.Parent), "type")
				link = kind == "resource_link"
				links[int(n.Parent)] = link
			}
			if link {
				visit(i, linkPlace)
			}
		case authMembers[string(key)]:
			visit(i, authPlace)
		}
	}
	elicited(p, func(params int) {
		if at := doc.Get(params, "url"); doc.Kind(at) == wire.String {
			visit(at, elicitationPlace)
		}
	})
}

func authList(doc *wire.Doc, list int) bool {
	return list >= 0 && doc.KeyIs(list, "authorization_servers")
}

// inIcons reports whether an object is an element of an icons array.
func inIcons(doc *wire.Doc, object int) bool {
	list := int(doc.Nodes[object].Parent)
	return list >= 0 && doc.KeyIs(list, "icons")
}

// requested invokes visit for the parameters of each request with the given method from a server to its
// client. Since protocol version 2026-07-28, results, and notifications about tasks, contain such
// requests.
func requested(p *scanner.MessagePass, method string, visit func(params int)) {
	doc := p.Doc
	if p.Direction == mcp.ClientToServer {
		return
	}
	if p.Message.Method == method {
		if params := doc.Get(p.Root, "params"); params >= 0 {
			visit(params)
		}
	}
	in := doc.Get(p.Root, "result")
	if p.Message.Kind == mcp.Notification {
		in = doc.Get(p.Root, "params")
	}
	for c := doc.First(doc.Get(in, "inputRequests")); c >= 0; c = doc.Next(c) {
		if asks, _ := doc.Str(c, "method"); asks == method {
			if params := doc.Get(c, "params"); params >= 0 {
				visit(params)
			}
		}
	}
}

// elicited invokes visit for each elicitation by a server, in a request or in an error that
// requires one.
func elicited(p *scanner.MessagePass, visit func(params int)) {
	requested(p, "elicitation/create", visit)
	list := p.Doc.Get(p.Doc.Get(p.Doc.Get(p.Root, "error"), "data"), "elicitations")
	for c := p.Doc.First(list); c >= 0; c = p.Doc.Next(c) {
		visit(c)
	}
}
