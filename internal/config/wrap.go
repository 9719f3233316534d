package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
)

// Outcome is the result of wrapping or unwrapping an entry.
type Outcome struct {
	Server  Server // as it was read
	Changed bool
	Options ProxyOptions // of the proxy in front of the server after the edit
	// Why explains why an entry was left alone; "" if no change was needed.
	Why string
}

// Wrapper describes the proxy that Wrap puts in front of servers.
type Wrapper struct {
	Program string              // the absolute path of mcpscan
	Options ProxyOptions        // of entries that are not wrapped yet
	Change  func(*ProxyOptions) // changes the options of wrapped entries; nil keeps them
}

// Wrap returns a client configuration whose chosen entries start their servers behind the given
// proxy, and the outcome for each of them. All bytes outside the started command are preserved, and
// Unwrap restores the whole file byte for byte.
//
// An entry that cannot be edited in this way stays unchanged, and its outcome gives the reason.
func Wrap(path string, data []byte, by Wrapper, chosen func(*Server) bool) ([]byte, []Outcome, error) {
	return rewrite(path, data, chosen, func(d *draft, i int) (steps []step, why string) {
		return d.wrap(i, by)
	})
}

// Unwrap undoes Wrap for the chosen entries. It needs only the file, even if other parts of it
// were edited since.
func Unwrap(path string, data []byte, chosen func(*Server) bool) ([]byte, []Outcome, error) {
	return rewrite(path, data, chosen, func(d *draft, i int) (steps []step, why string) {
		return d.unwrap(i)
	})
}

// maxWrapped is the maximum number of entries edited per file: the file is parsed again for each.
const maxWrapped = 200

// step is one way to edit an entry, with a check of the result.
type step struct {
	edits  []edit
	proves func(before, after *draft, i int) bool
}

// rewrite edits the chosen entries one by one. It parses the result of each edit again to check it,
// and uses the first edit that passes.
func rewrite(path string, data []byte, chosen func(*Server) bool, edits func(*draft, int) ([]step, string)) ([]byte, []Outcome, error) {
	d, err := newDraft(path, data)
	if err != nil {
		return nil, nil, err
	}
	if why := d.doubtful(); why != "" {
		return nil, nil, errors.New(why)
	}
	var outcomes []Outcome
	for i := range d.file.Entries {
		e := &d.file.Entries[i]
		if !chosen(e) {
			continue
		}
		outcome := Outcome{Server: *e}
		if len(outcomes) >= maxWrapped {
			return nil, nil, fmt.Errorf("more than %d servers to edit; name one server", maxWrapped)
		}
		steps, why := edits(d, i)
		outcome.Why = why
		if len(steps) > 0 {
			outcome.Why = "it shares its text with another entry, or cannot be edited safely: write the entry out in full"
		}
		for _, s := range steps {
			if after := d.after(s.edits); after != nil && s.proves(d, after, i) {
				d, outcome.Changed, outcome.Why = after, true, ""
				break
			}
		}
		if w, ok := wrappingOf(&d.file.Entries[i]); ok {
			outcome.Options = w.options
		}
		outcomes = append(outcomes, outcome)
	}
	return d.data, outcomes, nil
}

// draft is one version of a configuration during editing.
type draft struct {
	*manuscript
	path  string
	data  []byte
	file  *File
	nodes map[Position]*node
}

func newDraft(path string, data []byte) (*draft, error) {
	r, err := read(clientOf(path), path, data)
	if err != nil {
		return nil, err
	}
	plain, failed := plainText(data)
	if failed != nil {
		return nil, failed
	}
	return &draft{newManuscript(r.format, plain), path, data, r.file, r.nodes}, nil
}

// after returns the draft after an edit, or nil if it is no longer a configuration.
func (d *draft) after(edits []edit) *draft {
	plain, ok := apply(d.text, edits)
	if !ok {
		return nil
	}
	mark := d.data[:len(d.data)-len(d.text)] // the byte order mark
	after, err := newDraft(d.path, slices.Concat(mark, plain))
	if err != nil {
		return nil
	}
	return after
}

