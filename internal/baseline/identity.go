package baseline

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// Identity identifies a server by its command or address. Secrets are masked so that it can be
// written to a file. It contains the names of environment variables and headers, and the hosts in
// their values.
type Identity struct {
	Transport string
	Command   string
	Args      []string
	Cwd       string
	URL       string // without credentials and parameters
	Env       []string
	Headers   []string
	Hosts     []string // in variables, headers, OAuth settings and settings of the launcher; sorted, without this machine and the host of URL

	Ecosystem launch.Ecosystem // ecosystem of the package that the command starts
	Package   string
	Version   string // as written in the arguments
	Exact     bool   // Version names exactly one version
	Pinned    string // the requested digest or commit

	Name string // as reported in serverInfo; "" if unknown, as in a configuration

	CommandLine bool // given on a command line: a configuration may add variables and headers

	configfile.Found
}

// IdentityOf returns the identity of the server in an entry.
func IdentityOf(e *configfile.Entry) *Identity {
	secrets := e.Secrets()
	command, args, cwd := e.RelativeCommand()
	id := &Identity{Transport: e.Transport, Command: secrets.Mask(Masked(command)), Cwd: cwd, URL: address(e.URL),
		Found: e.Found, CommandLine: e.CommandLine, Env: slices.Sorted(maps.Keys(e.Env)), Headers: slices.Sorted(maps.Keys(e.Headers)), Hosts: hosts(e)}
	for _, a := range args {
		id.Args = append(id.Args, secrets.Mask(Masked(a)))
	}
	if command != "" {
		l := launch.Parse(command, args)
		id.Ecosystem, id.Package, id.Version, id.Exact, id.Pinned = l.Ecosystem, Masked(l.Name), l.Version, l.Exact, l.Digest
	}
	if e.Found.Instead != "" {
		id.Ecosystem, id.Package, id.Version, id.Exact, id.Pinned = launch.Local, Masked(e.Found.Instead), "", false, ""
	}
	return id
}

// Canonical returns a copy of the identity with its command in canonical form; see [launch.Canonical].
func (id *Identity) Canonical() *Identity {
	canonical := *id
	canonical.Command, canonical.Args = launch.Canonical(id.Command, id.Args)
	if id.Package == id.Command {
		canonical.Package = canonical.Command
	}
	for i, arg := range id.Args {
		if arg == id.Package {
			canonical.Package = canonical.Args[i]
		}
	}
	return &canonical
}

// Same reports whether two identities belong to one server: they start the same package, file or
// program, or have the same address. Versions and arguments may differ, except in a command that is
// not known to start a package or file, such as a shell: its arguments must be the same.
func (id *Identity) Same(other *Identity) bool {
	if other == nil {
		return false
	}
	switch id, other = id.Canonical(), other.Canonical(); {
	case id.Ecosystem != other.Ecosystem || id.Package != other.Package || id.URL != other.URL:
		return false
	case id.Command == "" && other.Command == "":
		return id.URL != ""
	case id.Package == "":
		return id.Command == other.Command && slices.Equal(id.Args, other.Args)
	}
	return true
}

// Program returns a string that is equal for two identities if they belong to one server (see Same), or
// "" if the identity has neither a command nor an address.
func (id *Identity) Program() string {
	if id == nil || id.Command == "" && id.URL == "" {
		return ""
	}
	if id = id.Canonical(); id.Package == "" && id.Command != "" {
		return fmt.Sprintf("%q", append([]string{id.URL, string(id.Ecosystem), id.Command}, id.Args...))
	}
	return fmt.Sprintf("%q", []string{id.URL, string(id.Ecosystem), "", id.Package})
}

// Key returns a string that is equal for two identities of one server with the same arguments,
// whatever its version, or "" if the identity has neither a command nor an address.
func (id *Identity) Key() string {
	if id == nil || id.Command == "" && id.URL == "" {
		return ""
	}
	if id = id.Canonical(); id.Package == "" {
		return fmt.Sprintf("%q", append([]string{id.URL, id.Command}, id.Args...))
	}
	return fmt.Sprintf("%q", append([]string{id.URL, string(id.Ecosystem), id.Package}, id.bareArgs()...))
}

// Alike reports whether two configurations start the same server in the same way, apart from
// variables, headers and hosts. In different directories, the same command can start different
// files, so their digests are compared too.
func (id *Identity) Alike(other *Identity) bool {
	if id.Replaced(other) && other.Replaced(id) {
		return false
	}
	a, b := id.started(), other.started()
	a.Hosts, b.Hosts = nil, nil
	return len(a.Differences(b)) == 0
}

