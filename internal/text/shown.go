package text

import "strings"

// shownName bounds a foreign name in a message, in characters.
const shownName = 120

// QuoteName quotes a foreign name for a message.
func QuoteName(name string) string {
	return `"` + Visible(Mask(name[:min(len(name), 4*shownName)]), shownName) + `"`
}

// JoinSome lists what changed, the first few of it.
func JoinSome(what []string) string {
	const most = 4
	if len(what) > most {
		what = append(what[:most:most], "and more")
	}
	return strings.Join(what, "; ")
}
