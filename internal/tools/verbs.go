package tools

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
)

// A tool claims an effect by the verb in its name and the first words of its description. Words
// that are often nouns count only at the start of a name; save also counts at its end. A verb for
// reading takes precedence over a verb for destroying that follows it, and over a verb for changing
// at any position: get_delete_status and execute_query only read, but delete_view deletes.
var (
	DestroyVerbs = lazyregexp.New(`\b(delete|remove|destroy|erase|wipe|purge|truncate|uninstall|terminate|kill|revoke|overwrite)\b|^(drop|clear|reset|transfer)\b`)
	changeVerbs  = lazyregexp.New(`\b(send|write|insert|upload|publish|rename|modify|install|execute|exec)\b|^(update|edit|move|merge|push|commit|post|pay|buy|append|replace|patch|submit|deploy)\b`)
	maybeVerbs   = lazyregexp.New(`^(create|save|add|set|apply|approve|cancel|close|archive|enable|disable|start|stop|restart|schedule|register|assign)\b|\bsave$`)
	ReadVerbs    = lazyregexp.New(`\b(get|gets|list|lists|read|search|find|show|describe|view|query|queries|check|count|fetch|preview|plan|validate|verify|status|` +
		`history|info|stats|statistics|diff|dry|review|explain|inspect|lookup|browse|test|simulate|estimate|help|docs|documentation|instructions|guide|` +
		`sql|soql|graphql|select)\b`)
	thirdForm = lazyregexp.New(`^(\w+?)(es|s)$`)
)

// DestroysByName reports whether a tool name, split into words, implies that the tool destroys
// something.
func DestroysByName(name string) bool {
	at := DestroyVerbs.FindStringIndex(name)
	return at != nil && !ReadVerbs.MatchString(name[:at[0]])
}

// ChangesByName reports whether a tool name, split into words, implies that the tool changes
// something.
func ChangesByName(name string) bool {
	return DestroysByName(name) || changeVerbs.MatchString(name) && !ReadVerbs.MatchString(name)
}

// OpeningVerb returns the first word of a description in its base form, and the sentence that
// begins with it, in lower case.
func OpeningVerb(description string) (verb, sentence string) {
	sentence = strings.ToLower(strings.TrimLeft(description, " \t\r\n*#>-"))
	sentence = text.FirstSentence(sentence, len(sentence))
	verb, _, _ = strings.Cut(sentence, " ")
	if m := thirdForm.FindStringSubmatch(verb); m != nil {
		if Changing(m[1] + "e") {
			return m[1] + "e", sentence
		}
		return m[1], sentence
	}
	return verb, sentence
}

// Changing reports whether verb denotes a change.
func Changing(verb string) bool {
	return DestroyVerbs.MatchString(verb) || changeVerbs.MatchString(verb) || maybeVerbs.MatchString(verb)
}

// AsksOnly matches words, such as query, for things that are sent or executed only to read something.
var AsksOnly = lazyregexp.New(`\b(read[- ]only|quer(y|ies)|search(es)?|requests?|select|lookup|questions?|without (changing|modifying)|dry[- ]run)\b`)

// WritesItself reports whether a tool claims to change something: by the verb in its name, or by
// the first verb in its description if the name is inconclusive. A description that starts with a
// verb for reading overrides the name, whose verb may be a noun.
func WritesItself(d *mcp.Definition) bool {
	name := names.Spell(d.Name)
	verb, sentence := OpeningVerb(d.Description)
	switch {
	case ReadVerbs.MatchString(verb) || AsksOnly.MatchString(sentence):
		return false
	case ChangesByName(name):
		return true
	case ReadVerbs.MatchString(name):
		return false
	case maybeVerbs.MatchString(name):
		return Changing(verb)
	}
	return changesByItself.MatchString(verb) || DestroyVerbs.MatchString(verb) || sendsMail.MatchString(sentence)
}

var (
	FetchesWeb       = lazyregexp.New(`\b(fetch|crawl|scrape|browse|navigate|download|http|web|website|url)\b`)
	AddressParameter = lazyregexp.New(`^((web|page|target|site|remote) ?)?(url|uri|website|web ?page|link)s?$`)
)

// changesByItself matches verbs that imply a change whatever their object, unlike sending a
// prompt or executing a check.
var (
	changesByItself = lazyregexp.New(`^(write|insert|upload|publish|rename|modify|update|edit|overwrite)$`)
	sendsMail       = lazyregexp.New(`^(send|post|pay|transfer)s?\s+((an?|the|one|some)\s+)?(\w+\s+)?(e-?mails?|messages?|sms|letters?|invitations?|payments?|money|tweets?|comments?|funds|files?)\b`)
)
