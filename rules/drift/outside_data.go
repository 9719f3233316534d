package drift

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/sensitive"
	"github.com/mcpscan/mcpscan/internal/tools"
)

// takesOutsideData reports whether a new parameter takes credentials or the conversation, according
// to its name or description. An optional credential does not count if the caller chooses the
// address to request, because it is then sent there and not to the tool's author.
func (s *schemaChange) takesOutsideData(n *property) bool {
	if !s.carriesText(n) {
		return false
	}
	description := s.descriptionOf(n)
	switch {
	case namesTalk(n.name):
		return !sensitive.AboutTalk(s.d.Name)
	case namesCredential(n.name), !sensitive.AboutSecret[names.LastWord(n.name)] && anyWord(n.name, bareCredential) && sensitive.GrantsAccess.MatchString(strings.ToLower(description)):
		return n.needed == always || !s.callerChoosesAddress()
	}
	return asksForOutsideData(description)
}

// descriptionOf returns the description of a property.
func (s *schemaChange) descriptionOf(n *property) string {
	for _, node := range n.nodes {
		if description, ok := s.now.Str(node, "description"); ok {
			return description
		}
	}
	return ""
}

// callerChoosesAddress reports whether the caller of the tool chooses the address to request.
func (s *schemaChange) callerChoosesAddress() bool {
	if s.chosen == nil {
		chosen := false
		jsonschema.Parameters(&s.old, 0, func(p jsonschema.Subschema, name string) {
			chosen = chosen || p.Depth == 1 && tools.AddressParameter.MatchString(names.Spell(name))
		})
		s.chosen = &chosen
	}
	return *s.chosen
}

// namesCredential reports whether name denotes a credential, rather than something related to one.
func namesCredential(name string) bool {
	words := strings.Fields(names.Spell(name))
	if len(words) == 0 || sensitive.AboutSecret[words[len(words)-1]] || anyOf(words, harmlessTokenWords) {
		return false
	}
	spelled, last := strings.Join(words, " "), words[len(words)-1]
	if secrets.PublicKey.MatchString(spelled) {
		return false
	}
	return sensitive.CredentialName.MatchString(spelled) || sensitive.PersonalName.MatchString(spelled) || sensitive.KeyOfOne.MatchString(spelled) || anyOf(words, credentialWords) ||
		len(words) > 1 && bareCredential[last] || wholeEnvironment.MatchString(spelled)
}

// namesTalk reports whether name refers to the conversation or the model's instructions.
func namesTalk(name string) bool {
	if _, required, _ := sensitive.CollectedBy(name); sensitive.CollectorName.MatchString(name) || required > 0 && sensitive.AsksForTalk.MatchString(names.Spell(name)) {
		return true
	}
	words := strings.Fields(names.Spell(name))
	if len(words) == 0 || sensitive.AboutSecret[words[len(words)-1]] {
		return false
	}
	last, before := words[len(words)-1], words[:len(words)-1]
	switch {
	case talks[last]:
		return true
	case spoken[last]:
		return anyOf(before, talks) || anyOf(before, speakers)
	case last == "context":
		return anyOf(before, talks) || anyOf(before, ofModels)
	}
	return false
}

var (
	// credentialWords are words that mean a credential in any context.
	credentialWords = names.Set(`password passwords passwd passphrase passcode credential credentials secret secrets mnemonic jwt dotenv apikey`)
	// bareCredential lists words that mean a credential only after another word, as in "access
	// token". On its own, "token" may be a pagination cursor or a cryptocurrency.
	bareCredential = names.Set(`token tokens cookie cookies pem otp auth`)
	// harmlessTokenWords lists words that show that a token or key is not a credential but a
	// pagination token, a token that is counted or traded, or a data key.
	harmlessTokenWords = names.Set(`page next prev previous continuation cursor sync resume start max min count ` +
		`limit budget in out from to base quote pagination skip offset idempotency cache sort primary foreign ` +
		`partition design`)
	wholeEnvironment = lazyregexp.New(`\b(env vars|environment variables|process env)$`)
	talks            = names.Set(`conversation conversations dialog dialogue transcript chat`)
	spoken           = names.Set(`prompt prompts instructions history messages message log logs transcript directives verbatim`)
	speakers         = names.Set(`user users system conversation message dialog dialogue llm model assistant agent original full entire complete initial hidden developer previous prior prompt`)
	ofModels         = names.Set(`llm full entire complete whole model assistant prompt`)
)

// ambiguous contains words with both an ordinary and a suspicious meaning. For a parameter with such a
// name, the description decides, unless the name also contains an unambiguous word.
var (
	ambiguous   = names.Set(`context memory environment env prompt messages history upload script shell command cmd endpoint recipient recipients proxy`)
	unambiguous = names.Set(`bcc cc forward webhook callback exfil token secret password passphrase credential credentials conversation transcript destination`)
)

