package scanner

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// ConfigPass is the input of a rule's Config and Configs checks.
type ConfigPass struct {
	*configfile.ClientConfig

	rule   *Rule
	report func(Finding)
	known  map[string][]ConfiguredServer // nil in Config
	judge  *judge                        // nil in Config

	variables Environment

	concealed *configfile.Entry // entry for which secrets was built
	secrets   text.Secrets
}

// ConfiguredServer is an entry in a configuration that was read before the current one.
type ConfiguredServer struct {
	Config *configfile.ClientConfig
	Entry  *configfile.Entry
}

// Location returns the location where the entry begins.
func (c ConfiguredServer) Location() Location {
	return Location{File: c.Config.Path, Line: max(c.Entry.Pos.Line, 1), Column: max(c.Entry.Pos.Column, 1)}
}

// Before returns the entries with the given name in earlier configurations, in input order. It
// is for Configs checks.
func (p *ConfigPass) Before(name string) []ConfiguredServer { return p.known[name] }

// Approved returns the named server's approved definitions, or nil if there are none. compared
// reports whether there is a lockfile to compare with. Approved is for Configs checks.
func (p *ConfigPass) Approved(name string) (o *Offer, compared bool) {
	s := p.judge.engine.approved
	if s == nil || p.judge.engine.versions {
		return nil, false
	}
	return s.Servers[name], true
}

// LockCommand returns the command that records the configuration's servers in the lockfile. It is for
// Configs checks.
func (p *ConfigPass) LockCommand() string {
	command := "mcpscan lock --run-servers "
	if s := p.judge.engine.approved; s != nil && s.File != "" {
		command += "--lockfile " + text.ShellWord(show(s.File, pathChars)) + " "
	}
	path := p.Path
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return command + text.ShellWord(show(path, pathChars))
}

// pathChars is the maximum length, in characters, of a path in a message.
const pathChars = 400

// pinned reports whether the lockfile has an entry for a server, or had one before the change under
// review.
func (p *ConfigPass) pinned(name string) bool {
	if p.judge == nil {
		return false
	}
	offer, _ := p.Approved(name)
	return offer != nil || p.LockedBefore(name) != nil
}

// Environment is a policy about the environment variables of servers. Implementations must be pure and
// safe for concurrent use.
type Environment interface {
	// Variable decides whether a server may have the named variable.
	Variable(server, name string) Decision
}

// Variable returns the policy's decision about an environment variable in an entry.
func (p *ConfigPass) Variable(e *configfile.Entry, name string) Decision {
	if p.variables == nil {
		return Decision{}
	}
	return p.variables.Variable(e.Name, name)
}

// switchedOff marks findings about a disabled entry.
const switchedOff = " (the server is disabled in this file, but changing one word enables it)"

// Report reports a finding about a value in an entry, or about a setting if the entry is nil. The
// pointer has the form of a key of Entry.Span. If there is no value at the pointer,
// the finding is located at the nearest enclosing one. The evidence is shown without the entry's
// secrets. Findings about a disabled entry have a severity one level lower, unless a Configs check
// reports them and the lockfile has an entry for the server or had one before the change under review,
// because then they concern a change to that server.
func (p *ConfigPass) Report(e *configfile.Entry, pointer string, severity Severity, message, evidence string, related ...Related) {
	p.report(p.finding(e, pointer, severity, message, evidence, related))
}

// ReportWithApproval is like Report, but the finding counts as approved if approval is not nil.
func (p *ConfigPass) ReportWithApproval(approval *baseline.Approval, e *configfile.Entry, pointer string, severity Severity, message, evidence string, related ...Related) {
	p.report(p.finding(e, pointer, severity, message, evidence, related).withApproval(approval))
}

// ReportOther reports a finding about a setting or, if e is not nil, about a member of an entry that is
// not among the entry's known members. The finding is located at s, whose pointer may not be unique.
func (p *ConfigPass) ReportOther(e *configfile.Entry, s configfile.Setting, severity Severity, message, evidence string) {
	f := p.finding(e, s.Pointer, severity, message, evidence, nil)
	f.Location.Line, f.Location.Column = max(s.Pos.Line, 1), max(s.Pos.Column, 1)
	p.report(f)
}

