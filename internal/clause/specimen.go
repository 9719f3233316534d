package clause

import "github.com/mcpscan/mcpscan/internal/lazyregexp"

// PipeToShell matches a command that downloads code and runs it.
const PipeToShell = `\b(curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\b[^\n|]{0,160}(\|\s*tee\s+\S+\s*)?\|\s*(sudo\s+)?(ba|z|da)?(sh|python[0-9.]*|node|perl|` +
	`ruby|iex)\b|` +
	`\b((ba|z)?sh|source)\s+(-c\s+["']?\$\(|<\()\s*(curl|wget)\b|\b(eval|exec)\b[^\n]{0,60}\b(curl|wget)\s+[^\n]{0,80}https?://`

var pipeToShell = lazyregexp.New(PipeToShell)

// ShowsSpecimen reports whether the first match of PipeToShell in [start, end) is a specimen.
func ShowsSpecimen(t []byte, start, end int) bool {
	at := pipeToShell.FindIndex(t[start:end])
	return at != nil && Specimen(t, start+at[0], start+at[1])
}

// Specimen reports whether the command [start, end) is what a tool examines, such as the sample input
// of one that explains commands: the text says what the tool examines, labels the command as its input
// or as an example, or says that it is refused, and nothing around it asks the reader to do anything.
func Specimen(t []byte, start, end int) bool {
	before, behind := t[max(0, start-specimenReach):start], t[end:min(len(t), end+specimenReach)]
	shown := labelled.Match(before) && ends.Match(behind) || asExample.Match(before) || RefusedBehind.Match(behind)
	return shown && examines.Match(before) && !toBeRun.Match(before) && !toBeRun.Match(behind)
}

// specimenReach is the number of bytes before and after a command that determine whether it is a
// specimen.
const specimenReach = 2 * ClauseReach

var (
	// examines matches a verb in the third person at the beginning of a sentence, as in descriptions of
	// tools.
	examines = lazyregexp.New(`(^|[.!?:\n]\s*)(explain|describe|summari[sz]e|check|lint|analy[sz]e|validate|verifie|parse|classifie|translate|convert|format|` +
		`highlight|tokeni[sz]e|scan|inspect|audit|review|detect|flag|score|rate|refuse|block|reject)s\b`)
	// labelled matches a label before a command, and ends matches what follows a command at the end of
	// a sentence.
	labelled = lazyregexp.New("(^|[.!?,;(\\n]\\s*)((sample|example|test)\\s+(commands?|snippets?|scripts?|values?|arguments?)|((sample|example|test)\\s+)?(inputs?|examples?|samples?))\\s*:\\s*[\"'`(]*$")
	ends     = lazyregexp.New("^[\"'`)]*\\s*([.!?;,\\n]|$)")
	// asExample matches the announcement of an example, or a verb of searching, before its object.
	asExample = lazyregexp.New(`\b(such\s+as|like|for\s+example|e\.g\.?|for\s+instance)\s[^.;:\n]*$|` +
		`\b(scans?|search(es)?|looks?|checks?|inspects?|audits?|reviews?)\s+(\w+\s+){0,3}for\s[^.,;:\n]*$`)
	// toBeRun matches words that ask the reader to do something, or to run a command.
	toBeRun = lazyregexp.New(`\b(run(ning)?|execut(e|ing)|paste|type|enter|launch|start|use|call|apply|install|setup|set\s+up|you|your|must|should|shall|please|first|` +
		`before|after|always|immediately|now|required?|needs?|make\s+sure|ensure|then|also|next|agent|assistant|model|terminal|do)\b`)
)
