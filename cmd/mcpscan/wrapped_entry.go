package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/text"
)

// ownPath returns the path with which clients start this program. If a link led to this program,
// ownPath returns the link's path, because the target's often contains a version.
func ownPath() (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", usage("cannot determine the path of mcpscan: %w", err)
	}
	if strings.Contains(own, "go-build") && filepath.Base(filepath.Dir(own)) == "exe" {
		return "", usage("go run removes the program when it ends, so clients could not start it; install mcpscan first: go install ./cmd/mcpscan")
	}
	if found, err := exec.LookPath(os.Args[0]); err == nil {
		if found, err = filepath.Abs(found); err == nil && app.ThisProgram(found) {
			return found, nil
		}
	}
	return own, nil
}

// asWritten reconstructs the configuration entry of a wrapped server. The client has already
// expanded references and changed directory, so asWritten copies the unexpanded references and the
// working directory from the locked entry. They therefore never count as changed; only a scan of the
// configuration can compare them. env contains the names of the environment variables that wrap
// listed.
func asWritten(entry config.Server, locked *baseline.Identity, env []string) config.Server {
	entry.Env = map[string]string{}
	for _, name := range env {
		entry.Env[name] = ""
	}
	if locked == nil {
		return entry
	}
	entry.Cwd = locked.Cwd
	if len(text.References(locked.Command)) > 0 {
		entry.Command = locked.Command
	}
	if len(entry.Args) == len(locked.Args) {
		entry.Args = slices.Clone(entry.Args)
		for i, arg := range locked.Args {
			if len(text.References(arg)) > 0 {
				entry.Args[i] = arg
			}
		}
	}
	return entry
}
