package baseline

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/configfile"
)

// TestDifferences checks that a difference shows what differs, however long the values are.
func TestDifferences(t *testing.T) {
	long := "/" + strings.Repeat("directory/", 12)
	for _, c := range []struct {
		was, is Identity
		want    string
	}{
		{Identity{URL: "https://a.example/mcp"}, Identity{URL: "https://b.example/mcp"}, "URL https://a.example/mcp → https://b.example/mcp"},
		{Identity{Cwd: ""}, Identity{Cwd: "/x"}, "working directory none → /x"},
		{Identity{Package: long + "a.js"}, Identity{Package: long + "b.js"}, "package …directory/directory/a.js → …directory/directory/b.js"},
		{Identity{Package: long}, Identity{Package: long + "b.js"}, "package …directory/directory/ → …directory/directory/b.js"},
		{Identity{Package: "a" + long}, Identity{Package: "b"}, "package a" + long[:58] + "… → b"},
	} {
		if got := c.was.Differences(&c.is); !slices.Equal(got, []string{c.want}) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestSecretInPath checks that an identity does not contain a secret in the path of an address, but
// tells two of them apart.
func TestSecretInPath(t *testing.T) {
	at := func(secret string) (remote, bridged *Identity) {
		url := "https://mcp.example/s/" + secret + "/sse"
		return IdentityOf(&configfile.Entry{URL: url}), IdentityOf(&configfile.Entry{Command: "npx", Args: []string{"mcp-remote", url}})
	}
	one, bridgedOne := at("aB3xK9mQ2pL7vR4tY8wZ1nC6")
	two, bridgedTwo := at("Zk4wQ8nT2vX6yB1mD9cF3hJ7")
	want := "https://mcp.example/s/masked-7c404279/sse"
	if one.URL != want || bridgedOne.Args[1] != want {
		t.Errorf("got %s and %s, want %s", one.URL, bridgedOne.Args[1], want)
	}
	if one.Alike(two) || bridgedOne.Alike(bridgedTwo) {
		t.Error("another secret is no difference")
	}
}

// TestSameArgs checks that only the argument with the package may differ, and only in the version.
func TestSameArgs(t *testing.T) {
	identity := func(command string) *Identity {
		words := strings.Fields(command)
		return IdentityOf(&configfile.Entry{Command: words[0], Args: words[1:]})
	}
	for _, c := range []struct {
		was, is string
		want    bool
	}{
		{"npx -y notes@1.0.0", "npx notes@1.1.0", true},
		{"npx -y notes", "npx -y notes@1.1.0", true},
		{"npx -y notes@1.0.0 -y", "npx -y notes@1.0.0", false},
		{"uvx --from notes==1.0.0 notes-cli", "uvx --from notes==1.1.0 notes-cli", true},
		{"uvx notes[cli]==1.0.0", "uvx notes[cli]==1.1.0", true},
		{"docker run --name notes -i notes:1.0", "docker run --name notes -i notes:1.1", true},
		{"docker run -v /srv/notes:/data notes:1.0", "docker run -v /srv/:/data notes:1.0", false},
		{"docker run -v /srv/notes:/data notes:1.0", "docker run -v /srv/1.0:/data notes:1.0", false},
		{"docker run notes@sha256:" + strings.Repeat("a", 64), "docker run notes@sha256:" + strings.Repeat("b", 64), true},
	} {
		if got := identity(c.was).SameArgs(identity(c.is)); got != c.want {
			t.Errorf("%s → %s: %t, want %t", c.was, c.is, got, c.want)
		}
	}
}
