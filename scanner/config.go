package scanner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/published"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Position is a 1-based place in a file; Column counts Unicode code points.
type Position struct{ Line, Column int }

// String gives the position as line:column.
func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// Compare orders positions as in the file.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// ClientConfig is a client configuration: the servers that a client starts, and their
// permissions.
type ClientConfig struct {
	// Path is the path as the user gave it.
	Path string
	// Client is the program the file belongs to, or "" when many share the form.
	Client string
	// Shape names the containers that were read, such as "mcpServers" or
	// "mcp_servers (toml)"; where a file has several they are joined by " + ".
	Shape string
	// User says that the file belongs to a user or a machine. All others may have
	// come with a repository.
	User bool
	// Project is the directory of the project that the file was found in, or "".
	Project string
	// Entries are the servers in file order.
	Entries []Entry
	// Settings are the other settings of the file that rules use, in file order.
	Settings []Setting
}

// Entry is one server of a client configuration, normalised. Texts are as written in the file,
// including references.
type Entry struct {
	// Name is the key of the entry, or its name field in a list.
	Name string
	// Transport is "stdio", "http", "sse" or "ws", and "" when the entry does
	// not say enough.
	Transport string
	// Command is the program that a stdio server runs, and Args its arguments.
	Command string
	Args    []string
	// Env is what the client adds to the server's environment. A variable that the client only
	// passes on is a reference to itself.
	Env map[string]string
	// EnvFiles are files with more variables, as the entry names them.
	EnvFiles []string
	// Cwd is the working directory of a stdio server.
	Cwd string
	// URL and Headers are the address of a remote server and the headers sent to it.
	URL     string
	Headers map[string]string
	// Disabled entries are kept by the client but not started: the file says so in a way
	// that this client knows. They are judged all the same, see [ConfigPass.Report].
	Disabled bool
	// AutoApprove names the tools that run without asking; "*" is every tool.
	AutoApprove []string
	// ToolAllow and ToolDeny limit the tools that the client shows.
	ToolAllow, ToolDeny []string
	// Scope is the part of the configuration to which the entry applies, such as the project
	// path in ~/.claude.json; "" is all of it.
	Scope string
	// Pos is where the entry starts: its key, or the item of a list.
	Pos Position
	// Span has the place of each value by JSON Pointer in terms of this struct ("/command",
	// "/args/0", "/env/TOKEN", "/url", "/headers/X"), independent of the file's spelling.
	Span map[string]Position
	// Problems says what in this entry could not be understood.
	Problems []string
	// Found is what the machine knows about the entry's command; empty if nobody looked.
	Found Found
	// Proxy is the mcpscan proxy that the entry starts in front of its server, or nil.
	Proxy *EntryProxy
}

// EntryProxy is an mcpscan proxy as an entry starts it. Span has the places of its program
// ("/proxy") and of its flags ("/proxy/0").
type EntryProxy struct {
	// Program is the program as written, and Flags are its flags, without "proxy" and "--".
	Program string
	Flags   []string
	// Through says that mcpscan wrap wrote the entry, for the program that reads it: Command
	// and Args of the entry are then those of the server behind the proxy. Otherwise they
	// are as written.
	Through bool
	// Written says that the entry has the mark of mcpscan wrap, whoever wrote it.
	Written bool
}

// Found is what a machine knows about an entry's command: the version in its package manager,
// with the registry's digest, and the executable, if it is on the machine. Unknown values are
// empty.
type Found struct {
	Resolved, Integrity string
	Executable, Digest  string
}

// Setting is a value of a configuration outside its entries.
type Setting struct {
	Pointer string // into the file
	Text    string // of a scalar: the string, or the literal as written
	Pos     Position
}

// ConfigPass is all that the Config and Configs checks of a rule may see.
type ConfigPass struct {
	*ClientConfig

	rule   *Rule
	report func(Finding)
	known  map[string][]ConfiguredServer // nil in Config
	judge  *judge                        // nil in Config

	variables Environment

	concealed *Entry // that replacer is for
	replacer  *strings.Replacer
}

// ConfiguredServer is an entry of a configuration that stood ahead of the one at hand.
type ConfiguredServer struct {
	Config *ClientConfig
	Entry  *Entry
}

// Location is where the entry begins.
func (c ConfiguredServer) Location() Location {
	return Location{File: c.Config.Path, Line: max(c.Entry.Pos.Line, 1), Column: max(c.Entry.Pos.Column, 1)}
}

// Before returns the entries of one name in the configurations that came before,
// in their order, for Configs.
func (p *ConfigPass) Before(name string) []ConfiguredServer { return p.known[name] }

// Approved returns the approved definitions of a server by name, nil if there are none, for
// Configs. compared says whether there is a lockfile to compare with.
func (p *ConfigPass) Approved(name string) (o *Offer, compared bool) {
	s := p.judge.engine.approved
	if s == nil {
		return nil, false
	}
	return s.Servers[name], true
}

// ApprovedBefore reports whether the lockfile before the change under review has a
// server of a name, for Configs.
func (p *ConfigPass) ApprovedBefore(name string) bool {
	s := p.judge.engine.base
	return s != nil && s.Servers[name] != nil
}

// pinned reports whether a server was approved, now or before the change under review.
func (p *ConfigPass) pinned(name string) bool {
	if p.judge == nil {
		return false
	}
	offer, _ := p.Approved(name)
	return offer != nil || p.ApprovedBefore(name)
}

// Environment is a policy about the environment of servers. It is pure, and safe for use
// by several goroutines.
type Environment interface {
	// Variable decides whether a server may have a variable.
	Variable(server, name string) Decision
}

