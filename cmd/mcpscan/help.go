package main

import (
	"strings"

	"github.com/alecthomas/kong"

	"github.com/mcpscan/mcpscan/internal/config"
)

// commandGroups lists the headings of the general help, by grammar group.
var commandGroups = []kong.Group{
	{Key: "scan", Title: "Scan:"},
	{Key: "proxy", Title: "Block:"},
	{Key: "replay", Title: "Replay:"},
	{Key: "diff", Title: "Compare:"},
	{Key: "lock", Title: "Lock and approve:"},
	{Key: "policy", Title: "Policies:"},
	{Key: "look", Title: "Query recordings:"},
	{Key: "more", Title: "More:"},
}

// examples contains two command lines for each command, by command path.
var examples = map[string][2]string{
	"scan":            {"mcpscan scan -- npx -y some-mcp-server", "mcpscan scan --no-run --format sarif=mcpscan.sarif ."},
	"proxy":           {"mcpscan proxy -- npx -y some-mcp-server", "mcpscan proxy --listen 127.0.0.1:3100 --upstream https://example.com/mcp --record events.jsonl"},
	"wrap":            {"mcpscan wrap github --dry-run", "mcpscan wrap --all"},
	"unwrap":          {"mcpscan unwrap github", "mcpscan unwrap --all --config .mcp.json"},
	"doctor":          {"mcpscan doctor", "mcpscan doctor --format json .mcp.json"},
	"held list":       {"mcpscan held list", "mcpscan held list --json"},
	"held allow":      {"mcpscan held allow k3v7q2pa", "mcpscan held allow 7wq2m5xd"},
	"held deny":       {"mcpscan held deny k3v7q2pa", "mcpscan held deny 7wq2m5xd"},
	"replay":          {"mcpscan replay events.jsonl", "mcpscan replay session.har --format json=report.json --format text"},
	"merge":           {"mcpscan merge shard-*.json", "mcpscan merge shard-*.json --format json=report.json --format text"},
	"diff":            {"mcpscan diff mcpscan.lock -- npx -y some-mcp-server@2", "mcpscan diff before.json after.json"},
	"lock":            {"mcpscan lock --run-servers .mcp.json", "mcpscan lock --check"},
	"approve":         {`mcpscan approve github --reason "reviewed in #12"`, `mcpscan approve github:create_issue --reason "reviewed in #12"`},
	"pins list":       {"mcpscan pins list", "mcpscan pins list github --json"},
	"pins show":       {"mcpscan pins show github:create_issue", "mcpscan pins show github:create_issue --json"},
	"pins diff":       {"mcpscan pins diff", "mcpscan pins diff github:create_issue"},
	"pins trust":      {"mcpscan pins trust github:create_issue --digest sha256-…", `mcpscan pins trust github:create_issue --digest sha256-… --reason "reviewed in #12"`},
	"pins reset":      {"mcpscan pins reset github", "mcpscan pins reset github:create_issue"},
	"pins export":     {"mcpscan pins export --for agentsh", "mcpscan pins export --for mcpproxy"},
	"pins import":     {"mcpscan pins import pins.json --from agentsh", "mcpscan pins import pins.json --from mcpproxy"},
	"policy test":     {"mcpscan policy test --policy policy.toml --fixture-dir fixtures/", "mcpscan policy test --policy policy.toml --fixture request.json --expect deny"},
	"policy check":    {"mcpscan policy check policy.toml", "mcpscan policy check policy.toml events.jsonl"},
	"policy generate": {"mcpscan policy generate events.jsonl", "mcpscan policy generate events.jsonl -o policy.yaml"},
	"servers":         {"mcpscan servers events.jsonl", "mcpscan servers events.jsonl --json"},
	"tools":           {"mcpscan tools events.jsonl", "mcpscan tools events.jsonl --server github"},
	"calls":           {"mcpscan calls events.jsonl --since 1h", "mcpscan calls events.jsonl --tool create_issue --json"},
	"events":          {"mcpscan events events.jsonl --type tools/call", "mcpscan events events.jsonl --session s1 --json"},
	"detections":      {"mcpscan detections events.jsonl", "mcpscan detections events.jsonl --severity high --json"},
	"explain":         {"mcpscan explain events.jsonl 77", "mcpscan explain events.jsonl id:12 --server github"},
	"report":          {"mcpscan report report.json", "mcpscan report report.json --format html=report.html"},
	"rules":           {"mcpscan rules", "mcpscan rules inj-override"},
	"completion":      {`eval "$(mcpscan completion bash)"`, "mcpscan completion fish > ~/.config/fish/completions/mcpscan.fish"},
	"help":            {"mcpscan help", "mcpscan help policy test"},
	"version":         {"mcpscan version", "mcpscan version --json"},
}

// addExamples adds the examples of each command to its help.
func addExamples(root *kong.Node) {
	for _, command := range root.Leaves(true) {
		if shown, ok := examples[commandPath(command)]; ok {
			command.Detail = strings.TrimSpace(command.Detail + "\n\nExamples:\n\n    " + strings.Join(shown[:], "\n    "))
		}
	}
}

type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command, for example: mcpscan help policy test."`
}

// Run shows the --help output of the command.
func (c *helpCmd) Run(parsed *kong.Context) error {
	node := parsed.Model.Node
	for _, word := range c.Command {
		child := subcommand(node, word)
		if child == nil {
			var names []string
			for _, n := range node.Children {
				names = append(names, n.Name)
			}
			return usage("unknown command %q%s; to list all commands: mcpscan help", strings.Join(c.Command, " "), config.Similar(word, names))
		}
		node = child
	}
	_, _ = parsed.Kong.Parse(append(c.Command, "--help")) // prints the help; missing arguments do not matter here
	return nil
}
