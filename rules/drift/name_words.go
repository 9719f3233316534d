package drift

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/sensitive"
)

// reaches reports whether name refers to something that is run, opened or connected to.
func reaches(name string) bool { return anyWord(name, reaching) }

// asksForMore reports whether a name asks for something beyond the task, or for a destination.
func asksForMore(name string) bool {
	words := strings.Fields(names.Spell(name))
	if anyWord(name, demanding) && !(anyOf(words, harmlessTokenWords) && bareCredential[words[len(words)-1]]) || anyOf(words, sinks) && anyOf(words, placeWords) {
		return true
	}
	_, _, collects := sensitive.CollectedBy(name)
	said := names.Spell(names.FoldName(name))
	spelled := names.Spell(name)
	return collects != "" || sensitive.PersonalName.MatchString(spelled) ||
		sensitive.KeyOfOne.MatchString(spelled) || sensitive.CredentialName.MatchString(spelled) ||
		sensitive.CredentialName.MatchString(said)
}

// anyWord reports whether a set contains a word of a name, either unchanged or with
// look-alikes folded.
func anyWord(name string, set map[string]bool) bool {
	return slices.ContainsFunc(strings.Fields(names.Spell(name)), func(w string) bool { return set[w] || set[names.FoldName(w)] })
}

var (
	reaching = names.Set(`path paths file files filename dir directory root url uri host hostname domain command cmd shell script code sql query expression eval program executable destination`)
	// sinks contains words for recipients of copies; together with one of placeWords, they name
	// a destination.
	sinks      = names.Set(`mirror relay sink report notify notification audit log logging telemetry collector collect exfil leak beacon drop copy sync forward upload callback`)
	placeWords = names.Set(`url uri endpoint host address to server email mail hook webhook domain`)
	demanding  = names.Set(`bcc cc forward webhook callback recipient recipients destination endpoint proxy exfil upload
		token secret password passphrase credential credentials conversation history transcript messages context memory prompt env environment
		command cmd shell script`)
)
