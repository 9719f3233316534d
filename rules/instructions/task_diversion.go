package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var TaskDiversion = scanner.Rule{
	ID:         "inj-task-diversion",
	Category:   "hidden_instructions",
	Title:      "Text puts its own task before the user's",
	Why:        "The text refers to the user's task, which its author cannot have known, and tells the model to do something else first.",
	Fix:        "Do not let a model act on the text. Find out who wrote it, and remove the server if its author did.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Ordinary text is written before the conversation and cannot refer to the user's task; text that does is addressed to the model.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0051.001", "CWE-1427"},
	Patterns: []scanner.Pattern{
		{
			Name: "the_task_given",
			Expr: `\b(task|request|question|instructions?|job|problem)\s+(that\s+)?((i|we)\s+(gave|have\s+given|assigned|asked)\b|` +
				`(the|your)\s+user\s+(gave|has\s+given|assigned|asked)\s+(to\s+)?you\b)|` +
				`\b(task|request|question|job)\s+(that\s+)?you\s+(were|have\s+been)\s+(given|assigned|asked)(\s*[,.;:!?)\n]|\s+(to|by|and|before|at|with|in)\b|$)`,
			Anchors: append(clause.Combine([]string{"i", "we", "user"}, []string{" ", "\n"}, []string{"gave", "have given", "has given", "assigned", "asked"}),
				clause.Combine([]string{"you were", "you have been"}, []string{" ", "\n"}, []string{"given", "assigned", "asked"})...),
		},
		{
			Name: "before_your_task",
			Expr: `\b(before|prior\s+to)\s+(you\s+)?(can\s+|may\s+)?(solv|complet|continu|proceed|answer|respond|finish|fulfil|start|work)\w*\s+(with\s+|on\s+|` +
				`to\s+)?((the|your|my|this)\s+((original|current|actual|initial|user['’]s)\s+)?(task|request|question|query)|the\s+user)\b`,
			Anchors: []string{"before", "prior to"},
		},
		{
			Name: "do_this_first",
			Expr: `\bdo\s+(the\s+following|this|these\s+things)\s+(first|before)\b|` +
				`\bafter\s+(you\s+do\s+(that|this|so)|doing\s+(that|this|so)|that)\s*,?\s*(you\s+can\s+|you\s+may\s+)?(then\s+)?(solve|continue|proceed|resume|` +
				`return|go\s+back)\s+(\w+\s+){0,4}?(tasks?|requests?|question|query|original|initial|user|conversation|problem)\b`,
			Anchors: []string{"do the following", "do this", "do these", "do that", "do so", "doing that", "doing this", "doing so", "after that"},
		},
		{
			Name: "task_over",
			Expr: `\b(previous|original|current|last|first|user['’]?s?)\s+task\s+(has\s+been|is|was)\s+(already\s+)?(completed?|done|finished|cancel\w+|over|` +
				`solved)\b|` +
				`\byour\s+task\s+(is|was)\s+(finished|over|done|completed?)\b[^\n]{0,12}\b(new|next|another)\s+(one|task)\b|` +
				`\bnew\s+(and\s+)?(more\s+)?(urgent|important)\s+task\b|\bmore\s+(urgent|important)\s+(new\s+)?task\b|` +
				`\b(finish|complete|do|perform|execute)\s+the\s+new\s+task\b`,
			Anchors: clause.Wrapped("previous task", "original task", "current task", "last task", "first task", "user task", "users task", "user's task", "user’s task",
				"user' task", "user’ task", "your task", "urgent task", "important task", "new task"),
		},
		{
			Name: "must_follow_to_get_result",
			Expr: `\b(in\s+order\s+to|to)\s+(get|receive|obtain|see|access|unlock|view|continue)\s+[^.\n]{0,60}\byou\s+(must|need\s+to|have\s+to|` +
				`should)\s+(first\s+)?(strictly\s+)?(follow|adhere\s+to|comply\s+with|obey|execute|perform)\s+(strictly\s+)?(the|these|this|those|all|any|my|our|` +
				`every|each|what)\b[^.\n]{0,40}?\b(instructions?|directions?|orders?|steps?|requests?|tasks?|commands?|link|rules|directives?)\b`,
			Anchors: []string{"you must", "you need to", "you have to", "you should"},
		},
		{
			Name: "your_real_task",
			Expr: `\byour\s+(real|actual|true|new|primary|main|first|only|next|sole)\s+(\w+\s+)?(task|objective|goal|mission|job|assignment|priority|purpose|` +
				`duty)\s+(is|begins?|starts?|now|here|will\s+be|becomes?|has\s+(changed|become))\b|` +
				`\byour\s+(task|objective|goal|mission|job|assignment|priority)\s+(is\s+now|has\s+(changed|been\s+changed)|now\s+(is|begins))\b`,
			Anchors: append(clause.Combine([]string{"your "}, []string{"real ", "actual ", "true ", "new ", "primary ", "main ", "first ", "only ", "next ", "sole "}),
				clause.Combine([]string{"your "}, []string{"task", "objective", "goal", "mission", "job", "assignment", "priority"}, []string{" is now", " has ", " now "})...),
		},
		{
			Name: "first_do_mine",
			Expr: `\b(in\s+order\s+to|to)\s+(proceed|continue|carry\s+on|finish|complete|finali[sz]e)\s+(with\s+)?(the|your|this|any)\s+(\w+\s+)?(summary|task|` +
				`request|answer|lookup|query|analysis|response|search|review|report)\b[^.\n]{0,20}?\b(you\s+)?(must|need\s+to|have\s+to|should)\s+(first|also|` +
				`additionally)\b|` +
				`\bthe\s+user\s+(will|would)\s+(only|not)\s+be\s+(satisfied|happy|pleased|content)\s+(if|unless|until)\b`,
			Anchors: append(clause.Combine([]string{"must ", "need to ", "have to ", "should "},
				[]string{"first", "also", "additionally"}), "user will only be", "user would only be",
				"user will not be", "user would not be"),
		},
	},
	Text: clause.JudgeOrders(
		clause.Order{Severity: scanner.Critical, Data: scanner.High, Message: divertMessage, Signals: divertSignals, Unless: nil},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: divertMessage, Signals: divertSignals, Unless: nil},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: divertMessage, Signals: divertSignals, Unless: nil},
		clause.Order{Severity: scanner.Critical, Data: scanner.High, Message: divertMessage, Signals: divertSignals, Unless: ofTasks},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: divertMessage, Signals: divertSignals, Unless: nil},
		clause.Order{Severity: scanner.Low, Data: scanner.High, Message: divertMessage, Signals: divertSignals, Unless: ofWork},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: divertMessage, Signals: divertSignals, Unless: nil},
	),
}

// ofWork reports whether the sentence is about people's jobs or studies.
func ofWork(t []byte, start, end int) bool {
	from, to := clause.Sentence(t, start, end)
	return peopleAtWork.Match(t[from:to])
}

var peopleAtWork = lazyregexp.New(`\b(as\s+an?\s+(new\s+)?(employee|manager|developer|engineer|student|parent|team\s+lead|writer|leader|player|founder)|career|team|` +
	`company|students?|customers?|players?|reader|readers|interview|hire|hiring|business|life|learn\w*)\b`)

// ofTasks reports whether the clause is typical of a tool that manages task lists.
func ofTasks(t []byte, start, end int) bool {
	from, to := clause.Around(t, start, end)
	return taskList.Match(t[from:to])
}

var taskList = lazyregexp.New(`\b(if|when|whether|fails?|error|returns?|marks?|status|adds?|creates?|board|lists?|use)\b`)

const divertMessage = "puts its own task before the user's"

var divertSignals = []string{"mentions the user's task", "tells the model to do something else first"}
