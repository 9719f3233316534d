package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// limit is a row of docs/limits.md. The value is read from the constant, or from the
// default of the flag, of that name.
type limit struct {
	name   string
	bounds string // what the value limits
	unit   string // "bytes", "time", or another noun
	beyond string // what happens to what exceeds it
}

// What happens beyond a limit, where many limits share it.
const (
	incomplete = "run incomplete"
	partly     = "event not inspected in full; run incomplete"
	exitsUsage = "error, exit 2"
	untested   = "the rest is not checked"
)

// limits are the limits of the product, by directory. Subdirectories belong to it.
var limits = []struct {
	dir  string
	rows []limit
}{
	{"cmd/mcpscan", []limit{
		{"maxTold", "lines that `proxy` writes to standard error", "lines", "a last line says that there are more"},
		{"--ask-timeout", "time to allow what the policy prompts for, in `proxy`", "time", "the message is refused"},
		{"maxHeldFile", "a question of `proxy` that `held` reads", "bytes", "not listed"},
		{"maxListed", "files that `held` looks at", "files", "not listed"},
		{"maxClientFile", "a client configuration that `wrap` edits or `doctor` reads", "bytes", "the file stays unchanged; exit 3"},
		{"--max-message", "one message, one line, one definition file", "bytes", incomplete + "; the message is not read into memory"},
		{"--max-time", "a run; 0 is no limit", "time", incomplete + ": what was not judged by then"},
		{"--start-timeout", "time until a server's first answer", "time", incomplete},
		{"--step-timeout", "time for each later answer of a server", "time", incomplete + ": that list"},
		{"--upstream-timeout", "time until an upstream of `proxy` begins to answer a request; 0 is no limit", "time", "status 504"},
		{"--server-timeout", "time for one server in all", "time", incomplete + ": lists that are not finished"},
		{"maxHeap", "heap that the garbage collector aims at", "bytes", "more frequent collection; live data has limits of its own"},
		{"maxListenHeap", "memory that the garbage collector aims at in `proxy --listen`", "bytes", "the same"},
		{"maxUnnamed", "frames held until a server tells its name", "frames", "the server gets a name from its command or URL"},
		{"maxUnnamedBytes", "bytes of those frames", "bytes", "the same"},
		{"maxHashed", "a file whose digest is computed", "bytes", incomplete + ": no digest"},
		{"maxManifest", "a manifest or lockfile of a launcher", "bytes", "not read: the version stays unknown"},
		{"maxRead", "all such files in a run", "bytes", "not read; " + incomplete + " for a digest"},
		{"maxEnvFile", "a file of variables (envFile)", "bytes", incomplete},
		{"inspectTimeout", "time for a container engine to answer", "time", "the image digest stays unknown"},
		{"maxBaseline", "a baseline report", "bytes", exitsUsage},
		{"maxPinFile", "a file given to `pins import`", "bytes", exitsUsage},
		{"maxFixtures", "fixtures of `policy test`", "fixtures", exitsUsage},
		{"maxFixture", "one fixture", "bytes", exitsUsage},
		{"maxReviewed", "findings that `policy generate` lists", "findings", "not listed"},
		{"maxOnLine", "events of one line that `explain` shows", "events", "left out"},
		{"maxCandidates", "requests listed for an ID by `explain`", "requests", "left out, and counted"},
		{"maxCitations", "findings that cite an event in `explain`", "findings", "left out"},
		{"maxWaiting", "pending definitions listed by `lock`", "definitions", "counted"},
		{"maxNames", "names in an error", "names", "counted"},
		{"maxReasons", "reasons for an incomplete run on standard error", "reasons", "counted; the report lists them"},
		{"maxSuggestions", "suggestions for a misspelled name", "names", "not shown"},
	}},
	{"internal/config", []limit{
		{"MaxSettings", "`mcpscan.yaml`, or a policy in YAML", "bytes", exitsUsage},
		{"maxYAMLBytes", "a client configuration in YAML", "bytes", incomplete},
		{"maxYAMLTokens", "YAML tokens of a file", "tokens", "error, exit 2 for settings; run incomplete for a client configuration"},
		{"maxYAMLNodes", "values that YAML aliases expand to", "values", "the same"},
		{"maxDepth", "nesting of a configuration", "levels", "the same"},
		{"maxSettings", "settings of one client configuration beside its servers", "settings", incomplete},
		{"maxWrapped", "servers of one file that `wrap` or `unwrap` edits at once", "servers", "the file stays unchanged; exit 3"},
		{"maxDirectories", "directories searched below a target", "directories", incomplete},
		{"maxLevels", "depth of that search", "levels", incomplete},
		{"maxProblems", "problems listed for a settings file", "problems", "counted"},
		{"maxCategories", "categories in the settings", "categories", exitsUsage},
		{"longestWindow", "a window of session rules", "time", exitsUsage},
		{"maxName", "the name of a user's pattern", "characters", exitsUsage},
		{"maxText", "a reason or description in the settings", "characters", exitsUsage},
	}},
	{"internal/conform", []limit{
		{"maxSchema", "a tool's schema that arguments are checked against", "bytes", "not checked"},
		{"maxValue", "arguments that are checked", "bytes", "not checked"},
		{"maxSteps", "steps of one check (a schema applied to a value)", "steps", "not checked"},
		{"maxDepth", "schemas applied inside each other", "levels", "not checked"},
		{"maxPattern", "a `pattern`", "bytes", "not checked"},
		{"maxProgram", "instructions of a compiled `pattern`", "instructions", "not checked"},
		{"maxMatching", "instructions to match patterns in one check", "instructions", "not checked"},
		{"maxNumber", "a number", "bytes", "not checked"},
		{"maxExponent", "the exponent of a number", "", "not checked"},
		{"maxSchemas", "compiled schemas kept", "schemas", "compiled again"},
		{"maxVerdicts", "verdicts kept", "verdicts", "checked again"},
		{"maxRecalled", "violating arguments kept with their verdicts", "bytes", "checked again"},
	}},
	{"internal/live", []limit{
		{"maxPages", "pages of one list", "pages", incomplete},
		{"mostRelistings", "listings again after `list_changed`", "listings", incomplete},
		{"mostRedirects", "HTTP redirects", "redirects", incomplete},
		{"impatience", "time for a server that may not know `server/discover`", "time", "`initialize` is sent"},
		{"settle", "time for a server to announce a change after listing", "time", "the session ends"},
		{"afterOversize", "time for an answer after an oversize frame", "time", incomplete},
		{"answerQueue", "requests of the server that wait for our answer", "requests", "not answered, and counted"},
	}},
	{"internal/lockfile", []limit{
		{"MaxBytes", "`mcpscan.lock`, read or written", "bytes", exitsUsage},
		{"maxNodes", "values of `mcpscan.lock`", "values", exitsUsage},
		{"patience", "time to wait for another writer of the lockfile", "time", exitsUsage},
	}},
	{"internal/mcp", []limit{
		{"HeadBytes", "an HTTP header", "bytes", "cut"},
		{"MaxHeadParams", "`Mcp-Param-*` headers of a request", "headers", "reported as a contradiction if the tool names such headers"},
	}},
	{"internal/osv", []limit{
		{"MaxAdvisory", "one advisory of `--advisories`", "bytes", exitsUsage},
	}},
	{"internal/policy", []limit{
		{"MaxName", "a name or glob in a policy list", "bytes", exitsUsage},
		{"MaxCompared", "a server or tool name compared with a list", "bytes", "every denied rule matches, no allowed rule does"},
		{"MaxPath", "a path in a request", "bytes", "no rule that allows by arguments matches; one that refuses by them does"},
		{"maxPaths", "paths in a request", "paths", "the same"},
		{"MaxPieces", "paths read out of one path", "paths", "the same"},
		{"maxDecodings", "layers of percent encoding in a path", "layers", "the same"},
		{"maxQuoting", "commands nested in commands", "levels", "the same"},
		{"maxProfiled", "servers, and tools of each, in a generated policy", "names", "not in the policy; run incomplete"},
	}},
	{"internal/policyfile", []limit{
		{"MaxFile", "a policy in TOML", "bytes", exitsUsage},
		{"maxRules", "rules of a policy", "rules", exitsUsage},
		{"maxPatterns", "patterns of a policy", "patterns", exitsUsage},
		{"maxList", "patterns of one list", "patterns", exitsUsage},
		{"maxPattern", "one pattern", "characters", exitsUsage},
		{"maxText", "a name, description or message of a rule", "characters", exitsUsage},
	}},
	{"internal/text", []limit{
		{"maxDiffed", "a text or schema that is compared by lines", "bytes", "shown as added sentences, or as too long"},
		{"Reach", "distance of a match from its anchor", "bytes", "no match"},
		{"MaxLayers", "encodings inside each other", "layers", partly},
		{"maxMatches", "first matches of one pattern in one text", "matches", partly},
		{"lastMatches", "last matches of one pattern in one text", "matches", partly},
		{"maxWindows", "windows verified for one pattern in one text", "windows", "the pattern runs once over the rest of the text"},
		{"maxStates", "states of the automaton of one pattern that are kept in any case", "states", "built again"},
		{"maxTables", "memory of states beyond those, of all patterns together", "bytes", "built again"},
		{"maxStarts", "places of one text that are tried one by one as the beginning of a match", "places", "the expression runs once over the text"},
		{"stretch", "text that a user's pattern without a literal sees at a time", "bytes", "the next stretch overlaps it"},
		{"maxLooks", "places verified with look-around in one text", "places", partly},
		{"lookTime", "time for look-around at one place", "time", partly},
		{"maxDigested", "a distinctive value that is compared whole", "bytes", "its first bytes stand for it"},
		{"mostCodes", "character codes of a list that are decoded together", "codes", "decoded in overlapping pieces"},
		{"maxAnchors", "literals of which one must occur in a user's pattern", "literals", "the pattern runs over each text"},
		{"maxAnchorLen", "one such literal", "bytes", "cut"},
	}},
	{"internal/wire", []limit{
		{"MaxDepth", "nesting of JSON", "levels", "frame not parsed, inspected as text; run incomplete"},
		{"MaxNodes", "values of one JSON text", "values", "frame not parsed, inspected as text; run incomplete"},
	}},
	{"internal/llm", []limit{
		{"maxValues", "values of one body of an LLM API, or of a transcript in one document", "values", incomplete},
		{"maxStreams", "streams under way in a transcript, and calls in them", "streams", incomplete},
		{"maxKey", "what the first messages say, by which conversations of a file are told apart", "bytes", "not compared"},
		{"outlineBytes", "outline of a body by which its format is recognised", "bytes", "not considered"},
		{"outlineItems", "elements of a list in that outline", "elements", "not considered"},
		{"outlineDepth", "nesting of that outline", "levels", "not considered"},
		{"outlineText", "a string in that outline", "bytes", "not considered"},
	}},
	{"replay", []limit{
		{"maxSaid", "calls, results and tools of a transcript that are remembered, so that repeated ones count once", "items", incomplete + ": a repeated history counts again"},
		{"maxConversations", "conversations of transcripts of which anything is remembered", "conversations", "one that continues is counted; " + incomplete},
		{"maxJoined", "an event of a stream whose data has several lines", "bytes", incomplete},
		{"maxServers", "servers that a transcript names", "servers", "not used to split names"},
		{"maxSplits", "places at which the name of a tool is split", "places", "not tried"},
		{"maxDocument", "a recording that is read whole (HAR, HTTP text, JSON document)", "bytes", "error, exit 2; run incomplete where there are other inputs"},
		{"archiveValues", "values of a HAR", "values", "the same"},
		{"maxBundle", "an MCPB bundle, unpacked", "bytes", incomplete},
		{"maxBundleFile", "a file of a bundle", "bytes", incomplete},
		{"maxBundleFiles", "translations in a bundle", "files", incomplete},
		{"maxManifests", "manifests in a bundle", "files", untested},
		{"maxPartial", "a message that HTTP text splits", "bytes", "inspected as text"},
		{"maxParsed", "bytes parsed to join such messages", "bytes", "inspected as text"},
		{"maxHeld", "messages of HTTP text that wait for the answer that names their session", "bytes", "kept in the session of the file"},
		{"maxBrackets", "places in a log line that may begin a message", "places", "not a message"},
		{"maxInterned", "distinct names kept while a chunk is decoded", "names", "read again"},
		{"sniffBytes", "start of a file that tells its format", "bytes", "not considered"},
		{"sniffLines", "lines before the first that tells the format", "lines", "format unknown: error, exit 2"},
	}},
	{"report", []limit{
		{"MaxShards", "parts that `replay --shard` splits the sessions into", "parts", exitsUsage},
		{"maxAlike", "findings listed of one rule at one severity", "findings", "counted in `summary.unlisted`"},
		{"maxReport", "text of all findings listed, the worst first", "bytes", "counted in `summary.unlisted`"},
		{"maxDistinct", "findings told apart", "findings", "a repeated finding counts again"},
		{"maxRemembered", "findings remembered to have an event; as many before them", "findings", "a repeated finding has another event"},
		{"maxTracked", "sessions counted separately", "sessions", "counted"},
		{"maxSessions", "sessions listed, the worst first", "sessions", "`more_sessions`"},
		{"maxTopFindings", "findings listed for a session", "findings", "counted"},
		{"maxShown", "tools compared for `tools_new`", "tools", "counted as not new"},
		{"maxReason", "a reason of an ignore or approval", "characters", "cut"},
		{"textLimit", "one text of a finding in the text report", "characters", "cut"},
		{"maxListed", "items listed below the findings of the text report", "items", "counted; the JSON report has them"},
		{"maxRows", "rows of a table in the text report", "rows", "counted; the JSON report has them"},
		{"maxServerNames", "servers named as read in the JSON report, by name", "names", "left out"},
		{"maxNamed", "names in the sentence about what was read", "names", "counted"},
		{"maxNamedName", "one such name", "characters", "cut"},
		{"maxApprovals", "approvals named in a summary", "approvals", "counted"},
		{"maxSARIFResults", "results in SARIF, the worst first", "results", "counted in a notification"},
		{"maxResultMessage", "the message of a SARIF result", "characters", "cut"},
		{"maxResultEvidence", "the evidence of a SARIF result", "characters", "cut"},
		{"maxResultName", "a name in a SARIF result", "characters", "cut"},
		{"maxResultField", "another field of a SARIF result", "characters", "cut"},
		{"maxRelated", "related locations of a SARIF result", "locations", "left out"},
		{"maxDescription", "the description of a SARIF rule", "characters", "cut"},
		{"maxTags", "tags of a SARIF rule", "tags", "left out"},
		{"maxMarkdown", "a Markdown report, the worst first", "bytes", "counted"},
		{"maxBackticks", "backticks in a row in a code span", "characters", "replaced"},
		{"maxHTML", "findings in HTML, the worst first", "findings", "counted"},
		{"maxAnnotations", "GitHub annotations of each level, the worst first", "annotations", "counted"},
		{"nameLimit", "a name in an audit event", "characters", "cut"},
		{"descriptionLimit", "a description in an audit event", "characters", "cut"},
		{"maxDetections", "detections in an audit event, and matches in one", "", "left out"},
		{"inputChars", "a string of foreign JSON in an audit event", "characters", "cut"},
		{"inputValues", "values of foreign JSON in an audit event", "values", "`…`"},
		{"inputDepth", "nesting of foreign JSON in an audit event", "levels", "`…`"},
	}},
	{"internal/jsonschema", []limit{
		{"maxExpansion", "subschemas for one value once references are followed", "schemas", "`sch-resource-bomb`"},
		{"maxProbes", "characters that a `pattern` is tested with", "characters", untested},
		{"maxWork", "keywords checked of a structured result", "keywords", untested},
	}},
	{"internal/launch", []limit{
		{"maxWrappers", "programs that start other programs in a command", "programs", "the last is taken for the server"},
		{"maxShellText", "a text for a shell that is split into words", "bytes", untested},
	}},
	{"internal/paths", []limit{
		{"MaxBytes", "a path that is checked", "bytes", "not checked"},
		{"pathLayers", "layers of percent encoding in a path", "layers", "not decoded"},
	}},
	{"internal/sense", []limit{
		{"maxOpening", "text without the end of a sentence that counts as its first", "bytes", "not part of it"},
	}},
	{"internal/proxy", []limit{
		{"maxAnswers", "answers to refused messages that nobody reads", "answers", "the connection ends, exit 3; over HTTP the answer is lost, and counted"},
		{"maxExchanges", "HTTP requests answered at a time", "requests", "status 503"},
		{"maxHeld", "messages that wait for somebody's answer, together not longer than one may be", "messages", "the next is refused"},
		{"argumentChars", "the arguments in a question", "characters", "cut"},
		{"maxPart", "of a stream of an LLM API that is recorded and judged at a time, where no call is held", "bytes", "the next part begins"},
		{"maxLarge", "HTTP messages above 64 KiB held at a time", "messages", "the next waits"},
		{"maxNamed", "HTTP sessions whose messages are known to belong together", "sessions", "the one used longest ago continues as a new one"},
		{"maxBatch", "requests of a batch told apart by their ids", "requests", "not told apart from those of another client"},
		{"maxResponseHead", "the head of a response of the upstream", "bytes", "status 502"},
		{"reasonChars", "the reason in a JSON-RPC error", "characters", "cut"},
		{"maxInTurn", "a message that is judged in one turn of a shared session", "bytes", "judged between two turns"},
		{"maxBacklog", "additions to a shared session that wait for a turn", "additions", "lost, and counted"},
		{"maxAhead", "the clock of another proxy ahead of ours", "time", "the addition is not read, and counted"},
	}},
	{"internal/sessionlog", []limit{
		{"MaxEntry", "an addition to a shared session", "bytes", "not passed on, and counted"},
		{"maxLog", "the log of a shared session", "bytes", "half of it is kept: tools that were listed, and the newest of everything else"},
		{"Wait", "time that a message waits for its turn in a shared session", "time", "judged without the other servers, and counted"},
		{"maxAncestors", "processes between a client and a proxy", "processes", "the last is taken for the client"},
		{"maxSweep", "sessions looked at for some whose proxies were all killed", "sessions", "the others later"},
		{"maxGap", "missing entries ahead of an entry of the log", "entries", "not read"},
		{"maxJoins", "attempts to join a session that others are leaving", "attempts", "no session is shared"},
	}},
	{"internal/deliver", []limit{
		{"maxQueued", "detections, or exports of logs and metrics, that wait to be sent by `proxy`", "bodies", "not sent, and counted on standard error"},
		{"maxBody", "one of them", "bytes", "the same"},
		{"maxAttempts", "attempts to send one", "attempts", "the same"},
	}},
	{"internal/otlp", []limit{
		{"maxLogs", "log records of OpenTelemetry between two exports", "records", "counted as `mcpscan.logs.lost`"},
		{"maxSeries", "combinations of attributes of one counter", "combinations", "counted together"},
	}},
	{"internal/spool", []limit{
		{"maxQueued", "messages that wait to be written to a recording of `proxy`", "bytes", "not recorded, and counted in the recording; its replay is incomplete"},
	}},
	{"rules", []limit{
		{"maxSchemaBytes", "a schema judged in detail", "bytes", "`sch-resource-bomb`"},
		{"maxSubschemas", "subschemas of a schema", "schemas", "`sch-resource-bomb`"},
		{"maxSchemaDepth", "nesting of a schema", "levels", "`sch-resource-bomb`"},
		{"maxPatterns", "all `pattern`s of a schema", "bytes", "`sch-resource-bomb`"},
		{"maxPlaces", "values of a schema that are compared", "values", "finding at high"},
		{"maxCompared", "nesting of a schema that is compared", "levels", "finding at high"},
		{"maxParts", "parts of one schema (`allOf` and references)", "parts", "finding at high"},
		{"maxVariants", "variants inside each other (`anyOf`, `oneOf`)", "levels", "finding at high"},
		{"maxLooks", "lookups through references and variants in a comparison", "lookups", "finding at high"},
		{"maxDifferences", "differences listed of each severity", "differences", "in the diff only"},
		{"maxGrants", "changes of `_meta` listed", "changes", "in the diff only"},
		{"maxPatternsRead", "`pattern`s compared by what they accept", "patterns", "counted as accepting more"},
		{"maxPatternBytes", "such a `pattern`", "bytes", "counted as accepting more"},
		{"maxAsked", "added words that are looked up in the approved definition", "words", "counted as new"},
		{"maxPlacesRead", "destinations and tools looked at in one added sentence", "places", untested},
		{"maxReads", "reads that one finding relates", "reads", "counted in the message"},
		{"maxCarried", "places that a finding of a flow relates", "places", "counted in the message"},
		{"maxSettingsSignals", "weakened settings that one finding lists", "changes", "not listed"},
		{"maxAddressText", "an argument searched for addresses", "bytes", untested},
		{"maxAddresses", "addresses in a command", "addresses", untested},
		{"maxDrawing", "an SVG image in a URL", "bytes", untested},
		{"maxScripts", "scripts of a page", "scripts", untested},
		{"maxToolOrders", "tool calls that a sampling prompt orders", "orders", untested},
		{"formText", "a title, description or message of an elicitation form", "bytes", untested},
		{"maxState", "`requestState` that is decoded", "bytes", "not decoded"},
		{"maxVersion", "a version or range compared with advisories", "bytes", "not compared"},
		{"maxStrays", "lines of another form among records", "lines", "not a list of records"},
		{"mostTokens", "`maxTokens` of a sampling request", "tokens", "`smp-sampling-abuse`"},
		{"floodBytes", "a result", "bytes", "`res-flood`"},
		{"repeatedBytes", "a repetitive result", "bytes", "`res-flood`"},
	}},
	{"scanner", []limit{
		{"maxAhead", "input read ahead of inspection", "bytes", "reading waits"},
		{"maxPerEvent", "findings of one event", "findings", partly + "; the worst are kept"},
		{"bytesPerMore", "length of a frame that allows one finding more", "bytes", "–"},
		{"mostPerEvent", "findings of one event of any length", "findings", partly + "; the worst are kept"},
		{"findingsPerDefinition", "more findings for each definition that the session compares", "findings", "the same"},
		{"findingsPerEntry", "more findings for each server of a configuration", "findings", "the same"},
		{"decodedBytes", "decoded text of one event, and four times its length", "bytes", partly},
		{"closeLooks", "sentences weighed in one event, and one more per KiB", "sentences", partly},
		{"maxReasons", "distinct reasons in the coverage", "reasons", "counted under one reason"},
		{"maxWaiting", "events that wait to be put in order", "events", "the first is judged"},
		{"maxWaitBytes", "memory of those events", "bytes", "the first is judged"},
		{"maxLateEvents", "events of its session that a late one is put ahead of", "events", "judged in place; run incomplete"},
		{"maxLateTime", "how late such an event may be", "time", "judged in place; run incomplete"},
		{"defaultSessions", "sessions open at once", "sessions", "the one idle longest is closed; run incomplete if it continues"},
		{"maxClosed", "closed sessions that are recognised when they continue", "sessions", incomplete},
		{"maxCounted", "servers counted in the coverage", "servers", "not counted"},
		{"maxSessionServers", "servers of a session", "servers", "each message judged by itself; run incomplete"},
		{"maxOffered", "definitions of a snapshot that is compared", "definitions", incomplete},
		{"maxPins", "definitions remembered across sessions", "definitions", incomplete},
		{"maxShown", "definitions of a server remembered as listed", "definitions", "missing ones are not reported; run incomplete"},
		{"maxWithheld", "withheld definitions", "definitions", "every call of the server is refused"},
		{"maxClients", "client names compared for one server", "clients", incomplete},
		{"maxCompared", "definitions remembered for that", "definitions", "not compared"},
		{"maxConfigured", "configured servers that later ones are compared with", "servers", partly},
		{"maxNamesakes", "configured servers with one name", "servers", "not compared"},
		{"maxOwners", "servers remembered for one tool name", "servers", "not compared"},
		{"maxNear", "tools with names one letter away", "tools", "not compared"},
		{"maxNames", "tool names of a session compared for likeness", "names", "not compared"},
		{"serverNames", "of these, of one server", "names", "not compared"},
		{"maxServers", "server names of a session compared for likeness", "servers", "not compared"},
		{"maxQualified", "tool names with a separator compared with server names", "names", "not compared"},
		{"maxShadows", "tool names of a server that other servers have too", "names", "calls of them are not refused for that"},
		{"maxPending", "open requests of each side of a connection", "requests", incomplete},
		{"maxAnswers", "answers of a server remembered to recognise a second one", "answers", "reported as answer to no open request"},
		{"maxAsks", "requests in a result (`inputRequests`)", "requests", "not compared with what the client declared"},
		{"maxCalls", "calls remembered of a server in one category within the window", "calls", "forgotten; the last of its category is kept"},
		{"maxCallers", "servers of a session with calls in the window", "servers", partly},
		{"MostCalls", "`max_calls` and rate limits", "calls", exitsUsage},
		{"maxValues", "distinctive values of a message, and of a server, of each kind", "values", "the earliest are forgotten; run incomplete for secrets and addresses"},
		{"maxPassages", "passages sampled of a message", "passages", "left out"},
		{"maxRemembered", "distinctive values in all sessions", "values", "the session idle longest forgets its own; run incomplete if it continues"},
		{"maxTold", "servers of a session known to have returned a value themselves", "servers", "reported as a flow"},
		{"maxSchemas", "schemas remembered, in all", "bytes", "not compared, and counted"},
		{"schemaBytes", "a schema that is remembered", "bytes", "arguments and results are not checked"},
		{"structuredBytes", "a structured result that is checked", "bytes", "not checked"},
		{"maxArguments", "arguments that rules and policies see", "values", "a policy that allows by arguments does not match"},
		{"argumentsBytes", "their sum", "bytes", "the same"},
		{"maxRoots", "roots of a client", "roots", "no path is reported as outside"},
		{"rootBytes", "a root", "bytes", "no path is reported as outside"},
		{"maxCapabilities", "capabilities of a client", "capabilities", "left out"},
		{"maxIcons", "icons of a server", "icons", untested},
		{"maxReported", "what rules report of a text before the classifier weighs it", "reports", "weighed without it"},
		{"maxRequired", "names in `required`", "names", "every property counts as required"},
		{"contextChars", "text around a match in evidence", "characters", "cut"},
		{"evidenceChars", "evidence of a finding", "characters", "cut"},
		{"nameChars", "a name in a finding", "characters", "cut"},
		{"pointerChars", "a JSON Pointer in a finding", "characters", "cut"},
		{"messageChars", "the message of a finding", "characters", "cut"},
		{"DiffLines", "lines of a finding's diff", "lines", "counted in the last line"},
		{"DiffWidth", "a line of a diff", "characters", "cut"},
	}},
}