// Variable returns the policy's decision about a variable of an entry.
func (p *ConfigPass) Variable(e *Entry, name string) Decision {
	if p.variables == nil {
		return Decision{}
	}
	return p.variables.Variable(e.Name, name)
}

// SwitchesOff reports an entry that does nothing but turn off a server which another file
// configures.
func (e *Entry) SwitchesOff() bool { return e.Disabled && e.Command == "" && e.URL == "" }

// switchedOff marks findings about an entry that is disabled.
const switchedOff = " (the server is disabled in this file; one word enables it)"

// Report hands over a finding about a value of an entry, by its pointer in the
// terms of Entry.Span, or about a setting where the entry is nil. A pointer to
// nothing is placed at what is nearest around it. Evidence is shown without the
// secrets of the entry. What is wrong with an entry that is disabled weighs one step
// less, unless something was approved of the server: then it is a change of that.
func (p *ConfigPass) Report(e *Entry, pointer string, severity Severity, message, evidence string, related ...Related) {
	p.report(p.finding(e, pointer, severity, message, evidence, related))
}

// ReportReplaced reports that the program of an entry is another file than the one that
// was approved.
func (p *ConfigPass) ReportReplaced(e *Entry, severity Severity, message string, was, now *Identity, related ...Related) {
	f := p.finding(e, "/executable", severity, message, now.Executable, related)
	f.Expected, f.Actual = was.Digest, now.Digest
	p.report(f)
}

func (p *ConfigPass) finding(e *Entry, pointer string, severity Severity, message, evidence string, related []Related) Finding {
	f := Finding{Rule: p.rule, Category: p.rule.Category, Severity: severity, Message: show(message, messageChars),
		Subject: ConfigSubject, Pointer: show(pointer, pointerChars), Related: related}
	pos := p.setting(pointer)
	if e != nil && e.Disabled {
		if !p.pinned(e.Name) {
			f.Severity = max(f.Severity-1, Note)
		}
		f.Message = show(message+switchedOff, messageChars)
	}
	if e != nil {
		pos, f.Server = e.at(pointer), show(e.Name, nameChars)
		evidence = p.conceal(e, evidence)
	}
	f.Location = Location{File: p.Path, Line: max(pos.Line, 1), Column: max(pos.Column, 1)}
	f.Evidence, f.key = newEvidence([]byte(evidence), 0, len(evidence)), text.Mask(evidence)
	return f
}

// at returns the place of a value of the entry, or of its nearest existing parent.
func (e *Entry) at(pointer string) Position {
	for ; pointer != ""; pointer = pointer[:strings.LastIndexByte(pointer, '/')] {
		if pos, ok := e.Span[pointer]; ok {
			return pos
		}
	}
	return e.Pos
}

func (p *ConfigPass) setting(pointer string) Position {
	for i := range p.Settings {
		if p.Settings[i].Pointer == pointer {
			return p.Settings[i].Pos
		}
	}
	return Position{1, 1}
}

// minConcealed is the minimum length of a secret by name that is masked everywhere; shorter
// values occur in too many words.
const minConcealed = 6

// concealedBytes is how much of a value is looked through for secrets to show a
// part of it.
const concealedBytes = 64 << 10

// concealer returns what masks all that the entry itself names a secret.
func (e *Entry) concealer() *strings.Replacer {
	var secrets []string
	add := func(value string) {
		if literal := text.Literal(value); len(literal) >= minConcealed {
			secrets = append(secrets, literal)
		}
	}
	for _, values := range [...]map[string]string{e.Env, e.Headers} {
		for name, value := range values {
			if text.NamesSecret(name) || published.Find(name+`="`+value[:min(len(value), concealedBytes)]+`"`) != "" {
				add(value)
				add(value[strings.LastIndexByte(value, ' ')+1:]) // also without its scheme
			}
		}
	}
	for i, w := range e.Args {
		if i > 0 && strings.HasPrefix(e.Args[i-1], "-") && !strings.HasPrefix(w, "-") && text.NamesSecret(e.Args[i-1]) {
			add(w)
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) }) // of two, the longer
	var pairs []string
	for _, secret := range slices.Compact(secrets) {
		pairs = append(pairs, secret, text.Masked)
	}
	return strings.NewReplacer(pairs...)
}

// conceal masks the entry's secrets in evidence. Text beyond the length of any report is cut
// first.
func (p *ConfigPass) conceal(e *Entry, evidence string) string {
	if p.concealed != e {
		p.concealed, p.replacer = e, e.concealer()
	}
	return p.replacer.Replace(evidence[:min(len(evidence), concealedBytes)])
}

// configured is the judge's memory of configurations.
type configured struct {
	known map[string][]ConfiguredServer // by name
	count int
}

// config judges a configuration by those before it, and remembers its entries.
func (j *judge) config(e *Event) {
	for _, r := range j.engine.configs {
		j.guard(r, e, func() {
			r.Configs(&ConfigPass{ClientConfig: e.Config, rule: r, known: j.entries.known, judge: j, report: func(f Finding) {
				if !j.full(f.Severity) {
					f.Time, f.Action = e.Time, "alert"
					j.keep(f)
				}
			}})
		})
	}
	if j.entries.known == nil {
		j.entries.known = map[string][]ConfiguredServer{}
	}
	for i := range e.Config.Entries {
		if j.entries.count++; j.entries.count > maxConfigured {
			j.out.Skips = append(j.out.Skips, "more configured servers than the limit: later ones of the same name are not compared with them")
			return
		}
		entry := &e.Config.Entries[i]
		if known := j.entries.known[entry.Name]; len(known) < maxNamesakes {
			j.entries.known[entry.Name] = append(known, ConfiguredServer{e.Config, entry})
		}
	}
}
