package report

import "strings"

// taxonomy describes an entry in a rule's Refs.
type taxonomy struct {
	label string // for people
	tag   string // SARIF tag
	url   string // empty if unknown
}

// reference returns the description of an entry in a rule's Refs.
func reference(ref string) taxonomy {
	kind, id, _ := strings.Cut(ref, ":")
	lower := strings.ToLower(id)
	switch {
	case kind == "OWASP-MCP" && id != "":
		return taxonomy{"OWASP MCP Top 10 " + id, "owasp-mcp/" + lower, "https://owasp.org/www-project-mcp-top-10/"}
	case kind == "OWASP-LLM" && id != "":
		return taxonomy{"OWASP LLM Top 10 " + id, "owasp-llm/" + lower, "https://genai.owasp.org/llm-top-10/"}
	case kind == "ATLAS" && id != "":
		return taxonomy{"MITRE ATLAS " + id, "atlas/" + lower, "https://atlas.mitre.org/techniques/" + id}
	}
	if n, ok := strings.CutPrefix(ref, "CWE-"); ok {
		return taxonomy{ref, "external/cwe/cwe-" + leftPad(n), "https://cwe.mitre.org/data/definitions/" + n + ".html"}
	}
	return taxonomy{label: ref, tag: strings.ToLower(strings.ReplaceAll(ref, ":", "/"))}
}

// leftPad pads a CWE number to three digits, as GitHub's own rules do.
func leftPad(n string) string {
	return strings.Repeat("0", max(0, 3-len(n))) + n
}