// TestLimitsDocument: docs/limits.md has every limit with the value of its constant.
// go test ./cmd/mcpscan -run LimitsDocument -update writes it.
func TestLimitsDocument(t *testing.T) {
	flags := flagDefaults(t)
	var b strings.Builder
	b.WriteString(limitsIntro)
	for _, pkg := range limits {
		constants := constantsBelow(t, filepath.Join(root, filepath.FromSlash(pkg.dir)))
		fmt.Fprintf(&b, "\n## %s\n\n| constant or flag | limits | value | beyond it |\n| --- | --- | --- | --- |\n", pkg.dir)
		for _, l := range pkg.rows {
			value := cmp.Or(constants[l.name], flags[l.name])
			if value == nil {
				t.Errorf("%s: there is no constant or flag %s", pkg.dir, l.name)
				continue
			}
			delete(constants, l.name)
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", l.name, l.bounds, quantity(value, l.unit), l.beyond)
		}
		for name := range constants {
			if strings.HasPrefix(strings.ToLower(name), "max") {
				t.Errorf("the constant %s of %s has no row in the table of limits", name, pkg.dir)
			}
		}
	}
	path := filepath.Join(root, "docs", "limits.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if readFile(t, path) != b.String() {
		t.Error("docs/limits.md is stale: go test ./cmd/mcpscan -run LimitsDocument -update")
	}
}

