package servers

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Known maps the names of known servers, such as those in the lockfile, to their
// identities.
type Known map[string]*baseline.LockedIdentity

// KnownIn returns the server identities in a lockfile.
func KnownIn(f *lockfile.File) Known {
	servers := Known{}
	if f != nil {
		for name, s := range f.Servers {
			servers[name] = s.Identity
		}
	}
	return servers
}

// KnownFrom returns the server identities in a snapshot.
func KnownFrom(s *scanner.Snapshot) Known {
	servers := Known{}
	for name, o := range s.Servers {
		servers[name] = cmp.Or(o.Locked, &baseline.LockedIdentity{Identity: o.Identity})
	}
	return servers
}

// Name names a server that is in no configuration, by its name in the lockfile, or else by its
// package or URL. It returns "" if none of these is known, so that the server's own name for itself
// is used.
func (l Known) Name(entry *configfile.Entry) (string, error) {
	id := baseline.IdentityOf(entry)
	name := packageName(entry)
	if entry.URL != "" {
		name = urlName(entry.URL)
	}
	same := l.same(id)
	switch {
	case len(same) == 1:
		return same[0], nil
	case slices.Contains(same, name):
		return name, nil
	case len(same) > 1:
		return "", fmt.Errorf("%s matches several servers in the lockfile: %s; add the arguments of one of them to the command", text.Visible(cmp.Or(id.Package, id.Command, id.URL), 200), listed(same, 10))
	}
	return l.distinct(name, id), nil
}

// NameUnasked is like Name, but for a server that is not asked for its name: as a last resort, it
// returns the name of the program, or an ID.
func (l Known) NameUnasked(entry *configfile.Entry) (string, error) {
	name, err := l.Name(entry)
	if err != nil || name != "" {
		return name, err
	}
	name = l.distinct(programName(entry.Command, entry.Args), baseline.IdentityOf(entry))
	return cmp.Or(name, FallbackID(entry.Command, entry.Args, entry.URL)), nil
}

// Like returns the known servers that match an entry: by identity, or else by the name that its
// package, command or URL suggests.
func (l Known) Like(entry *configfile.Entry) (names []string, suggested string) {
	suggested = urlName(entry.URL)
	if entry.Command != "" {
		suggested = cmp.Or(packageName(entry), FallbackID(entry.Command, entry.Args, ""))
	}
	names = l.same(baseline.IdentityOf(entry))
	if len(names) == 0 && l[suggested] != nil {
		names = []string{suggested}
	}
	return names, suggested
}

// distinct returns the given name or, if another known server has it, the name with an ID of the
// command or URL appended.
func (l Known) distinct(name string, id *baseline.Identity) string {
	if other := l[name].Last(); name != "" && other != nil && !other.Same(id) {
		return name + "-" + strings.TrimPrefix(FallbackID(id.Command, id.Args, id.URL), "mcp-")
	}
	return name
}

// same returns the sorted names of the servers with the same identity or, if some of them also have
// the same arguments, only the first of those.
func (l Known) same(id *baseline.Identity) (names []string) {
	var exact []string
	for _, name := range slices.Sorted(maps.Keys(l)) {
		switch was := l[name].Last(); {
		case was == nil || !was.Same(id):
		case was.SameArgs(id):
			exact = append(exact, name)
			fallthrough
		default:
			names = append(names, name)
		}
	}
	if len(exact) > 0 {
		return exact[:1] // one server under several names
	}
	return names
}

// FallbackID returns an ID for a server about which nothing else is known, in the agentsh format.
func FallbackID(command string, args []string, address string) string {
	sum := sha256.Sum256([]byte(command + strings.Join(args, " ") + address))
	return fmt.Sprintf("mcp-%x", sum[:4])
}

// packageName names a server after the package that its command starts, using the last part of the
// package name unless it is generic. It returns "" if the command does not run a package.
func packageName(entry *configfile.Entry) string {
	if entry.Command == "" {
		return ""
	}
	l := launch.Parse(entry.Command, entry.Args)
	module := l.Ecosystem == launch.None && l.Name != "" && l.Launches()
	name := strings.TrimSuffix(strings.TrimRight(filepath.ToSlash(l.Name), "/"), ".git")
	if !module && !l.Ecosystem.Fetched() || text.Mask(l.Name) != l.Name || !isName(name) {
		return ""
	}
	if last := path.Base(name); !generic.MatchString(last) {
		return last
	}
	return name
}

// generic detects package names that are common once the scope or owner is removed, such as
// mcp-server.
var generic = lazyregexp.New(`(?i)^(?:mcp|server|mcp[-_]?server|server[-_]?mcp|index|main|cmd)$`)

// programName returns a name for a server that starts no package: that of the program, or of the script
// that its interpreter runs, if the name contains mcp as a word. The name of the directory takes the
// place of a generic one such as index.js. Otherwise, programName returns "".
func programName(command string, args []string) string {
	words := []string{command}
	if i := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") }); i >= 0 {
		words = append(words, args[i])
	}
	for _, word := range words {
		if text.Mask(word) != word || strings.Contains(word, "://") {
			continue
		}
		for _, part := range slices.Backward(strings.Split(filepath.ToSlash(word), "/")) {
			part = strings.TrimSuffix(part, ending.FindString(part))
			if saysMCP.MatchString(part) && !generic.MatchString(part) && isName(part) {
				return part
			}
			if !generic.MatchString(part) && !layout.MatchString(part) {
				break // the directory may contain several servers
			}
		}
	}
	return ""
}

// ending detects a program's file name extension, layout detects a generic file or directory name
// inside a program's project, and saysMCP detects a name that contains mcp as a word.
var (
	ending  = lazyregexp.New(`(?i)\.(?:exe|cmd|bat|ps1|sh|[cm]?[jt]s|py|rb|jar)$`)
	layout  = lazyregexp.New(`(?i)^(?:dist|build|out|lib|src|bin|target|release|debug|app|cli|run|start|stdio|__main__)$`)
	saysMCP = lazyregexp.New(`(?i)^(?:\S*[-_.])?mcp(?:[-_.]\S*)?$`)
)

// isName reports whether s can be the name of a server.
func isName(s string) bool {
	return s != "" && len(s) <= 128 && utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// ownName returns the name that a server reports for itself in a message, or "" if there is none.
func ownName(frame []byte) string {
	var doc wire.Doc
	if doc.Parse(frame) != nil {
		return ""
	}
	result := doc.Get(0, "result")
	info := doc.Get(result, "serverInfo")
	if info < 0 {
		info = doc.Get(doc.Get(result, "_meta"), mcp.MetaServerInfo)
	}
	name, _ := doc.Str(info, "name")
	if !isName(name) || text.Mask(name) != name {
		return ""
	}
	return name
}

// urlName names a server after the host of its URL, plus the path if it is unusual, because a
// host can have several servers.
func urlName(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return BareURL(raw)
	}
	switch place := strings.Trim(u.EscapedPath(), "/"); place {
	case "", "mcp", "sse":
		return u.Host
	default:
		return strings.TrimPrefix(baseline.Masked("https://"+u.Host+"/"+place), "https://")
	}
}
