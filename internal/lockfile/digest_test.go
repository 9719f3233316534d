package lockfile

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// TestDigestsOfOthers compares the digests of agentsh and MCPProxy with values
// computed independently from their formulas. agentsh keeps the schema as sent
// except for white space, and escapes <, >, &, U+2028 and U+2029. MCPProxy decodes
// and encodes the schema, and separates the parts with bars.
func TestDigestsOfOthers(t *testing.T) {
	for _, c := range []struct{ name, definition, agentsh, mcpproxy string }{
		{"plain", `{"name":"add","description":"Adds.","inputSchema":{"type": "object"}}`,
			"18493c03e03c77fe135fb270950398c31289a514eb96d5710a8eb90a7a8d2ddb", "f74b6c3795227ad926b3a21daafa522cac044a0cc4a92335f25fa51c42913783"},
		{"angle brackets and ampersands", `{"name":"a<b>","description":"1 < 2 && 3 > 2","inputSchema":{"description":"<b>&</b>"}}`,
			"ed7f25d085ad6b1714d5e089752c707cb7f1831c6b0e8268ddbfc4b5569b89d0", "e4fd3d66361ce8128ae43af2c04599304883a98120f359f9b94b7dd88a671fbc"},
		{"control characters", `{"name":"a","description":"\u0000\u0001\b\f\n\r\t\u001f\u007f","inputSchema":{"d":"\u0000\t\u001f"}}`,
			"6e0a0e0197b1808c49042b61b29427084ccc367805ea0e89b5941107a3eb61ae", "40fc4a0934b1b2f7c8c4e54bbf26f5c597f395a3e5aa08bad1721b6937533d03"},
		{"a lone surrogate", `{"name":"a\ud800","description":"\udc00 x","inputSchema":{"d":"\ud800"}}`,
			"fb6aad42925ee27ec5db44680cec0dc6b141599dec81fb6e3af21f218360a0d8", "c63caad1ddf30fbd5560b7040871718b6e29b2dc50fc94bf173ecb865c7e4ceb"},
		{"a surrogate pair", `{"name":"\ud83d\ude00","description":"😀","inputSchema":{"d":"\ud83d\ude00"}}`,
			"6cf5dbd910d9b68573ee4d3c3540c26b60c0959f2faad2330f7720c0e5391123", "03b98239a191490375d35acb78bfb36a62115ccda9ff44ce6fadf3ae129c5c9c"},
		{"order of keys", `{"name":"a","description":"b","inputSchema":{"z":1,"a":{"y":1,"b":2}}}`,
			"84f22c6157eacb347ec714185fe96dc86737f199bb34fa1749fe34e571bc0d26", "e3a6c7e05ab85e6bd8acec8315ffa7df01746e8907a789e4071d682b5cb2b30d"},
		{"another order of keys", `{"name":"a","description":"b","inputSchema":{"a":{"b":2,"y":1},"z":1}}`,
			"bb3d19bc1d436f01d3e8871fb31db89be6f5694196879a4e395e528126fc4ab2", "e3a6c7e05ab85e6bd8acec8315ffa7df01746e8907a789e4071d682b5cb2b30d"},
		{"a number beyond 2^53", `{"name":"a","description":"b","inputSchema":{"maximum":9007199254740993}}`,
			"dcaca535da051617b0cf25b0adc527ed882f862f34eee51fee7c66cc98b31e9a", "8e5d29ed308873df9092f27c1b123a6c396c13bcee45595ee2b89ad373bc2a25"},
		{"numbers in several spellings", `{"name":"a","description":"b","inputSchema":{"a":1.0,"b":1e2,"c":-0,"d":1e21,"e":0.000001,"f":1e-7,"g":1.50}}`,
			"67795a8be94806813dcc93ddbba788934c5c860d0de640b776c673474174d139", "b0383ada6a5b1e3764ef2c2b3d2cda3de5ccfbd9bb8147ff7096c4ac013b0800"},
		{"escapes that need not be", `{"name":"\u0041","description":"a\/b","inputSchema":{"x\u0041":"a\/b \u0041"}}`,
			"6330d6caf99cfeeca8c33b63b7aff59e8df78eb7299364f30b39724f35e70608", "3cb3e552c49f14bebeb6b859bf908045bdddc970f3444028a0e8a57466f55e80"},
		{"line separators", "{\"name\":\"a\",\"description\":\"x\u2028y\u2029z\",\"inputSchema\":{\"d\":\"x\u2028y\",\"e\":\"\\u2028\"}}",
			"80faba223e16149e12d5bd404a178917a014660990af621992b6a5d6f675a4b3", "a2009098eb8d567d87e4f44b438358b936e51157c065049a58314b10e86ca706"},
		{"no schema", `{"name":"a","description":"b"}`,
			"9dec92071a4b37c17abce57d615f0a5e63946e0861c9c38cb609d9bcc8be5c9b", "5d76a522456d45b80f5d597ba513e678d132249820817580a5b14f2a5baa3daf"},
		{"no description", `{"name":"a","inputSchema":{"type":"object"}}`,
			"b437e9d1ac782475d915ada83361d265fd5253c34350d62884583f55b9758cc8", "37e6061f3ca18bc38b49a4caf14b442719137828fd24ada63503b424473acf01"},
		{"a schema of results", `{"name":"a","description":"b","inputSchema":{"type":"object"},"outputSchema":{"z":[1, 2 ],"a":null}}`,
			"bd250a97dbdc6966b996949c624477d4dd4b6eef6bdcacfda2c3d8b7862ca0ec", "89508463e16bc9a26271ee8f3dce52d49c38b873230690cca05481e6ba574e55"},
		{"letters beyond the first plane in keys", `{"name":"a","description":"b","inputSchema":{"😀":1,"￮":2}}`,
			"044a419f043424af474f9cc8825e25f44094dee587621b79d4c611d017a74ef7", "7f344bfd57a16caaff281611ce2d04b69e29b2a29cdc1ee76d16d84c1b2718c1"},
		{"white space", `{"name":"a","description":"b","inputSchema":{ "a" :
[ 1 ,	2 ] , "b c" : " d  e " }}`,
			"896abba08eb92f10de1ecd2f55a8232fa1e9b64561fce127b1c5ec3627d8ed35", "b56af40ff9743ab323d5ce9166da7479d83f37675135a0292395d8022d222fee"},
	} {
		got := describe(mcp.ToolSubject, []byte(c.definition))
		if got.AgentSH != c.agentsh {
			t.Errorf("%s: agentsh: got %s, want %s", c.name, got.AgentSH, c.agentsh)
		}
		if got.MCPProxy != c.mcpproxy {
			t.Errorf("%s: MCPProxy: got %s, want %s", c.name, got.MCPProxy, c.mcpproxy)
		}
	}
}

