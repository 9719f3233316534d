package score

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// object is a definition, or a part of one, as JSON.
type object = map[string]any

// phrases contains the sentences used by mutations, by heading.
type phrases map[string][]string

func readPhrases(t *testing.T, name string) phrases {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "mutations", name))
	if err != nil {
		t.Fatal(err)
	}
	all, heading := phrases{}, ""
	for line := range strings.SplitSeq(string(data), "\n") {
		switch {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			heading = strings.Trim(line, "[]")
		default:
			all[heading] = append(all[heading], line)
		}
	}
	return all
}

// mutant is a server with one changed tool. The random choices are reproducible.
type mutant struct {
	*rand.Rand
	phrases
	domain string   // domain of the server's own pages
	doc    object   // current definitions of the server
	tools  []object // tools in doc
	tool   object   // tool to change
	old    object   // tool before the change; a mutation may prepare it
	said   string   // description of the change, for readers of missed ones
}

// maxListed is the maximum number of tools besides the changed one.
const maxListed = 6

func parseObject(t *testing.T, data []byte) (o object) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		t.Fatal(err)
	}
	return o
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// newMutant selects one of a server's tools, and some of the others.
func newMutant(t *testing.T, d *dump, kind string, try int, words phrases) (*mutant, *object) {
	t.Helper()
	h := fnv.New64a()
	fmt.Fprint(h, d.Package, "\n", kind, "\n", try)
	m := &mutant{Rand: rand.New(rand.NewPCG(h.Sum64(), 1)), phrases: words}
	m.domain = domainOf(d)
	chosen := m.IntN(len(d.Tools))
	picked := []json.RawMessage{d.Tools[chosen]}
	for i := range d.Tools {
		if i != chosen && len(picked) < maxListed {
			picked = append(picked, d.Tools[i])
		}
	}
	list := func() object {
		o := object{"tools": []any{}}
		for _, raw := range picked {
			o["tools"] = append(o["tools"].([]any), parseObject(t, raw))
		}
		return o
	}
	before := list()
	m.doc = list()
	for _, tool := range m.doc["tools"].([]any) {
		m.tools = append(m.tools, tool.(object))
	}
	m.tool, m.old = m.tools[0], before["tools"].([]any)[0].(object)
	return m, &before
}

// domainOf returns the domain that a server mentions most often, or one derived
// from its name.
func domainOf(d *dump) string {
	count := map[string]int{}
	best := ""
	for _, m := range hostInText.FindAllSubmatch(d.data, -1) {
		host := strings.TrimPrefix(string(m[1]), "www.")
		if parts := strings.Split(host, "."); len(parts) > 2 {
			host = strings.Join(parts[len(parts)-2:], ".")
		}
		if !commonHosts[host] {
			if count[host]++; count[host] > count[best] || count[host] == count[best] && host < best {
				best = host
			}
		}
	}
	if best == "" {
		name := d.Package[strings.LastIndexByte(d.Package, '/')+1:]
		name, _, _ = strings.Cut(strings.TrimSuffix(strings.TrimPrefix(name, "mcp-"), "-mcp"), "-")
		best = strings.Trim(strings.ToLower(name), "@") + ".com"
	}
	return best
}

var (
	hostInText  = regexp.MustCompile(`https?://((?:[a-z0-9-]+\.)+[a-z]{2,})`)
	commonHosts = map[string]bool{"json-schema.org": true, "example.com": true, "github.com": true, "example.org": true}
)

// pick returns one of the phrases under a heading, with its placeholders filled in.
func (m *mutant) pick(heading string) string {
	all := m.phrases[heading]
	return m.fill(all[m.IntN(len(all))])
}

func oneOf[T any](m *mutant, all ...T) T { return all[m.IntN(len(all))] }

func (m *mutant) fill(s string) string {
	param := "input"
	if names := m.parameters(m.tool); len(names) > 0 {
		param = names[m.IntN(len(names))]
	}
	sibling := "list_items"
	if len(m.tools) > 1 {
		sibling = m.tools[1+m.IntN(len(m.tools)-1)]["name"].(string)
	}
	return strings.NewReplacer(
		"{file}", oneOf(m, "~/.ssh/id_rsa", "~/.aws/credentials", ".env", "~/.config/gh/hosts.yml", "/etc/shadow", "~/.kube/config", "~/.cursor/mcp.json", "$HOME/.netrc"),
		"{host}", m.foreignHost(),
		"{mail}", oneOf(m, "audit@collect-logs.net", "ops@mail-relay.io", "archive@quickdrop.cc"),
		"{sibling}", sibling, "{param}", oneOf(m, param, "`"+param+"`"), "{domain}", m.domain).Replace(s)
}

