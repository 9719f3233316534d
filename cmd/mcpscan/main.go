// Command mcpscan finds poisoned tool definitions and results from MCP servers, offline: in live
// servers, client configurations, definition files and recordings.
//
// Most commands have their own file; this one contains the grammar.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/mcpscan/mcpscan/report"
)

// streams holds the process's standard streams.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// grammar defines the command line. Its groups are in help.go.
type grammar struct {
	Scan       scanCmd       `cmd:"" group:"scan" help:"Inspect live servers, client configurations and definition files."`
	Proxy      proxyCmd      `cmd:"" group:"proxy" help:"Run between a client and a server, and enforce rules, policies and pins."`
	Wrap       wrapCmd       `cmd:"" group:"proxy" help:"Edit client configurations so that servers run behind the proxy."`
	Unwrap     unwrapCmd     `cmd:"" group:"proxy" help:"Restore the entries that wrap edited."`
	Doctor     doctorCmd     `cmd:"" group:"proxy" help:"Check which servers of which clients are wrapped and approved, and list what to fix."`
	Held       heldCmd       `cmd:"" group:"proxy" help:"List the messages that proxies hold, and allow or deny them."`
	Replay     replayCmd     `cmd:"" group:"replay" help:"Inspect recordings, agent transcripts and audit logs."`
	Diff       diffCmd       `cmd:"" group:"diff" help:"Compare two versions of server definitions, and rate the changes."`
	Lock       lockCmd       `cmd:"" group:"lock" help:"Record server definitions in mcpscan.lock, for review and commit."`
	Approve    approveCmd    `cmd:"" group:"lock" help:"Approve new and changed definitions in the lockfile."`
	Pins       pinsCmd       `cmd:"" group:"lock" help:"Manage the lockfile: list, show, diff, trust, reset, export, import."`
	Policy     policyCmd     `cmd:"" group:"policy" help:"Test, check or generate policies."`
	Merge      mergeCmd      `cmd:"" group:"replay" help:"Merge the partial reports of replay --shard into one report."`
	Servers    serversCmd    `cmd:"" group:"look" help:"List the servers in a recording."`
	Tools      toolsCmd      `cmd:"" group:"look" help:"List the tools in a recording."`
	Calls      callsCmd      `cmd:"" group:"look" help:"List the tool calls in a recording."`
	Events     eventsCmd     `cmd:"" group:"look" help:"List the events in a recording."`
	Detections detectionsCmd `cmd:"" group:"look" help:"List the findings in a recording."`
	Explain    explainCmd    `cmd:"" group:"look" help:"Explain the verdict on an event in a recording."`
	Report     reportCmd     `cmd:"" group:"more" help:"Render a saved JSON report in a different format."`
	Rules      rulesCmd      `cmd:"" group:"more" help:"Explain the rules."`
	Completion completionCmd `cmd:"" group:"more" help:"Print the completion script for bash, zsh or fish."`
	Help       helpCmd       `cmd:"" group:"more" help:"Show help for a command."`
	Version    versionCmd    `cmd:"" group:"more" help:"Show the version."`
	Complete   completeCmd   `cmd:"" name:"__complete" hidden:""`

	// Alternative names used by agentsh.
	Inspect  inspectCmd  `cmd:"" hidden:"" help:"Same as scan, for a definition file or the URL of a server."`
	Registry registryCmd `cmd:"" hidden:"" help:"Same as pins, with the subcommands list and show only."`

	ShowVersion kong.VersionFlag `name:"version" help:"Show the version."`
}

const description = `mcpscan finds poisoned tools, rug pulls and risky settings in MCP servers, offline.
It needs no API key, and sends no data unless you configure a receiver.

Exit codes: 0 no finding at or above --fail-on, 1 findings at or above it,
2 usage or configuration error, 3 something could not be inspected,
130 interrupted.`

// maxHeap is the soft memory limit of the Go runtime. The engine limits the data that it keeps to
// less than this.
const maxHeap = 200 << 20

