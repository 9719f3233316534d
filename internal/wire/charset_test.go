package wire

import "testing"

func TestCharset(t *testing.T) {
	for contentType, want := range map[string]string{
		"": "", "application/json": "", "application/json; charset=UTF-8": "", `text/event-stream;profile=x; Charset = "utf8" `: "", "text/plain; charset=iso-8859-1": "",
		"application/json; charset=utf-16": "utf-16", `application/json;charset="Shift_JIS"`: "shift_jis", "text/html; charset=utf-8, text/html; charset=utf-7": "utf-8, text/html",
		"text/html; charset=": "", "text/html; charset=utf-8; charset=utf-7": "utf-7",
	} {
		charset, ok := Charset(contentType)
		if charset != want || ok != (want == "" && contentType != "text/html; charset=") {
			t.Errorf("%q: %q, %v", contentType, charset, ok)
		}
	}
}

func TestWideCharset(t *testing.T) {
	for body, want := range map[string]string{
		"": "", "{": "", `{"a":1}`: "", "\xEF\xBB\xBF{}": "",
		"{\x00}\x00": "utf-16", "\x00{\x00}": "utf-16", "\xFF\xFE{\x00": "utf-16", "\xFE\xFF\x00{": "utf-16",
		"{\x00\x00\x00": "utf-32", "\x00\x00\x00{": "utf-32", "\xFF\xFE\x00\x00": "utf-32", "\x00\x00\xFE\xFF": "utf-32",
	} {
		if got := WideCharset([]byte(body)); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}
