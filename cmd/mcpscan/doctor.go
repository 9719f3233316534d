package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/text"
)

type doctorCmd struct {
	Paths    []string `arg:"" optional:"" name:"path" help:"Client configurations, or directories that contain them; default: the configurations in this directory and the user's own." placeholder:"PATH"`
	Lockfile string   `help:"The lockfile. Default: the one that a wrapped server's proxy reads; otherwise the one that scan uses for the configuration." placeholder:"FILE"`
	Format   string   `help:"text or json." default:"text" enum:"text,json"`
}

// checkup is the result of mcpscan doctor.
type checkup struct {
	Lockfile string          `json:"lockfile"` // the one given, or that in this directory; "" for none
	Files    []*checkedFile  `json:"files"`
	Unread   []unreadFile    `json:"unread"`
	ToDo     int             `json:"todo"`
	seen     map[string]bool // configuration files and lockfiles
	asked    map[string]bool // suggested remedies

	lockfiles map[string]*lockfile.File // those that were read, by path
}

// checkedFile is a client configuration.
type checkedFile struct {
	Path    string           `json:"path"`
	Client  string           `json:"client"`
	Scope   string           `json:"scope"`
	Servers []*checkedServer `json:"servers"`
}

// checkedServer is a server in a checkedFile.
type checkedServer struct {
	Name      string   `json:"name"`
	Project   string   `json:"project"` // project of the entry, in ~/.claude.json
	Line      int      `json:"line"`
	Transport string   `json:"transport"`
	Disabled  bool     `json:"disabled"`
	Proxy     string   `json:"proxy"`
	Lock      string   `json:"lock"`
	Lockfile  string   `json:"lockfile"` // the one for its definitions, even if it does not exist yet
	Notes     []string `json:"notes"`
	Remedies  []remedy `json:"remedies"`
}

// remedy is a command and its purpose, or an edit.
type remedy struct {
	Why     string `json:"why"`
	Command string `json:"command"` // "" if Why says what to edit
}

// unreadFile is a file or an entry in a file that could not be read.
type unreadFile struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// Values of checkedServer.Proxy.
const (
	proxyWrapped  = "wrapped"
	proxyObserves = "wrapped, observe mode"
	proxyStale    = "wrapped differently"
	proxyByHand   = "wrapped by hand"
	proxyNone     = "not wrapped"
	proxyCannot   = "cannot be wrapped"
)

// Values of checkedServer.Lock.
const (
	lockApproved = "approved"
	lockPending  = "pending"
	lockChanged  = "changed"
	lockMissing  = "not locked"
)

// Run checks all servers without starting any.
func (c *doctorCmd) Run(std streams) error {
	all := &checkup{Files: []*checkedFile{}, Unread: []unreadFile{}, seen: map[string]bool{}, asked: map[string]bool{}, lockfiles: map[string]*lockfile.File{}}
	if own := cmp.Or(c.Lockfile, lockfile.Name); all.locked(own) != nil {
		all.Lockfile = own
	}
	paths := c.Paths
	if len(paths) == 0 {
		all.directory(c, ".", true)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return usage("opening %s: %w; expected a client configuration, or a directory that contains client configurations", path, err)
		}
		if info.IsDir() {
			all.directory(c, path, false)
			continue
		}
		scope := "project"
		if abs, err := filepath.Abs(path); err == nil && app.Dirs("", true).Belongs(abs) {
			scope = "user"
		}
		all.file(c, config.Location{Path: path, Scope: scope}, true)
	}
	if err := all.write(std.out, c.Format); err != nil {
		return err
	}
	switch {
	case all.ToDo > 0:
		return &exitError{code: exitFindings}
	case len(all.Unread) > 0:
		return &exitError{code: exitIncomplete}
	}
	return nil
}

func (all *checkup) unread(path string, line int, why string) {
	all.Unread = append(all.Unread, unreadFile{path, line, why})
}

// directory checks the configurations in a directory and its subdirectories, and, if user is set,
// the user's own.
func (all *checkup) directory(c *doctorCmd, dir string, user bool) {
	locations, missed := config.DiscoverBelow(app.Dirs(dir, user))
	for _, m := range missed {
		if !m.Separate {
			all.unread(m.Path, 0, m.Why)
		}
	}
	for _, l := range ownFirst(locations) {
		all.file(c, l, false)
	}
}

// file checks one configuration.
func (all *checkup) file(c *doctorCmd, l config.Location, named bool) {
	if all.seen[filepath.Clean(l.Path)] {
		return
	}
	all.seen[filepath.Clean(l.Path)] = true
	f, err := app.ReadConfig(l.Path, maxClientFile)
	out := &checkedFile{Path: l.Path, Client: l.Client, Scope: l.Scope, Servers: []*checkedServer{}}
	switch none := errors.Is(err, config.ErrNotConfig); {
	case l.Extension() && (err == nil || none):
		out.Servers = append(out.Servers, &checkedServer{
			Name: filepath.Base(filepath.Dir(l.Path)), Line: 1, Transport: "stdio", Proxy: proxyCannot, Lock: "–",
			Notes:    []string{"an extension of Claude Desktop: to run it behind the proxy, configure its server in claude_desktop_config.json instead"},
			Remedies: []remedy{},
		})
		all.Files = append(all.Files, out)
		return
	case none && !named: // a client with no servers
		if !config.Markdown(l.Path) { // most agents and skills configure nothing
			all.Files = append(all.Files, out)
		}
		return
	case err != nil:
		all.unread(l.Path, 0, err.Error())
		return
	}
	out.Client = cmp.Or(out.Client, f.Client)
	all.Files = append(all.Files, out)
	for _, ref := range f.References {
		if ref.Key != "hooks" {
			all.file(c, config.Location{Path: ref.Path, Client: out.Client, Scope: l.Scope}, true)
		}
	}
	for _, p := range f.Problems {
		all.unread(l.Path, p.Pos.Line, p.Msg)
	}
	for i := range f.Entries {
		e := &f.Entries[i]
		s := all.server(c, l.Path, e)
		out.Servers = append(out.Servers, s)
		for _, r := range s.Remedies { // one remedy can help several servers
			if what := cmp.Or(r.Command, r.Why); !all.asked[what] {
				all.asked[what] = true
				all.ToDo++
			}
		}
		for _, p := range e.Problems {
			if config.BuiltIn(e) {
				s.Notes = append(s.Notes, p)
			} else {
				all.unread(l.Path, e.Pos.Line, fmt.Sprintf("server %s: %s", e.Name, p))
			}
		}
	}
}

