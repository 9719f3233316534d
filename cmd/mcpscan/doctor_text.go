package main

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
)

// write writes a checkup as text or JSON.
func (all *checkup) write(w io.Writer, format string) error {
	if format == "json" {
		cleanse(reflect.ValueOf(all))
		return putJSON(w, all)
	}
	var b bytes.Buffer
	all.text(&b)
	return put(text.Guard(w), b.Bytes())
}

func (all *checkup) text(b *bytes.Buffer) {
	servers := 0
	line := func(format string, args ...any) {
		fmt.Fprintln(b, text.Visible(text.Mask(fmt.Sprintf(format, args...)), 2000))
	}
	for _, f := range all.Files {
		client := f.Client
		if client == "" {
			client = "any client"
		}
		none := ""
		if len(f.Servers) == 0 {
			none = ": no servers"
		}
		line("%s, %s (%s)%s", client, f.Path, f.Scope, none)
		wide := [3]int{}
		for _, s := range f.Servers {
			for i, cell := range s.cells() {
				wide[i] = max(wide[i], utf8.RuneCountInString(cell))
			}
		}
		for _, s := range f.Servers {
			servers++
			cells := s.cells()
			row := ""
			for i, cell := range cells {
				row += cell + strings.Repeat(" ", wide[i]-utf8.RuneCountInString(cell)+2)
			}
			line("  %s%s", row, s.Lock)
			for _, note := range s.Notes {
				line("      %s", note)
			}
			for _, r := range s.Remedies {
				line("      %s", r.Why)
				if r.Command != "" {
					line("        %s", r.Command)
				}
			}
		}
	}
	if len(all.Files) > 0 {
		fmt.Fprintln(b)
	}
	if len(all.Unread) > 0 {
		fmt.Fprintln(b, "Not read:")
	}
	for _, u := range all.Unread {
		at := u.Path
		if u.Line > 0 {
			at = fmt.Sprintf("%s:%d", u.Path, u.Line)
		}
		line("  %s: %s", at, u.Why)
	}
	if all.Lockfile == "" {
		fmt.Fprintln(b, "No lockfile was read: no server is approved.")
	}
	todo := "nothing to do"
	if all.ToDo > 0 {
		todo = report.Count(all.ToDo, "thing") + " to do"
	}
	fmt.Fprintf(b, "%s in %s: %s\n", report.Count(servers, "server"), report.Count(len(all.Files), "file"), todo)
}

// cells returns a server's columns, except its lockfile status.
func (s *checkedServer) cells() [3]string {
	name, transport := s.Name, s.Transport
	if s.Project != "" {
		name += " (" + s.Project + ")"
	}
	if transport == "" {
		transport = "–"
	}
	if s.Disabled {
		transport += ", disabled"
	}
	return [3]string{text.Visible(text.Mask(name), cellChars), transport, s.Proxy}
}
