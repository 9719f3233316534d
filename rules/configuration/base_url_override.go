package configuration

import (
	"net/url"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var BaseURLOverride = scanner.Rule{
	ID:         "cfg-base-url-override",
	Category:   "exfiltration",
	Title:      "A repository redirects its users' conversations to another host",
	Why:        "With ANTHROPIC_BASE_URL or a similar setting, the client sends every prompt, and the API key, to the given host. A repository with such a setting redirects both for everyone who opens it.",
	Fix:        "Remove the endpoint from the repository; let users set it in their own settings.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The finding is high in a project's settings, where the address applies to the client itself. It is medium in the environment of a server that also gets the key, and for a model provider that the repository defines. Client telemetry that goes to another host is rated high if the project includes prompts, tool inputs or API bodies in it, and medium otherwise, because the user's own settings may include them.",
	Refs:       []string{"OWASP-MCP:MCP01", "OWASP-LLM:LLM02", "ATLAS:AML.T0081", "CWE-200"},
	Config: func(p *scanner.ConfigPass) {
		if p.User {
			return // users choose their own endpoint
		}
		telemetry(p)
		for _, s := range p.Settings {
			name := lastToken(s.Pointer)
			if !elsewhere(s.Text) {
				continue
			}
			switch {
			case strings.HasPrefix(s.Pointer, "/env/") && endpointName.MatchString(name), clientEndpoint.MatchString(s.Pointer):
				p.Report(nil, s.Pointer, scanner.High, "the client sends conversations to a host other than the model vendor's", name+"="+s.Text)
			case providerEndpoint.MatchString(s.Pointer):
				p.Report(nil, s.Pointer, scanner.Medium, "the repository sets the endpoint of a model provider", name+"="+s.Text)
			}
		}
		for i := range p.Entries {
			e := &p.Entries[i]
			named(e.Env, "/env/", func(pointer, name, value string) {
				if vendor := endpointName.FindStringSubmatch(name); vendor != nil && elsewhere(value) && passesKey(e, vendor[1]) {
					p.Report(e, pointer, scanner.Medium, "the environment gives the server the user's API key, and a different host to send it to", name+"="+value)
				}
			})
		}
	},
}

// telemetry reports endpoints to which a project makes the client send OpenTelemetry data.
func telemetry(p *scanner.ConfigPass) {
	severity, message := scanner.Medium, "the client sends telemetry to a host that the repository chooses"
	if slices.ContainsFunc(p.Settings, func(s configfile.Setting) bool {
		return loggedContents.MatchString(s.Pointer) && s.Text != "" && s.Text != "0" && s.Text != "false"
	}) {
		severity, message = scanner.High, "the client sends telemetry with the contents of conversations to a host that the repository chooses"
	}
	for _, s := range p.Settings {
		if telemetryEndpoint.MatchString(s.Pointer) && slices.ContainsFunc(destination.Named(lastToken(s.Pointer), s.Text), outside) {
			p.Report(nil, s.Pointer, severity, message, lastToken(s.Pointer)+"="+s.Text)
		}
	}
}

// outside reports whether HOST[:PORT], with or without a scheme, is on a public network.
func outside(host string) bool {
	if _, after, ok := strings.Cut(host, "://"); ok {
		host = after
	}
	return !destination.Private((&url.URL{Host: host}).Hostname())
}

// elsewhere reports whether value is an address that is neither local nor on a model vendor's host.
func elsewhere(value string) bool {
	u, ok := destination.Address(value)
	return ok && !destination.Loopback(u.Hostname()) && !modelHost.MatchString(u.Hostname())
}

// passesKey reports whether the server is given the user's own API key for a vendor.
func passesKey(e *configfile.Entry, vendor string) bool {
	for name, value := range e.Env {
		if strings.HasPrefix(strings.ToUpper(name), strings.ToUpper(vendor)) && secrets.NamesSecret(name) && text.IsReference(value) {
			return true
		}
	}
	return false
}

var (
	endpointName = lazyregexp.New(`(?i)^(ANTHROPIC|CLAUDE|OPENAI|AZURE_OPENAI|GEMINI|GOOGLE_GEMINI|GOOGLE|MISTRAL|GROQ|COHERE|DEEPSEEK|XAI|` +
		`OPENROUTER)_(?:[A-Z]+_)?(?:BASE_URL|API_BASE|API_URL|ENDPOINT|HOST|API_HOST)$`)
	telemetryEndpoint = lazyregexp.New(`^/env/OTEL_EXPORTER_OTLP_(?:(?:LOGS|METRICS|TRACES)_)?ENDPOINT$`)
	loggedContents    = lazyregexp.New(`^/env/OTEL_LOG_(?:USER_PROMPTS|ASSISTANT_RESPONSES|TOOL_DETAILS|TOOL_CONTENT|RAW_API_BODIES)$`)
	clientEndpoint    = lazyregexp.New(`^/(?:openai_base_url|chatgpt_base_url|amp\.url)$`)
	providerEndpoint  = lazyregexp.New(`^/(?:model_providers/[^/]+/base_url|providers?/[^/]+/(?:options/baseURL|base_url|api))$`)
	modelHost         = lazyregexp.New(`(?i)(?:^|\.)(?:anthropic\.com|claude\.ai|openai\.com|openai\.azure\.com|googleapis\.com|amazonaws\.com|mistral\.ai|groq\.com|` +
		`cohere\.(?:ai|com)|deepseek\.com|x\.ai|openrouter\.ai|ampcode\.com|azure\.com|cloudflare\.com)$`)
)
