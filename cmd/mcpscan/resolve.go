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

// resolve completes what a server is by what this machine knows of it: the version
// that npx has fetched, with its integrity, and the digest of the file that runs.
// What is not known stays empty. Launchers and interpreters have no digest: they
// differ from machine to machine, and what they start is what counts.
func resolve(id *scanner.Identity) {
	if id == nil || id.Command == "" {
		return
	}
	file := ""
	switch id.Ecosystem {
	case scanner.NPM:
		id.Resolved, id.Integrity = fetchedByNPX(id)
	case scanner.Local:
		file = id.Package
	case scanner.None:
		file = id.Command
		if found, err := exec.LookPath(file); err == nil {
			file = found
		}
	}
	if file == "" {
		return
	}
	if id.Cwd != "" && !filepath.IsAbs(file) {
		file = filepath.Join(id.Cwd, file)
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return
	}
	if digest := digestOf(abs); digest != "" {
		id.Executable, id.Digest = filepath.ToSlash(abs), digest
	}
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
