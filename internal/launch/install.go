package launch

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// installs returns the parser for a launcher that can also install packages, usually before a shell
// starts them. The words after one of the verbs, which can have two words each, name the packages.
// Without such a verb, next parses the arguments.
func installs(o *options, parse func(string) Package, verbs []string, next func(*Command)) func(*Command) {
	return func(l *Command) {
		if from := o.phrase(l.Words, verbs); from >= 0 {
			l.install(o, from, parse)
		} else if next != nil {
			next(l)
		}
	}
}

// phrase returns the index after one of the verbs, or -1.
func (o *options) phrase(words, verbs []string) int {
	for _, verb := range verbs {
		at := 0
		for w := range strings.FieldsSeq(verb) {
			if at = o.first(words, at); at < 0 || words[at] != w {
				at = -1
				break
			}
			at++
		}
		if at >= 0 {
			return at
		}
	}
	return -1
}

// install sets the packages to those named in options and in the words from an index on. Only fetched
// packages count: code of the project is inspected where it is started.
func (l *Command) install(o *options, from int, parse func(string) Package) {
	mixed := *o
	mixed.anywhere = true
	_, named, _ := l.read(&mixed, from, parse)
	all := append(named, l.With...)
	for at := o.first(l.Words, from); at >= 0; at = o.first(l.Words, at+1) {
		if w := l.Words[at]; packageWord.MatchString(w) && !intoFile.MatchString(l.Words[at-1]) {
			p := parse(w)
			p.Arg = l.ArgOf(at)
			all = append(all, p)
		}
	}
	l.Options, l.Installs, l.With = l.Words, true, nil
	for _, p := range all {
		switch {
		case !p.Ecosystem.Fetched():
		case l.Ecosystem == None:
			l.Package = p
		default:
			l.With = append(l.With, p)
		}
	}
}

var (
	// packageWord matches the beginning of a package's name or address. Redirections and variables of a
	// shell begin differently.
	packageWord = lazyregexp.New(`^(?:[@A-Za-z]|\d+[\w.-])`)
	// intoFile matches a redirection operator whose file is the next word.
	intoFile = lazyregexp.New(`^[012&]?>>?$`)
)
