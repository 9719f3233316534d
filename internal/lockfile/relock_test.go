package lockfile

import (
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestRelockedServer checks that locking a server again removes nothing from its entry
// unless the new listing contradicts it, and adds what was missing.
func TestRelockedServer(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	identity := func(digest string) *baseline.Identity {
		return &baseline.Identity{Transport: "stdio", Command: "node", Args: []string{"./a.js"}, Found: configfile.Found{Executable: "./a.js", Digest: digest}}
	}
	info := mcp.ServerInfo{Name: "a", Version: "1", Protocol: "2025-11-25"}
	for _, tt := range []struct {
		name   string
		before Server
		now    *scanner.Offer
		want   map[string]bool // members that the entry has afterwards, among those tested
	}{
		{"listed in a file, which knows no protocol", Server{Info: info}, &scanner.Offer{Info: mcp.ServerInfo{Name: "a", Version: "1"}},
			map[string]bool{"serverInfo.protocol": true}},
		{"another version, listed in a file", Server{Info: info}, &scanner.Offer{Info: mcp.ServerInfo{Name: "a", Version: "2"}},
			map[string]bool{"serverInfo.protocol": false}},
		{"an identity that names nobody who approved it", Server{Identity: &baseline.LockedIdentity{Identity: identity("d")}}, &scanner.Offer{Identity: identity("d")},
			map[string]bool{"identity.approved": true}},
		{"an identity that waits", Server{Identity: &baseline.LockedIdentity{Identity: identity("d"), Pending: true}}, &scanner.Offer{Identity: identity("d")},
			map[string]bool{"identity.approved": false}},
		{"on a machine without the file", Server{Identity: &baseline.LockedIdentity{Identity: identity("d")}}, &scanner.Offer{Identity: identity("")},
			map[string]bool{"identity.digest": true}},
		{"on the first machine with the file", Server{Identity: &baseline.LockedIdentity{Identity: identity("")}}, &scanner.Offer{Identity: identity("d")},
			map[string]bool{"identity.digest": true}},
		{"from a recording, which says neither identity nor client", Server{Info: info, Client: &mcp.ClientInfo{Name: "mcpscan", Capabilities: []string{"roots"}}, Identity: &baseline.LockedIdentity{Identity: identity("d")}},
			&scanner.Offer{Info: info}, map[string]bool{"identity": true, "client.name": true, "client.capabilities": true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.before.Name, tt.before.Entries = "a", map[mcp.DefinitionKey]*Entry{}
			f := &File{Path: Name, Servers: map[string]*Server{"a": &tt.before}}
			now := scanner.NewSnapshot()
			offer := now.Offer("a")
			offer.Info, offer.Identity = tt.now.Info, tt.now.Identity
			f.Update(now, Policy{}, day(2))
			read, err := Parse(Name, format(t, f))
			if err != nil {
				t.Fatal(err)
			}
			says := read.Servers["a"].members()
			for name, want := range tt.want {
				if says[name] != want {
					t.Errorf("%s: %t, want %t; it says %v", name, says[name], want, says)
				}
			}
		})
	}
}