// Replaced reports whether the executable was replaced. It returns false unless both digests are known. A text
// file that differs only in line endings counts as the same, because Git can convert them.
func (id *Identity) Replaced(current *Identity) bool {
	return id.Digest != "" && current.Digest != "" && id.Digest != current.Digest && id.Digest != current.DigestLF && id.Digest != current.DigestCRLF
}

// address returns a URL without the parts that may be secret.
func address(raw string) string {
	return Masked(cmp.Or(text.BareURL(raw), raw))
}

// Masked returns a text with the credentials in it masked. A secret in the path of an address is
// replaced by the beginning of its digest, because the path determines which server answers.
func Masked(s string) string {
	for _, secret := range secrets.InAddresses(s) {
		s = strings.ReplaceAll(s, secret, fmt.Sprintf("masked-%x", sha256.Sum256([]byte(secret)))[:len("masked-")+8])
	}
	return text.Mask(s)
}

// LockedIdentity is a server's identity in a lockfile.
type LockedIdentity struct {
	Identity *Identity // the approved identity, or the one last seen if none was approved
	Seen     *Identity // the identity seen since the approval; nil if it is the same
	Approval *Approval // nil if no approver is recorded
	Pending  bool      // no identity of the server has been approved
}

// Last returns the identity last seen.
func (l *LockedIdentity) Last() *Identity {
	switch {
	case l == nil:
		return nil
	case l.Seen != nil:
		return l.Seen
	}
	return l.Identity
}

// Approved returns the approved identity, or nil if there is none.
func (l *LockedIdentity) Approved() *Identity {
	if l == nil || l.Pending {
		return nil
	}
	return l.Identity
}

// Waits reports whether the identity has changed since it was approved, or was never approved.
func (l *LockedIdentity) Waits() bool { return l != nil && (l.Pending || l.Seen != nil) }

// Stale describes how the command, address or hosts differ from those that the lockfile recorded
// last, or returns nil if they do not differ or none were recorded. Resolved values and the names
// of variables and headers do not count.
func (l *LockedIdentity) Stale(current *Identity) []string {
	last := l.Last()
	if last == nil {
		return nil
	}
	return last.started().Differences(current.started())
}

// started returns a copy of the identity without resolved values, the reported name, and the names of
// variables and headers. The command and the URL are normalized.
func (id *Identity) started() *Identity {
	s := *id
	s.Env, s.Headers, s.Found, s.Name = nil, nil, configfile.Found{}, ""
	for _, suffix := range []string{".exe", ".cmd", ".bat", ".ps1"} { // one program has different suffixes on different systems
		if n := len(s.Command) - len(suffix); n > 0 && strings.EqualFold(s.Command[n:], suffix) {
			s.Command = s.Command[:n]
		}
	}
	if u, err := url.Parse(s.URL); err == nil && u.Host != "" {
		u.Host = Host(u)
		u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
		s.URL = u.String()
	}
	return &s
}

// Host returns the normalized host and port of a URL.
func Host(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")) + ":" + port
}

// Complete returns current with missing values filled in from id, so that an empty package cache or
// a missing file removes no value. same is true if Differences finds nothing.
func (id *Identity) Complete(current *Identity) (complete *Identity, same bool) {
	merged := *current
	merged.assume(id)
	// if nothing differs, the commands can differ only in notation; keep the recorded ones
	if same = len(id.Differences(current)) == 0; same {
		merged.Command, merged.Args, merged.Package = id.Command, id.Args, id.Package
	}
	fill := func(to *string, known string) {
		if *to == "" {
			*to = known
		}
	}
	fill(&merged.Name, id.Name)
	if sameRelease := id.Package == merged.Package && id.Version == current.Version && id.Ecosystem == current.Ecosystem; sameRelease {
		fill(&merged.Resolved, id.Resolved)
		if merged.Resolved == id.Resolved {
			fill(&merged.Integrity, id.Integrity)
		}
	}
	if id.Command == merged.Command && slices.Equal(id.Args, merged.Args) && (merged.Executable == "" || merged.Executable == id.Executable) {
		fill(&merged.Executable, id.Executable)
		if !id.Replaced(current) {
			merged.Digest = cmp.Or(id.Digest, current.Digest)
		}
	}
	return &merged, same
}

