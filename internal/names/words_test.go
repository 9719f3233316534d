package names_test

import (
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/names"
)

func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"get_user": "get user", "getUser": "get user", "GET-USER": "get user", "API-get-self": "api get self",
		"parseHTMLPage": "parse html page", "readPDF": "read pdf", "context7": "context7", "s3.list//x": "s3 list x",
		"": "", "__": "", "übersetzeText": "übersetze text", "a\xffb": "a b", "a\uFFFDb": "a b", "搜索": "搜索",
		"git\u200bhub": "git\u200bhub", "get\u200bUser": "get\u200b user", "\u200b": "", "\u200ba": "a", "👩\u200d💻-notes": "notes",
	} {
		if got := strings.Join(names.Words(name), " "); got != want {
			t.Errorf("Words(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestOneEdit(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"github", "githab", true}, {"github", "gihtub", true}, {"github", "githu", true}, {"github", "xgithub", true},
		{"github", "gitxhub", true}, {"ab", "ba", true}, {"", "a", true},
		{"github", "github", false}, {"github", "gitlab", false}, {"abc", "cba", false}, {"a", "abc", false}, {"ab", "bc", false},
	} {
		if names.OneEdit(tt.a, tt.b) != tt.want || names.OneEdit(tt.b, tt.a) != tt.want {
			t.Errorf("OneEdit(%q, %q) is not %v both ways", tt.a, tt.b, tt.want)
		}
	}
}