// TestZero checks that the lockfile of a server that sends -0 does not count as edited. The
// lockfile contains 0 instead, which gives a different digest in MCPProxy.
func TestZero(t *testing.T) {
	f := whole(t)
	entry := f.Servers["calc"].Entries[mcp.DefinitionKey{Kind: mcp.ToolSubject, Name: "add"}]
	entry.Shown = describe(mcp.ToolSubject, []byte(`{"name":"add","inputSchema":{"minimum":-0}}`))
	read, err := Parse(Name, format(t, f))
	if err == nil {
		err = read.Intact()
	}
	if err != nil {
		t.Error(err)
	}
}

// FuzzDigestsOfOthers compares the digests with those computed after decoding a tool
// into both systems' types, for inputs that encoding/json and a strict parser read
// alike.
func FuzzDigestsOfOthers(f *testing.F) {
	f.Add("a", "b", `{"type":"object"}`)
	f.Add("<a>", "\u2028&", `{"z":1.0,"a":[9007199254740993,1e400]}`)
	f.Fuzz(func(t *testing.T, name, description, schema string) {
		var doc wire.Doc
		if doc.Parse([]byte(schema)) != nil || len(doc.Anomalies) > 0 || !utf8.ValidString(name) || !utf8.ValidString(description) || !json.Valid([]byte(schema)) {
			return
		}
		quote := func(s string) string { return string(wire.AppendString(nil, []byte(toValid(s)))) }
		sent := `{"name":` + quote(name) + `,"description":` + quote(description) + `,"inputSchema":` + schema + `}`
		var tool struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"inputSchema"`
		}
		if err := json.Unmarshal([]byte(sent), &tool); err != nil {
			t.Fatalf("%v: %s", err, sent)
		}
		b, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		got := describe(mcp.ToolSubject, []byte(sent))
		if want := hexSum(b); got.AgentSH != want {
			t.Errorf("agentsh: got %s, want %s of %s", got.AgentSH, want, b)
		}
		var v any
		if json.Unmarshal([]byte(schema), &v) != nil { // a number out of range
			return
		}
		b, _ = json.Marshal(v)
		if want := hexSum([]byte(strings.Join([]string{name, description, string(b)}, "|"))); got.MCPProxy != want {
			t.Errorf("MCPProxy: got %s, want %s of %s", got.MCPProxy, want, b)
		}
		again := describe(mcp.ToolSubject, indented(t, sent))
		if again.Digest != got.Digest || again.Parts != got.Parts || again.MCPProxy != got.MCPProxy && !hasZero(again.Definition) {
			t.Errorf("as it is written in the lockfile it is another one: %s", sent)
		}
	})
}

// indented returns a definition in the form of a lockfile.
func indented(t *testing.T, sent string) []byte {
	t.Helper()
	var doc wire.Doc
	if err := doc.Parse([]byte(sent)); err != nil {
		t.Fatal(err)
	}
	return doc.AppendIndented(nil, 0, 0)
}
