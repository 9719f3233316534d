package baseline

import (
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/configfile"
)

// TestSameFile compares the commands of two entries. The client of the first one expands
// ${workspaceFolder}; that of the other does not.
func TestSameFile(t *testing.T) {
	entry := func(line, cwd string, workspace bool) *configfile.Entry {
		words := strings.Fields(line)
		return &configfile.Entry{Command: words[0], Args: words[1:], Cwd: cwd, ExpandsWorkspace: workspace}
	}
	for _, tt := range []struct {
		one, oneCwd, other, otherCwd string
		same                         bool
	}{
		{"python3 ${workspaceFolder}/a.py", "", "python3 a.py", "", true},
		{"python3 ${workspaceFolder}/a.py", "", "python3 ./a.py", "", true},
		{"python3 ${workspaceFolder}/a.py", "${workspaceFolder}", "python3 a.py", "", true},
		{"uv run ${workspaceFolder}/srv/a.py --x", "", "uv run srv/a.py --x", "", true},
		{"node ./dist/index.js", "", "node dist/index.js", "", true},
		{"${workspaceFolder}/bin/notes", "", "bin/notes", "", true},
		{"node index.js", "${workspaceFolder}/srv", "node index.js", "srv", true},
		{"docs --root=${workspaceFolder}", "", "docs --root=.", "", true},

		{"python3 ${workspaceFolder}/a.py", "", "python3 b.py", "", false},
		{"python3 ${workspaceFolder}/a.py", "", "python3 sub/a.py", "", false},
		{"python3 ${workspaceFolder}/a.py", "", "python3 ${workspaceFolder}/a.py", "", false}, // literal in the other client
		{"python3 ${workspaceFolder}/a.py", "sub", "python3 a.py", "sub", false},
		{"python3 ${workspaceFolder}/../a.py", "", "python3 a.py", "", false},
		{"python3 ${workspaceFolder}/${X}/a.py", "", "python3 ${X}/a.py", "", false},
		{"${workspaceFolder}/notes", "", "notes", "", false},                   // PATH
		{"npx ${workspaceFolder}/notes", "", "npx notes", "", false},           // a package
		{"npx -y ./notes", "", "npx -y notes", "", false},                      // a package
		{"node -r ./x.js a.js", "", "node -r x.js a.js", "", false},            // a module
		{"node ./inspect", "", "node inspect", "", false},                      // a subcommand
		{"bun run ${workspaceFolder}/dev.ts", "", "bun run dev.ts", "", false}, // a script of package.json
		{"uv run ${workspaceFolder}/notes", "", "uv run notes", "", false},
	} {
		one, other := IdentityOf(entry(tt.one, tt.oneCwd, true)), IdentityOf(entry(tt.other, tt.otherCwd, false))
		if got := one.Alike(other) && other.Alike(one); got != tt.same {
			t.Errorf("%s in %q and %s in %q: the same %t, want %t: %q", tt.one, tt.oneCwd, tt.other, tt.otherCwd, got, tt.same, one.Differences(other))
		}
		if tt.same && (one.Key() != other.Key() || one.Program() != other.Program() || !one.Same(other)) {
			t.Errorf("%s and %s: %q and %q, %q and %q", tt.one, tt.other, one.Key(), other.Key(), one.Program(), other.Program())
		}
	}
}
