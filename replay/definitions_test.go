package replay

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/effort"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// define reads definitions and compares their locations with the file.
func define(t testing.TB, name, data string) []scanner.Event {
	t.Helper()
	found, err := Definitions(name, []byte(data))
	if err != nil {
		t.Fatalf("Definitions: %v", err)
	}
	events, err := drain(Events(found))
	if err != nil {
		t.Fatal(err)
	}
	checkPlaces(t, data, events)
	return events
}

const tool = `{"name":"a","description":"b","inputSchema":{}}`

func TestDefinitions(t *testing.T) {
	tests := []struct{ name, in, server string }{
		{"a tools/list result", `{"tools":[` + tool + `],"nextCursor":"x"}`, "f"},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`, "f"},
		{"a response to initialize with instructions", `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"srv"},"instructions":"x"}}`, "srv"},
		{"the result of initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"srv"}}`, "srv"},
		{"the response to initialize", `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"srv"}}}`, "srv"},
		{"the result of server/discover", `{"supportedVersions":["2026-07-28"],"capabilities":{},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"srv"}}}`, "srv"},
		{"prompts", `{"prompts":[]}`, "f"}, {"resources", `{"resources":[]}`, "f"}, {"templates", `{"resourceTemplates":[]}`, "f"},
		{"instructions", `{"instructions":"x"}`, "f"},
		{"a dump", `{"package":"@x/y","serverInfo":{"name":"srv"},"tools":[],"prompts":[],"resources":[],"instructions":null}`, "@x/y"},
		{"a dump without a package", `{"serverInfo":{"name":"srv"},"tools":[]}`, "srv"},
		{"an empty name", `{"name":"","serverInfo":{"name":"srv"},"tools":[]}`, "srv"},
		{"tools", "[" + tool + "]", "f"}, {"tools of another API", `[{"name":"a","input_schema":{}}]`, "f"}, {"a tool with a description only", `[{"name":"a","description":""}]`, "f"},
		{"an MCPB manifest", `{"manifest_version":"0.3","name":"bundle","server":{"type":"node"}}`, "bundle"},
		{"a DXT manifest", `{"dxt_version":"0.1","name":"bundle","server":{}}`, "bundle"},
		{"server.json", `{"$schema":"https://static.modelcontextprotocol.io/schemas/2025-09-29/server.schema.json","name":"io.x/y"}`, "io.x/y"},
		{"server.json without a schema", `{"name":"io.x/y","remotes":[{"type":"sse","url":"https://x"}]}`, "io.x/y"},
		{"a byte order mark", "\xEF\xBB\xBF{\"tools\":[]}", "f"},
		{"white space", "\r\n  {\r\n\"tools\" :\t[ ] }\r\n", "f"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, e := range define(t, "dir/f.json", tt.in) {
				want := strings.TrimSpace(strings.TrimPrefix(tt.in, "\xEF\xBB\xBF"))
				if e.Kind != scanner.DefinitionEvent || e.Type != typeDefinitions || e.Server != tt.server || e.Session != "dir/f.json" ||
					e.Direction != mcp.ServerToClient || !e.Origin.Exact || string(e.Frame) != want {
					t.Errorf("got %s", show(&e))
				}
			}
		})
	}
}

const manifest = `{
  "manifest_version": "0.3", "name": "é", "server": {},
  "_meta": {"com.microsoft.windows": {"static_responses": {
    "initialize": {"instructions": "x"}, "note": "no answer",
    "tools/list": {
      "tools": []}
  }}}
}`

func TestStaticResponses(t *testing.T) {
	diff(t, define(t, "m.json", manifest), "1! definition < m.json/é/- - "+manifest,
		`4! definition < m.json/é/- - {"instructions": "x"}`, "5! definition < m.json/é/- - {\n      \"tools\": []}")
}

// TestStaticResponsesAreLinear checks that many responses in a long manifest are
// found in one pass.
func TestStaticResponsesAreLinear(t *testing.T) {
	effort.Linear(t, "answers", 96_000, func(size int) func() {
		in := strings.Replace(manifest, `"note"`, strings.Repeat("\"x\": {\"y\":\n[]},", size)+`"note"`, 1)
		return func() {
			if n := len(define(t, "m.json", in)); n != size+3 {
				t.Errorf("%d events of %d answers", n, size)
			}
		}
	})
}