const limitsIntro = `# Limits

Every limit that mcpscan sets on input, memory, time and output. This file is generated
from the constants: ` + "`go test ./cmd/mcpscan -run LimitsDocument -update`" + ` writes it.

- **run incomplete**: the coverage of the report counts it with a reason and a place. The exit
  code is 3, or 1 with findings at or above ` + "`--fail-on`" + `; ` + "`--allow-incomplete`" + ` accepts it.
- **event not inspected in full**: the same, for the part of the event beyond the limit.
- **error, exit 2**: mcpscan stops and names the file and the limit.
- **cut**, **counted**: the report shortens the text with an ellipsis, or says how many are missing.

Windows of session rules are settings, with their defaults in
[configuration.md](configuration.md#calls-of-a-session).
`

// quantity writes a value with its unit.
func quantity(v constant.Value, unit string) string {
	n, _ := constant.Int64Val(v)
	switch {
	case unit == "time":
		return shortDuration.ReplaceAllString(time.Duration(n).String(), "$1")
	case unit == "bytes" && n >= 1<<10:
		for _, u := range []struct {
			name string
			size int64
		}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
			if n%u.size == 0 {
				return fmt.Sprintf("%d %s", n/u.size, u.name)
			}
		}
	}
	return strings.TrimSpace(thousands(n) + " " + unit)
}

