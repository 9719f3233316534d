package jsonschema

import (
	"testing"

	"github.com/mcpscan/mcpscan/internal/names"
)

func TestSpell(t *testing.T) {
	for _, tt := range []struct{ name, spelled, last string }{
		{"chat_history", "chat history", "history"},
		{"chatHistory", "chat history", "history"},
		{"CHAT-history", "chat history", "history"},
		{"APIKey", "api key", "key"},
		{"userSSN", "user ssn", "ssn"},
		{"cvv2", "cvv2", "cvv"},
		{"HTTPServerURLs_", "http server ur ls", "ls"},
		{"пароль", "пароль", "пароль"},
		{"__", "", ""},
		{"", "", ""},
	} {
		if got := names.Spell(tt.name); got != tt.spelled {
			t.Errorf("spell(%q) = %q, want %q", tt.name, got, tt.spelled)
		}
		if got := names.LastWord(tt.name); got != tt.last {
			t.Errorf("lastWord(%q) = %q, want %q", tt.name, got, tt.last)
		}
	}
}

func TestCatastrophic(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		want    bool
	}{
		{`^(a+)+$`, true},
		{`^(?!-)([a-z0-9]+\s?)*$`, true},
		{`(.*,)*`, true},
		{`(x+x+)+y`, true},
		{`^(\d{1,50}-?){1,30}$`, true},
		{`^([a-z]+)*=$`, true},
		{`^(\w+\s)+$`, false},
		{`^(\d{1,3}\.){3}\d{1,3}$`, false},
		{`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$`, false},
		{`^\w+(,\w+)*$`, false},
		{`(\b[a-z]+\b )*`, false},
		{`[(+*)]+`, false},
		{`(a{2}`, false},
	} {
		if got := CatastrophicPattern(tt.pattern); got != tt.want {
			t.Errorf("catastrophic(%q) = %v, want %v", tt.pattern, got, tt.want)
		}
	}
}
