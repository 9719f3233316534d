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

// limit is a row of docs/limits.md. Its value is read from the constant with this
// name, or from the flag's default.
type limit struct {
	name   string
	bounds string // what is limited
	unit   string // "bytes", "time", or another noun
	beyond string // consequence of exceeding it
}

// Consequences shared by many limits.
const (
	incomplete = "run incomplete"
	partly     = "event not inspected in full; run incomplete"
	exitsUsage = "error, exit 2"
	untested   = "the rest is not checked"
)

// limits lists the program's limits by directory; a directory includes its subdirectories.
var limits = []struct {
	dir  string
	rows []limit
}{
	{"cmd/mcpscan", []limit{
		{"maxLines", "lines that `proxy` writes to standard error, except those about findings", "lines", "counted in a final line"},
		{"maxFindings", "findings that `proxy` writes to standard error", "findings", "counted in a final line"},
		{"--ask-timeout", "time to approve a message that the policy prompts for, in `proxy`", "time", "the message is refused"},
		{"listedChars", "a held message's arguments, and its other members, in the text of `held list`", "characters", "middle omitted and counted; `--json` shows more"},
		{"maxHeldFile", "the file of a held message that `held` reads", "bytes", "not listed"},
		{"maxListed", "files that `held` reads", "files", "not listed"},
		{"maxClientFile", "a client configuration that `wrap` edits or `doctor` reads", "bytes", "the file stays unchanged; exit 3"},
		{"--max-message", "one message, one line, one definition file", "bytes", incomplete + "; the message is not read into memory, except in observe mode by a proxy between HTTP and a server that it starts"},
		{"--max-time", "duration of a run; 0 means no limit", "time", incomplete + ": the rest is not judged"},
		{"--start-timeout", "time until the first response from a server", "time", incomplete},
		{"--step-timeout", "time for each later response from a server", "time", incomplete + ": that list"},
		{"--upstream-timeout", "time until an upstream of `proxy` begins to answer a request; 0 means no limit", "time", "status 504"},
		{"--server-timeout", "total time for one server", "time", incomplete + ": unfinished lists"},
		{"maxHeap", "soft memory limit of the Go runtime", "bytes", "more frequent collection; live data has separate limits"},
		{"--max-sessions", "sessions, and processes, of each server that `proxy --servers` starts", "sessions", "status 503"},
		{"--session-idle", "time after which `proxy --servers` ends a session without open requests or streams", "time", "the server is stopped; later requests get status 404"},
		{"maxLogged", "a line on standard error of such a server", "bytes", "split into several lines"},
		{"maxListenHeap", "soft memory limit of the Go runtime in `proxy --listen`", "bytes", "more frequent collection"},
		{"maxPinFile", "a file given to `pins import`", "bytes", exitsUsage},
		{"maxFixtures", "fixtures of `policy test`", "fixtures", exitsUsage},
		{"maxFixture", "one fixture", "bytes", exitsUsage},
		{"maxReviewed", "findings that `policy generate` lists", "findings", "not listed"},
		{"maxOnLine", "events that `explain` shows for one line", "events", "counted"},
		{"maxCandidates", "requests that `explain` lists for an ID", "requests", "left out; the list says so"},
		{"maxCitations", "findings that `explain` lists as based on an event", "findings", "left out"},
		{"maxDefinitionFindings", "findings about a called tool's definition that `explain` lists", "findings", "left out; the most severe are listed"},
		{"maxNamesRemembered", "names in a recording that a filter of a query command remembers", "names", "compared anew in each row, and not suggested"},
		{"maxNamesSuggested", "names suggested for a filter that matches nothing", "names", "left out; the list says so"},
		{"maxWaiting", "entries in each list that `lock` prints", "entries", "counted"},
		{"maxNames", "names in an error message", "names", "counted"},
		{"maxReasons", "reasons printed to standard error for an incomplete run", "reasons", "counted; the report lists them"},
	}},
	{"internal/app", []limit{
		{"maxEnvFile", "an environment file (`envFile`), `.npmrc`, `pnpm-workspace.yaml`, `.pnpmfile.cjs`, `bunfig.toml`, `.yarnrc.yml`", "bytes", incomplete},
		{"maxBaseline", "a baseline report", "bytes", exitsUsage},
		{"maxAuditLines", "audit events of `proxy` that wait for a file that cannot be written", "bytes", "not written, and counted at the end"},
		{"maxClaims", "proxies that record under the same file name at the same time", "proxies", "the next does not start; exit 2"},
	}},
	{"internal/servers", []limit{
		{"maxUnnamed", "frames buffered until a server sends its name", "frames", "the server is named after its command or URL"},
		{"maxUnnamedBytes", "total size of these frames", "bytes", "the same"},
		{"maxHeld", "messages of one server that are buffered while servers that precede it by name are listed", "bytes", "the server waits"},
		{"maxHashed", "a file whose digest is computed", "bytes", incomplete + ": no digest"},
		{"maxManifest", "a manifest or lockfile of a package launcher", "bytes", "not read: the version stays unknown"},
		{"maxConsoleScript", "a console script of a virtual environment", "bytes", "compared like any other executable"},
		{"maxRead", "all files read for digests and versions in a run, in total", "bytes", "not read; " + incomplete + " for a digest"},
		{"maxIgnoreFile", "a `.gitignore` file", "bytes", "the file has no effect"},
		{"maxIgnoreRules", "patterns in a `.gitignore` file", "patterns", "the file has no effect"},
		{"inspectTimeout", "time for the container engine to respond", "time", "the image digest stays unknown"},
	}},
	{"internal/config", []limit{
		{"MaxSettings", "`mcpscan.yaml`, or a policy in YAML", "bytes", exitsUsage},
		{"MaxPolicy", "a policy in TOML", "bytes", exitsUsage},
		{"maxRules", "rules in a policy", "rules", exitsUsage},
		{"maxPatterns", "patterns in a policy", "patterns", exitsUsage},
		{"maxList", "patterns in one list", "patterns", exitsUsage},
		{"maxPattern", "one pattern", "characters", exitsUsage},
		{"maxYAMLBytes", "a client configuration in YAML", "bytes", incomplete},
		{"maxYAMLTokens", "YAML tokens in a file", "tokens", "error, exit 2 for settings; run incomplete for a client configuration"},
		{"maxYAMLNodes", "values after YAML alias expansion", "values", "the same"},
		{"maxDepth", "nesting of a configuration", "levels", "the same"},
		{"maxSettings", "settings in one client configuration besides its servers", "settings", incomplete},
		{"maxWrapped", "servers in one file that `wrap` or `unwrap` edits at once", "servers", "the file stays unchanged; exit 3"},
		{"maxDirectories", "directories searched under a target", "directories", incomplete},
		{"maxModules", "`.gitmodules`", "bytes", "submodules that are not checked out are reported only if clients search them"},
		{"maxLevels", "depth of the search under a target", "levels", incomplete},
		{"maxSuggestions", "suggestions for a misspelled name", "names", "not shown"},
		{"maxSeen", "servers in a run that reports unused settings", "servers", "unused settings are not reported"},
		{"maxProblems", "problems reported for a settings file", "problems", "counted"},
		{"maxCategories", "categories in the settings", "categories", exitsUsage},
		{"longestWindow", "a time window of session rules", "time", exitsUsage},
		{"maxName", "the name of a custom pattern", "characters", exitsUsage},
		{"maxText", "a reason or description in the settings; a name, description or message of a policy rule", "characters", exitsUsage},
	}},
	{"internal/conform", []limit{
		{"maxSchema", "a tool schema against which arguments are checked", "bytes", "not checked"},
		{"maxValue", "arguments checked against a schema", "bytes", "not checked"},
		{"maxSteps", "steps in one check (a schema applied to a value)", "steps", "not checked"},
		{"maxDepth", "nesting of applied schemas", "levels", "not checked"},
		{"maxPattern", "a `pattern`", "bytes", "not checked"},
		{"maxProgram", "instructions in a compiled `pattern`", "instructions", "not checked"},
		{"maxMatching", "instructions executed to match patterns in one check", "instructions", "not checked"},
		{"maxNumber", "a number", "bytes", "not checked"},
		{"maxExponent", "the exponent of a number", "", "not checked"},
		{"maxSchemas", "compiled schemas in the cache", "schemas", "compiled again"},
		{"maxVerdicts", "verdicts in the cache", "verdicts", "checked again"},
		{"maxRecalled", "arguments with violations in the cache of verdicts", "bytes", "checked again"},
	}},
	{"internal/live", []limit{
		{"maxPages", "pages in one list", "pages", incomplete},
		{"mostRelistings", "repeated listings after `list_changed`", "listings", incomplete},
		{"relistPause", "minimum time between two listings of a watched server after `list_changed`", "time", "changes are listed together"},
		{"mostRedirects", "HTTP redirects", "redirects", incomplete},
		{"shortWait", "time to wait for the response to `server/discover`", "time", "`initialize` is sent"},
		{"undeclaredWait", "time for a server to answer requests for lists that it did not declare", "time", "the report says so; the run is complete"},
		{"settle", "time for a server to announce a change after listing", "time", "the session ends"},
		{"afterOversize", "time to wait for a response after an oversized frame", "time", incomplete},
		{"maxExcerpt", "the output of a failed server, as quoted in the reason", "bytes", "only lines that say what is wrong, and the first and last ones, are quoted"},
		{"answerQueue", "requests from the server that wait for an answer", "requests", "not answered, and counted"},
	}},
	{"internal/lockfile", []limit{
		{"MaxBytes", "`mcpscan.lock`, read or written", "bytes", exitsUsage},
		{"maxNodes", "values in `mcpscan.lock`", "values", exitsUsage},
	}},
	{"internal/mcp", []limit{
		{"maxDeparted", "removed servers of one program with which a new server is compared", "servers", "not compared"},
		{"HeadBytes", "an HTTP header", "bytes", "cut"},
		{"MaxHeadParams", "`Mcp-Param-*` headers of a request", "headers", "reported as a contradiction if the tool names such headers"},
	}},
	{"internal/osv", []limit{
		{"MaxAdvisory", "one advisory of `--advisories`", "bytes", exitsUsage},
	}},
	{"internal/policy", []limit{
		{"MaxName", "a name or glob in a policy list", "bytes", exitsUsage},
		{"MaxCompared", "a server or tool name compared with a list", "bytes", "every deny rule matches, no allow rule does"},
		{"MaxPath", "a path in a request", "bytes", "allow rules with argument conditions do not match; deny rules with them do"},
		{"maxPaths", "paths in a request", "paths", "the same"},
		{"MaxPieces", "paths in one string, if the string can also be a single path", "paths", "the same"},
		{"maxDecodings", "layers of percent encoding in a path", "layers", "the same"},
		{"maxQuoting", "nesting of commands within commands", "levels", "the same"},
		{"maxProfiled", "servers in a generated policy, and tools per server", "names", "not in the policy; run incomplete"},
	}},
	{"internal/text", []limit{
		{"maxDiffed", "both versions, in total, of a description, schema or settings file compared line by line", "bytes", "the diff states that they are too long; for a description, it also shows the added sentences"},
		{"DiffLines", "lines of a finding's diff", "lines", "counted in the last line"},
		{"DiffWidth", "a line of a diff", "characters", "cut"},
		{"maxTag", "an HTML tag that is removed when a text is also read without markup", "bytes", "not removed"},
		{"maxTagNames", "different HTML tags in a text for which end tags are looked for", "names", "further start tags are not removed"},
		{"Reach", "distance of a match from its anchor", "bytes", "no match"},
		{"MaxLayers", "nested encodings", "layers", partly},
		{"maxMatches", "first matches of one pattern in one string", "matches", partly},
		{"lastMatches", "last matches of one pattern in one string", "matches", partly},
		{"maxWindows", "windows verified for one pattern in one string", "windows", "the pattern runs once over the rest of the string"},
		{"maxStates", "automaton states that each pattern may always keep", "states", "built again"},
		{"maxTables", "memory for further states of all patterns", "bytes", "built again"},
		{"maxStarts", "candidate match starts tried one by one in one string", "positions", "the expression runs once over the string"},
		{"stretch", "chunk of text searched at a time with a custom pattern that contains no literal", "bytes", "the next chunk overlaps it"},
		{"maxLooks", "positions verified with look-around in one string", "positions", partly},
		{"lookTime", "time for look-around at one position", "time", partly},
		{"maxDigested", "a distinctive value that is compared in full", "bytes", "only its first bytes are compared"},
		{"mostCodes", "character codes in a list that are decoded together", "codes", "decoded in overlapping pieces"},
		{"longDumpLine", "a line of a hexadecimal dump", "bytes", "the dump ends"},
		{"maxAnchors", "literals of a custom pattern, one of which must occur in the text", "literals", "the pattern runs over every string"},
		{"maxAnchorLen", "one of these literals", "bytes", "cut"},
	}},
	{"internal/wire", []limit{
		{"MaxDepth", "nesting in JSON", "levels", "frame not parsed, inspected as text; run incomplete"},
		{"MaxNodes", "values in one JSON document", "values", "frame not parsed, inspected as text; run incomplete"},
	}},
	{"internal/llm", []limit{
		{"maxValues", "values in the body of an LLM API message, or in a transcript that is one document", "values", incomplete},
		{"maxStreams", "open streams in a transcript, and open calls in them", "streams", incomplete},
		{"maxKey", "text of the first messages, used to distinguish the conversations in a file", "bytes", "not compared"},
		{"maxRuns", "remembered calls and tools of traces, to pair a model's calls with tool runs", "items", "earlier calls count twice"},
		{"maxPaired", "such calls of one tool without a counterpart", "calls", "count twice"},
		{"MaxCallDuration", "duration of a call in a HAR or an OpenTelemetry trace", "time", "the result is dated at the start of the call"},
		{"outlineBytes", "outline of a body, used to recognise its format", "bytes", "not considered"},
		{"outlineItems", "elements of a list in this outline", "elements", "not considered"},
		{"outlineDepth", "nesting of this outline", "levels", "not considered"},
		{"outlineText", "a string in this outline", "bytes", "not considered"},
	}},
	{"replay", []limit{
		{"maxSaid", "remembered calls, results and tools of transcripts, to count repeated ones once", "items", incomplete + ": repeated history is counted again"},
		{"maxConversations", "remembered conversations in transcripts, to recognise their continuations", "conversations", "a conversation that continues is counted again; " + incomplete},
		{"maxJoined", "a stream event with several lines of data", "bytes", incomplete},
		{"maxServers", "known servers to which the tools of a transcript can be attributed", "servers", "not used to split names"},
		{"maxSplits", "positions tried to split the name of a tool", "positions", "not tried"},
		{"maxDocument", "a recording that is read into memory in full (HAR, HTTP text, JSON document)", "bytes", "error, exit 3; run incomplete if there are other inputs"},
		{"maxDecoded", "total decoded size of the bodies with a content coding in a HAR or HTTP text", "bytes", incomplete},
		{"maxCodingName", "the name of a content coding or character set in a reason", "bytes", "cut"},
		{"archiveValues", "values in a HAR or another document with many messages", "values", incomplete},
		{"maxBundle", "an MCPB bundle, unpacked", "bytes", incomplete},
		{"maxBundleFile", "a file in a bundle", "bytes", incomplete},
		{"maxBundleFiles", "manifests and translations in a bundle", "files", incomplete},
		{"maxManifests", "manifests in a bundle whose commands are checked", "files", untested},
		{"maxPartial", "a message split across pieces of HTTP text", "bytes", "inspected as text"},
		{"maxParsed", "total size parsed to join such messages", "bytes", "inspected as text"},
		{"maxHeld", "messages in HTTP text that wait for the response that names their session", "bytes", "assigned to the session of the file"},
		{"maxBrackets", "positions in a log line where a message may begin", "positions", "not a message"},
		{"maxEvents", "events of a chunk of lines whose memory is reused", "events", "allocated again for each chunk"},
		{"sniffBytes", "start of a file, used to recognise its format", "bytes", "not considered"},
		{"sniffLines", "lines before the first that identifies the format", "lines", "format unknown: error, exit 2; run incomplete if there are other inputs"},
	}},
	{"report", []limit{
		{"MaxShards", "shards of `replay --shard`", "shards", exitsUsage},
		{"maxAlike", "findings listed for one rule at one severity, separately for open findings and others", "findings", "counted in `summary.unlisted`"},
		{"maxReport", "total text of the listed findings, the worst first", "bytes", "counted in `summary.unlisted`"},
		{"maxDistinct", "distinct findings", "findings", "a repeated finding is counted again"},
		{"minRemembered", "latest findings remembered as already written to the audit events; at most twice as many", "findings", "a repeated finding is written again"},
		{"maxTracked", "sessions counted separately", "sessions", "counted"},
		{"maxSessions", "sessions listed, the worst first", "sessions", "`more_sessions`"},
		{"maxTopFindings", "findings listed for a session", "findings", "counted"},
		{"maxShown", "tools compared for `tools_new`", "tools", "counted as not new"},
		{"maxElsewhere", "related locations of a finding in a configuration, including those where it recurs", "locations", "counted"},
		{"maxReason", "the reason of an ignore or approval", "characters", "cut"},
		{"textLimit", "a string of a finding in a report; some formats have lower limits", "characters", "cut"},
		{"maxListed", "items in a list of the text report, such as sessions or related locations", "items", "counted; the JSON report lists them"},
		{"maxRows", "rows of a table in the text report", "rows", "counted; the JSON report lists them"},
		{"maxServerNames", "names of servers listed in the JSON report (`server_names`)", "names", "left out"},
		{"maxNamed", "names in the sentence that lists what was read", "names", "counted"},
		{"maxNamedName", "one of these names", "characters", "cut"},
		{"maxApprovals", "approvals listed in a summary", "approvals", "counted"},
		{"maxSARIFResults", "results in SARIF, the worst first", "results", "counted in a notification"},
		{"maxResultMessage", "the message of a SARIF result", "characters", "cut"},
		{"maxResultEvidence", "the evidence of a SARIF result", "characters", "cut"},
		{"maxResultName", "a name in a SARIF result", "characters", "cut"},
		{"maxResultField", "another field of a SARIF result", "characters", "cut"},
		{"maxRelated", "related locations of a SARIF result", "locations", "left out"},
		{"maxDescription", "the description of a SARIF rule", "characters", "cut"},
		{"maxTags", "tags of a SARIF rule", "tags", "left out"},
		{"maxMarkdown", "a Markdown report, with the worst findings first", "bytes", "counted"},
		{"maxBackticks", "backticks in a row in a code span", "characters", "replaced"},
		{"maxHTML", "findings in HTML, the worst first", "findings", "counted"},
		{"maxAnnotations", "GitHub annotations of each level, the worst first", "annotations", "counted"},
		{"nameLimit", "a name in an audit event", "characters", "cut"},
		{"descriptionLimit", "a description in an audit event", "characters", "cut"},
		{"maxDetections", "detections in an audit event, and matches in a detection", "", "left out"},
		{"inputChars", "a string of foreign JSON in an audit event", "characters", "cut"},
		{"inputValues", "values of foreign JSON in an audit event", "values", "`…`"},
		{"inputDepth", "nesting of foreign JSON in an audit event", "levels", "`…`"},
	}},
	{"internal/jsonschema", []limit{
		{"maxExpansion", "subschemas that apply to one value after resolving references", "schemas", "`sch-resource-bomb`"},
		{"maxProbes", "characters with which a `pattern` is tested", "characters", untested},
		{"maxWork", "schema keywords checked for a structured result", "keywords", untested},
	}},
	{"internal/launch", []limit{
		{"maxWrappers", "nested launchers in a command", "programs", "the last one is treated as the server"},
		{"maxNested", "nested shell command lines that are searched for commands", "levels", untested},
		{"maxReach", "words after the name of a launcher that another program starts", "words", untested},
		{"maxShellText", "a shell command line that is split into words", "bytes", untested},
	}},
	{"internal/paths", []limit{
		{"MaxBytes", "a path", "bytes", "not checked"},
		{"pathLayers", "layers of percent encoding in a path", "layers", "not decoded"},
	}},
	{"internal/sense", []limit{
		{"maxOpening", "the headings and the first sentence of a text", "bytes", "the rest does not count as part of them"},
	}},
	{"internal/proxy", []limit{
		{"maxAnswers", "unread answers to refused messages", "answers", "the connection ends, exit 3; over HTTP the answer is lost, and counted"},
		{"maxObserved", "in observe mode, a message to or from a server that the proxy starts for HTTP clients", "bytes", "to the server: status 413; from it: the server ends"},
		{"maxExchanges", "concurrent HTTP requests", "requests", "status 503"},
		{"maxRedirects", "redirects followed for a message to a server at a URL", "redirects", "status 502"},
		{"maxHeld", "messages waiting for approval; their total size is limited by `--max-message`", "messages", "the next is refused"},
		{"maxShown", "messages in an approval prompt", "messages", "the batch is refused"},
		{"argumentChars", "a message's arguments, and its other members, in an approval prompt", "characters", "middle omitted and counted"},
		{"elicitedChars", "a message's arguments, and its other members, in an approval prompt by elicitation", "characters", "middle omitted and counted"},
		{"maxPart", "part of an LLM API stream that is recorded and judged at a time if nothing is held", "bytes", "the next part begins"},
		{"largeBytes", "memory for HTTP messages above 64 KiB", "bytes", "see `maxLarge`"},
		{"maxLarge", "concurrent HTTP messages above 64 KiB once this memory is used up", "messages", "the next waits"},
		{"maxServerTools", "tools of one server that `proxy --llm` attributes to it by name", "tools", incomplete + "; further tools are attributed only if their names contain the server's"},
		{"maxOpen", "unanswered requests in a session with a server that `proxy --servers` starts", "requests", "status 503"},
		{"maxUnsent", "messages of such a session that the server has not read", "messages", "status 503"},
		{"maxWaiting", "messages of such a server that wait until its client opens a stream", "messages", "dropped, and counted; requests are answered with an error"},
		{"maxWaited", "these messages in total", "bytes", "the same"},
		{"maxNamed", "tracked HTTP sessions", "sessions", "the least recently used one continues as a new session"},
		{"maxBatch", "requests in a batch distinguished by their ids", "requests", "not distinguished from those of other clients"},
		{"maxResponseHead", "the status line and headers of an upstream response", "bytes", "status 502"},
		{"reasonChars", "the reason in a JSON-RPC error", "characters", "cut"},
		{"maxInTurn", "a message judged within one turn of a shared session", "bytes", "judged between two turns"},
		{"maxBacklog", "additions to a shared session that wait for a turn", "additions", "lost, and counted"},
		{"leastShared", "minimum length of a server's secret that the other proxies in its session mask", "bytes", "masked only by its own proxy"},
		{"mostShared", "maximum length of such a secret", "bytes", "masked only by its own proxy"},
		{"maxGiven", "secrets of one server that the other proxies in its session mask", "secrets", "the rest are masked only by its own proxy"},
		{"maxDigests", "secrets of other proxies' servers that a proxy masks", "secrets", "the rest are not masked"},
		{"maxAhead", "how far the clock of another proxy may run ahead", "time", "the addition is not read, and counted"},
	}},
	{"internal/sessionlog", []limit{
		{"MaxEntry", "an addition to a shared session", "bytes", "not shared, and counted"},
		{"maxLog", "the log of a shared session", "bytes", "shortened to at most half: a quarter for listed tools, a quarter for other entries, the newest of each"},
		{"Wait", "maximum time that a message waits for its turn in a shared session", "time", "judged without the other servers, and counted"},
		{"maxAncestors", "processes between a client and a proxy", "processes", "the last one is treated as the client"},
		{"maxSweep", "sessions examined at a time to find those whose proxies were all killed", "sessions", "the rest are examined later"},
		{"maxGap", "missing entries before an entry of the log", "entries", "not read"},
		{"maxJoins", "attempts to join a session that others are leaving", "attempts", "no session is shared"},
	}},
	{"internal/deliver", []limit{
		{"maxQueued", "detections, or exports of logs and metrics, that wait to be sent by `proxy`", "bodies", "not sent, and counted on standard error"},
		{"maxBody", "the body of one request", "bytes", "the same"},
		{"maxAttempts", "attempts to send a request", "attempts", "the same"},
	}},
	{"internal/otlp", []limit{
		{"maxLogs", "OpenTelemetry log records between two exports", "records", "counted as `mcpscan.logs.lost`"},
		{"maxSeries", "attribute combinations of one counter", "combinations", "counted together"},
	}},
	{"internal/replace", []limit{
		{"guardTimeout", "time to wait for another mcpscan that writes the lockfile or, in `wrap`, a client configuration", "time", "error, exit 2; in `wrap`, the file stays unchanged, exit 3"},
	}},
	{"internal/spool", []limit{
		{"maxQueued", "messages that wait to be written to a recording of `proxy`", "bytes", "not recorded, and counted in the recording; its replay is incomplete"},
	}},
	{"rules", []limit{
		{"maxEnding", "the ending of a word before a closing quotation mark", "bytes", "the instruction does not count as quoted"},
		{"maxSchemaBytes", "a schema that is checked in detail", "bytes", "`sch-resource-bomb`"},
		{"maxSubschemas", "subschemas in a schema", "schemas", "`sch-resource-bomb`"},
		{"maxSchemaDepth", "nesting of a schema", "levels", "`sch-resource-bomb`"},
		{"maxPatterns", "all `pattern`s in a schema, in total", "bytes", "`sch-resource-bomb`"},
		{"maxPlaces", "values compared in a schema", "values", "finding at high"},
		{"maxCompared", "nesting of a compared schema", "levels", "finding at high"},
		{"maxParts", "parts of one schema (`allOf` and references)", "parts", "finding at high"},
		{"maxVariants", "nested variants (`anyOf`, `oneOf`)", "levels", "finding at high"},
		{"maxLooks", "lookups through references and variants in a comparison", "lookups", "finding at high"},
		{"maxDifferences", "differences listed for each severity", "differences", "in the diff only"},
		{"maxGrants", "changes to `_meta` listed", "changes", "in the diff only"},
		{"maxPatternsRead", "`pattern`s compared by the strings that they accept", "patterns", "counted as accepting more"},
		{"maxPatternBytes", "one of these `pattern`s", "bytes", "counted as accepting more"},
		{"maxAsked", "added words looked up in the approved definition", "words", "counted as new"},
		{"maxPlacesRead", "destinations and tools checked in one added sentence", "items", untested},
		{"maxReads", "reads listed as related to one finding", "reads", "counted in the message"},
		{"maxCarried", "locations listed as related to a flow finding", "locations", "counted in the message"},
		{"maxSettingsSignals", "weakened settings listed in one finding", "changes", "not listed"},
		{"maxAddressText", "an argument searched for addresses", "bytes", "not checked"},
		{"maxAddresses", "addresses in a command", "addresses", untested},
		{"maxDrawing", "an SVG image in a URL", "bytes", untested},
		{"maxScripts", "scripts in a page", "scripts", untested},
		{"maxPromptMatches", "matches of one expression in a sampling prompt or a text of an elicitation form", "matches", untested},
		{"formText", "a title, description or message of an elicitation form", "bytes", untested},
		{"maxState", "a `requestState` value", "bytes", "not decoded"},
		{"maxVersion", "a version or range compared with advisories", "bytes", "not compared"},
		{"maxStrays", "lines of a different form among records", "lines", "not a list of records"},
		{"mostTokens", "`maxTokens` of a sampling request", "tokens", "`smp-sampling-abuse`"},
		{"floodBytes", "a result", "bytes", "`res-flood`"},
		{"repeatedBytes", "a repetitive result", "bytes", "`res-flood`"},
	}},
	{"scanner", []limit{
		{"maxClean", "definitions remembered as inspected, so that listing them again costs less", "definitions", "all are forgotten, and inspected again"},
		{"maxWorkers", "workers, whatever `--jobs` says", "workers", "this number is used; reports do not depend on it"},
		{"maxAhead", "input read ahead of inspection", "bytes", "reading waits"},
		{"maxReused", "events, and values, of a chunk whose memory is reused", "events", "allocated again for each chunk"},
		{"maxPerEvent", "findings of one event", "findings", partly + "; the worst are kept"},
		{"bytesPerFinding", "frame length per additional finding", "bytes", "–"},
		{"mostPerEvent", "findings of one event, regardless of its length", "findings", partly + "; the worst are kept"},
		{"findingsPerDefinition", "additional findings for each definition compared in the session", "findings", "the same"},
		{"findingsPerEntry", "additional findings for each server in a configuration", "findings", "the same"},
		{"decodedBytes", "decoded text of one event, beyond four times its length", "bytes", partly},
		{"mostSearches", "findings in the decoded text of one event that are looked up, with their surroundings, in the original", "findings", "reported as hidden"},
		{"maxReasons", "distinct reasons in the coverage", "reasons", "counted under one reason"},
		{"maxWaiting", "events buffered for sorting by time", "events", "the earliest is judged"},
		{"maxWaitBytes", "memory for these events", "bytes", "the earliest is judged"},
		{"maxLateEvents", "events of the same session that a late event can be moved ahead of", "events", "judged after events with later times; run incomplete"},
		{"maxLateTime", "maximum delay of such an event", "time", "judged after events with later times; run incomplete"},
		{"defaultSessions", "sessions open at once", "sessions", "the session that has been idle longest is closed; run incomplete if it continues"},
		{"maxClosed", "closed sessions recognised if they continue", "sessions", incomplete},
		{"maxCounted", "servers counted in the coverage", "servers", "not counted"},
		{"maxSessionServers", "servers in a session", "servers", "each message is judged alone; run incomplete"},
		{"maxOffered", "definitions in a compared snapshot", "definitions", incomplete},
		{"maxPins", "definitions remembered across sessions", "definitions", incomplete},
		{"maxShown", "definitions remembered as listed by a server", "definitions", "missing ones are not reported; run incomplete"},
		{"maxWithheld", "withheld definitions of all servers", "definitions", "every call to a server with a further one is refused"},
		{"maxClients", "client names compared for one server", "clients", incomplete},
		{"maxCompared", "definitions remembered for this comparison", "definitions", "not compared"},
		{"maxConfigured", "configured servers with which later ones are compared", "servers", partly},
		{"maxNamesakes", "configured servers with the same name", "servers", "not compared"},
		{"maxOwners", "servers remembered for one tool name", "servers", "not compared"},
		{"maxNear", "tools whose names differ by one letter", "tools", "not compared"},
		{"maxNames", "tool names in a session compared for similarity", "names", "not compared"},
		{"serverNames", "of these, names of one server", "names", "not compared"},
		{"maxServers", "server names in a session compared for similarity", "servers", "not compared"},
		{"maxQualified", "tool names with a separator compared with server names", "names", "not compared"},
		{"maxShadows", "tool names that a server shares with other servers", "names", "calls to further tools are not refused for sharing a name"},
		{"maxPending", "open requests of each side of a connection, and tasks of a server", "requests", incomplete},
		{"maxAnswers", "responses of a server remembered to recognise duplicates", "answers", "reported as a response to no open request"},
		{"maxIssued", "session IDs of a server, in a session", "session IDs", "their reuse is not reported"},
		{"maxAsks", "requests in a result (`inputRequests`)", "requests", "not compared with the capabilities of the client; refused if there is a policy"},
		{"maxOtherMethods", "further methods of a message (`Method` beside `method`)", "methods", "the message is refused"},
		{"maxOtherNames", "further names of a definition, or in a request", "names", "the definition is withheld, the request is refused"},
		{"maxCalls", "calls remembered per server and category within the window", "calls", "the earliest call to the same tool is forgotten, or else the earliest to a tool that was called again, or else the oldest"},
		{"maxCallers", "servers in a session with calls in the window", "servers", partly},
		{"MostCalls", "`max_calls` and rate limits", "calls", exitsUsage},
		{"maxValues", "distinctive values of each kind in a message or batch, and per server", "values", "in a message or batch, the rest is not tracked; run incomplete. Per server, the earliest are forgotten; run incomplete for secrets and addresses"},
		{"maxNamedSecret", "a value that counts as a secret because of its member's name", "bytes", "searched for distinctive values like other text"},
		{"maxPassages", "passages sampled from a message or batch", "passages", "left out"},
		{"maxRemembered", "distinctive values in all sessions", "values", "the values of the session that has been idle longest are forgotten; run incomplete if it continues"},
		{"maxTracked", "servers in a session whose returned values are tracked separately", "servers", "a value that a further server also returned can be reported as a flow to it"},
		{"maxSchemas", "schemas remembered, in total", "bytes", "arguments and results are not checked; run incomplete"},
		{"schemaBytes", "one remembered schema", "bytes", "arguments and results are not checked"},
		{"structuredBytes", "a structured result", "bytes", "not checked"},
		{"maxArguments", "arguments that rules and policies inspect", "values", "allow rules with argument conditions do not match"},
		{"argumentsBytes", "total size of these arguments", "bytes", "the same"},
		{"maxRoots", "roots of a client", "roots", "no path is reported as outside the roots"},
		{"rootBytes", "a root", "bytes", "no path is reported as outside the roots"},
		{"maxCapabilities", "capabilities of a client", "capabilities", "left out"},
		{"maxIcons", "icons of a server", "icons", untested},
		{"maxReported", "rule matches in a string that are kept until all rules have inspected it", "matches", "they become findings earlier"},
		{"maxRequired", "names in `required`", "names", "every property counts as required"},
		{"contextChars", "text around a match in evidence", "characters", "cut"},
		{"evidenceChars", "evidence of a finding", "characters", "cut"},
		{"nameChars", "a name in a finding", "characters", "cut"},
		{"pointerChars", "a JSON Pointer in a finding", "characters", "cut"},
		{"messageChars", "the message of a finding", "characters", "cut"},
		{"reasonChars", "the reason why input was not inspected", "characters", "cut in the middle"},
	}},
}

