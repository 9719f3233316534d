package config

import (
	"bytes"
	"path"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// envFiles collects the names of environment files from the client's keys and from the command's
// options.
func (b *entryReader) envFiles() {
	for _, k := range []string{"envFile", "env_file", "envFiles", "env_files"} {
		n := b.first(k)
		if n.is(kindString) {
			b.items(&b.s.EnvFiles, k, "/envFiles", []*node{n})
		} else if n != nil {
			b.texts(&b.s.EnvFiles, k, "/envFiles", k)
		}
	}
	for i, arg := range b.s.Args {
		name, value, assigned := strings.Cut(arg, "=")
		if name != "--env-file" && name != "--env-file-if-exists" {
			continue
		}
		if !assigned && i+1 < len(b.s.Args) {
			value = b.s.Args[i+1]
		}
		b.s.EnvFiles = append(b.s.EnvFiles, value)
	}
}

// InProject returns the path of a file named by an entry, relative to the project directory, or ""
// if it did not come with the project.
func InProject(name string) string {
	name = slashed(name)
	for _, root := range []string{"${workspaceFolder}", "${workspaceRoot}", "${CLAUDE_PROJECT_DIR}", "$PWD", "${PWD}"} {
		name = strings.TrimPrefix(name, root+"/")
	}
	name = path.Clean(name)
	if path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") || strings.HasPrefix(name, "~") || strings.ContainsAny(name, "$%:") {
		return ""
	}
	return name
}

// ParseEnvFile reads a file of NAME=VALUE lines as client settings.
func ParseEnvFile(name, client string, data []byte) *File {
	f := &File{ClientConfig: configfile.ClientConfig{Path: name, Client: client, Shape: "variables"}}
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) {
		number++
		key, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(line)), "export "), "=")
		if key = strings.TrimSpace(key); !ok || key == "" || key[0] == '#' {
			continue
		}
		value = strings.TrimSpace(value)
		if q := value[:min(len(value), 1)]; q == `"` || q == "'" {
			value, _, _ = strings.Cut(value[1:], q)
		}
		if len(f.Settings) == maxSettings {
			f.Problems = append(f.Problems, Problem{Pos: Position{Line: number, Column: 1}, Msg: "more variables than the limit: the rest was not checked"})
			break
		}
		f.Settings = append(f.Settings, configfile.Setting{Pointer: "/envFile/" + wire.EscapePointer(key), Text: value, Pos: Position{Line: number, Column: 1}})
	}
	return f
}
