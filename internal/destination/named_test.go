package destination

import (
	"slices"
	"testing"
)

// TestNamed checks which hosts a value names.
func TestNamed(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        []string
	}{
		{"API_URL", "https://Api.Notes.example:8443/v1?x=https", []string{"https://api.notes.example:8443"}},
		{"API_URL", "https:/api.notes.example", []string{"https://api.notes.example"}},
		{"API_URL", "https:api.notes.example/v1", []string{"https://api.notes.example"}},
		{"API_URL", `https:\\api.notes.example\v1`, []string{"https://api.notes.example"}},
		{"API_URL", "h\nttps://api.notes.example", []string{"https://api.notes.example"}},
		{"API_URL", "url=https://api.notes.example/v1", []string{"https://api.notes.example"}},
		{"CONFIG", `{"url":"https://a.example","host":"b.example"}`, []string{"https://a.example", "b.example"}},
		{"API_URLS", "https://a.example,https://b.example", []string{"https://a.example", "https://b.example"}},
		{"API_URLS", "https://a.example\nhttps://b.example", []string{"https://a.example", "https://b.example"}},
		{"API_URL", "https://a.example@b.example", []string{"https://b.example"}},
		{"API_URL", `https://a.example\@b.example`, []string{"https://a.example", "https://b.example"}},
		{"API_URL", "https://a,b@c.example", []string{"https://a", "https://c.example"}},
		{"DATABASE_URL", "postgres://me:pass@db.example:5432/notes", []string{"postgres://db.example:5432"}},
		{"DATABASE_URL", "http://gitlab/api", []string{"http://gitlab"}},
		{"DATABASE", "Server=db.example;User=x;Password=hunter.com", []string{"db.example"}},
		{"DATABASE", "me:pass@db.example:5432/notes", []string{"db.example:5432"}},
		{"DATABASE", "db.example:5432", []string{"db.example:5432"}},
		{"NOTES", "db.notes.com/v1", []string{"db.notes.com"}},
		{"API_HOST", "notes.corporate", []string{"notes.corporate"}},
		{"NAMES", "a.example, b.example", []string{"a.example", "b.example"}},
		{"SHARE", `\\files.example\notes`, []string{"files.example"}},
		{"DNS", "203.0.113.9", []string{"203.0.113.9"}},
		{"API_URL", "https://[2001:db8::1]:443/", []string{"https://[2001:db8::1]:443"}},

		{"API_URL", "https://localhost:3000 http://127.0.0.1", nil},
		{"HOST", "localhost:3000", nil},
		{"API_URL", "https://$HOST/v1", nil},
		{"API_TOKEN", "hunter.com", nil},
		{"MODE", "read-only", nil},
		{"CACHE", "redis:6379", nil},
		{"SCRIPT", "build.sh", nil},
		{"FILES", "data/notes.example ./a.com /srv/b.com notes.json notes.db", nil},
		{"MODEL", "gpt-4.1-mini", nil},
		{"VERSION", "1.2.3", nil},
		{"CONTACT", "me@notes.example", nil},
		{"NOTE", "https: see the manual", nil},
		{"SERVER", "server.py", nil},
	} {
		if got := Named(c.name, c.value); !slices.Equal(got, c.want) {
			t.Errorf("%s=%q: got %q, want %q", c.name, c.value, got, c.want)
		}
	}
}

// TestOrdinaryValues checks that file names, versions and names in programs are not hosts.
func TestOrdinaryValues(t *testing.T) {
	for name, value := range map[string]string{"DATABASE": "app.db", "ENDPOINT": "chat.completions", "API_BASE": "v1.2", "ASPECT": "16.9:10", "PAGE": "index.html",
		"APPLICATION": "wsgi.app", "TOPIC": "kafka.topic", "BREAKPOINT": "a.py:12", "LIMITS": "cpu.max:100", "REMOTE_DEBUG": "yes.no"} {
		if got := Named(name, value); len(got) > 0 {
			t.Errorf("%s=%s: %q", name, value, got)
		}
	}
}
