package servers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/configfile"
)

// TestExecutable checks which file counts as the executable of a command.
func TestExecutable(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"server.js", "server.py", "run.sh", "srv/server.js", "srv/server.py", "srv/index.js", "dist/index.js", "src/index.ts",
		"app/lib/main.js", "pkg/__init__.py", "pkg/__main__.py", "pkg.py", "pkg/server.py", "space/__main__.py", "zip.js/index.js", "c.json",
		"bin/files", "bin/srv", "notes.db", "server.log", "t.yaml", "tool", "disguised.txt"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(dir, "bin"))
	for name, content := range map[string]string{"bin/files": "\x7fELF", "bin/srv": "exec files", "tool": "\x7fELF", "disguised.txt": "#!/bin/sh\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bin/files", "bin/srv", "notes.db"} { // some file systems mark every file as executable
		if err := os.Chmod(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "app", "package.json"), []byte(`{"main": "lib/main"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"node server.js":                                  "./server.js",
		"node server":                                     "./server.js",
		"node dist/index":                                 "./dist/index.js",
		"node ./srv":                                      "./srv/index.js",
		"node app":                                        "./app/lib/main.js",
		"node zip.js":                                     "./zip.js/index.js",
		"node src/index":                                  "",
		"node .":                                          "",
		"tsx src/index":                                   "./src/index.ts",
		"npx -y tsx src/index.ts":                         "./src/index.ts",
		"npx tsx@4.19.2 watch src/index.ts":               "./src/index.ts",
		"pnpm dlx tsx src/index.ts":                       "./src/index.ts",
		"bunx ts-node src/index.ts":                       "./src/index.ts",
		"npx -y files-mcp src/index.ts":                   "",
		"bun run src/index.ts":                            "./src/index.ts",
		"python3 server.py":                               "./server.py",
		"python3 space":                                   "./space/__main__.py",
		"python -m server":                                "./server.py",
		"python -m pkg":                                   "./pkg/__main__.py",
		"python -u -m pkg.server -v":                      "./pkg/server.py",
		"python -m space":                                 "./space/__main__.py",
		"python -I -m server":                             "",
		"python -m http.server":                           "",
		"uv run server.py":                                "./server.py",
		"uv --directory srv run server.py":                "./srv/server.py",
		"uv run --directory=srv server.py":                "./srv/server.py",
		"uv run --directory none server.py":               "",
		"uv run --project srv python srv/server.py":       "./srv/server.py",
		"uv run -m pkg.server":                            "./pkg/server.py",
		"uv run python -m pkg":                            "./pkg/__main__.py",
		"uv run --with mcp mcp run server.py":             "./server.py",
		"uv run --with mcp mcp run --x srv/server.py:app": "./srv/server.py",
		"uvx --from mcp[cli] mcp run server.py":           "./server.py",
		"uvx fastmcp run server.py":                       "./server.py",
		"uvx files-mcp run server.py":                     "",
		"fastmcp run server.py:app":                       "./server.py",
		"env -C srv node server.js":                       "./srv/server.js",
		"poetry -C srv run python server.py":              "./srv/server.py",
		"sh run.sh":                                       "./run.sh",
		"files serve notes.db":                            "./bin/files",
		"files --log-file server.log":                     "./bin/files",
		"files --tools-file t.yaml":                       "./bin/files",
		"env A=b files c.json":                            "./bin/files",
		"./bin/srv notes.db":                              "./bin/srv",
		"python3 -m installed notes.db":                   "",
		"wrapper notes.db":                                "",
		"wrapper notes.db run.sh":                         "./run.sh",
		"wrapper server.py":                               "./server.py",
		"wrapper tool notes.db":                           "./tool",
		"wrapper bin/srv":                                 "./bin/srv",
		"wrapper disguised.txt":                           "./disguised.txt",
	} {
		words := strings.Fields(command)
		f, why := NewDisk(t.Context()).Find(&configfile.Entry{Command: words[0], Args: words[1:]}, dir)
		if f.Executable != want || why != "" {
			t.Errorf("%s: got %q, %q, want %q", command, f.Executable, why, want)
		}
	}
	for code, want := range map[string]string{
		"cd srv && exec node server.js": "./srv/server.js",
		`cd "$X" && node server.js`:     "./server.js",
		"node server.js":                "./server.js",
	} {
		if f, _ := NewDisk(t.Context()).Find(&configfile.Entry{Command: "sh", Args: []string{"-c", code}}, dir); f.Executable != want {
			t.Errorf("sh -c %s: got %q, want %q", code, f.Executable, want)
		}
	}
}
