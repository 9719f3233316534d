package rules

import (
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// reaches reports whether a name is that of something which is run, opened or reached.
func reaches(name string) bool { return anyWord(name, reaching) }

// asksForMore reports whether a name asks for something beyond the task, or sends it
// somewhere.
func asksForMore(name string) bool {
	words := strings.Fields(spell(name))
	if anyWord(name, demanding) && !(anyOf(words, placesInLists) && bareCredential[words[len(words)-1]]) || anyOf(words, sinks) && anyOf(words, placeWords) {
		return true
	}
	_, _, collects := collectedBy(name)
	said := spell(scanner.FoldName(name))
	spelled := spell(name)
	return collects != "" || personalName.MatchString(spelled) || keyOfOne.MatchString(spelled) || credentialName.MatchString(spelled) || credentialName.MatchString(said)
}

// anyWord reports whether one of the words of a name is in a set, as a reader sees them.
func anyWord(name string, set map[string]bool) bool {
	for _, w := range strings.Fields(spell(name)) {
		if set[w] || set[scanner.FoldName(w)] {
			return true
		}
	}
	return false
}

var (
	reaching = wordSet(`path paths file files filename dir directory root url uri host hostname domain command cmd shell script code sql query expression eval program executable destination`)
	// sinks are words for what gets a copy, which placeWords make the name of where it goes.
	sinks      = wordSet(`mirror relay sink report notify notification audit log logging telemetry collector collect exfil leak beacon drop copy sync forward upload callback`)
	placeWords = wordSet(`url uri endpoint host address to server email mail hook webhook domain`)
	demanding  = wordSet(`bcc cc forward webhook callback recipient recipients destination endpoint proxy exfil upload
		token secret password passphrase credential credentials conversation history transcript messages context memory prompt env environment
		command cmd shell script`)
)