// server checks one entry.
func (all *checkup) server(c *doctorCmd, path string, e *config.Server) *checkedServer {
	s := &checkedServer{Name: e.Name, Project: e.Scope, Line: e.Pos.Line, Transport: e.Transport, Disabled: e.Disabled, Notes: []string{}, Remedies: []remedy{}}
	if config.BuiltIn(e) || e.SwitchesOff() {
		s.Proxy, s.Lock = "–", "–"
		return s
	}
	s.proxy(path, e)
	s.Lockfile = c.lockfileOf(path, e)
	s.lock(path, all.locked(s.Lockfile), e)
	if e.Disabled { // clients do not start it
		s.Remedies = []remedy{}
	}
	return s
}

func (s *checkedServer) do(why string, words ...string) {
	for i, w := range words {
		if !strings.HasPrefix(w, "--") { // our own flags need no quoting
			words[i] = text.ShellWord(w)
		}
	}
	s.Remedies = append(s.Remedies, remedy{why, "mcpscan " + strings.Join(words, " ")})
}

// edit adds a remedy that consists of an edit instead of a command.
func (s *checkedServer) edit(why string) { s.Remedies = append(s.Remedies, remedy{Why: why}) }

// named returns the arguments that select the server or, if its name cannot be typed on a command
// line or would be displayed differently, all servers in the file.
func (s *checkedServer) named(path string) []string {
	if s.Name == "" || strings.HasPrefix(s.Name, "-") || text.Visible(s.Name, len(s.Name)) != s.Name {
		return []string{"--all", "--config", path}
	}
	return []string{s.Name, "--config", path}
}

// proxy determines whether a server is behind the proxy.
func (s *checkedServer) proxy(path string, e *config.Server) {
	wrap := func(why string, more ...string) {
		s.do(why, append(append([]string{"wrap"}, more...), s.named(path)...)...)
	}
	switch p := e.Proxy; {
	case p != nil && p.Through:
		s.through(path, p.Flags)
	case p != nil && p.Written:
		s.Proxy = proxyStale
		wrap("it starts " + p.Program + " instead of this mcpscan, or its name or variables changed since it was wrapped")
	case p != nil:
		s.Proxy = proxyByHand
	default:
		if why := config.Unwrappable(e); why != "" {
			s.Proxy = proxyCannot
			if len(e.Problems) == 0 {
				s.Notes = append(s.Notes, why)
			}
			return
		}
		s.Proxy = proxyNone
		wrap("it runs without the proxy")
	}
}

// through checks the files that a wrapped server's proxy reads, and whether the proxy blocks anything.
func (s *checkedServer) through(path string, flags []string) {
	s.Proxy = proxyWrapped
	settings, again := "", append([]string{"wrap"}, s.named(path)...)
	for _, flag := range flags {
		name, file, _ := strings.Cut(flag, "=")
		switch name {
		case "--mode": // wrap writes this flag only for observe mode
			s.Proxy = proxyObserves
			continue
		case "--config":
			settings = file
		case "--lockfile":
			again = append(again, name, file)
		default:
			continue
		}
		if _, err := os.Stat(file); err != nil {
			s.Notes = append(s.Notes, "its proxy reads "+file+", which cannot be opened: "+reason(err))
			repair := append([]string{"unwrap"}, s.named(path)...)
			by := projectFiles[name]
			if moved, _ := existing(by.name); moved != "" {
				repair = append(append([]string{"wrap"}, s.named(path)...), by.flag, by.name)
			}
			s.do("its proxy cannot open its "+name[2:], repair...)
			return
		}
	}
	const reports, block = "its proxy reports attacks but does not block them", "output_inspection: {on_detection: block}"
	read := &config.Settings{}
	if settings != "" {
		var err error
		if read, err = app.ReadSettings(settings); err != nil {
			s.edit("its proxy does not start: " + strings.ReplaceAll(err.Error(), "\n", "; "))
			return
		}
	}
	switch {
	case s.Proxy == proxyObserves || read.Enforces():
	case settings != "":
		s.edit(reports + "; to block, add " + block + " to " + settings)
	default:
		s.do(reports+" unless blocking is enabled by "+config.SettingsFile+" in the directory where the client starts it; to block, write "+block+" to "+config.SettingsFile+" and wrap the server again",
			append(again, "--settings", config.SettingsFile)...)
	}
}

// reason returns the message of an error, without the file path.
func reason(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}