// ReportReplaced reports that an entry's executable differs from the approved file.
func (p *ConfigPass) ReportReplaced(e *configfile.Entry, severity Severity, message string, was, now *baseline.Identity, related ...Related) {
	f := p.finding(e, "/executable", severity, message, now.Executable, related)
	f.Expected, f.Actual, f.key = was.Digest, now.Digest, now.Digest
	p.report(f)
}

func (p *ConfigPass) finding(e *configfile.Entry, pointer string, severity Severity, message, evidence string, related []Related) Finding {
	f := Finding{Rule: p.rule, Category: p.rule.Category, Severity: severity, Message: show(message, messageChars),
		Subject: mcp.ConfigSubject, Pointer: show(pointer, pointerChars), Related: related}
	pos := p.setting(pointer)
	if e != nil && e.Disabled {
		if !p.pinned(e.Name) {
			f.Severity = max(f.Severity-1, Note)
		}
		f.Message = show(message+switchedOff, messageChars)
	}
	if e != nil {
		pos, f.Server = e.At(pointer), show(e.Name, nameChars)
		evidence = p.conceal(e, evidence)
	}
	f.Location = Location{File: p.Path, Line: max(pos.Line, 1), Column: max(pos.Column, 1)}
	f.Evidence, f.key = newEvidence([]byte(evidence), 0, len(evidence)), text.Mask(evidence)
	return f
}

func (p *ConfigPass) setting(pointer string) configfile.Position {
	for i := range p.Settings {
		if p.Settings[i].Pointer == pointer {
			return p.Settings[i].Pos
		}
	}
	return configfile.Position{Line: 1, Column: 1}
}

// conceal truncates the evidence and masks the entry's secrets in it.
func (p *ConfigPass) conceal(e *configfile.Entry, evidence string) string {
	if p.concealed != e {
		p.concealed, p.secrets = e, e.Secrets()
	}
	return p.secrets.Mask(evidence[:min(len(evidence), configfile.ConcealedBytes)])
}

// configured contains the entries of the configurations that the judge has seen.
type configured struct {
	known map[string][]ConfiguredServer // by name
	count int
}

// config compares a configuration with the earlier ones and remembers its entries.
func (j *judge) config(e *Event) {
	for _, r := range j.engine.configs {
		j.guard(r, e, func() {
			r.Configs(&ConfigPass{ClientConfig: e.Config, rule: r, known: j.entries.known, judge: j, report: func(f Finding) {
				if !j.found.full(f.Severity) {
					f.Time, f.Action = e.Recorded(), "alert"
					j.found.add(f)
				}
			}})
		})
	}
	for i := range e.Config.Entries {
		if j.entries.count++; j.entries.count > maxConfigured {
			j.out.Skips = append(j.out.Skips, "more configured servers than the limit: the rest of this configuration is not compared with later ones")
			return
		}
		entry := &e.Config.Entries[i]
		if known := j.entries.known[entry.Name]; len(known) < maxNamesakes {
			set(&j.entries.known, entry.Name, append(known, ConfiguredServer{e.Config, entry}))
		}
	}
}

// SettingsPass is the input of a rule's Settings check.
type SettingsPass struct {
	*configfile.ChangedSettings

	rule *Rule
	in   *Inspector
}

// SettingsIssue is a problem that a Settings check reports.
type SettingsIssue struct {
	Severity Severity
	Message  string
	Pointer  string
	Key      string // part of the fingerprint: distinguishes findings in the same file
	Diff     string
	Signals  []string
	Pos      configfile.Position
}

// Report reports a finding.
func (p *SettingsPass) Report(is SettingsIssue) {
	if p.in.found.full(is.Severity) {
		return
	}
	var signals []string
	for _, s := range is.Signals {
		signals = append(signals, show(s, messageChars))
	}
	p.in.add(Finding{
		Rule: p.rule, Category: p.rule.Category, Severity: is.Severity, Message: show(is.Message, messageChars),
		Subject: mcp.ConfigSubject, Pointer: show(is.Pointer, pointerChars), Diff: text.ShowDiff(is.Diff), Signals: signals,
		Location: Location{File: p.Path, Line: max(is.Pos.Line, 1), Column: max(is.Pos.Column, 1)}, key: p.Path + "\x00" + is.Key,
	})
}
