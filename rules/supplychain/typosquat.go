package supplychain

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/entries"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/scanner"
)

var Typosquat = scanner.Rule{
	ID:         "sup-typosquat",
	Category:   "name_similarity",
	Title:      "A package has almost the same name as a well-known package",
	Why:        "A typo in a command line runs a package that someone published under the mistyped name.",
	Fix:        "Compare the name with the server's documentation, letter by letter.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The name differs by one letter or separator from the name of a well-known package, and is not itself a known word. Packages in one scope have one publisher and are not compared.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0010.005", "CWE-1357"},
	Config: func(p *scanner.ConfigPass) {
		entries.EachPackage(p, func(e *configfile.Entry, _ *launch.Command, one launch.Package) {
			if known, how := squats(one.Ecosystem, one.Name); known != "" {
				pointer, word := entries.Argument(e, one.Arg)
				p.Report(e, pointer, scanner.Medium, fmt.Sprintf("the name of the package %s the name of the well-known package %s", how, known), word)
			}
		})
	},
}

// squats returns the well-known package that a name imitates, and how the name resembles it.
func squats(ecosystem launch.Ecosystem, name string) (known, how string) {
	list := popular[ecosystem]
	if len(name) > names.MaxCompared || len(list) == 0 {
		return "", ""
	}
	name = packageName(ecosystem, name)
	scope, base := scoped(name)
	for _, k := range list {
		knownScope, _ := scoped(k)
		if k == name || scope != "" && scope == knownScope {
			return "", ""
		}
	}
	for _, k := range list {
		if how := resemblance(name, scope, base, k); how != "" {
			return k, how
		}
	}
	return "", ""
}

// resemblance describes how a name resembles a well-known name, or returns "" if it does not.
func resemblance(name, scope, base, known string) string {
	knownScope, knownBase := scoped(known)
	switch {
	case names.FoldName(strings.TrimLeft(strings.ReplaceAll(name, "/", "-"), "@")) == names.FoldName(strings.TrimLeft(strings.ReplaceAll(known, "/", "-"), "@")):
		return "differs only in its separators from"
	case scope != "" && knownScope != "":
		if names.Lookalike(scope, knownScope) {
			return "has a scope that is almost identical to the scope in"
		}
	case scope == "" && knownScope == "" && names.Lookalike(base, knownBase):
		return "is almost identical to"
	}
	return ""
}

// packageName normalizes a name as its ecosystem does for comparison.
func packageName(ecosystem launch.Ecosystem, name string) string {
	name = strings.ToLower(name)
	if ecosystem == launch.PyPI {
		name = strings.NewReplacer("_", "-", ".", "-").Replace(name)
	}
	if ecosystem == launch.OCI {
		name = strings.TrimPrefix(strings.TrimPrefix(name, "docker.io/"), "library/")
	}
	return name
}

// scoped splits a name into its scope or owner, and the rest.
func scoped(name string) (scope, base string) {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return "", name
}

// popular are packages listed in client documentation and server catalogues.
var popular = map[launch.Ecosystem][]string{
	launch.NPM: strings.Fields(`@modelcontextprotocol/server-filesystem @modelcontextprotocol/server-github @modelcontextprotocol/server-memory
		@modelcontextprotocol/server-everything @modelcontextprotocol/server-sequential-thinking @modelcontextprotocol/server-puppeteer
		@modelcontextprotocol/server-postgres @modelcontextprotocol/server-slack @modelcontextprotocol/server-brave-search
		@modelcontextprotocol/inspector @playwright/mcp @upstash/context7-mcp @notionhq/notion-mcp-server @supabase/mcp-server-supabase
		@sentry/mcp-server @stripe/mcp @cloudflare/mcp-server-cloudflare @browserbasehq/mcp @executeautomation/playwright-mcp-server
		@wonderwhy-er/desktop-commander @smithery/cli @21st-dev/magic @azure/mcp @mongodb-js/mongodb-mcp-server @elastic/mcp-server-elasticsearch
		@heroku/mcp-server @hubspot/mcp-server @shopify/dev-mcp @brightdata/mcp @apify/actors-mcp-server @agentdeskai/browser-tools-mcp
		@kazuph/mcp-fetch @benborla29/mcp-server-mysql @bytebase/dbhub @anthropic-ai/claude-code
		mcp-remote firecrawl-mcp tavily-mcp exa-mcp-server figma-developer-mcp chrome-devtools-mcp supergateway kubernetes-mcp-server
		mcp-server-kubernetes n8n-mcp task-master-ai puppeteer-mcp-server obsidian-mcp shadcn duckduckgo-mcp-server airtable-mcp-server
		mcp-obsidian context7-mcp perplexity-mcp`),
	launch.PyPI: strings.Fields(`mcp mcp-server-git mcp-server-fetch mcp-server-time mcp-server-sqlite mcp-server-sentry mcp-server-docker fastmcp mcp-proxy
		awslabs-aws-documentation-mcp-server awslabs-core-mcp-server mcp-atlassian mcp-obsidian blender-mcp duckduckgo-mcp-server arxiv-mcp-server
		postgres-mcp mcp-server-qdrant chroma-mcp markitdown-mcp basic-memory serena-agent mcp-clickhouse mcp-neo4j-cypher elevenlabs-mcp browser-use
		minimax-mcp mcp-server-motherduck yfinance-mcp office-word-mcp-server excel-mcp-server litellm`),
	launch.OCI: strings.Fields(`mcp/filesystem mcp/github mcp/fetch mcp/git mcp/postgres mcp/puppeteer mcp/playwright mcp/brave-search mcp/slack mcp/memory
		mcp/sequentialthinking mcp/time mcp/sqlite mcp/sentry mcp/notion mcp/grafana ghcr.io/github/github-mcp-server hashicorp/terraform-mcp-server
		ghcr.io/sooperset/mcp-atlassian mcr.microsoft.com/playwright/mcp`),
}
