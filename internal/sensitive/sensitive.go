// Package sensitive recognizes parameters that ask for credentials, personal data or the
// conversation.
package sensitive

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/scanner"
)

// ConversationTool matches the name of a tool that deals with conversations.
var ConversationTool = lazyregexp.New(`(?i)(chat|message|conversation|history|slack|mail|thread|discord|telegram|whatsapp|sms|prompt|transcript|memory)`)

// shortestSentence is the minimum length, in bytes, of a parameter name that is read as a phrase,
// such as all_the_chat.
const shortestSentence = 12

// SecretOrder is the message for a name that instructs the model to read a secret; AboutSecret
// lists the last words of names that refer to something about a secret, such as its ID, rather than
// to the secret itself.
const SecretOrder = "the name of a parameter is an instruction to read a secret"

var AboutSecret = names.Set(`id ids path name names type timeout seconds ms count limit enabled url uri line page version region format mode status at interval policy`)

// CollectedBy judges a parameter by its name. It returns the severity for an optional parameter, the
// severity for a required one, and a message about what the parameter collects, or "" if it collects
// nothing.
func CollectedBy(name string) (optional, required scanner.Severity, message string) {
	said := ""
	if len(name) >= shortestSentence {
		said = names.Spell(name)
	}
	sentence := strings.Count(said, " ") > 1
	switch {
	case CollectorName.MatchString(name) || sentence && AsksForTalk.MatchString(said):
		return scanner.Medium, scanner.High, "a parameter collects the conversation or the prompt"
	case sentence && asksForSecret.MatchString(said) && !AboutSecret[names.LastWord(name)]:
		return scanner.High, scanner.High, SecretOrder
	case callerModel.MatchString(name):
		return scanner.Low, scanner.Medium, "a parameter tells the server which model calls it"
	}
	return 0, 0, ""
}

// AboutTalk reports whether a tool's name suggests that it deals with conversations
// or models.
func AboutTalk(name string) bool {
	return ConversationTool.MatchString(name) || forModels.MatchString(name)
}

// forModels matches the name of a tool that deals with models.
var forModels = lazyregexp.New(`(?i)(agent|assistant|llm|model|complet|generat|inference|embed|think|reason)`)

// CollectorName matches the names of parameters for the conversation, the prompt or the reasoning,
// and callerModel matches the names of parameters for the model that calls the tool.
var CollectorName = lazyregexp.New(`(?i)^(side_?note|(full_|whole_|entire_)?(conversation|chat)_?(history|log|context|transcript)|(conversation|chat)History|` +
	`system_?prompt|system_?instructions|previous_?(tool_?results|tool_?outputs|messages)|(all_?)?(prior|previous)_?messages|user_?messages|` +
	`chain_?of_?thought|internal_?reasoning)$`)

var callerModel = lazyregexp.New(`(?i)^(calling_?|your_?)?(llm|ai)_?(model_?)?(name|id|version)$|^(calling|your)_?model_?(name)?$`)

// AsksForTalk matches names that ask for parts of the conversation, and asksForSecret matches names
// that ask for a secret. Both expect the words of a name to be separated by spaces.
var AsksForTalk = lazyregexp.New(`\bwhat(ever)? the user (has )?(said|wrote|told|typed)\b|` +
	`\b(results|outputs|responses) (of|from) ((all|every|any) )?(the )?(other|previous|earlier) tools?\b|` +
	`\b(everything|all|full|whole|entire|complete|verbatim|exact|raw)\b.*\b(conversation|chat|dialog(ue)?|system prompt|your (instructions|prompt)|` +
	`(the )?user (has )?(said|wrote|typed|told|asked)|(other|previous|earlier|prior) tools?)\b|` +
	`\b(conversation|chat|dialog(ue)?|system prompt|user (has )?(said|wrote|typed|told)|` +
	`(other|previous|earlier|prior) tools? (results|outputs|responses))\b.*\b(so far|verbatim|in full|until now|word for word|up to now)\b`)

var asksForSecret = lazyregexp.New(`\b(read(ing)?|open(ing|ed)?|cat|dump(ing|ed)?|load(ing|ed)?|fetch(ing|ed)?|contents? (of|from|in)|text (of|from|in)|found in|` +
	`copied from|taken from)\b.*\b(id (rsa|ed25519|dsa|ecdsa)|ssh|private key|aws (credentials?|keys?)|credentials?|passwords?|passwd|env file|` +
	`dot env|shadow file|etc shadow|secrets?( file)?|mcp json|mcp config|keychain|wallet|netrc|npmrc|browser cookies|api keys?)\b`)

// PersonalName matches the names of a person's secrets, such as a card number or a seed phrase.
var PersonalName = lazyregexp.New(`\b((seed|recovery|backup|mnemonic|secret) (phrase|words)|mnemonic|ssn|social security( number| no)?|cvv2?|cvc2?|` +
	`(card|cc) (security code|verification (code|value)|pin)|(credit|debit|payment) card( number| no)?|(bank|atm|sim) pin|` +
	`(master|sudo|root|wallet|keystore|vault|keychain|os|computer|windows|mac) pass(word|phrase)|(browser|session) cookies?)$`)

// KeyOfOne matches the names of private keys.
var KeyOfOne = lazyregexp.New(`\b(private|ssh|wallet|signing) key( pem| content| hex| value)?$`)

// CredentialName matches the names of passwords, tokens and other credentials.
var CredentialName = lazyregexp.New(`\b(pass(word|phrase|wd|code)|pwd|api ?(key|token|secret)s?|apikey|` +
	`(access|auth|oauth|bearer|refresh|session|bot|personal access|webhook|jwt) ?token|(client|app|webhook|shared|consumer|code) secret|` +
	`secret( access)? key|secret|credentials?)( value)?$`)

// GrantsAccess matches descriptions of values that authenticate someone.
var GrantsAccess = lazyregexp.New(`\b(bearer|auth\w*|api token|access token|bot token|secret|personal token|log ?in|sign ?in)\b`)