// Differences describes each part in which two identities differ, with both values. A missing
// transport, resolved version, integrity, executable or reported name is not a difference, nor is the
// removal of a host.
func (id *Identity) Differences(current *Identity) (all []string) {
	id, current = Pair(id, current)
	part := func(what, was, is string) {
		if was != is {
			was, is = brief(was, is)
			all = append(all, fmt.Sprintf("%s %s → %s", what, was, is))
		}
	}
	known := func(what, was, is string) {
		if was != "" && is != "" {
			part(what, was, is)
		}
	}
	known("transport", id.Transport, current.Transport)
	part("command", id.Command, current.Command)
	switch {
	case id.Package != current.Package || id.Ecosystem != current.Ecosystem:
		part("package", packageVersion(id), packageVersion(current))
	default:
		part("version", id.Version, current.Version)
		part("pinned digest", id.Pinned, current.Pinned)
		known("resolved version", id.Resolved, current.Resolved)
	}
	if !slices.Equal(id.bareArgs(), current.bareArgs()) {
		part("arguments", strings.Join(id.Args, " "), strings.Join(current.Args, " "))
	}
	part("working directory", id.Cwd, current.Cwd)
	part("URL", id.URL, current.URL)
	part("environment variables", strings.Join(id.Env, " "), strings.Join(current.Env, " "))
	part("headers", strings.Join(id.Headers, " "), strings.Join(current.Headers, " "))
	if len(id.NewHosts(current)) > 0 {
		part("hosts in its settings", strings.Join(id.Hosts, " "), strings.Join(current.Hosts, " "))
	}
	if id.Resolved == current.Resolved {
		known("integrity", id.Integrity, current.Integrity)
	}
	known("executable", id.Executable, current.Executable)
	if id.Replaced(current) {
		part("digest of the executable", id.Digest, current.Digest)
	}
	known("serverInfo.name", id.Name, current.Name)
	return all
}

// briefChars is the maximum length, in characters, of a value in a difference. If a value is longer,
// briefContext is the maximum length of the common beginning that is shown.
const (
	briefChars   = 60
	briefContext = 20
)

// brief shortens two values so that the first difference remains visible.
func brief(was, is string) (string, string) {
	a, b := []rune(was), []rune(is)
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	skip := 0
	if max(len(a), len(b)) > briefChars {
		skip = max(0, same-briefContext)
	}
	shorten := func(r []rune) string {
		if len(r) == 0 {
			return "none"
		}
		start := ""
		if skip > 0 {
			start, r = "…", r[skip:]
		}
		if len(r) > briefChars {
			return start + string(r[:briefChars-1]) + "…"
		}
		return start + string(r)
	}
	return shorten(a), shorten(b)
}

// packageVersion returns a package and its version as PACKAGE@VERSION, or "" if there is no
// package.
func packageVersion(id *Identity) string {
	switch {
	case id.Package == "":
		return ""
	case id.Version == "":
		return id.Package
	}
	return id.Package + "@" + id.Version
}

// bareArgs returns the arguments without the package and its version, and without npx's --yes flag,
// which does not affect what runs. If the package's name also occurs in another argument, such as a
// mounted directory, that argument is unchanged.
func (id *Identity) bareArgs() (args []string) {
	at, l := len(id.Args), launch.Command{}
	if id.Package != "" {
		l = launch.Parse(id.Command, id.Args)
		at = l.Arg
	}
	for i, a := range id.Args {
		if i < at && id.Ecosystem == launch.NPM && (a == "-y" || a == "--yes") {
			continue
		}
		if i == at {
			for _, v := range []string{id.Version, id.Pinned, id.Package, l.Version, l.Digest, l.Name} { // a file of the project may replace the package
				if v != "" {
					a = strings.Replace(a, v, "", 1)
				}
			}
			a = strings.TrimRight(a, "@:=")
		}
		args = append(args, a)
	}
	return args
}

// SameArgs reports whether the arguments are the same except for the package, its version, and npx's
// --yes flag.
func (id *Identity) SameArgs(current *Identity) bool {
	return slices.Equal(id.bareArgs(), current.bareArgs())
}

// Changed reports whether the part of current at a JSON Pointer into its configuration entry
// differs from that part of id. Parts that an identity does not contain, such as the values of
// variables, count as equal.
func (id *Identity) Changed(current *Identity, pointer string) bool {
	id, current = id.Canonical(), current.Canonical()
	member, rest, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	name := wire.UnescapePointer(rest)
	switch member {
	case "command":
		return id.Command != current.Command || !id.SameArgs(current)
	case "args":
		i, err := strconv.Atoi(name)
		return id.Command != current.Command || !id.SameArgs(current) || err != nil || i >= len(current.Args) || !slices.Contains(id.Args, current.Args[i])
	case "cwd":
		return id.Cwd != current.Cwd
	case "url":
		return id.URL != current.URL
	case "env":
		return !slices.Contains(id.Env, name)
	case "headers":
		return !slices.Contains(id.Headers, name)
	}
	return false
}
