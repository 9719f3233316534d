package text

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// TestSecrets checks that a secret is masked in every encoding that a server may
// use, and that the surrounding text is kept.
func TestSecrets(t *testing.T) {
	const secret = `Kp7"Xq2/Vn9+Rt4` // contains characters that JSON, URLs and base64 encode specially
	s := NewSecrets([]string{secret, "short"}, nil)
	b64 := base64.StdEncoding.EncodeToString
	for _, written := range []string{
		secret, strings.ToLower(secret), strings.ToUpper(secret), url.QueryEscape(secret), url.PathEscape(secret),
		hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))), secret + secret,
	} {
		if got := s.Mask("before " + written + " after"); got != "before "+Masked+" after" {
			t.Errorf("%s became %q", written, got)
		}
		data, _ := json.Marshal(map[string]any{"text": "before " + written + " after", written: 1})
		var got map[string]any
		if err := json.Unmarshal(s.MaskJSON(data), &got); err != nil || got["text"] != "before "+Masked+" after" || got[Masked] != 1.0 {
			t.Errorf("%s became %q, %v", data, got, err)
		}
	}
	for _, around := range []string{"", "a", "ab", "abc"} {
		for _, encoded := range []string{b64([]byte(around + secret + around)), base64.RawURLEncoding.EncodeToString([]byte(around + secret))} {
			got := s.Mask("before " + encoded + " after")
			left, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("before ", "", " after", "", Masked, "").Replace(got), "="))
			if !strings.Contains(got, Masked) || strings.Contains(string(left), secret[3:8]) {
				t.Errorf("%s became %q", encoded, got)
			}
		}
	}
	if got := s.Mask("a short word, Kp7 and Rt4"); got != "a short word, Kp7 and Rt4" {
		t.Errorf("got %q", got)
	}
}

func TestSecretsInJSON(t *testing.T) {
	s := NewSecrets([]string{"tokenvalue", "123456789"}, nil)
	for raw, want := range map[string]string{
		`{"a":"tokenvalue"}`:                   "{\"a\":\"[masked]\"}",
		`{"a":"\u0074okenvalue\n"}`:            `{"a":"[masked]\n"}`,
		`{"\u0074\u006F\u006b\u0065nvalue":0}`: `{"[masked]":0}`,
		`{"a":123456789,"b":[0.123456789]}`:    `{"a":"[masked]","b":[0."[masked]"]}`,
		`{"a":"x\"tokenvalue\"","b":"c\\"}`:    `{"a":"x\"[masked]\"","b":"c\\"}`,
		`{"a":"say tokenvalue`:                 `{"a":"say [masked]`,
		`{"a":"\ud800 tokenvalue"}`:            `{"a":"` + "\uFFFD" + ` [masked]"}`,
		"{\"a\":\"\xff \\u0074okenvalue\"}":    `{"a":"` + "\uFFFD" + ` [masked]"}`,
		`{"a":"nothing","b":"C:\\x"}`:          `{"a":"nothing","b":"C:\\x"}`,
	} {
		if got := string(s.MaskJSON([]byte(raw))); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", raw, got, want)
		}
	}
}

func TestSecretsInMessages(t *testing.T) {
	s := NewSecrets([]string{"tokenvalue", "123456789"}, nil)
	for raw, want := range map[string]string{
		`{"tokenvalue":"tokenvalue"}`: `{"tokenvalue":"[masked]"}`,
		`{"method":"tokenvalue","id":123456789,"params":{"name":"tokenvalue","id":"tokenvalue"}}`: `{"method":"tokenvalue","id":123456789,"params":{"name":"tokenvalue","id":"[masked]"}}`,
		`[{"id":"tokenvalue","type":["tokenvalue"],"x":{"id":123456789}}]`:                        `[{"id":"tokenvalue","type":["[masked]"],"x":{"id":"[masked]"}}]`,
	} {
		if got := string(s.MaskMessage([]byte(raw))); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", raw, got, want)
		}
	}
}

// TestWordsAsSecrets checks that a password that is an ordinary word is masked where it stands alone,
// but not within names and paths.
func TestWordsAsSecrets(t *testing.T) {
	s := NewSecrets([]string{"postgres", "Sunflower"}, nil)
	for raw, want := range map[string]string{
		"the password is postgres.":                   "the password is [masked].",
		"PASSWORD=postgres":                           "PASSWORD=[masked]",
		"postgresql://u:postgres@db:1":                "postgresql://u:[masked]@db:1",
		"q=%22sunflower%22":                           "q=%22[masked]%22",
		`say\\nsunflower\\n`:                          `say\\n[masked]\\n`,
		"cG9zdGdyZXM= 53756e666c6f776572":             "[masked]M= [masked]",
		"./postgres-mcp/server.py postgres_query":     "./postgres-mcp/server.py postgres_query",
		"@example/server-postgres postgresql":         "@example/server-postgres postgresql",
		"postgres.example.com/mcp ghcr.io/x/postgres": "postgres.example.com/mcp ghcr.io/x/postgres",
	} {
		if got := s.Mask(raw); got != want {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
	}
	for message, want := range map[string]string{
		`{"tools":[{"name":"postgres_query","description":"Asks the postgres database, not sunflower."}]}`: `{"tools":[{"name":"postgres_query","description":"Asks the postgres database, not [masked]."}]}`,
		`{"properties":{"postgres":{"description":"The postgres host."}}}`:                                 `{"properties":{"postgres":{"description":"The postgres host."}}}`,
		`{"tools":[{"name":"query","description":"Connected with postgres."}]}`:                            `{"tools":[{"name":"query","description":"Connected with [masked]."}]}`,
	} {
		if got := string(s.WithoutVocabulary([]byte(message)).MaskJSON([]byte(message))); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", message, got, want)
		}
	}
	const generated = `{"name":"Kp7Xq2Vn9Rt4_query"}`
	if got := string(NewSecrets([]string{"Kp7Xq2Vn9Rt4"}, nil).WithoutVocabulary([]byte(generated)).MaskJSON([]byte(generated))); got != `{"name":"[masked]_query"}` {
		t.Errorf("got %s", got)
	}
}
