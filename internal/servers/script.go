package servers

import (
	"path/filepath"
	"strings"

	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// script returns the file that a runtime started in dir loads for local code, or "" if that is
// uncertain.
func (m machine) script(s launch.Script, dir string) string {
	path := Directory(dir, filepath.FromSlash(s.Path))
	switch {
	case s.Path == "" || s.Isolated:
		return ""
	case s.Module:
		return pythonModule(filepath.Join(dir, filepath.FromSlash(strings.ReplaceAll(s.Path, ".", "/"))))
	case isRegular(path):
		return path
	case strings.HasPrefix(s.Runtime, "py"):
		return firstRegular(filepath.Join(path, "__main__.py"))
	}
	suffixes := runtimeSuffixes[s.Runtime]
	if len(suffixes) == 0 {
		return ""
	}
	if file := withSuffix(path, suffixes); file != "" {
		return file
	}
	return m.mainFile(path, suffixes)
}

// runtimeSuffixes contains the suffixes that each runtime adds to the name of a file, in the order in
// which it tries them.
var runtimeSuffixes = map[string][]string{
	"node": {".js", ".json", ".node"}, "nodejs": {".js", ".json", ".node"},
	"tsx": {".ts", ".tsx", ".js"}, "ts-node": {".ts", ".tsx", ".js"}, "ts-node-esm": {".ts", ".tsx", ".js"},
}

// pythonModule returns the file that python -m runs for a module at a path without its suffix. A package
// with an initialiser hides a module of the same name.
func pythonModule(path string) string {
	main := filepath.Join(path, "__main__.py")
	if isRegular(filepath.Join(path, "__init__.py")) {
		return firstRegular(main)
	}
	return firstRegular(path+".py", main)
}

// mainFile returns the file that node loads for a directory: the main file of its package, or its index.
func (m machine) mainFile(dir string, suffixes []string) string {
	if data := m.disk.manifest(filepath.Join(dir, "package.json")); data != nil {
		var doc wire.Doc
		if doc.Parse(data) != nil {
			return ""
		}
		if name, ok := doc.Str(0, "main"); ok && name != "" {
			main := filepath.Join(dir, filepath.FromSlash(name))
			for _, file := range []string{firstRegular(main), withSuffix(main, suffixes), withSuffix(filepath.Join(main, "index"), suffixes)} {
				if file != "" {
					return file
				}
			}
		}
	}
	return withSuffix(filepath.Join(dir, "index"), suffixes)
}

func withSuffix(path string, suffixes []string) string {
	paths := make([]string, len(suffixes))
	for i, suffix := range suffixes {
		paths[i] = path + suffix
	}
	return firstRegular(paths...)
}

// firstRegular returns the first path that is a regular file, or "".
func firstRegular(paths ...string) string {
	for _, path := range paths {
		if isRegular(path) {
			return path
		}
	}
	return ""
}

func isRegular(path string) bool {
	_, err := regular(path)
	return err == nil
}