// asksForOutsideData reports whether a parameter's description asks for data from outside the tool:
// credentials, the conversation, or other tools' results.
func asksForOutsideData(description string) bool {
	if description == "" {
		return false
	}
	for s := range split(abbreviations.Replace(foldedText(description))) {
		at := outsideData.FindStringIndex(s)
		if at == nil || foreign(s) {
			continue
		}
		before, behind := s[:at[0]], s[at[1]:]
		if !(len(before) <= nearStart && !usedFor.MatchString(before) || valued.MatchString(before)) {
			continue // the text does not say that the value contains such data
		}
		if !clause.StrongNegation.MatchString(before) && !pathOrExample.MatchString(before) && !named.MatchString(before) && !partOfName.MatchString(behind) && !aboutThing.MatchString(behind) && !secrets.PublicFile(s, at[1]) {
			return true
		}
	}
	return false
}

// nearStart is the maximum distance, in bytes, of the requested data from the start of its
// sentence.
const nearStart = 45

// abbreviations adds a comma to abbreviations, so that they do not end a sentence.
var abbreviations = strings.NewReplacer("e.g. ", "e.g., ", "i.e. ", "i.e., ")

var (
	// usedFor matches words that introduce what a value is for, rather than what it contains.
	usedFor = lazyregexp.New(`\b(for|used?|uses|when|if|whether|based|by)\b`)
	// valued detects wording that introduces what a value contains.
	valued = lazyregexp.New(`\b(include|pass|put|paste|provide|supply|enter|insert|attach|append|add|contents?\s+of|values?\s+of|copy\s+of|set\s+(it\s+)?to|fill\s+in)\b[^.;]{0,60}$`)
	// outsideData matches credentials, the conversation and other tools' results, but not segments of
	// a route such as /v2/account/ssh-keys.
	outsideData = lazyregexp.New(`(^|[^\w/])(api|access|auth(entication|ori[sz]ation)?|bearer|secret|private|ssh|signing|session|oauth|refresh|login)[ _-](keys?|tokens?|cookies?)\b|` +
		`\bpass(words?|wd|phrases?|codes?)\b|\bcredentials\b|\b(seed|recovery)\s+phrase\b|` + secrets.Files +
		`|\b(values?|dump|contents?|copy|all|every|list)\s+(of\s+)?((all|the|every|its|your)\s+)*(environment\s+variables?|process\.env|env\s+vars)\b` +
		`|\b(full|entire|whole|complete|verbatim|unabridged|raw|current|preceding|exact)\s+(\w+\s+){0,2}(conversation|chat|dialog(ue)?|transcript|prompt)\b` +
		`|\b(conversation|chat|dialog(ue)?|prompt)\s+(history|transcript|log|so\s+far)\b|\btranscript\s+of\s+(the|this|our|your)\b` +
		`|\bsystem\s+(prompt|messages?|instructions?)\b|\b(hidden|developer)\s+(instructions?|prompts?|messages?)\b` +
		`|\b(instructions?|prompts?|messages?)\s+(that\s+|which\s+)?(you|the\s+(model|assistant|agent))\s+(were|was|have|has|had|received|got)\b|\bmessages\s+exchanged\b` +
		`|\b(everything|whatever|anything|all)\s+(that\s+)?the\s+user\s+(has\s+)?(said|wrote|written|typed|told|asked|shared)\b` +
		`|\b(last|recent|previous|earlier|prior|all)\s+(\w+\s+){0,2}(user\s+messages|turns|prompts)\b|\buser['’]s\s+(\w+\s+){0,3}(messages?|prompts?|words)\b` +
		`|\b(outputs?|results?|responses?)\s+(of|from)\s+((all|any|every|the|other|earlier|previous|prior)\s+){1,3}tools?(\s+calls?)?\b`)
	// pathOrExample matches wording that asks for a location or an example rather than
	// the content.
	pathOrExample = lazyregexp.New(`\b(paths?|location|where|file\s?name|defaults?(\s+(to|is))?|e\.g\.|examples?|such\s+as|like|instead\s+of|requires?|needs?|using|uses|via|with)\b[^.;]*$`)
	// named matches wording for the name of something that has such data, as in "name of a profile with
	// credentials".
	named = lazyregexp.New(`^\W*((the|an?)\s+)?(named\s|(name|id|identifier|alias)\s+of\s)([^\s,;]+\s+){0,5}?(with|that|which|whose|supplying|containing|providing|holding|for)\s[^,;]*$`)
	// aboutThing matches text that turns the words before it into a name for something else, such
	// as "limit" after "token".
	aboutThing = lazyregexp.New(`^\s*(['’]s\s+)?(ids?|identifiers?|urls?|names?|types?|kinds?|counts?|limits?|slugs?|objects?|formats?|polic(y|ies)|expir\w+|ttl|length|settings?)\b`)
)
