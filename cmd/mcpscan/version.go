package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
)

type versionCmd struct {
	JSON bool `help:"Write JSON."`
}

// build is the information that the Go toolchain recorded about this build. A build from a module,
// as made by go install, has a version but no commit; a build without version control has neither.
type build struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Date     string `json:"date"`     // of the commit, not of the build, so that builds are reproducible
	Modified bool   `json:"modified"` // the work tree had uncommitted changes
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Run prints one item per line, starting with the version.
func (c *versionCmd) Run(std streams) error {
	info, _ := debug.ReadBuildInfo()
	b := built(info)
	if c.JSON {
		out, err := json.MarshalIndent(b, "", "  ")
		if err != nil {
			return err
		}
		return put(std.out, append(out, '\n'))
	}
	commit := cmp.Or(b.Commit, "unknown")
	if b.Modified {
		commit += ", modified"
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "mcpscan %s\ncommit  %s\ndate    %s\ngo      %s, %s\n", b.Version, commit, cmp.Or(b.Date, "unknown"), b.Go, b.Platform)
	return put(std.out, out.Bytes())
}

// built reads the build information; info is nil if there is none.
func built(info *debug.BuildInfo) build {
	b := build{Name: "mcpscan", Version: version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// version returns the version that the Go toolchain recorded: that of the module after go install, or
// one derived from the commit for a build in a clone. It returns devel for a build without version
// control information, such as a test, whose reports therefore do not depend on the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