func (m *mutant) foreignHost() string {
	return oneOf(m, "collect-logs.net", "api.data-sync.io", "185.220.101.4", "telemetry-hub.dev", "hooks.quickdrop.cc", "cdn.metrics-box.app", "abc123.ngrok-free.app")
}

// parameters returns the names of a tool's parameters, sorted.
func (m *mutant) parameters(tool object) (names []string) {
	schema, _ := tool["inputSchema"].(object)
	properties, _ := schema["properties"].(object)
	for name, p := range properties {
		if _, is := p.(object); is {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// parameter returns the schema of a parameter, or nil if there is none.
func (m *mutant) parameter(tool object, name string) object {
	schema, _ := tool["inputSchema"].(object)
	properties, _ := schema["properties"].(object)
	p, _ := properties[name].(object)
	return p
}

// anyParameter returns a random parameter for which test is true, as declared in the old and the
// new definition.
func (m *mutant) anyParameter(test func(object) bool) (name string, old, now object) {
	names := m.parameters(m.tool)
	m.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		if p := m.parameter(m.tool, name); test == nil || test(p) {
			return name, m.parameter(m.old, name), p
		}
	}
	return "", nil, nil
}

// add declares a parameter unless it exists. The parameter is required if need is set.
func (m *mutant) add(tool object, name string, schema object, need bool) bool {
	input, _ := tool["inputSchema"].(object)
	if input == nil || m.parameter(tool, name) != nil {
		return false
	}
	properties, _ := input["properties"].(object)
	if properties == nil {
		properties = object{}
		input["properties"] = properties
	}
	properties[name] = schema
	if need {
		required, _ := input["required"].([]any)
		input["required"] = append(slices.Clone(required), name)
	}
	m.said = fmt.Sprintf("%s %v required %v", name, schema, need)
	return true
}

func text(o object, member string) string {
	s, _ := o[member].(string)
	return s
}

// say adds a sentence to a tool's description.
func (m *mutant) say(tool object, sentence string) {
	was := strings.TrimSpace(text(tool, "description"))
	m.said = sentence
	if was != "" && !strings.HasSuffix(was, ".") && !strings.HasSuffix(was, "\n") {
		was += "."
	}
	first, rest, more := strings.Cut(was, ". ")
	switch at := m.IntN(4); {
	case at == 0 && more:
		was = first + ". " + sentence + " " + rest
	case at == 1:
		was += "\n\n" + sentence
	default:
		was = strings.TrimSpace(was + " " + sentence)
	}
	tool["description"] = was
}

// sayAnywhere adds a sentence to one of the texts in a definition.
func (m *mutant) sayAnywhere(sentence string) {
	name, _, p := m.anyParameter(nil)
	if p == nil || m.IntN(3) > 0 {
		m.say(m.tool, sentence)
		return
	}
	p["description"] = strings.TrimSpace(strings.TrimSpace(text(p, "description")) + " " + sentence)
	m.said = name + ": " + sentence
}

// hint sets an annotation.
func hint(tool object, name string, value any) {
	a, _ := tool["annotations"].(object)
	if a == nil {
		a = object{}
		tool["annotations"] = a
	}
	a[name] = value
}

func hinted(tool object, name string) any {
	a, _ := tool["annotations"].(object)
	return a[name]
}

// spelled returns a tool's name as words.
func spelled(tool object) string {
	return strings.ToLower(camel.ReplaceAllString(strings.NewReplacer("_", " ", "-", " ", ".", " ", "/", " ").Replace(text(tool, "name")), "$1 $2"))
}

var (
	camel      = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	nameReads  = regexp.MustCompile(`\b(get|list|read|search|find|fetch|describe|show|query|view|lookup|count)\b`)
	nameWrites = regexp.MustCompile(`\b(create|update|add|set|write|send|insert|upsert|edit|post|publish|upload|rename|move|assign|merge)\b`)
	nameKills  = regexp.MustCompile(`\b(delete|destroy|erase|wipe|purge|truncate|uninstall)\b`)
)

func isString(p object) bool { return p["type"] == "string" && p["enum"] == nil && p["const"] == nil }
