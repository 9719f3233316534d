package servers

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// virtualEnvironment returns the Python virtual environment that contains a program, or "".
func virtualEnvironment(program string) string {
	dir := filepath.Dir(filepath.Dir(program))
	if !isRegular(filepath.Join(dir, "pyvenv.cfg")) {
		return ""
	}
	return dir
}

// distributionPatterns returns patterns for the .dist-info directories in a virtual environment, which
// can be a pattern, too.
func distributionPatterns(environment string) []string {
	return []string{filepath.Join(environment, "lib", "python*", "site-packages", "*.dist-info"),
		filepath.Join(environment, "Lib", "site-packages", "*.dist-info")}
}

// distribution returns the name and version of the distribution in a .dist-info directory.
func distribution(distInfo string) (name, version string) {
	base := strings.TrimSuffix(filepath.Base(distInfo), ".dist-info")
	at := strings.LastIndexByte(base, '-')
	if at < 0 {
		return "", ""
	}
	return pythonName(base[:at]), base[at+1:]
}

// maxConsoleScript is the maximum size of a console script, in bytes.
const maxConsoleScript = 4 << 10

// consoleScript returns the .dist-info directory of the distribution whose function a script in a
// virtual environment calls, or "" if the script does anything else. Installers write the path of the
// environment into such scripts, so they differ between machines, but only the distribution matters.
func (m machine) consoleScript(file string) string {
	file, err := filepath.EvalSymlinks(file)
	if err != nil {
		return ""
	}
	environment := virtualEnvironment(file)
	info, err := regular(file)
	if environment == "" || err != nil || info.Size() > maxConsoleScript {
		return ""
	}
	parts := consoleScript.FindStringSubmatch(string(m.disk.manifest(file)))
	if parts == nil {
		return ""
	}
	interpreter, module, imported, function := parts[1]+parts[2]+parts[3]+parts[4], parts[5], parts[6], parts[7]
	dir, err := filepath.EvalSymlinks(filepath.Dir(interpreter))
	if err != nil || dir != filepath.Dir(file) || filepath.Clean(interpreter) != interpreter {
		return ""
	}
	if first, _, _ := strings.Cut(function, "."); first != imported {
		return ""
	}
	return m.only(environment, func(distInfo string) bool {
		return declares(string(m.disk.manifest(filepath.Join(distInfo, "entry_points.txt"))), filepath.Base(file), module+":"+function)
	})
}

// consoleScript matches the whole script that pip, uv or Poetry writes for an entry point. If the path
// of the interpreter is long or contains spaces, the script is also a shell script that starts it. The
// path contains nothing that the system or the shell would interpret.
var consoleScript = lazyregexp.New(`\A#!(?:(/\S*/` + pythonProgram + `)|/bin/sh\n'''exec' ` +
	`(?:(/[\w./+@:-]*/` + pythonProgram + `)|"(/[^"'$\\\x60\n]*/` + pythonProgram + `)"|'(/[^'\n]*/` + pythonProgram + `)') "\$0" "\$@"\n' ''')\n` +
	`(?:# -\*- coding: utf-8 -\*-\n)?(?:import re\n)?import sys\nfrom ([\w.]+) import (\w+)\n+if __name__ == ["']__main__["']:\n` +
	`(?: +(?:el)?if sys\.argv\[0\]\.endswith\("[\w.-]+"\):\n| +sys\.argv\[0\] = (?:sys\.argv\[0\](?:\[:-\d+\]|\.removesuffix\(["']\.exe["']\))|` +
	`re\.sub\(r["']\(-script\\\.pyw\|\\\.exe\)\?\$["'], ["']["'], sys\.argv\[0\]\))\n)*` +
	` +sys\.exit\(([\w.]+)\(\)\)\n?\z`)

const pythonProgram = `(?:python|pypy)[0-9.]*`

// only returns the .dist-info directory in a virtual environment that has a property, or "" if not
// exactly one has it.
func (m machine) only(environment string, has func(distInfo string) bool) (found string) {
	for _, dir := range globAll(distributionPatterns(escapeGlob(environment))) {
		if !has(dir) {
			continue
		}
		if found != "" {
			return ""
		}
		found = dir
	}
	return found
}

// declares reports whether an entry_points.txt declares a program with an entry point.
func declares(entryPoints, program, entryPoint string) bool {
	section := ""
	for line := range strings.Lines(entryPoints) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = line
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		value, _, _ = strings.Cut(value, "[") // extras
		if section == "[console_scripts]" && strings.TrimSpace(name) == program && strings.ReplaceAll(value, " ", "") == entryPoint {
			return true
		}
	}
	return false
}

// installedModule returns the .dist-info directory of the distribution that contains the module that the
// Python of a virtual environment starts, or "".
func (m machine) installedModule(s launch.Script, dir string) string {
	if !s.Module || !strings.ContainsAny(s.Program, `/\`) {
		return ""
	}
	environment := virtualEnvironment(Directory(dir, filepath.FromSlash(s.Program)))
	if environment == "" {
		return ""
	}
	name := strings.ReplaceAll(s.Path, ".", "/")
	return m.only(environment, func(distInfo string) bool {
		if pythonModule(filepath.Join(filepath.Dir(distInfo), filepath.FromSlash(name))) == "" {
			return false // spares reading long lists of files
		}
		record := "\n" + string(m.disk.manifest(filepath.Join(distInfo, "RECORD")))
		return strings.Contains(record, "\n"+name+".py,") || strings.Contains(record, "\n"+name+"/__main__.py,")
	})
}

// nameDigest returns a digest of the name of a distribution, used as that of its console script.
func nameDigest(name string) string {
	sum := sha256.Sum256([]byte("console script of " + name))
	return "sha256:" + hex.EncodeToString(sum[:])
}
