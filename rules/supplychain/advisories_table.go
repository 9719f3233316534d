package supplychain

import (
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/scanner"
)

// builtIn lists known vulnerabilities and incidents of packages used in client configurations. A
// verified range was copied from its Source as of its Date. For complete data, pass OSV exports with
// --advisories.
var builtIn = []Advisory{
	{
		ID: "GHSA-6xpm-ggf7-wc3p", Aliases: []string{"CVE-2025-6514"}, Ecosystem: launch.NPM, Package: "mcp-remote",
		Ranges: []Affected{{Introduced: "0.0.5", Fixed: "0.1.16"}}, Severity: scanner.Critical, Source: "osv.dev", Date: "2025-07-09",
	},
	{
		ID: "GHSA-7f8r-222p-6f5g", Aliases: []string{"CVE-2025-49596"}, Ecosystem: launch.NPM, Package: "@modelcontextprotocol/inspector",
		Ranges: []Affected{{Fixed: "0.14.1"}}, Severity: scanner.Critical, Source: "osv.dev", Date: "2025-07-29",
	},
	{
		ID: "GHSA-w48q-cv73-mx4w", Aliases: []string{"CVE-2025-66414"}, Ecosystem: launch.NPM, Package: "@modelcontextprotocol/sdk",
		Ranges: []Affected{{Fixed: "1.24.0"}}, Severity: scanner.High, Source: "osv.dev", Date: "2026-02-04",
	},
	{
		ID: "GHSA-345p-7cg4-v4c7", Aliases: []string{"CVE-2026-25536"}, Ecosystem: launch.NPM, Package: "@modelcontextprotocol/sdk",
		Ranges: []Affected{{Fixed: "1.26.0"}}, Severity: scanner.High, Source: "osv.dev, ECHO-75cb-c27c-38de", Date: "2026-09-28", Unverified: true, // first affected version unknown
	},
	{
		ID: "CVE-2026-0621", Ecosystem: launch.NPM, Package: "@modelcontextprotocol/sdk",
		Ranges: []Affected{{Last: "1.25.1"}}, Severity: scanner.High, Source: "aithreatalert.com", Date: "2026-01-05", Unverified: true,
	},
	{
		ID: "CVE-2025-9611", Ecosystem: launch.NPM, Package: "@playwright/mcp",
		Ranges: []Affected{{Fixed: "0.0.40"}}, Severity: scanner.High, Source: "cve.org", Date: "2026-07-14",
	},
	{
		ID: "GHSA-gxw4-4fc5-9gr5", Aliases: []string{"CVE-2025-53967"}, Ecosystem: launch.NPM, Package: "figma-developer-mcp",
		Ranges: []Affected{{Fixed: "0.6.3"}}, Severity: scanner.High, Source: "third-party reports", Date: "2025-10-08", Unverified: true,
	},
	{
		ID: "CVE-2025-53110", Ecosystem: launch.NPM, Package: "@modelcontextprotocol/server-filesystem",
		Ranges: []Affected{{Fixed: "2025.7.1"}}, Severity: scanner.High, Source: "third-party reports", Date: "2025-07-02", Unverified: true,
	},
	{
		ID: "CVE-2025-53109", Ecosystem: launch.NPM, Package: "@modelcontextprotocol/server-filesystem",
		Ranges: []Affected{{Fixed: "2025.7.1"}}, Severity: scanner.High, Source: "third-party reports", Date: "2025-07-02", Unverified: true,
	},
	{
		ID: "PYSEC-2026-1622", Aliases: []string{"CVE-2025-68144"}, Ecosystem: launch.PyPI, Package: "mcp-server-git",
		Ranges: []Affected{{Fixed: "2025.12.18"}}, Severity: scanner.High, Source: "osv.dev", Date: "2026-07-07",
	},
	{
		ID: "CVE-2025-68143", Ecosystem: launch.PyPI, Package: "mcp-server-git",
		Ranges: []Affected{{Fixed: "2025.12.18"}}, Severity: scanner.High, Source: "third-party reports", Date: "2026-01-20", Unverified: true,
	},
	{
		ID: "CVE-2025-68145", Ecosystem: launch.PyPI, Package: "mcp-server-git",
		Ranges: []Affected{{Fixed: "2025.12.18"}}, Severity: scanner.High, Source: "third-party reports", Date: "2026-01-20", Unverified: true,
	},
	{
		ID: "GHSA-9h52-p55h-vw2f", Aliases: []string{"CVE-2025-66416"}, Ecosystem: launch.PyPI, Package: "mcp",
		Ranges: []Affected{{Fixed: "1.23.0"}}, Severity: scanner.High, Source: "osv.dev", Date: "2026-02-04",
	},
	{
		ID: "GHSA-j975-95f5-7wqh", Aliases: []string{"CVE-2025-53365"}, Ecosystem: launch.PyPI, Package: "mcp",
		Ranges: []Affected{{Fixed: "1.10.0"}}, Severity: scanner.High, Source: "GitHub advisory", Date: "2026-07-16",
	},
	{
		ID: "PYSEC-2026-1616", Aliases: []string{"CVE-2025-53366", "GHSA-3qhf-m339-9g5v"}, Ecosystem: launch.PyPI, Package: "mcp",
		Ranges: []Affected{{Fixed: "1.9.4"}}, Severity: scanner.High, Source: "osv.dev", Date: "2026-07-07",
	},
	{
		ID: "GHSA-rcfx-77hg-w2wv", Ecosystem: launch.PyPI, Package: "fastmcp",
		Ranges: []Affected{{Fixed: "2.14.0"}}, Severity: scanner.High, Source: "osv.dev", Date: "2025-12-26",
	},
	{
		ID: "postmark-mcp 2025-09", Ecosystem: launch.NPM, Package: "postmark-mcp", Malicious: true,
		Ranges: []Affected{{Introduced: "1.0.16"}}, Severity: scanner.Critical, Source: "postmarkapp.com", Date: "2025-09-25",
	},
	{
		ID: "PYSEC-2026-2", Ecosystem: launch.PyPI, Package: "litellm", Malicious: true,
		Ranges: []Affected{{Introduced: "1.82.7", Last: "1.82.8"}}, Versions: []string{"1.82.7", "1.82.8"}, Severity: scanner.Critical, Source: "osv.dev", Date: "2026-03-24",
	},
}
