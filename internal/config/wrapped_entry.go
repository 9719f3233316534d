package config

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/text"
)

// The words that mcpscan wrap adds to an entry as arguments of the proxy. Each flag is one word
// with its value, so that it cannot be confused with the command that follows.
const (
	proxyWord   = "proxy"
	commandWord = "--"
	formFlag    = "--wrapped="
	nameFlag    = "--name="
	envFlag     = "--env="
)

// form describes how the command and arguments of an entry were written before it was wrapped. It
// is stored in the entry, so that unwrapping needs no backup.
type form string

const (
	asArgs   form = "args"      // command and list of arguments
	noArgs   form = "no-args"   // only a command
	nullArgs form = "null-args" // command, with null as its arguments
	asList   form = "command"   // one list with both
)

func knownForm(f form) bool { return f == asArgs || f == noArgs || f == nullArgs || f == asList }

// ProxyOptions are the user's options for the proxies of wrapped servers.
type ProxyOptions struct {
	Observe          bool   // report but block nothing
	Config, Lockfile string // absolute paths; "" for the files in the working directory
}

// words returns the arguments that wrap puts in front of an entry's command. The --env flags list
// the variables that the entry sets: the proxy passes on only these, the standard ones, and those that
// mcpscan.yaml allows.
func (o ProxyOptions) words(f form, e *Server) []string {
	words := []string{proxyWord, formFlag + string(f), nameFlag + e.Name}
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		words = append(words, envFlag+name)
	}
	if o.Observe {
		words = append(words, "--mode=observe")
	}
	if o.Config != "" {
		words = append(words, "--config="+o.Config)
	}
	if o.Lockfile != "" {
		words = append(words, "--lockfile="+o.Lockfile)
	}
	return append(words, commandWord)
}

// wrapping describes how an entry starts a proxy.
type wrapping struct {
	form    form
	options ProxyOptions
	command int // index of the command behind the proxy in the arguments
	// exact is set if the entry is exactly what wrap would write today for its name and variables.
	exact bool
}

// wrappingOf parses an entry as written. ok is false for an entry without wrap's marker.
func wrappingOf(e *Server) (w wrapping, ok bool) {
	if len(e.Args) < 2 || e.Args[0] != proxyWord || !strings.HasPrefix(e.Args[1], formFlag) {
		return w, false
	}
	w.form = form(strings.TrimPrefix(e.Args[1], formFlag))
	end := slices.Index(e.Args, commandWord)
	if end < 0 || end+1 >= len(e.Args) || !knownForm(w.form) {
		return w, false
	}
	w.command = end + 1
	for _, word := range e.Args[2:end] {
		if word == "--mode=observe" {
			w.options.Observe = true
		}
		if path, ok := strings.CutPrefix(word, "--config="); ok {
			w.options.Config = path
		}
		if path, ok := strings.CutPrefix(word, "--lockfile="); ok {
			w.options.Lockfile = path
		}
	}
	w.exact = slices.Equal(w.options.words(w.form, e), e.Args[:w.command]) && absolute(e.Command) &&
		absoluteOrNone(w.options.Config) && absoluteOrNone(w.options.Lockfile) && e.Args[w.command] != "" && e.URL == ""
	return w, true
}

// absolute reports whether a path is independent of the working directory, on any system.
func absolute(name string) bool {
	if len(text.References(name)) > 0 {
		return false
	}
	name = slashed(name)
	drive := len(name) > 3 && name[1] == ':' && name[2] == '/'
	return path.IsAbs(name) || drive
}

func absoluteOrNone(name string) bool { return name == "" || absolute(name) }

// proxies sets Proxy in the entries that start an mcpscan proxy.
func (r *reader) proxies() {
	for i := range r.file.Entries {
		e := &r.file.Entries[i]
		_, written := wrappingOf(e)
		name := strings.TrimSuffix(strings.ToLower(path.Base(slashed(e.Command))), ".exe")
		if !written && (name != "mcpscan" || len(e.Args) == 0 || e.Args[0] != proxyWord) {
			continue
		}
		flags := e.Args[1:]
		if end := slices.Index(flags, commandWord); end >= 0 {
			flags = flags[:end]
		}
		e.Proxy = &configfile.EntryProxy{Program: e.Command, Flags: flags, Written: written}
		e.Span["/proxy"] = e.Span["/command"]
		for i := range flags {
			e.Span["/proxy/"+strconv.Itoa(i)] = e.Span["/args/"+strconv.Itoa(i+1)]
		}
	}
}

// SeeThrough replaces the command and arguments of wrapped entries with those of the server behind
// the proxy, so that each entry has that server's identity, findings and lockfile entry. An entry
// qualifies if it is exactly what mcpscan wrap writes and its program is, according to the
// callback, the running mcpscan; another program with the same name could start anything. All other
// entries are checked as written.
func (f *File) SeeThrough(this func(program string) bool) {
	for i := range f.Entries {
		e := &f.Entries[i]
		if w, ok := wrappingOf(e); ok && w.exact && e.Proxy != nil && this(e.Command) {
			seeThrough(e, w)
		}
	}
}

func seeThrough(e *Server, w wrapping) {
	e.Proxy.Through = true
	e.Command = e.Args[w.command]
	e.Span["/command"] = e.Span[fmt.Sprintf("/args/%d", w.command)]
	for i := range e.Args {
		from := fmt.Sprintf("/args/%d", i+w.command+1)
		to := fmt.Sprintf("/args/%d", i)
		if pos, ok := e.Span[from]; ok {
			e.Span[to] = pos
		} else {
			delete(e.Span, to)
		}
	}
	e.Args = e.Args[w.command+1:]
	if len(e.Args) == 0 {
		e.Args = nil
	}
}
