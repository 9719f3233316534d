package text

import "strings"

// shownName is the maximum length, in characters, of an untrusted name in a message.
const shownName = 120

// Shown masks, escapes and truncates untrusted text for a report.
func Shown(s string, limit int) string {
	if len(s) > 4*limit {
		s = Excerpt([]byte(s), 0, 4*limit)
	} else {
		s = Mask(s)
	}
	return Visible(s, limit)
}

// ShownName returns an untrusted name as findings show it.
func ShownName(name string) string { return Shown(name, shownName) }

// QuoteName quotes an untrusted name for a message.
func QuoteName(name string) string {
	return `"` + Visible(Mask(name[:min(len(name), 4*shownName)]), shownName) + `"`
}

// JoinSome joins the first few items into a list that says whether there are more.
func JoinSome(what []string) string {
	const most = 4
	if len(what) > most {
		what = append(what[:most:most], "and more")
	}
	return strings.Join(what, "; ")
}

// ShellWord quotes a word for a shell if necessary, so that a command in a message can be copied.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-") == "" && s[0] != '-' {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
