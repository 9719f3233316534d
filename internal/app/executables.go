package app

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// absent handles an entry whose approved executable has a path in the project, but cannot be compared.
// If the file is missing but the base has it, a rule reports this. A file missing from both does not
// make the run incomplete, because Git often ignores what a build writes.
func (p *Plan) absent(e *config.Server, dir string, at scanner.Origin) {
	name := p.approvedFile(e)
	if name == "" {
		return
	}
	path := filepath.Join(dir, name)
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		return
	}
	shown := text.Visible(name, 200)
	e.Found.Removed = p.base.hadFile(path)
	switch _, err := os.Lstat(path); {
	case err != nil && e.Found.Removed:
	case err != nil:
		p.ignore(at, "an approved executable that is missing here, such as one that a build writes; it was not compared")
	case isLink(path):
		p.skip(at, "server %s: its approved executable %s is now a symbolic link whose target cannot be read here; replace the link with the file itself", e.Name, shown)
	default:
		p.skip(at, "server %s: its approved executable %s is no longer a regular file", e.Name, shown)
	}
}

// approvedFile returns the path of an entry's approved executable, relative to the project, or "" if it is
// unknown or outside the project, or if the entry starts something else.
func (p *Plan) approvedFile(e *config.Server) string {
	if p.lockfile == nil || p.lockfile.Servers[e.Name] == nil || !e.Compared() {
		return ""
	}
	locked := p.lockfile.Servers[e.Name].Identity
	id := locked.Approved()
	if id == nil || id.Digest == "" || len(locked.Stale(baseline.IdentityOf(e))) > 0 {
		return ""
	}
	name, inside := strings.CutPrefix(id.Executable, "./")
	if name = filepath.FromSlash(name); !inside || !filepath.IsLocal(name) {
		return ""
	}
	return name
}

// hadFile reports whether the base tree has a regular file at the path.
func (b baseTree) hadFile(path string) bool {
	wd, err1 := filepath.Abs("")
	abs, err2 := filepath.Abs(path)
	if err1 != nil || err2 != nil {
		return false
	}
	rel, err := filepath.Rel(wd, abs)
	if err != nil || !b.holds(rel) {
		return false
	}
	info, err := os.Lstat(b.path(rel))
	return err == nil && info.Mode().IsRegular()
}
