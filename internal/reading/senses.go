package reading

// Sense is what a word or a phrase of a definition says, whichever word it is.
type Sense uint8

// The order of the senses is the order in which a finding lists them.
const (
	Model        Sense = iota // the model, as the one who acts
	Duty                      // it must be done
	Always                    // every time, whatever is asked
	Pretext                   // a reason of the kind that nobody checks
	Later                     // a moment that no review sees
	KeyFile                   // a file that holds credentials
	Secret                    // credentials, by their names
	Conversation              // what the user and the model have said
	OtherOutput               // what other tools returned
	Personal                  // what belongs to the user
	Whose                     // taken from the user, or wherever it is found
	Take                      // a verb of taking
	Hand                      // a verb of handing over
	Copy                      // a verb of handing to one more
	Parameter                 // a parameter or a request as what carries it
	Described                 // the whole text describes a parameter
	Address                   // an address, a number or an account
	OtherTool                 // a tool that the server does not list, or all others
	Value                     // what a tool is given or returns
	Alter                     // a verb of changing or adding
	Stealth                   // a word of stealth
	Hush                      // a phrase of secrecy
	Untold                    // a person is not told
	Orders                    // what the model was told by those it works for
	Demote                    // it counts no longer
	Consent                   // a person's consent
	Waive                     // it is done without
	Alone                     // somebody acts alone
	Grave                     // an act that a person would want to be asked about
	Reader                    // it is the reader who does, and nobody else
	Granted                   // it is said to be given
	Download                  // something is fetched
	Run                       // something is run
	Harm                      // something is lost
	Obey                      // a verb of obeying
	DataOrders                // orders that are in data
	Person                    // a person
	Tell                      // a verb of telling
	Pronoun                   // "it" and its like
	ToolWord                  // "tool", "call" and their like

	// What speaks for an honest reading.
	Attacks  // attacks are spoken of
	Asks     // the user is asked, or chooses
	Until    // the secret ends, or is no secret from the user
	History  // a tool reports its own past
	DataFlow // where a value comes from, or which values there are
	OwnKey   // a credential that the tool itself is used with
	Path     // a path is asked for and not what lies there
	Meantime // the conversation is a time
	ToUser   // the user is the one who gets it
	Shown    // a document is quoted
	Pointed  // all addresses are there to be read, or are examples
	Visited  // all addresses are pages where a person does something
	Employed // an agent is put to use, and the reader is another
	Whether  // a switch or a value is described
	Prompted // a prompt is given to another model
	First    // the sentence is where a tool says what it is for

	Senses // how many there are
)

// words tells in a finding what a sense is. Senses that only count against one
// have none.
var words = [Senses]string{
	Model:        "the model is the one who acts",
	Duty:         "it must be done",
	Always:       "every time, or whatever is asked",
	Pretext:      "a reason that nobody can check",
	Later:        "a moment that no review sees",
	KeyFile:      "a file that holds credentials",
	Secret:       "credentials",
	Conversation: "what the user and the model have said",
	OtherOutput:  "what other tools returned",
	Personal:     "what belongs to the user",
	Whose:        "taken from the user, or wherever it is found",
	Take:         "a verb of taking",
	Hand:         "a verb of handing over",
	Copy:         "one more gets it",
	Parameter:    "a parameter or a request that carries it",
	Described:    "a parameter is described so",
	Address:      "an address",
	OtherTool:    "a tool that this server does not list, or all others",
	Value:        "what a tool is given",
	Alter:        "something is changed or added",
	Stealth:      "a word of stealth",
	Hush:         "an order of secrecy",
	Untold:       "a person is not told",
	Orders:       "what the model was told by those it works for",
	Demote:       "it is said to count no longer",
	Consent:      "a person's consent",
	Waive:        "it is done without",
	Alone:        "somebody acts alone",
	Grave:        "an act that a user would want to be asked about",
	Reader:       "the reader is told to",
	Granted:      "it is said to be given",
	Download:     "something is fetched",
	Run:          "it is run",
	Harm:         "something is lost",
	DataOrders:   "orders that stand in data",
	Obey:         "it is to be obeyed",
	Person:       "a person is spoken of",
}

// String returns the sense in words of a finding.
func (v Sense) String() string { return words[v] }

// deniable are the senses that a negation turns into their opposite. The others
// are negations themselves, or name a thing that is spoken of.
const deniable = 1<<KeyFile | 1<<Secret | 1<<Conversation | 1<<OtherOutput | 1<<Personal |
	1<<Take | 1<<Hand | 1<<Copy | 1<<Alter | 1<<Run | 1<<Download | 1<<Harm |
	1<<Tell | 1<<Demote | 1<<Stealth | 1<<Waive | 1<<Granted | 1<<Asks | 1<<ToUser | 1<<Obey

// things are what can be handed over, and aspects is what a sentence that says
// "it" takes over with them from the sentence ahead.
var (
	things  = [...]Sense{KeyFile, Secret, Conversation, OtherOutput, Personal}
	aspects = [...]Sense{KeyFile, Secret, Conversation, OtherOutput, Personal, Whose, Attacks, OwnKey, Path, Asks}
)
