package replay

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// ErrNotDefinitions is wrapped by the error of Definitions for a file that
// parses and holds no definitions.
var ErrNotDefinitions = errors.New("no definitions")

// ErrBundle is wrapped by the error of Definitions for a zip that cannot be read.
var ErrBundle = errors.New("a zip that is cut off or damaged")

// Definitions reads a document of definitions: the result of tools/list, the
// whole response, a dump {tools,prompts,resources,resourceTemplates,
// instructions,serverInfo,…}, a tool by itself, a bare array of tools, an MCPB manifest or bundle,
// or a registry server.json.
func Definitions(name string, data []byte) ([]*scanner.Event, error) {
	if isZip(data) {
		return bundle(name, data)
	}
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	var doc wire.Doc
	if err := doc.Parse(data); err != nil {
		return nil, syntaxAt(name, data, err)
	}
	if !holdsDefinitions(&doc) {
		return nil, fmt.Errorf("%s: %w: expected tools, prompts, resources, resourceTemplates or instructions, a tool, a list of tools, an MCPB manifest, or a registry server.json", name, ErrNotDefinitions)
	}
	var events []*scanner.Event
	if formatOf(&doc, 0) != "" {
		events = append(events, skipped(name, 1, "%s", unread(&doc, 0)))
		if !namesTools(&doc) {
			return events, nil
		}
	}
	server := serverName(&doc, name)
	at := locator{file: name, data: data}
	events = append(events, definitionEvent(&at, server, &doc, 0))
	for _, n := range staticResponses(&doc) {
		events = append(events, definitionEvent(&at, server, &doc, n))
	}
	return events, nil
}

// definitionEvent makes the event of a document, or of one inside it.
func definitionEvent(at *locator, server string, doc *wire.Doc, n int) *scanner.Event {
	return &scanner.Event{Kind: scanner.DefinitionEvent, Type: typeDefinitions, Session: at.file, Server: server,
		Direction: scanner.ServerToClient, Frame: doc.Raw(n), Origin: at.place(int(doc.Nodes[n].Start))}
}

// namesTools reports tools with a name each, as in MCP. Requests to some language models
// have them, and they are inspected although the rest is not read.
func namesTools(doc *wire.Doc) bool {
	return doc.Kind(doc.Get(doc.First(doc.Get(0, "tools")), "name")) == wire.String
}

// holdsDefinitions recognises a document by its members.
func holdsDefinitions(doc *wire.Doc) bool {
	switch doc.Kind(0) {
	case wire.Array:
		first := doc.First(0)
		return doc.Kind(first) == wire.Object && doc.Kind(doc.Get(first, "name")) == wire.String &&
			(doc.Get(first, "description") >= 0 || doc.Get(first, "inputSchema") >= 0 || doc.Get(first, "input_schema") >= 0)
	case wire.Object:
		return holds(doc, 0) || holds(doc, doc.Get(0, "result")) || isManifest(doc) || isRegistry(doc) || scanner.BareTool(doc, 0)
	}
	return false
}

func holds(doc *wire.Doc, n int) bool {
	for _, key := range []string{"tools", "prompts", "resources", "resourceTemplates"} {
		if doc.Kind(doc.Get(n, key)) == wire.Array {
			return true
		}
	}
	return doc.Kind(doc.Get(n, "instructions")) == wire.String
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

// staticResponses returns the answers that a manifest carries for Windows, so
// that a host need not start the server to list it.
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
	if scanner.BareTool(doc, 0) { // its name is not that of a server
		return baseName(file)
	}
	for _, key := range []string{"package", "name"} {
		if s, ok := doc.Str(0, key); ok && s != "" {
			return s
		}
	}
	for _, n := range [...]int{0, doc.Get(0, "result")} {
		if s, ok := doc.Str(doc.Get(n, "serverInfo"), "name"); ok && s != "" {
			return s
		}
	}
	return baseName(file)
}

// The bounds of a bundle: a small zip can hold a very large file.
const (
	maxBundleFiles = 256
	maxBundleFile  = 16 << 20
	maxBundle      = 64 << 20
)

// bundle reads the manifest of an MCPB bundle and its translations, which can
// say something else in each language.
func bundle(name string, data []byte) ([]*scanner.Event, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%s: reading the bundle: %w: %w", name, ErrBundle, err)
	}
	var events []*scanner.Event
	seen := map[string]bool{}
	manifest, files, left := false, 0, int64(maxBundle)
	for _, f := range z.File {
		file := bundleName(f.Name)
		isManifest := file == "manifest.json"
		if !isManifest && !(strings.HasPrefix(file, "mcpb-resources/") && strings.HasSuffix(file, ".json")) {
			continue
		}
		if seen[file] {
			events = append(events, skipped(name, 1, "the bundle has a second %s: programs differ in which they read", file))
		}
		seen[file] = true
		first := isManifest && !manifest // it is read wherever it stands
		manifest = manifest || isManifest
		if files++; files > maxBundleFiles && !first {
			if files == maxBundleFiles+1 {
				events = append(events, skipped(name, 1, "the bundle has more than %d translations", maxBundleFiles))
			}
			continue
		}
		content, err := readZipped(f, min(left, maxBundleFile))
		left -= int64(len(content))
		if err != nil {
			events = append(events, skipped(name, 1, "a file of the bundle was not read: %v", err))
			continue
		}
		events = append(events, bundled(name, content, isManifest)...)
	}
	if !manifest {
		return nil, fmt.Errorf("%s: %w: the zip has no manifest.json, so it is no MCPB bundle", name, ErrNotDefinitions)
	}
	return events, nil
}

// isZip recognises a zip, also one with something in front of it, which programs
// read by the table at its end, or one without its end.
func isZip(data []byte) bool {
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) || bytes.HasPrefix(data, []byte("PK\x05\x06")) {
		return true
	}
	const tail = 22 + 1<<16 // the last record and the longest comment
	return !utf8.Valid(data) && (bytes.Contains(data[max(0, len(data)-tail):], []byte("PK\x05\x06")) || bytes.Contains(data[:min(len(data), tail)], []byte("PK\x03\x04")))
}

// bundleName is where a file of a zip ends up when it is unpacked, on a system
// that tells neither slashes nor letters apart.
func bundleName(name string) string {
	name = path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))
	return strings.ToLower(strings.TrimPrefix(name, "/"))
}

func bundled(name string, content []byte, isManifest bool) []*scanner.Event {
	var doc wire.Doc
	if err := doc.Parse(bytes.TrimPrefix(content, []byte("\xEF\xBB\xBF"))); err != nil {
		return []*scanner.Event{skipped(name, 1, "a JSON file of the bundle does not parse: %v", err)}
	}
	nodes := []int{0}
	if isManifest {
		nodes = append(nodes, staticResponses(&doc)...)
	}
	at := locator{file: name, data: doc.Data}
	var events []*scanner.Event
	for _, n := range nodes {
		e := definitionEvent(&at, serverName(&doc, name), &doc, n)
		e.Origin = scanner.Origin{File: name, Line: 1, Column: 1} // inside a zip there are no lines
		events = append(events, e)
	}
	return events
}

// readZipped reads one file; what it returns beside an error counts as read.
func readZipped(f *zip.File, limit int64) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("it is larger than %d MiB, or all are larger than %d MiB", maxBundleFile>>20, maxBundle>>20)
	}
	return content, err
}

// Events returns a source of events that are there already.
func Events(events []*scanner.Event) scanner.Source {
	if events == nil {
		events = []*scanner.Event{}
	}
	return &once{events}
}
