package main

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// find returns what this machine knows of what an entry starts. Launchers and
// interpreters have no digest: they differ from machine to machine, and what they
// start is what counts.
func find(e *scanner.Entry) (f scanner.Found) {
	id := scanner.IdentityOf(e)
	if id.Command == "" {
		return f
	}
	file := ""
	switch id.Ecosystem {
	case scanner.NPM:
		f.Resolved, f.Integrity = fetchedByNPX(id)
	case scanner.Local:
		file = id.Package
	case scanner.None:
		file = program(e)
	}
	if file == "" {
		return f
	}
	if id.Cwd != "" && !filepath.IsAbs(file) {
		file = filepath.Join(id.Cwd, file)
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return f
	}
	if digest := digestOf(abs); digest != "" {
		f.Executable, f.Digest = portable(abs), digest
	}
	return f
}

// program is the file whose content decides what an entry does: the script that an
// argument names, or else the command, unless that is a shell.
func program(e *scanner.Entry) string {
	for _, a := range e.Args {
		if a == "" || a[0] == '-' {
			continue
		}
		path := a
		if e.Cwd != "" && !filepath.IsAbs(a) {
			path = filepath.Join(e.Cwd, a)
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return a
		}
	}
	if shells[strings.TrimSuffix(filepath.Base(e.Command), ".exe")] {
		return ""
	}
	if found, err := exec.LookPath(e.Command); err == nil {
		return found
	}
	return e.Command
}

// shells are programs of the machine that do what their arguments say.
var shells = map[string]bool{"sh": true, "bash": true, "zsh": true, "dash": true, "fish": true, "env": true, "cmd": true, "powershell": true, "pwsh": true}

// portable is a path relative to the working directory where it lies in it: a
// lockfile is read on other machines. Others are absolute.
func portable(abs string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, abs); err == nil && filepath.IsLocal(rel) {
			return "./" + filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(abs)
}

// maxExecutable bounds the file whose digest is taken.
const maxExecutable = 1 << 30

// digestOf is the SHA-256 of a regular file, "" where there is none.
func digestOf(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxExecutable {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, maxExecutable)); err != nil {
		return ""
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// fetchedByNPX reads what npx keeps of a package under ~/.npm/_npx. The name of the
// directory is made by npm's libnpmexec from the packages that it was asked for.
func fetchedByNPX(id *scanner.Identity) (version, integrity string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", ""
	}
	cache := os.Getenv("npm_config_cache")
	if cache == "" {
		cache = filepath.Join(home, ".npm")
	}
	asked := id.Package
	if id.Version != "" {
		asked += "@" + id.Version
	}
	sum := sha512.Sum512([]byte(strings.Join(slices.Sorted(slices.Values([]string{asked})), "\n")))
	data, err := os.ReadFile(filepath.Join(cache, "_npx", hex.EncodeToString(sum[:])[:16], "package-lock.json"))
	var doc wire.Doc
	if err != nil || doc.Parse(data) != nil {
		return "", ""
	}
	entry := doc.Get(doc.Get(0, "packages"), "node_modules/"+id.Package)
	version, _ = doc.Str(entry, "version")
	integrity, _ = doc.Str(entry, "integrity")
	return version, integrity
}