// startHeap is the memory size at which the garbage collector runs for the first time. Most of
// what a short run allocates is rule tables, none of which is garbage.
const startHeap = 32 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" && os.Getenv("GOGC") == "" {
		collectFrom(startHeap, maxHeap)
	}
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// The percentage by which the heap grows between two collections: growth for the first collections, so that
// short runs have few of them, then longGrowth. Later, they are cheap and rare, because most live data is
// tables without pointers, and inspecting reuses its memory.
const (
	growth     = 50
	longGrowth = 20
	isLong     = 8 // collections
)

// collectFrom delays the first garbage collection until the process uses start bytes, and then
// collects whenever the heap has grown by a percentage, with a memory limit.
func collectFrom(start, limit int64) {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(start)
	var collected func(n int)
	collected = func(n int) {
		switch n {
		case 1:
			if debug.SetMemoryLimit(-1) == start { // no command has set its own limit meanwhile
				debug.SetMemoryLimit(limit)
			}
			debug.SetGCPercent(growth)
		case isLong:
			debug.SetGCPercent(longGrowth)
			return
		}
		runtime.AddCleanup(new([16]byte), collected, n+1) // unreachable at once, so that the next collection finds it
	}
	runtime.AddCleanup(new([16]byte), collected, 1)
}

// run runs the program with the given arguments and returns the exit code.
func run(args []string, std streams) int {
	ctx, stop := untilSignal()
	defer stop()
	var g grammar
	exited := -1
	parser, err := newParser(&g, std, func(code int) { exited = code }, onlyCommand(args)...)
	if err != nil {
		return fail(std.err, err)
	}
	args, command := splitCommand(parser.Model.Node, commandFirst(parser.Model.Node, args))
	g.Scan.Command, g.Diff.Command, g.Lock.Command, g.Proxy.Command = command, command, command, command
	kctx, err := parser.Parse(args)
	if exited >= 0 { // --help, --version
		return exited
	}
	if err != nil {
		// The empty value of an enumeration means that the flag is not given.
		message := strings.Replace(err.Error(), `must be one of "",`, "must be one of ", 1)
		return fail(std.err, &exitError{exitUsage, fmt.Errorf("%s; see %s --help", message, helpful(err))})
	}
	if timed, ok := kctx.Selected().Target.Addr().Interface().(interface {
		limit(context.Context) (context.Context, context.CancelFunc)
	}); ok {
		limited, cancel := timed.limit(ctx)
		defer cancel()
		ctx = limited
	}
	kctx.BindTo(ctx, (*context.Context)(nil))
	code := fail(std.err, kctx.Run())
	if by, interrupted := errors.AsType[*signalled](context.Cause(ctx)); interrupted {
		return by.exitCode()
	}
	return code
}

// newParser creates the command-line parser. Flags that end the program, such as --help, call
// exit.
func newParser(g *grammar, std streams, exit func(int), more ...kong.Option) (*kong.Kong, error) {
	parser, err := kong.New(g, append(more, kong.Name("mcpscan"), kong.Description(description), kong.Writers(std.out, std.err),
		kong.Exit(exit), kong.Bind(std), kong.ExplicitGroups(commandGroups),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.Vars{"formats": strings.Join(report.Formats(), ", "), "version": "mcpscan " + version()})...)
	if err == nil {
		addExamples(parser.Model.Node)
	}
	return parser, err
}

// helpful returns the command whose help explains a parser error.
func helpful(err error) string {
	if wrong, ok := errors.AsType[*kong.ParseError](err); ok && wrong.Context != nil && wrong.Context.Selected() != nil {
		return "mcpscan " + commandPath(wrong.Context.Selected())
	}
	return "mcpscan"
}

// splitCommand separates a server's command, after --, from the arguments, because kong would parse the
// command's flags as ours. Without --, which some clients remove when they start a server, the command
// of proxy begins with the first argument that is neither a flag nor the value of one.
func splitCommand(root *kong.Node, args []string) (ours, command []string) {
	if len(args) == 0 || !slices.Contains([]string{"scan", "proxy", "diff", "lock"}, args[0]) {
		return args, nil
	}
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i], args[i+1:]
	}
	if args[0] != "proxy" {
		return args, nil
	}
	at, proxy := 1, subcommand(root, "proxy")
	for at < len(args) && isFlag(args[at]) {
		at += flagLength(proxy, proxy, args[at:])
	}
	return args[:at], args[at:]
}
