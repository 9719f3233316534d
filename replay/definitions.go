package replay

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// ErrNotDefinitions is wrapped by the error that Definitions returns if the file parses but
// contains no definitions.
var ErrNotDefinitions = errors.New("no definitions")

// errSyntax is wrapped by the error that Definitions returns if the file does not parse.
var errSyntax = errors.New("definitions must be plain JSON, without comments or trailing commas")

// ErrBundle is wrapped by the error that Definitions returns if the file is a zip that cannot be
// read.
var ErrBundle = errors.New("a truncated or damaged zip")

// Definitions reads a document of definitions: the result of a list, initialize or server/discover, the
// whole response, a dump {tools,prompts,resources,resourceTemplates,instructions,serverInfo,…}, a single
// tool, an array of tools, an MCPB manifest or bundle, or a registry server.json.
func Definitions(name string, data []byte) ([]*scanner.Event, error) {
	if isZip(data) {
		return bundle(name, data)
	}
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	if len(bytes.TrimSpace(data)) == 0 { // such as the output of a failed command
		return nil, fmt.Errorf("%s is empty: expected definitions or a client configuration", name)
	}
	var doc wire.Doc
	if err := doc.Parse(data); err != nil {
		return nil, syntaxAt(name, data, err, errSyntax)
	}
	if !holdsDefinitions(&doc) {
		return nil, fmt.Errorf("%s: %w: expected tools, prompts, resources, resourceTemplates or instructions, the result of initialize, a tool, a list of tools, an MCPB manifest, or a registry server.json", name, ErrNotDefinitions)
	}
	var events []*scanner.Event
	if formatOf(&doc) != "" {
		events = append(events, skipped(name, 1, "%s", unread(&doc)))
		if !namesTools(&doc) {
			return events, nil
		}
	}
	server := serverName(&doc, name)
	at := scanner.NewPlaces(name, data)
	events = append(events, definitionEvent(at, name, server, &doc, 0))
	if places := translationsOf(data); len(places) > 1 {
		events = append(events, &scanner.Event{Kind: scanner.IgnoredEvent, Origin: at.Origin(0), Reason: "the manifest's translations are in separate files: to include them, scan the bundle"})
	}
	for _, n := range staticResponses(&doc) {
		events = append(events, definitionEvent(at, name, server, &doc, n))
	}
	return events, nil
}

// definitionEvent returns the event for the definitions at node n of a document.
func definitionEvent(at *scanner.Places, name, server string, doc *wire.Doc, n int) *scanner.Event {
	return &scanner.Event{Kind: scanner.DefinitionEvent, Type: typeDefinitions, Session: name, Server: server,
		Direction: mcp.ServerToClient, Frame: doc.Raw(n), Origin: at.Origin(int(doc.Nodes[n].Start))}
}

// namesTools reports whether the tools in a document have a name member, as in MCP. The tools in
// some requests to language models have one too; they are inspected, although the rest of the
// request is not read.
func namesTools(doc *wire.Doc) bool {
	return doc.Kind(doc.Get(doc.First(doc.Get(0, "tools")), "name")) == wire.String
}

// holdsDefinitions recognises a document of definitions by its members.
func holdsDefinitions(doc *wire.Doc) bool {
	switch doc.Kind(0) {
	case wire.Array:
		first := doc.First(0)
		return doc.Kind(first) == wire.Object && doc.Kind(doc.Get(first, "name")) == wire.String &&
			(doc.Get(first, "description") >= 0 || doc.Get(first, "inputSchema") >= 0 || doc.Get(first, "input_schema") >= 0)
	case wire.Object:
		return holds(doc, 0) || holds(doc, doc.Get(0, "result")) || isManifest(doc) || isRegistry(doc) || mcp.BareTool(doc, 0)
	}
	return false
}

// holds reports whether a value contains instructions or a list of definitions, or is the result of
// initialize or server/discover. A list of strings does not count, because files that configure agents
// contain lists of tool names.
func holds(doc *wire.Doc, n int) bool {
	for _, key := range []string{"tools", "prompts", "resources", "resourceTemplates"} {
		list := doc.Get(n, key)
		if doc.Kind(list) == wire.Array && doc.Kind(doc.First(list)) != wire.String {
			return true
		}
	}
	introduces := doc.Kind(doc.Get(n, "serverInfo")) == wire.Object && doc.Kind(doc.Get(n, "protocolVersion")) == wire.String ||
		doc.Kind(doc.Get(n, "capabilities")) == wire.Object && doc.Kind(doc.Get(n, "supportedVersions")) == wire.Array
	return introduces || doc.Kind(doc.Get(n, "instructions")) == wire.String
}

// isManifest recognises an MCPB (or DXT) manifest.
func isManifest(doc *wire.Doc) bool {
	return (doc.Get(0, "manifest_version") >= 0 || doc.Get(0, "dxt_version") >= 0) && doc.Get(0, "server") >= 0
}

// isRegistry recognises a server.json of the MCP registry.
func isRegistry(doc *wire.Doc) bool {
	schema, _ := doc.Str(0, "$schema")
	lists := doc.Kind(doc.Get(0, "packages")) == wire.Array || doc.Kind(doc.Get(0, "remotes")) == wire.Array
	return strings.Contains(schema, "server.schema.json") || lists && doc.Kind(doc.Get(0, "name")) == wire.String
}

// staticResponses returns the nodes of the static responses in a manifest for Windows. They let a
// host list a server's definitions without starting the server.
func staticResponses(doc *wire.Doc) []int {
	static := doc.Get(doc.Get(doc.Get(0, "_meta"), "com.microsoft.windows"), "static_responses")
	var nodes []int
	for c := doc.First(static); c >= 0; c = doc.Next(c) {
		if doc.Kind(c) == wire.Object {
			nodes = append(nodes, c)
		}
	}
	return nodes
}

func serverName(doc *wire.Doc, file string) string {
	if mcp.BareTool(doc, 0) { // a bare tool's name is not a server name
		return baseName(file)
	}
	for _, key := range []string{"package", "name"} {
		if s, ok := doc.Str(0, key); ok && s != "" {
			return s
		}
	}
	for _, n := range [...]int{0, doc.Get(0, "result")} {
		for _, info := range [...]int{doc.Get(n, "serverInfo"), doc.Get(doc.Get(n, "_meta"), mcp.MetaServerInfo)} {
			if s, ok := doc.Str(info, "name"); ok && s != "" {
				return s
			}
		}
	}
	return baseName(file)
}

// Events returns a source that yields the given events.
func Events(events []*scanner.Event) scanner.Source {
	if events == nil {
		events = []*scanner.Event{}
	}
	return &once{events}
}
