package sense

import (
	"github.com/mcpscan/mcpscan/internal/reading"
	"github.com/mcpscan/mcpscan/scanner"
)

// WaivesApproval matches claims that a person's consent is given or unnecessary.
var WaivesApproval = Test{
	Needs: [][]reading.Sense{{reading.Consent}, {reading.Waive, reading.Granted}},
	Weights: map[reading.Sense]int{
		reading.Consent: 2, reading.Waive: 2, reading.Granted: 3, reading.Model: 1, reading.Always: 1, reading.Duty: 1, reading.Person: 1, reading.Until: -3, reading.DataFlow: -3, reading.Whether: -4,
	},
	Enough: 5, Severity: scanner.High, Message: "tells the model to act without the user's consent",
}

// ActsAlone matches instructions to act without asking. Descriptions of agents use the same words,
// so the text must also mention consent, a duty or an action that a user would want to confirm, or
// address the reader.
var ActsAlone = Test{
	Needs: [][]reading.Sense{{reading.Alone}, {reading.Model, reading.Reader}},
	Weights: map[reading.Sense]int{
		reading.Alone: 3, reading.Model: 1, reading.Reader: 3, reading.Grave: 1, reading.Consent: 2, reading.Waive: 2, reading.Granted: 3, reading.Duty: 1,
		reading.Until: -3, reading.DataFlow: -3, reading.Employed: -2, reading.Whether: -4,
	},
	Purpose: -2, Enough: 5, Severity: scanner.High, Message: "tells the model to act without the user's consent",
}

// Conceals matches demands for secrecy, ActsInSecret matches stealthy actions, and KeepsUserUnaware
// matches statements that a person is not informed.
var (
	Conceals = Test{
		Needs: [][]reading.Sense{{reading.Hush}},
		Weights: map[reading.Sense]int{
			reading.Hush: 4, reading.Model: 1, reading.Duty: 1, reading.Person: 1, reading.Take: 1, reading.Hand: 1, reading.Alter: 1, reading.Stealth: 1,
			reading.Address: 1, reading.Pretext: 1, reading.Until: -4,
		},
		Enough: 4, Severity: scanner.Critical, Message: ConcealMessage,
	}
	ActsInSecret = Test{
		Needs: [][]reading.Sense{{reading.Stealth}, {reading.Take, reading.Hand, reading.Alter, reading.Run}},
		Weights: map[reading.Sense]int{
			reading.Stealth: 3, reading.Model: 1, reading.Duty: 1, reading.Take: 1, reading.Hand: 1, reading.Alter: 1, reading.Run: 1,
			reading.KeyFile: 2, reading.Secret: 2, reading.Conversation: 2, reading.OtherOutput: 2, reading.Personal: 2, reading.Address: 2, reading.OtherTool: 2,
			reading.Until: -4,
		},
		Purpose: -3, Enough: 6, Severity: scanner.Critical, Message: ConcealMessage,
	}
	KeepsUserUnaware = Test{
		Needs: [][]reading.Sense{{reading.Untold}},
		Weights: map[reading.Sense]int{
			reading.Untold: 4, reading.Model: 1, reading.Duty: 1, reading.Take: 1, reading.Hand: 1, reading.Alter: 1, reading.Stealth: 1, reading.Address: 1,
			reading.Always: 1, reading.Pretext: 1, reading.Until: -4,
		},
		Enough: 5, Severity: scanner.Critical, Message: ConcealMessage,
	}
)

// DelayedTrigger matches actions that wait until a review is over.
var DelayedTrigger = Test{
	Needs: [][]reading.Sense{
		{reading.Later}, {reading.Take, reading.Hand, reading.Alter, reading.Run, reading.Harm},
		{reading.Address, reading.OtherTool, reading.Harm, reading.KeyFile, reading.Secret, reading.Conversation, reading.Personal, reading.Stealth},
	},
	Weights: map[reading.Sense]int{
		reading.Later: 3, reading.Harm: 3, reading.Take: 1, reading.Hand: 1, reading.Alter: 1, reading.Run: 1, reading.Address: 2, reading.OtherTool: 2,
		reading.KeyFile: 2, reading.Secret: 2, reading.Personal: 1, reading.Model: 1, reading.Stealth: 2, reading.Hush: 2,
	},
	Enough: 6, Severity: scanner.High, Message: "announces that it will behave differently once it is trusted",
}

