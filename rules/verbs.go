package rules

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// What a tool says it does follows from the verb of its name and of the first words of its
// description. Words that are as often nouns count only at the start of a name. A
// get_delete_status deletes nothing, and an execute_query reads; a delete_view deletes.
var (
	destroyVerbs = lazyregexp.New(`\b(delete|remove|destroy|erase|wipe|purge|truncate|uninstall|terminate|kill|revoke|overwrite)\b|^(drop|clear|reset|transfer)\b`)
	changeVerbs  = lazyregexp.New(`\b(send|write|insert|upload|publish|rename|modify|install|execute|exec)\b|^(update|edit|move|merge|push|commit|post|pay|buy|append|replace|patch|submit|deploy)\b`)
	maybeVerbs   = lazyregexp.New(`^(create|save|add|set|apply|approve|cancel|close|archive|enable|disable|start|stop|restart|schedule|register|assign)\b|\bsave$`)
	readVerbs    = lazyregexp.New(`\b(get|gets|list|lists|read|search|find|show|describe|view|query|queries|check|count|fetch|preview|plan|validate|verify|status|history|info|stats|statistics|diff|dry|review|explain|inspect|lookup|browse|test|simulate|estimate|help|docs|documentation|instructions|guide|sql|soql|graphql|select)\b`)
	thirdForm    = lazyregexp.New(`^(\w+?)(es|s)$`)
)

// destroysByName reports the name of a tool, spelled out, that destroys something.
func destroysByName(name string) bool {
	at := destroyVerbs.FindStringIndex(name)
	return at != nil && !readVerbs.MatchString(name[:at[0]])
}

// changesByName reports the name of a tool, spelled out, that changes something.
func changesByName(name string) bool {
	return destroysByName(name) || changeVerbs.MatchString(name) && !readVerbs.MatchString(name)
}

// openingVerb returns the first word of a description in its plain form, and the
// sentence that it opens, in lower case.
func openingVerb(description string) (verb, sentence string) {
	sentence = strings.ToLower(strings.TrimLeft(description, " \t\r\n*#>-"))
	if i := strings.IndexAny(sentence, ".\n"); i >= 0 {
		sentence = sentence[:i]
	}
	verb, _, _ = strings.Cut(sentence, " ")
	if m := thirdForm.FindStringSubmatch(verb); m != nil {
		if changing(m[1] + "e") {
			return m[1] + "e", sentence
		}
		return m[1], sentence
	}
	return verb, sentence
}

func changing(verb string) bool {
	return destroyVerbs.MatchString(verb) || changeVerbs.MatchString(verb) || maybeVerbs.MatchString(verb)
}