// doubtful returns a reason why clients may read the file differently from mcpscan, or "" if there
// is none.
func (d *draft) doubtful() string {
	for _, p := range d.file.Problems {
		if p.Related != (Position{}) {
			return fmt.Sprintf("line %d, column %d: %s", p.Pos.Line, p.Pos.Column, p.Msg)
		}
	}
	return ""
}

// holder is the part of an entry that contains its command and arguments.
type holder struct {
	command     *node
	commandKey  Position
	args        *node // nil if the entry has none
	argsKey     Position
	argsFollows bool // the command is the next member
}

// holderOf finds the command and arguments of an entry: in the entry itself, in a transport within
// it, or in an object that is its command.
func (d *draft) holderOf(i int) (h holder, err error) {
	n := d.nodes[d.file.Entries[i].Pos]
	if n == nil {
		return h, errors.New("its position in the file is unknown")
	}
	if inner := n.get("transport"); inner.is(kindObject) && lastOf(inner, commandKeys()) >= 0 {
		n = inner
	}
	keys := commandKeys()
	for _, k := range keys {
		if c := n.get(k); c.is(kindObject) {
			n, keys = c, []string{"path"}
			break
		}
	}
	command := lastOf(n, keys)
	if command < 0 {
		return h, errors.New("its command is not under the key that this client reads")
	}
	h.command, h.commandKey = n.members[command].value, n.members[command].pos
	if at := lastOf(n, []string{"args"}); at >= 0 {
		h.args, h.argsKey, h.argsFollows = n.members[at].value, n.members[at].pos, at+1 == command
	}
	return h, nil
}

// lastOf returns the index of the member that takes effect, chosen as in entryReader.named, or -1.
func lastOf(n *node, keys []string) int {
	for _, k := range keys {
		for i := len(n.members) - 1; i >= 0; i-- {
			if m := n.members[i]; m.key == k && (m.value.kind != kindNull || k == "args") {
				return i
			}
		}
	}
	return -1
}

// BuiltIn reports whether an entry refers to code in the client, in one of its extensions or in the
// configuration rather than to a program to start.
func BuiltIn(e *Server) bool {
	_, ok := e.Span["/builtin"]
	return ok
}