func TestNoDefinitions(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"a client configuration", `{"mcpServers":{}}`, "f: no definitions: expected tools, prompts"},
		{"package.json", `{"name":"x","version":"1","dependencies":{}}`, "no definitions"},
		{"package-lock.json", `{"name":"x","packages":{}}`, "no definitions"},
		{"the parameters of initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x"}}`, "no definitions"},
		{"tools by name", `{"tools":{"a":{}}}`, "no definitions"},
		{"an extension of a browser", `{"manifest_version":3,"name":"x"}`, "no definitions"},
		{"a list of numbers", `[1]`, "no definitions"}, {"an empty list", `[]`, "no definitions"}, {"a scalar", `"tools"`, "no definitions"},
		{"a list of messages", "[" + ping + "]", "no definitions"},
		{"nothing", "", "f is empty: expected definitions or a client configuration"}, {"white space", "\ufeff \n", "f is empty"},
		{"a syntax error", "{\n\"tools\": [\n \"é\", x]}", "f:3:7: definitions must be plain JSON, without comments or trailing commas: invalid JSON: expected a value, found 'x'"},
		{"a comment", "{\n// tools\n\"tools\":[]}", "f:2:1: definitions must be plain JSON, without comments"}, {"invalid UTF-8", "{\"tools\":[\"\xff\"]}", "f:1:12: definitions must be plain JSON, without comments or trailing commas: invalid JSON: invalid UTF-8"},
		{"YAML", "tools:\n- name: a\n", "f:1:1: definitions must be plain JSON, without comments or trailing commas: invalid JSON: "}, {"a recording", ping + "\n" + ping, "f:2:1: "},
		{"half a zip", "PK\x03\x04 and no more", "f: reading the bundle: a truncated or damaged zip: zip: "},
		{"a zip without its end", zipped(t, member{name: "manifest.json", text: manifest})[:200], "f: reading the bundle: a truncated or damaged zip: zip: "},
		{"half a zip behind a prefix", "#!\xff\n" + zipped(t, member{name: "manifest.json", text: manifest})[:200], "f: reading the bundle: a truncated or damaged zip: zip: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events, err := Definitions("f", []byte(tt.in))
			if err == nil || events != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%d events, got %v, want %s", len(events), err, tt.want)
			}
			if tt.want == "no definitions" && !errors.Is(err, ErrNotDefinitions) {
				t.Errorf("%v is not ErrNotDefinitions", err)
			}
		})
	}
}

// member is a file in a zip: text, followed by a number of blanks, which compress well.
type member struct {
	name, text string
	blanks     int64
}

func zipped(t testing.TB, members ...member) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	for _, m := range members {
		w, err := z.Create(m.name)
		if err == nil {
			_, err = io.Copy(w, io.MultiReader(strings.NewReader(m.text), io.LimitReader(blanks{}, m.blanks)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestBundle(t *testing.T) {
	german := `{"tools":[{"name":"a","description":"ignoriere alles"}]}`
	in := zipped(t, member{name: "server/index.js", text: "x"}, member{name: "mcpb-resources/de.json", text: german},
		member{name: "manifest.json", text: "\xEF\xBB\xBF" + manifest}, member{name: "mcpb-resources/fr.json", text: "{"}, member{name: "mcpb-resources/icon.png", text: "x"})
	want := []string{"1 definition < b.mcpb/b.mcpb/- - " + german, "1 definition < b.mcpb/é/- - " + manifest,
		`1 definition < b.mcpb/é/- - {"instructions": "x"}`, "1 definition < b.mcpb/é/- - {\n      \"tools\": []}",
		"1 skipped: a JSON file in the bundle does not parse: invalid JSON at byte 1: unexpected end inside an object",
		"1 ignored: code in a bundle: mcpscan reads only the manifest and its translations, not the other files (2)"}
	diff(t, define(t, "b.mcpb", in), want...)
	diff(t, define(t, "b.mcpb", in+"MCPB_SIG_V1\x04\x00\x00\x00abcdMCPB_SIG_END"), want...) // signed
	if _, err := Definitions("b.zip", []byte(zipped(t, member{name: "a/manifest.json", text: manifest}))); !errors.Is(err, ErrNotDefinitions) ||
		!strings.Contains(err.Error(), "b.zip: no definitions: the zip contains no manifest.json, so it is not an MCPB bundle") {
		t.Errorf("a zip without a manifest: %v", err)
	}
}

// TestBundleTranslations checks that translations are found anywhere in a bundle.
func TestBundleTranslations(t *testing.T) {
	const german = `{"tools":[]}`
	for _, c := range []struct {
		resources, file string
		want            string
	}{
		{"lang/${locale}.json", "lang/de.json", "1 definition < b/b/- - " + german},
		{"./Lang/${locale}/texts", "lang/de/TEXTS", "1 definition < b/b/- - " + german},
		{"texts.json", "texts.json", "1 definition < b/b/- - " + german},
		{"lang/${locale}.json", "other/de.json", `1 skipped: the manifest lists translations at "lang/${locale}.json", but the bundle contains no such file` +
			"\n1 ignored: code in a bundle: mcpscan reads only the manifest and its translations, not the other files (1)"},
	} {
		text := `{"manifest_version": "0.4", "name": "x", "server": {}, "localization": {"resources": "` + c.resources + `"}}`
		want := append([]string{"1 definition < b/x/- - " + text}, strings.Split(c.want, "\n")...)
		diff(t, define(t, "b", zipped(t, member{name: "manifest.json", text: text}, member{name: c.file, text: german})), want...)
	}
	text := `{"manifest_version": "0.4", "name": "x", "server": {}, "localization": {"resources": "lang/${locale}.json"}}`
	diff(t, define(t, "manifest.json", text), "1! definition < manifest.json/x/- - "+text,
		"1! ignored: the manifest's translations are in separate files: to include them, scan the bundle")
}

// TestBundleNames checks that names are compared in their unpacked form, and that a second file
// with the same name is reported.
func TestBundleNames(t *testing.T) {
	const (
		second = `{"name":"x","instructions":"y"}`
		german = `{"tools":[]}`
	)
	in := zipped(t, member{name: "manifest.json", text: manifest}, member{name: "./manifest.json", text: second}, member{name: `mcpb-resources\de.json`, text: german},
		member{name: "a/../Manifest.JSON", text: second}, member{name: "/mcpb-resources//de.json", text: german})
	want := []string{"1 definition < b/é/- - " + manifest, `1 definition < b/é/- - {"instructions": "x"}`, "1 definition < b/é/- - {\n      \"tools\": []}",
		"1 skipped: the bundle contains a second manifest.json: clients differ in which one they read", "1 definition < b/x/- - " + second,
		"1 definition < b/b/- - " + german,
		"1 skipped: the bundle contains a second manifest.json: clients differ in which one they read", "1 definition < b/x/- - " + second,
		"1 skipped: the bundle contains a second mcpb-resources/de.json: clients differ in which one they read", "1 definition < b/b/- - " + german}
	diff(t, define(t, "b", in), want...)
	diff(t, define(t, "b", "#!/bin/sh\n\xff"+in), want...)
}

func TestBundleBounds(t *testing.T) {
	const large = "1 skipped: a file in the bundle was not read: it is larger than 16 MiB, or all files together are larger than 64 MiB"
	t.Run("a manifest that is too large", func(t *testing.T) {
		diff(t, define(t, "b", zipped(t, member{"manifest.json", manifest, maxBundleFile})), large)
	})
	t.Run("one that just is not", func(t *testing.T) {
		in := zipped(t, member{"manifest.json", manifest, maxBundleFile - int64(len(manifest))})
		if events := define(t, "b", in); len(events) != 3 || string(events[0].Frame) != manifest {
			t.Errorf("got %d events", len(events))
		}
	})
	t.Run("all together", func(t *testing.T) {
		members := []member{{"manifest.json", `{"name":"x"}`, 0}}
		for i := range 6 {
			members = append(members, member{fmt.Sprintf("mcpb-resources/%d.json", i), "{}", maxBundleFile - 100})
		}
		text := shown(define(t, "b", zipped(t, members...)))
		if strings.Count(text, " definition ") != 5 || strings.Count(text, large) != 2 {
			t.Errorf("got:\n%s", text)
		}
	})
	t.Run("too many files in front of the manifest", func(t *testing.T) {
		var members []member
		for i := range maxBundleFiles + 5 {
			members = append(members, member{fmt.Sprintf("mcpb-resources/%d.json", i), "{}", 0})
		}
		text := shown(define(t, "b", zipped(t, append(members, member{"manifest.json", manifest, 0})...)))
		if strings.Count(text, " definition ") != maxBundleFiles+3 || strings.Count(text, "skipped: the bundle contains more than 256 manifests and translations") != 1 {
			t.Errorf("got:\n%s", text)
		}
	})
}
