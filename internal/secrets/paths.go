package secrets

import (
	"net/url"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// InPath returns the segments of a URL's path that look like secrets. It inspects only the paths of
// MCP endpoints: in other addresses, random segments usually identify documents or archives.
func InPath(u *url.URL) (segments []string) {
	if !endpoint.MatchString(u.Hostname() + u.Path) {
		return nil
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if keySegment.MatchString(segment) && !Placeholder(segment) || isRandomSegment(segment) {
			segments = append(segments, segment)
		}
	}
	return segments
}

// InAddresses returns the secrets in the paths of the web addresses in a text, as InPath does for
// one URL.
func InAddresses(s string) (segments []string) {
	if !strings.Contains(s, "://") {
		return nil
	}
	for _, address := range web.FindAllString(s, -1) {
		if u, err := url.Parse(address); err == nil {
			segments = append(segments, InPath(u)...)
		}
	}
	return segments
}

// isRandomSegment reports whether a segment of a path contains a long random word with letters of
// both cases. Digests and UUIDs do not count: they often identify something that is not secret.
func isRandomSegment(segment string) bool {
	return slices.ContainsFunc(longWord.FindAllString(segment, -1), func(word string) bool {
		return word != strings.ToLower(word) && word != strings.ToUpper(word) && LooksRandom(word) && !Placeholder(word)
	})
}

var (
	// endpoint matches the host and path of an MCP endpoint.
	endpoint   = lazyregexp.New(`(?i)(?:^|[./_-])(?:mcp|sse)(?:[./_-]|$)`)
	keySegment = lazyregexp.New(`^[a-z]{2,8}[-_][0-9a-f]{32,}$`)
	longWord   = lazyregexp.New(`[0-9A-Za-z]{24,}`)
	web        = lazyregexp.New(`(?i)\b(?:https?|wss?)://[^\s"'<>` + "`" + `]+`)
)