// Unwrappable returns the reason why an entry cannot be started behind the proxy, or "" if it can.
func Unwrappable(e *Server) string {
	_, fileOfVariables := e.Span["/envFiles/0"]
	program, _, blank := strings.Cut(e.Command, " ")
	switch {
	case e.Command == "" && e.URL != "":
		return "it is a remote server: use mcpscan proxy --listen"
	case len(e.Problems) > 0 && e.Transport == "":
		return e.Problems[0]
	case e.Command == "":
		return "it has no command"
	case len(e.Problems) > 0:
		return e.Problems[0]
	case e.Transport != stdio || e.URL != "":
		return "it does not use stdio"
	case fileOfVariables:
		return "its variables come from the file " + Quoted(e.EnvFiles[0]) + ", and the proxy passes on only those that the entry names: list them under env"
	case blank && !strings.ContainsAny(program, `/\`):
		return "its command contains arguments, which clients split in different ways: move them to args"
	case strings.HasPrefix(e.Command, "~"):
		return "its command begins with ~, which clients expand only in a command, not in an argument: write the full path"
	case strings.Contains(e.Name, "\x00"):
		return "its name contains the character U+0000, which no argument of a program can contain: rename it"
	case len(text.References(e.Name)) > 0:
		return "its name looks like a variable reference, which clients would expand"
	}
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		if len(text.References(name)) > 0 {
			return "the name of its variable " + Quoted(name) + " looks like a variable reference"
		}
	}
	return ""
}

// wrap returns the ways to wrap an entry, or nil if no change is needed or it cannot be wrapped.
func (d *draft) wrap(i int, by Wrapper) (steps []step, why string) {
	e := &d.file.Entries[i]
	if w, ok := wrappingOf(e); ok {
		by.Options = w.options
		if by.Change != nil {
			by.Change(&by.Options)
		}
		if w.exact && e.Command == by.Program && w.options == by.Options {
			return nil, ""
		}
		return d.again(i, by)
	}
	if e.Proxy != nil {
		return nil, "it starts an mcpscan proxy that wrap did not write: restore the server's own command, then wrap it"
	}
	if why := Unwrappable(e); why != "" {
		return nil, why
	}
	h, err := d.holderOf(i)
	if err != nil {
		return nil, err.Error()
	}
	all, f, err := d.into(h, func(f form) []string { return quotedAll(by.Options.words(f, e)) }, quote(by.Program))
	if err != nil {
		return nil, err.Error()
	}
	for _, edits := range all {
		steps = append(steps, step{edits, func(before, after *draft, i int) bool { return provesWrap(before, after, i, f, by) }})
	}
	return steps, ""
}

// again unwraps an entry and wraps it anew, for example because it was renamed, its variables
// changed, or mcpscan has moved.
func (d *draft) again(i int, by Wrapper) (steps []step, why string) {
	undo, why := d.unwrap(i)
	for _, u := range undo {
		plain := d.after(u.edits)
		if plain == nil || !u.proves(d, plain, i) {
			continue
		}
		redo, why := plain.wrap(i, by)
		if len(redo) == 0 {
			return nil, why
		}
		for _, s := range redo {
			wrapped := plain.after(s.edits)
			if wrapped == nil || !s.proves(plain, wrapped, i) {
				continue
			}
			whole := []edit{{0, len(d.text), string(wrapped.text)}}
			return []step{{whole, func(_, after *draft, i int) bool { return true }}}, ""
		}
	}
	return nil, why
}

func quotedAll(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quote(w)
	}
	return out
}

// into returns the ways to insert a program and its arguments in front of a command.
func (d *draft) into(h holder, words func(form) []string, program string) (all [][]edit, f form, err error) {
	if h.command.kind == kindArray {
		l, err := d.list(h.command)
		if err != nil || len(h.command.items) == 0 {
			return nil, "", uneditable(h.command)
		}
		at := d.at(h.command.items[0].pos)
		added := append([]string{program}, words(asList)...)
		return [][]edit{{{at, at, strings.Join(added, l.between) + l.last}}}, asList, nil
	}
	start, end, err := d.token(h.command)
	if err != nil {
		return nil, "", err
	}
	command := string(d.text[start:end])
	replaced := edit{start, end, program}
	switch {
	case h.args == nil:
		for _, e := range d.added("args", append(words(noArgs), command), d.at(h.commandKey)) {
			all = append(all, []edit{e, replaced})
		}
		return all, noArgs, nil
	case h.args.kind == kindNull:
		at := d.at(h.args.pos)
		if at < 0 || !bytes.HasPrefix(d.text[at:], []byte("null")) {
			return nil, "", uneditable(h.args)
		}
		list := "[" + strings.Join(append(words(nullArgs), command), ", ") + "]"
		return [][]edit{{replaced, {at, at + len("null"), list}}}, nullArgs, nil
	case h.args.kind != kindArray:
		return nil, "", uneditable(h.args)
	}
	l, err := d.list(h.args)
	if err != nil {
		return nil, "", err
	}
	at := l.empty
	if len(h.args.items) > 0 {
		at = d.at(h.args.items[0].pos)
	}
	added := strings.Join(append(words(asArgs), command), l.between)
	if len(h.args.items) > 0 {
		added += l.last
	}
	return [][]edit{{replaced, {at, at, added}}}, asArgs, nil
}
