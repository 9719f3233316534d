package reading

// Sense is a meaning that a definition can express with different words or phrases.
type Sense uint8

// Findings list senses in this order.
const (
	Model        Sense = iota // the model acts
	Duty                      // an obligation
	Always                    // every time, regardless of the request
	Pretext                   // a reason that cannot be verified
	Later                     // a time after reviews
	KeyFile                   // a credential file
	Secret                    // credentials, by name
	Conversation              // what the user and the model have said
	OtherOutput               // output of other tools
	Personal                  // something that belongs to the user
	Whose                     // taken from the user, or from any source available
	Take                      // a verb for taking
	Hand                      // a verb for handing something over
	Copy                      // a verb for sending a copy to someone else
	Parameter                 // a parameter or request that carries data
	Described                 // the whole text describes a parameter
	Address                   // an address, a phone number or an account
	OtherTool                 // a tool that the server does not list, or all other tools
	Value                     // an input or output of a tool
	Alter                     // a verb for changing or adding
	Stealth                   // a word for stealth
	Hush                      // a phrase that demands secrecy
	Untold                    // a person is not told
	Orders                    // instructions from the system, the developer or the user
	Demote                    // instructions no longer apply
	Consent                   // a person's consent
	Waive                     // asking is skipped, or called unnecessary
	Alone                     // somebody acts alone
	Grave                     // an act about which a person would want to be asked
	Reader                    // the reader acts alone
	Granted                   // consent is claimed to have been given
	Download                  // something is fetched
	Run                       // something is run
	Harm                      // something is lost
	Obey                      // a verb for obeying
	DataOrders                // instructions in data
	Person                    // a person
	Tell                      // a verb for telling
	Pronoun                   // "it" and similar words
	ToolWord                  // "tool", "call" and similar words

	// Senses that indicate a benign reading.
	Attacks  // attacks are discussed
	Asks     // the user is asked, or chooses
	Until    // the secrecy ends, or does not concern the user
	History  // a tool reports what it did before
	DataFlow // the origin or the possible values of a value
	OwnKey   // a credential that the tool itself uses
	Path     // a path is requested, not its content
	Meantime // the conversation as a period of time
	ToUser   // the user is the recipient
	Shown    // a document is quoted
	Pointed  // all addresses are references or examples
	Visited  // all addresses are pages where a person does something
	Employed // an agent other than the reader is used
	Whether  // a switch or a value is described
	Prompted // a prompt is given to another model
	First    // the sentence in which a tool states its purpose

	Senses // number of senses
)

// descriptions contains the description of each sense in findings. Senses that never support a
// finding have none.
var descriptions = [Senses]string{
	Model:        "the model must act",
	Duty:         "wording that obliges the model",
	Always:       "applies every time, or regardless of what the user asks",
	Pretext:      "a reason that cannot be verified",
	Later:        "takes effect after the review",
	KeyFile:      "a credentials file",
	Secret:       "credentials",
	Conversation: "the conversation between user and model",
	OtherOutput:  "output of other tools",
	Personal:     "the user's data",
	Whose:        "taken from the user, or from any source available",
	Take:         "a verb of obtaining",
	Hand:         "a verb of passing on",
	Copy:         "a copy for an additional recipient",
	Parameter:    "a parameter or a request that carries data",
	Described:    "a parameter description",
	Address:      "an address",
	OtherTool:    "a tool that this server does not list, or all other tools",
	Value:        "a tool's input or output",
	Alter:        "a verb of changing",
	Stealth:      "stealthy wording",
	Hush:         "secretive wording",
	Untold:       "keeps a person uninformed",
	Orders:       "the model's own instructions",
	Demote:       "a claim that something no longer applies",
	Consent:      "a person's consent",
	Waive:        "skips a step, or calls it unnecessary",
	Alone:        "acts without anyone else",
	Grave:        "an action that a user would want to confirm",
	Reader:       "an instruction to the reader",
	Granted:      "a claim that consent was given",
	Download:     "a download",
	Run:          "executes something",
	Harm:         "destroys something",
	DataOrders:   "instructions in data",
	Obey:         "a verb of obeying",
	Person:       "a person",
}

// String returns the description of the sense in a finding.
func (v Sense) String() string { return descriptions[v] }

// negatable is the set of senses that a negation reverses. The others are negations themselves, or
// only state what a sentence mentions.
const negatable = actions | 1<<KeyFile | 1<<Secret | 1<<Conversation | 1<<OtherOutput | 1<<Personal |
	1<<Tell | 1<<Demote | 1<<Stealth | 1<<Waive | 1<<Granted | 1<<Asks | 1<<ToUser | 1<<Obey

// actions is the set of senses of what can be done to data and machines.
const actions = 1<<Take | 1<<Hand | 1<<Copy | 1<<Alter | 1<<Run | 1<<Download | 1<<Harm

// sensitive contains the senses of data that a model can be told to hand over. inherited contains
// the senses that a sentence with "it" takes over from the preceding sentence.
var (
	sensitive = [...]Sense{KeyFile, Secret, Conversation, OtherOutput, Personal}
	inherited = [...]Sense{KeyFile, Secret, Conversation, OtherOutput, Personal, Whose, Attacks, OwnKey, Path, Asks}
)
