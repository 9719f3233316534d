// Package capability determines, from a tool's name, description, parameters and hints, what the
// tool contributes to a data flow and what a call to it does to data.
package capability

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// Capability is what a tool contributes to a data flow. In an agent whose tools together have all
// three capabilities, a stranger's text can cause the user's data to be sent to the stranger.
type Capability uint8

// The capabilities.
const (
	PrivateData      Capability = iota // returns data that only its user may see
	UntrustedContent                   // returns text that a stranger may have written
	ExternalSink                       // sends data where a stranger can read it
	Count
)

// Set is a set of capabilities.
type Set uint8

const (
	handsOver = Set(1 << PrivateData)
	bringsIn  = Set(1 << UntrustedContent)
	leadsOut  = Set(1 << ExternalSink)
)

// Has reports whether the set contains the capability a.
func (c Set) Has(a Capability) bool { return c>>a&1 != 0 }

// role is the meaning of a word in a tool's name.
type role uint32

const (
	reads    role = 1 << iota // a verb for returning something
	seeks                     // a verb for returning whatever matches
	lists                     // a verb for listing names without content
	changes                   // a verb for storing something
	alters                    // a verb for removing or changing something without sending anything out
	sends                     // a verb for sending something out
	fetches                   // a verb for accessing an address
	runs                      // a verb for running the input
	private                   // a thing that belongs to the user
	foreign                   // a thing that strangers write
	open                      // a thing that anybody can read
	shared                    // a thing that is meant to be read by others
	holder                    // a thing that contains other things
	runnable                  // something that is run, or runs other things: it reads files and reaches the network
	about                     // a thing that describes another one, such as a status or a schema, without its content
	looks                     // a verb for describing a thing without returning it
	carries                   // a verb for sending something out, though it can also be a noun
	works                     // a verb for transforming the input

	verbs   = reads | seeks | lists | changes | alters | sends | fetches | runs
	actions = verbs | looks | carries | works // verbs that determine a tool's category
)

// roles contains the roles of words that indicate what a tool does. Other words are ignored.
var roles = func() map[string]role {
	t := map[string]role{}
	for _, class := range [...]struct {
		role  role
		words string
	}{
		{reads, `get read retrieve view show export download recall summarize history`},
		{seeks, `search find query lookup ask`},
		{lists, `list`},
		{changes, `create add update edit write append insert put patch forward post comment`},
		{alters, `set delete remove move rename copy save archive mark close merge manage cancel stop kill terminate reset
			lock unlock install validate approve start review assign transfer`},
		{sends, `send reply publish share broadcast notify tweet upload push submit`},
		{fetches, `fetch scrape crawl browse navigate goto visit open request`},
		{runs, `run execute exec eval start interact`},
		{private, `file directory folder drive document note notebook vault memory memories graph contact calendar database
			table sql soql record customer invoice payment secret credential password env task card cookie clipboard
			photo email mail inbox inboxes message thread conversation chat channel dm`},
		{foreign, `web website webpage url internet news feed rss tweet timeline reddit review forum discussion transcript
			reply replies attachment issue comment ticket pull post email mail inbox inboxes message thread conversation chat channel dm`},
		{open, `web website webpage url internet news feed rss tweet timeline reddit public`},
		{shared, `issue comment ticket pull review post message email mail tweet gist discussion webhook story invite`},
		{holder, `directory folder drive vault calendar database table inbox inboxes conversation chat channel forum`},
		{runnable, `command shell script code terminal bash process cmd exec`},
		{about, `type template schema docs documentation example status count stats permission quota tag label reaction
			info metadata sandbox structure mode option setting config`},
		{looks, `describe check count inspect preview explain compare diff validate verify snapshot screenshot`},
		{carries, `post forward email mail http sms webhook`},
		{works, `call invoke calculate compute convert evaluate simulate solve transform translate render format sort hash
			encode decode`},
	} {
		for _, w := range strings.Fields(class.words) {
			t[w] |= class.role
		}
	}
	return t
}()

// roleOf returns the role of a word. A plural is a noun, never a verb.
func roleOf(word string) role {
	if r, ok := roles[word]; ok {
		return r
	}
	return roles[strings.TrimSuffix(word, "s")] &^ actions
}

// roleOfName returns the roles of a name's first verb, its nouns, its first word and its last word.
func roleOfName(words []string) (verb, things, first, last role) {
	for i, w := range words {
		r := roleOf(w)
		if i == 0 {
			first = r
		}
		last = r
		if r&verbs != 0 && verb == 0 {
			verb = r & verbs
		} else {
			things |= r &^ actions
		}
	}
	if things&open != 0 {
		things &^= private
	}
	return verb, things, first, last
}

// OfTool returns what the tool at node i contributes to a data flow, according to its name,
// description, parameters and hints. It trusts the hints, because in this threat model the tools
// are benign and a stranger's text abuses them.
func OfTool(doc *wire.Doc, i int, name, description string) (can Set) {
	words := names.ReadWords(name)
	verb, things, first, last := roleOfName(words)
	takesURL, takesAny := takesURL(doc, doc.Get(doc.Get(i, "inputSchema"), "properties"))
	if things == 0 && (verb&seeks != 0 || verb&(reads|fetches) != 0 && len(words) == 1) {
		_, things, _, _ = roleOfName(names.Words(text.FirstSentence(description, openingBytes)))
	}
	switch {
	case verb&(reads|seeks|fetches) != 0 && takesURL, verb&fetches != 0 && !takesAny:
		can = bringsIn | leadsOut
	case verb&runs != 0 && (first|last)&runnable != 0, len(words) == 1 && last&runnable != 0:
		can = handsOver | leadsOut
	case things&about != 0, verb&lists != 0 && things&holder != 0:
	case verb&sends != 0, verb&changes != 0 && things&shared != 0:
		can = leadsOut
	case verb&(reads|seeks|lists|fetches) != 0, verb == runs, verb == 0 && first&(private|foreign) != 0:
		can = delivered(things)
	}
	annotations := doc.Get(i, "annotations")
	if hint(doc, annotations, "openWorldHint") == "false" {
		can &= handsOver
	}
	if hint(doc, annotations, "readOnlyHint") == "true" && !takesURL {
		can &^= leadsOut
	}
	return can
}

// delivered returns the capabilities of a tool that returns the given kinds of data.
func delivered(things role) (can Set) {
	if things&private != 0 {
		can |= handsOver
	}
	if things&foreign != 0 {
		can |= bringsIn
	}
	return can
}

// hint returns the named Boolean hint in the annotations at node i, as written, or "" if missing.
func hint(doc *wire.Doc, i int, name string) string {
	if h := doc.Get(i, name); doc.Kind(h) == wire.Bool {
		return string(doc.Raw(h))
	}
	return ""
}

// takesURL reports whether one of the parameters is a URL, and whether there are any parameters.
func takesURL(doc *wire.Doc, properties int) (url, any bool) {
	for c := doc.First(properties); c >= 0; c = doc.Next(c) {
		any = true
		url = url || doc.KeyIs(c, "url") || doc.KeyIs(c, "urls") || doc.KeyIs(c, "uri") || doc.KeyIs(c, "href")
	}
	return url, any
}

// openingBytes is how many bytes at the start of a description are read.
const openingBytes = 200
