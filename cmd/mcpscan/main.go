// Command mcpscan finds poisoned tool definitions and results of MCP servers,
// offline: in live servers, client configurations, definition files and
// recordings.
//
// Every command has a file of its own; this one holds the grammar and the exit
// codes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
)

// Exit codes.
const (
	exitClean      = 0 // nothing at or above --fail-on
	exitFindings   = 1 // findings at or above it
	exitUsage      = 2 // wrong usage or configuration
	exitIncomplete = 3 // something could not be inspected
)

// exitError carries an exit code through kong, and a message where there is one to give.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage marks an error as one of usage.
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// streams are the three streams of the process.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// grammar is the command line.
type grammar struct {
	Scan       scanCmd       `cmd:"" help:"Inspect live servers, client configurations and definition files."`
	Replay     replayCmd     `cmd:"" help:"Inspect recordings and audit logs."`
	Lock       lockCmd       `cmd:"" help:"Write down what servers offer: mcpscan.lock, to be reviewed and committed."`
	Approve    approveCmd    `cmd:"" help:"Approve what waits in the lockfile."`
	Pins       pinsCmd       `cmd:"" help:"Look into the lockfile: list, show, diff, trust, reset, export, import."`
	Diff       diffCmd       `cmd:"" help:"Compare what servers offer with what they offered before, and say what the changes can do."`
	Policy     policyCmd     `cmd:"" help:"Policies: test, check, generate."`
	Report     reportCmd     `cmd:"" help:"Render a saved JSON report in another format."`
	Servers    serversCmd    `cmd:"" help:"List the servers of a recording."`
	Tools      toolsCmd      `cmd:"" help:"List the tools that servers showed in a recording."`
	Calls      callsCmd      `cmd:"" help:"List the tool calls of a recording."`
	Events     eventsCmd     `cmd:"" help:"List the events of a recording."`
	Detections detectionsCmd `cmd:"" help:"List what was found in a recording."`
	Explain    explainCmd    `cmd:"" help:"Say why an event of a recording was judged as it was."`
	Rules      rulesCmd      `cmd:"" help:"Explain what is checked, and why."`
	Version    versionCmd    `cmd:"" help:"Tell the version."`

	// Other names, as agentsh has them.
	Inspect  inspectCmd  `cmd:"" hidden:"" help:"The same as scan, for a file with a definition or the URL of a server."`
	Registry registryCmd `cmd:"" hidden:"" help:"The same as pins: list, show."`
}

const description = `mcpscan finds poisoned tool definitions and results of MCP servers.
It works offline: nothing is sent anywhere, and no key is needed.

Exit codes: 0 nothing at or above --fail-on, 1 findings at or above it,
2 wrong usage or configuration, 3 something could not be inspected.`

func main() {
	os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// run is the program: arguments in, exit code out.
func run(args []string, std streams) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process
	args, command := splitCommand(args)
	var g grammar
	g.Scan.Command, g.Diff.Command, g.Lock.Command = command, command, command
	code := -1
	parser, err := kong.New(&g, kong.Name("mcpscan"), kong.Description(description), kong.Writers(std.out, std.err),
		kong.Exit(func(c int) { code = c }), kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(std),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"formats": strings.Join(report.Formats(), ", ")})
	if err != nil {
		return fail(std.err, err)
	}
	kctx, err := parser.Parse(args)
	if code >= 0 { // --help
		return code
	}
	if err != nil {
		return fail(std.err, &exitError{exitUsage, fmt.Errorf("%w; see mcpscan --help", err)})
	}
	return fail(std.err, kctx.Run())
}

// splitCommand takes the command of a server to start, behind --, off the
// arguments: kong would look for flags of ours in it.
func splitCommand(args []string) (ours, command []string) {
	if len(args) == 0 || !slices.Contains([]string{"scan", "diff", "lock"}, args[0]) {
		return args, nil
	}
	for i, a := range args {
		if a == "--" {
			return args[:i], args[i+1:]
		}
	}
	return args, nil
}

// fail prints an error that has something to say, and returns its exit code.
func fail(w io.Writer, err error) int {
	if err == nil {
		return exitClean
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		exit = &exitError{exitUsage, err}
	}
	if exit.err != nil {
		fmt.Fprintf(text.Guard(w), "mcpscan: %s\n", visibleLines(text.Mask(err.Error())))
	}
	return exit.code
}
