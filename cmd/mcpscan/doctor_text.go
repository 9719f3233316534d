package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"reflect"
	"strings"

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
	if err := all.text(&b); err != nil {
		return err
	}
	return put(text.Guard(w), b.Bytes())
}

func (all *checkup) text(b *bytes.Buffer) error {
	servers := 0
	line := func(format string, args ...any) {
		fmt.Fprintln(b, text.Visible(text.Mask(fmt.Sprintf(format, args...)), 2000))
	}
	for _, f := range all.Files {
		none := ""
		if len(f.Servers) == 0 {
			none = ": no servers"
		}
		line("%s, %s (%s)%s", cmp.Or(f.Client, "any client"), f.Path, f.Scope, none)
		var rows [][]string
		for _, s := range f.Servers {
			rows = append(rows, s.cells())
		}
		lines := strings.Split(report.Table(nil, rows, false), "\n")
		for i, s := range f.Servers {
			servers++
			fmt.Fprintln(b, "  "+lines[i])
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
	if len(all.lockfiles) == 0 {
		fmt.Fprintln(b, "No lockfile was read: no server is approved.")
	}
	todo := "nothing to do"
	if all.ToDo > 0 {
		todo = report.Count(all.ToDo, "thing") + " to do"
	}
	fmt.Fprintf(b, "%s in %s: %s\n", report.Count(servers, "server"), report.Count(len(all.Files), "file"), todo)
	return nil
}

func (s *checkedServer) cells() []string {
	name, transport := s.Name, cmp.Or(s.Transport, "–")
	if s.Project != "" {
		name += " (" + s.Project + ")"
	}
	if s.Disabled {
		transport += ", disabled"
	}
	return []string{text.Visible(text.Mask(name), cellChars), text.Visible(text.Mask(transport), cellChars), s.Proxy, s.Lock}
}
