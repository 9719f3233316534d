package drift

import (
	"path"
	"slices"
	"strings"
)

// usualPlace reports whether a command has no directory, in which case the system looks it up in
// PATH, or is in a system directory that ordinary users cannot write to.
func usualPlace(command string) bool {
	dir := strings.ToLower(directory(command))
	switch {
	case strings.Contains(dir, ".."):
		return false
	case dir == "." && !strings.HasPrefix(command, "."):
		return true
	}
	return slices.ContainsFunc([]string{"/usr", "/bin", "/sbin", "/opt", "/nix/store", "/snap/bin", "c:/program files", "c:/windows"}, func(usual string) bool {
		return strings.HasPrefix(dir+"/", usual+"/") || strings.HasPrefix(dir, usual+" (")
	})
}

func directory(command string) string { return path.Dir(strings.ReplaceAll(command, `\`, "/")) }

// program returns a command without its directory and without the extension of a Windows program.
func program(command string) string {
	base := path.Base(strings.ReplaceAll(command, `\`, "/"))
	for _, suffix := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		if len(base) > len(suffix) && strings.EqualFold(base[len(base)-len(suffix):], suffix) {
			return base[:len(base)-len(suffix)]
		}
	}
	return base
}

// older reports whether version a is older than b, comparing their parts without suffixes.
func older(a, b string) bool {
	figures := func(v string) []string {
		v, _, _ = strings.Cut(strings.TrimLeft(v, "v="), "-")
		return strings.Split(v, ".")
	}
	x, y := figures(a), figures(b)
	for i := range min(len(x), len(y)) {
		if x[i] == y[i] {
			continue
		}
		if len(x[i]) != len(y[i]) {
			return len(x[i]) < len(y[i])
		}
		return x[i] < y[i]
	}
	return false
}
