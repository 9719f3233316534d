package servers

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Limits on an ignore file. A file that exceeds one of them has no effect.
const (
	maxIgnoreFile  = 64 << 10 // bytes
	maxIgnoreRules = 2000
)

// Ignored reports whether Git ignores a file, so that only this machine has it. A tracked file is never
// ignored. The user's own excludes file does not count, only the repository's .gitignore files and
// info/exclude.
func (d *Disk) Ignored(name string) bool {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		real = name
	}
	if real, err = filepath.Abs(real); err != nil {
		return false
	}
	r := d.repository(filepath.Dir(real))
	if r == nil || r.unread {
		return false
	}
	file, inside := r.path(real)
	if !inside {
		return false
	}
	in := d.ignoreDir(r, parent(file))
	return (in.ignored || in.ignores(file, false)) && !r.tracks(file)
}

// tracks reports whether the index contains a path. It ignores case, because some file systems do.
func (r *repository) tracks(file string) bool {
	if r.folded == nil {
		r.folded = map[string]bool{}
		for _, tracked := range r.paths {
			r.folded[strings.ToLower(tracked)] = true
		}
	}
	return r.folded[strings.ToLower(file)]
}

// ignoreDir is a directory of a repository with the rules of its ignore file.
type ignoreDir struct {
	above   *ignoreDir // the directory above; nil for the ignoreDir of info/exclude
	rules   []ignoreRule
	ignored bool // the directory is ignored, and so is everything in it
}

// ignoreRule is a line of an ignore file.
type ignoreRule struct {
	below   string // directory of the ignore file, relative to the root of the repository
	pattern string
	negated bool
	dirOnly bool
	base    bool // the pattern has no slash, so it applies to the last element of a path
}

// ignoreDir returns a directory of the repository with its rules, which it reads only once.
func (d *Disk) ignoreDir(r *repository, dir string) *ignoreDir {
	if in := r.ignoreDirs[dir]; in != nil {
		return in
	}
	in := &ignoreDir{}
	if dir == "" {
		in.above = &ignoreDir{rules: d.ignoreRules(filepath.Join(r.git, "info", "exclude"), "")}
	} else {
		in.above = d.ignoreDir(r, parent(dir))
		in.ignored = in.above.ignored || in.above.ignores(dir, true)
	}
	if !in.ignored {
		in.rules = d.ignoreRules(filepath.Join(r.root, filepath.FromSlash(dir), ".gitignore"), dir)
	}
	r.ignoreDirs[dir] = in
	return in
}

// parent returns the directory of a path in a repository, "" for the root.
func parent(file string) string { return strings.TrimPrefix(path.Dir(file), ".") }

// ignores reports whether the rules that apply in a directory ignore a path in it. The last matching
// rule decides, and the rules of a subdirectory come after those of the directories above.
func (in *ignoreDir) ignores(file string, dir bool) bool {
	for ; in != nil; in = in.above {
		for _, rule := range slices.Backward(in.rules) {
			if rule.matches(file, dir) {
				return !rule.negated
			}
		}
	}
	return false
}

// ignoreRules returns the rules in an ignore file, as described in gitignore(5).
func (d *Disk) ignoreRules(name, below string) (rules []ignoreRule) {
	if info, err := regular(name); err != nil || info.Size() > maxIgnoreFile {
		return nil
	}
	data := strings.TrimPrefix(string(d.manifest(name)), "\xef\xbb\xbf")
	for line := range strings.Lines(data) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if trimmed := strings.TrimRight(line, " "); !strings.HasSuffix(trimmed, `\`) {
			line = trimmed
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		rule := ignoreRule{below: below}
		line, rule.negated = strings.CutPrefix(line, "!")
		line, rule.dirOnly = strings.CutSuffix(line, "/")
		rule.base = !strings.Contains(line, "/")
		if rule.pattern = strings.TrimPrefix(line, "/"); rule.pattern != "" {
			rules = append(rules, rule)
		}
		if len(rules) > maxIgnoreRules {
			return nil
		}
	}
	return rules
}

func (r *ignoreRule) matches(file string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	if r.below != "" {
		file = strings.TrimPrefix(file, r.below+"/")
	}
	if r.base {
		file = path.Base(file)
	}
	return matches(strings.Split(r.pattern, "/"), strings.Split(file, "/"))
}

// matches reports whether a pattern matches a path, both split at slashes. It backtracks only to the
// last **, so its time is bounded by the product of the lengths.
func matches(pattern, file []string) bool {
	if last := len(pattern) - 1; last > 0 && pattern[last] == "**" { // a/** matches what is in a, but not a
		pattern = append(pattern, "*")
	}
	at, after, from := 0, 0, 0 // after is the position after the last **, or 0
	for i := 0; i < len(file); {
		switch {
		case at < len(pattern) && pattern[at] == "**" && len(pattern) > 1:
			at++
			after, from = at, i
		case at < len(pattern) && segmentMatches(pattern[at], file[i]):
			at++
			i++
		case after > 0:
			from++
			at, i = after, from
		default:
			return false
		}
	}
	return at == len(pattern)
}

func segmentMatches(pattern, segment string) bool {
	ok, err := path.Match(strings.ReplaceAll(pattern, "[!", "[^"), segment)
	return err == nil && ok
}
