package crossserver

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/scanner"
)

var Impersonation = scanner.Rule{
	ID:         "xs-impersonation",
	Category:   "name_similarity",
	Title:      "A server claims to be a vendor's, but other data contradicts the claim",
	Why:        "A name, title or address that looks like a vendor's leads users to approve a server that the vendor has never seen.",
	Fix:        "Get the server from the vendor's own page or registry entry, or remove it.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The rule reports only contradictions: an address that imitates a vendor's, or a claim to be the vendor although the web site, package scope or host is not the vendor's. A server \"for\" a product does not claim to be the vendor's. A bare product name (without \"official\") in someone else's package is rated low, because authors often name packages carelessly.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0073", "CWE-345"},
	On:         mcp.OnIntroduction,
	Judge: func(p *scanner.JudgePass) {
		s := p.Message.Server
		if s == nil || p.Server.Listed && s.Name == p.Server.Info.Name && s.Website == p.Server.Info.Website {
			return
		}
		for _, address := range append([]string{s.Website}, s.Icons...) {
			if b := imitatedHost(hostOf(address)); b != nil {
				reportClaim(p, scanner.Medium, "", address, fmt.Sprintf("the server's address %q imitates an address of %s", hostOf(address), b.Name))
				return
			}
		}
		for _, f := range [...]struct{ pointer, text string }{{"/serverInfo/name", s.Name}, {"/serverInfo/title", s.Title}} {
			b, official := claimedBrand(f.text)
			if b == nil {
				continue
			}
			if severity, why := contradiction(b, official, s.Website, p.Server.ID); why != "" {
				reportClaim(p, severity, f.pointer, f.text, fmt.Sprintf("the server calls itself %q, but its %s is not %s's", f.text, why, b.Name))
				return
			}
		}
	},
}

func reportClaim(p *scanner.JudgePass, severity scanner.Severity, pointer, evidence, message string) {
	p.Report(scanner.JudgeIssue{Severity: severity, Subject: mcp.ServerSubject, Pointer: pointer, Offset: p.Message.Offset,
		Message: message, Evidence: evidence, Key: evidence})
}

// claimedBrand returns the brand that a server claims to belong to: the server's name is the
// brand's name, or contains it and the word "official".
func claimedBrand(name string) (b *names.Brand, official bool) {
	words := names.FoldWords(strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })) // otherwise, GitHub would be two words
	official = slices.Contains(words, "official") && !slices.Contains(words, "unofficial")
	joined := strings.Join(words, " ")
	for i := range names.Brands {
		if b := &names.Brands[i]; joined == b.Name || official && strings.Contains(" "+joined+" ", " "+b.Name+" ") && !slices.Contains(words, "not") {
			return b, official
		}
	}
	return nil, false
}

// contradiction rates the evidence against a server's claim to belong to a brand.
func contradiction(b *names.Brand, official bool, website, id string) (scanner.Severity, string) {
	weak := scanner.Low
	if official {
		weak = scanner.Medium
	}
	if h := hostOf(website); h != "" && !ownedBy(h, b.Hosts) && !ownedBy(h, sharedHosts) {
		return scanner.Medium, "web site"
	}
	if scope, _, ok := strings.Cut(id, "/"); ok && strings.HasPrefix(scope, "@") && len(b.Scopes) > 0 && !slices.Contains(b.Scopes, scope) {
		return weak, "package scope"
	}
	if h := hostOf("https://" + id); publicHost(h) && !ownedBy(h, b.Hosts) {
		return weak, "host"
	}
	return 0, ""
}

// sharedHosts are hosts that say nothing about the publisher: hosting services, registries and example domains.
var sharedHosts = []string{"github.com", "github.io", "gitlab.com", "gitlab.io", "npmjs.com", "pypi.org", "readthedocs.io", "vercel.app", "netlify.app",
	"pages.dev", "example.com", "example.org", "modelcontextprotocol.io", "smithery.ai", "glama.ai"}

// hostOf returns the host of an address, or "" if it has none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
}

// publicHost reports whether h is a public DNS name. Local and private hosts can belong to
// anybody.
func publicHost(h string) bool {
	_, numeric := destination.IP(h)
	dot := strings.LastIndexByte(h, '.')
	return !numeric && dot > 0 && !slices.Contains([]string{"local", "internal", "lan", "localhost", "test", "corp", "home", "py", "js", "ts", "json"}, h[dot+1:])
}

// ownedBy reports whether h is one of the hosts, or a subdomain of one.
func ownedBy(h string, hosts []string) bool {
	return slices.ContainsFunc(hosts, func(own string) bool { return h == own || strings.HasSuffix(h, "."+own) })
}

// imitatedHost returns the brand that a host imitates by adding a domain to the brand's host
// (github.com.example.net) or by a typo in the brand's name.
func imitatedHost(h string) *names.Brand {
	labels := strings.Split(h, ".")
	if len(labels) < 2 {
		return nil
	}
	name := names.FoldWords(names.Words(labels[len(labels)-2]))
	for i := range names.Brands {
		b := &names.Brands[i]
		for _, own := range b.Hosts {
			if strings.Contains("."+h+".", "."+own+".") && !ownedBy(h, []string{own}) {
				return b
			}
		}
		if is, _ := names.Slip(name, strings.Fields(b.Name), names.ImitationShare); is {
			return b
		}
	}
	return nil
}
