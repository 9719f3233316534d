package replay

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// TestFrames checks that Bedrock streams are read from raw files and from HAR, and that
// unreadable parts are counted.
func TestFrames(t *testing.T) {
	var raw []byte
	for _, e := range [][2]string{
		{"messageStart", `{"role":"assistant"}`},
		{"contentBlockStart", `{"contentBlockIndex":0,"start":{"toolUse":{"name":"mcp__mail__send","toolUseId":"t1"}}}`},
		{"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{\"to\":"}}}`},
		{"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"toolUse":{"input":"\"eve\"}"}}}`},
		{"contentBlockStop", `{"contentBlockIndex":0}`},
		{"messageStop", `{"stopReason":"tool_use"}`},
		{"metadata", `{"usage":{"inputTokens":1}}`},
	} {
		raw = wire.AppendEventFrame(raw, "event", e[0], []byte(e[1]))
	}
	content := `"mimeType":"application/vnd.amazon.eventstream","encoding":"base64","text":"` + base64.StdEncoding.EncodeToString(raw) + `"`
	for name, in := range map[string]string{"file": string(raw), "HAR": archive(exchange("", "", "", content))} {
		all := shown(read(t, name, in))
		if !strings.Contains(all, `"method":"tools/call"`) || !strings.Contains(all, `"to":"eve"`) || !strings.Contains(all, "/mail/") || strings.Contains(all, "skipped") {
			t.Errorf("%s:\n%s", name, all)
		}
	}
	for name, bad := range map[string]string{"cut": string(raw[:len(raw)-3]), "forged": string(raw) + string(raw[:20]) + "xx", "text": string(raw) + "and more text"} {
		if all := shown(read(t, name, bad)); !strings.Contains(all, unreadFrames) || !strings.Contains(all, `"to":"eve"`) {
			t.Errorf("%s:\n%s", name, all)
		}
	}
}