// shortDuration matches what a duration ends with that is zero: 1m0s is 1m.
var shortDuration = regexp.MustCompile(`([hm])(?:0m)?0s$`)

// thousands writes a number with commas.
func thousands(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// flagDefaults returns the defaults of the flags that are numbers or durations.
func flagDefaults(t *testing.T) map[string]constant.Value {
	t.Helper()
	var g grammar
	parser, err := newParser(&g, streams{strings.NewReader(""), io.Discard, io.Discard}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	defaults := map[string]constant.Value{}
	for _, command := range parser.Model.Leaves(false) {
		for _, f := range command.Flags {
			if d, err := time.ParseDuration(f.Default); err == nil {
				defaults["--"+f.Name] = constant.MakeInt64(int64(d))
			} else if v := constant.MakeFromLiteral(f.Default, token.INT, 0); v.Kind() == constant.Int {
				defaults["--"+f.Name] = v
			}
		}
	}
	return defaults
}

// constantsBelow returns the integer constants of the packages in a directory and below, by
// name.
func constantsBelow(t *testing.T, dir string) map[string]constant.Value {
	t.Helper()
	found := map[string]constant.Value{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if d.Name() == "testdata" {
			return filepath.SkipDir
		}
		for name, value := range constantsOf(t, path) {
			if found[name] != nil {
				t.Errorf("%s has two constants %s", dir, name)
			}
			found[name] = value
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// constantsOf evaluates the integer constants of a package by type-checking its constant
// declarations alone. Errors are ignored: they are about constants of other packages.
func constantsOf(t *testing.T, dir string) map[string]constant.Value {
	t.Helper()
	fset := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || otherSystem.MatchString(path) {
			continue
		}
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		var kept []ast.Decl
		for _, decl := range file.Decls {
			if g, ok := decl.(*ast.GenDecl); ok && (g.Tok == token.CONST || g.Tok == token.IMPORT) {
				kept = append(kept, decl)
			}
		}
		file.Decls = kept
		files = append(files, file)
	}
	checker := types.Config{Importer: durations{}, Error: func(error) {}}
	pkg, _ := checker.Check(dir, fset, files, nil)
	found := map[string]constant.Value{}
	for _, name := range pkg.Scope().Names() {
		if c, ok := pkg.Scope().Lookup(name).(*types.Const); ok && c.Val().Kind() == constant.Int {
			found[name] = c.Val()
		}
	}
	return found
}

// otherSystem matches files that are not built on Linux, whose constants would be second
// declarations.
var otherSystem = regexp.MustCompile(`_(windows|other)\.go$`)

// durations imports package time, with the units of a duration alone.
type durations struct{}

func (durations) Import(path string) (*types.Package, error) {
	if path != "time" {
		return nil, fmt.Errorf("%s is not needed", path)
	}
	pkg := types.NewPackage("time", "time")
	for name, unit := range map[string]time.Duration{"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour} {
		pkg.Scope().Insert(types.NewConst(token.NoPos, pkg, name, types.Typ[types.Int64], constant.MakeInt64(int64(unit))))
	}
	pkg.MarkComplete()
	return pkg, nil
}