// TestLimitsDocument checks that docs/limits.md contains every limit with the value
// of its constant. go test ./cmd/mcpscan -run LimitsDocument -update writes it.
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

The limits that mcpscan sets on input, memory, time and output. This file is generated
from the constants: ` + "`go test ./cmd/mcpscan -run LimitsDocument -update`" + ` writes it.

- **run incomplete**: the coverage of the report counts what was not inspected, with a reason and a
  location. The exit code is 3, or 1 with findings at or above ` + "`--fail-on`" + `, or 0 with
  ` + "`--allow-incomplete`" + ` and no such findings.
- **event not inspected in full**: the same, for the part of the event beyond the limit.
- **error, exit 2**: mcpscan stops with an error that names the cause.
- **cut**, **counted**: mcpscan shortens the text (in reports, with an ellipsis), or says how many items
  it omits.

Windows of session rules are settings, with their defaults in
[configuration.md](configuration.md#calls-of-a-session).
`

// quantity formats a value with its unit.
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

// shortDuration matches the zero units at the end of a duration, as in 1m0s.
var shortDuration = regexp.MustCompile(`([hm])(?:0m)?0s$`)

// thousands formats a number with commas.
func thousands(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// flagDefaults returns the defaults of flags whose values are numbers or durations.
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

// constantsBelow returns the integer constants of the packages in a directory and its
// subdirectories, by name.
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

// constantsOf evaluates the integer constants of a package by type-checking only its
// constant declarations. It ignores errors, which concern constants of other packages.
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

// otherSystem matches the names of files that are not built on Linux. They are left out because
// they declare the same constants again.
var otherSystem = regexp.MustCompile(`_(windows|other)\.go$`)

// durations is an importer that provides a package time with only the duration units.
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