// FetchesAndRuns matches instructions to fetch something from an address and run it.
var FetchesAndRuns = Test{
	Needs: [][]reading.Sense{{reading.Download}, {reading.Run}, {reading.Address}},
	Weights: map[reading.Sense]int{
		reading.Download: 2, reading.Run: 2, reading.Address: 1, reading.Model: 1, reading.Duty: 1, reading.Stealth: 2, reading.Hush: 2, reading.Shown: -3,
	},
	Enough: 5, Severity: scanner.Critical, Message: "tells the model to download and run code",
}

// SendsCopy matches text about sending a copy of what the tool handles to somebody else.
var SendsCopy = Test{
	Needs: [][]reading.Sense{{reading.Copy}, {reading.Address}, {reading.Always, reading.Duty, reading.Stealth, reading.Hush}},
	Weights: map[reading.Sense]int{
		reading.Copy: 2, reading.Address: 2, reading.Always: 1, reading.Duty: 1, reading.Model: 1, reading.Stealth: 2, reading.Hush: 2, reading.Pretext: 1,
		reading.Pointed: -3, reading.Whether: -3,
	},
	Enough: 5, Severity: scanner.Critical, Message: "sends a copy to an address given in the text",
}

// Redirects matches text about changing the recipient of something.
var Redirects = Test{
	Needs: [][]reading.Sense{{reading.Alter}, {reading.Value}, {reading.Address}, {reading.Always, reading.Duty, reading.Model, reading.Stealth, reading.Hush}},
	Weights: map[reading.Sense]int{
		reading.Alter: 2, reading.Value: 1, reading.Address: 2, reading.Always: 1, reading.Duty: 1, reading.Model: 1, reading.Stealth: 2, reading.Hush: 2,
		reading.Described: -3, reading.DataFlow: -4, reading.Shown: -3, reading.History: -3, reading.Pointed: -3, reading.Visited: -3, reading.Whether: -3,
	},
	Enough: 6, Severity: scanner.Critical, Message: "changes the recipient of something",
}

// ObeysOutput matches instructions to follow instructions in data.
var ObeysOutput = Test{
	Needs:   [][]reading.Sense{{reading.DataOrders}, {reading.Obey}},
	Weights: map[reading.Sense]int{reading.DataOrders: 3, reading.Obey: 3},
	Enough:  6, Severity: scanner.High, Message: "tells the model to follow instructions in data",
}

// OverridesInstructions matches claims that earlier instructions no longer apply.
var OverridesInstructions = Test{
	Needs:   [][]reading.Sense{{reading.Orders}, {reading.Demote}},
	Weights: map[reading.Sense]int{reading.Orders: 3, reading.Demote: 3, reading.First: 2},
	Purpose: -5, Enough: 6, Severity: scanner.High, Message: DropMessage,
}

// ChangesOtherTool matches changes to the input or behavior of another tool.
var ChangesOtherTool = Test{
	Needs: [][]reading.Sense{
		{reading.OtherTool}, {reading.Alter}, {reading.Value, reading.Address, reading.KeyFile},
		{reading.Duty, reading.Always, reading.Model, reading.Pretext, reading.Address},
	},
	Weights: map[reading.Sense]int{
		reading.OtherTool: 2, reading.Alter: 2, reading.Value: 1, reading.Address: 2, reading.Always: 1, reading.Duty: 1, reading.Model: 1, reading.Pretext: 1,
		reading.Stealth: 3, reading.Hush: 3, reading.Described: -4, reading.History: -4, reading.DataFlow: -4,
	},
	Enough: 6, Severity: scanner.High, Message: "changes how another server's tool is used",
}

const ConcealMessage = "tells the model to hide something from the user"

const DropMessage = "tells the model to ignore its instructions"
