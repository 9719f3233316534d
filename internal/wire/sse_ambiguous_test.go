package wire

import "testing"

func TestAmbiguousEvent(t *testing.T) {
	for _, c := range []struct {
		lines, data string
		want        bool
	}{
		{": ping\n", "", false},
		{": ping\u2028data: x\n", "", true},
		{"\xEF\xBB\xBFdata: \"\v\"\n\n", "\"\v\"", true}, // a control character is not JSON
		{"data: \"\u2028\"\n\n", "\"\u2028\"", false},
		{"data: x\u0085\r\n\r\n", "x\u0085", true},
		{"data: 1\nid\x1E\n\n", "1", true},
		{"data: é\u2027\n\n", "é\u2027", false},
		{"data: \xC2", "\xC2", false},
		{"data: x\ndata: {\"a\":1}\n\n", "x\n{\"a\":1}", true},
		{"data: {\"a\":1}\ndata: [{\"b\":1}]\n\n", "{\"a\":1}\n[{\"b\":1}]", true},
		{"data: [\ndata: {\"a\":1}\ndata: ]\n\n", "[\n{\"a\":1}\n]", false},
		{"data: x\ndata: y {\"a\":1}\n\n", "x\ny {\"a\":1}", false},
		{"data: \xE2\x80", "\xE2\x80", false},
		{"\u00EF\u00BB\u00BFdata: {}\n", "", true}, // the TypeScript SDK drops the mark
		{"\xEF\xBB\xBF\u00EF\u00BB\u00BFdata: {}\n", "", true},
		{"data:\r{\"a\":1}\n\n", "", true}, // go-sdk reads the two lines as one
		{"data:\r\u00A0{\"a\":1}\n\n", "", true},
		{"{\"a\":1}\n", "", true}, // after data:\r\r
		{"data: {\"a\":\r1: 2}\n\n", "{\"a\":", true},
		{"data: {\"a\":\r\n1: 2}\r\n\r\n", "{\"a\":", false},
		{"data: {\"a\":1}\rid: 1\r\r", "{\"a\":1}", false},
		{"id: 1\rdata:\r\r", "", false},
	} {
		if got := AmbiguousEvent([]byte(c.lines), []byte(c.data)); got != c.want {
			t.Errorf("%q: %v", c.lines, got)
		}
	}
}
