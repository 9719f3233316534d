package scanner

import (
	"maps"
	"slices"
	"sync"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Snapshot holds the definitions of servers and the findings in them. It is a Sink for an engine that
// keeps definitions; another engine uses it as the approved state.
type Snapshot struct {
	Servers map[string]*Offer
	File    string // name of the lockfile, unless it is the default

	digests map[mcp.Digest]bool
	known   map[[16]byte]Severity // severity of findings in definitions, lists of definitions and configurations, by identity of the finding
	lost    int
	places  Places            // locations in the current event
	started map[string]*Offer // servers of a lockfile, by what they start or reach
}

// Offer holds one server's definitions.
type Offer struct {
	Server      string
	Info        mcp.ServerInfo
	Identity    *baseline.Identity       // nil if unknown
	Locked      *baseline.LockedIdentity // nil if not in a lockfile
	Members     baseline.Members         // members that a lockfile has for the server besides its definitions; nil without a lockfile entry
	Client      *mcp.ClientInfo          // client to which the server listed them
	Location    Location                 // location where the server was first seen
	Definitions map[mcp.DefinitionKey]*Offered
	Lists       [mcp.MessageSubject]bool // kinds that the server listed completely, or does not have
	Unlisted    bool                     // the server did not return all lists that it declares
	Duplicates  []Duplicate
	Renamed     bool     // compared with a server that has a different name and arguments: only the definitions are comparable
	Rival       Location // location of another server configured with the same name; zero if there is none

	// Results cached by Keys and NameOf. mu guards them, because engines can share an offer.
	mu      sync.Mutex
	sorted  []mcp.DefinitionKey
	content map[content][]string
}

// content identifies the text and schema of a definition, without its name.
type content struct {
	kind  mcp.SubjectKind
	parts [2]mcp.Digest
}

// Offered is the latest version of a definition.
type Offered struct {
	*mcp.Definition
	Location Location
}

// pending reports whether the definition is in a lockfile but has not been approved.
func (o *Offered) pending() bool { return o.Status == "pending" }

// Duplicate is a definition that occurs twice in one list, in different forms.
type Duplicate struct {
	mcp.DefinitionKey
	First, Second Location
}

// maxOffered bounds the definitions, and the findings, in a snapshot. The largest of the published servers
// examined has 235 definitions.
const maxOffered = 65536

// NewSnapshot returns an empty snapshot.
func NewSnapshot() *Snapshot {
	return &Snapshot{Servers: map[string]*Offer{}, digests: map[mcp.Digest]bool{}, known: map[[16]byte]Severity{}}
}

// Offer returns a server's offer, creating it if necessary.
func (s *Snapshot) Offer(server string) *Offer {
	o := s.Servers[server]
	if o == nil {
		o = &Offer{Server: server, Definitions: map[mcp.DefinitionKey]*Offered{}}
		s.Servers[server] = o
	}
	return o
}

// Event adds the definitions in an event.
func (s *Snapshot) Event(e *Event, out *Outcome) error {
	if e.Kind == ConfigEvent {
		for i := range e.Config.Entries {
			s.identify(e.Config, &e.Config.Entries[i])
		}
	}
	s.places.reset(e)
	for i := range out.Messages {
		m := out.Messages[i].Message
		if m.Kind == mcp.Malformed || m.Kind == mcp.Audit {
			continue
		}
		o := s.Offer(e.Server)
		if e.Identity != nil {
			o.rival(e.Identity, s.places.At(m.Offset))
			o.Identity = e.Identity.WithHosts(o.Identity)
		}
		if e.Kind == LockEvent {
			o.Locked, o.Members = e.Locked, e.Members
			if key := e.Locked.Last().Key(); key != "" && s.started[key] == nil {
				set(&s.started, key, o)
			}
		}
		if o.Location == (Location{}) {
			o.Location = s.places.At(m.Offset)
		}
		if m.Client != nil && o.Client == nil {
			o.Client = m.Client
		}
		if m.Server != nil {
			o.Info.Update(m.Server)
		}
		s.take(o, m)
	}
	if e.Kind == StartedEvent {
		s.Offer(e.Server).started(e)
	}
	return nil
}

// started records which lists a started server does not offer, and whether it did not return one that it
// declares.
func (o *Offer) started(e *Event) {
	o.Unlisted = o.Unlisted || e.Unlisted
	for _, member := range e.Absent {
		o.Lists[listings[member]] = true
	}
}

// identify records a server's configured identity. Of several, the first one counts, with the hosts of
// the others that are not disabled.
func (s *Snapshot) identify(c *configfile.ClientConfig, entry *configfile.Entry) {
	o := s.Offer(entry.Name)
	id, at := baseline.IdentityOf(entry), ConfiguredServer{c, entry}.Location()
	if o.Identity == nil {
		o.Identity, o.Location = id, at
	} else if !entry.Disabled {
		o.rival(id, at)
		o.Identity = o.Identity.WithHosts(id)
	}
}

// rival sets the offer's Rival to at if id identifies a different server with the offer's name.
func (o *Offer) rival(id *baseline.Identity, at Location) {
	if o.Identity != nil && !o.Identity.Alike(id) {
		o.Rival = at
	}
}

// take adds the definitions in a message.
func (s *Snapshot) take(o *Offer, m *Message) {
	var here map[mcp.DefinitionKey]*mcp.Definition
	for i := range m.Definitions {
		d := &m.Definitions[i]
		if d.Sent == nil || len(s.digests) >= maxOffered {
			s.lost++
			continue
		}
		key, at := d.Key(), s.places.At(d.Offset)
		if first := here[key]; first != nil && first.Digest != d.Digest {
			o.Duplicates = append(o.Duplicates, Duplicate{key, s.places.At(first.Offset), at})
			continue
		}
		set(&here, key, d)
		s.Add(o, &Offered{Definition: d, Location: at})
	}
	for kind, listed := range m.Lists {
		o.Lists[kind] = o.Lists[kind] || listed && !m.More
	}
}

// Add adds a definition to an offer of the snapshot, replacing one of the same kind and name.
func (s *Snapshot) Add(o *Offer, d *Offered) {
	o.mu.Lock()
	o.Definitions[d.Key()] = d
	o.sorted, o.content = nil, nil
	o.mu.Unlock()
	s.digests[d.Digest] = true
}

// Finding records a finding in a definition, a list of definitions or a configuration.
func (s *Snapshot) Finding(f *Finding) error {
	if (f.Subject.Definition() || f.Subject == mcp.ConfigSubject || f.Subject == mcp.MessageSubject) && len(s.known) < maxOffered {
		id := f.identity()
		s.known[id] = max(s.known[id], f.Severity)
	}
	return nil
}

// Knows reports whether the snapshot contains the same finding with at least its severity. The name
// of the server is compared only for a finding in a configuration.
func (s *Snapshot) Knows(f *Finding) bool {
	known, ok := s.known[f.identity()]
	return ok && known >= f.Severity
}

// Only returns a snapshot that contains only the named server.
func (s *Snapshot) Only(name string) *Snapshot {
	other := *s
	other.Servers = map[string]*Offer{name: s.Servers[name]}
	return &other
}

// Lost returns the number of definitions that were not added.
func (s *Snapshot) Lost() int { return s.lost }

// Names returns the names of the servers, sorted.
func (s *Snapshot) Names() []string { return slices.Sorted(maps.Keys(s.Servers)) }

// Keys returns the keys of the offer's definitions, sorted by kind and name.
func (o *Offer) Keys() []mcp.DefinitionKey {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.keys()
}

func (o *Offer) keys() []mcp.DefinitionKey {
	if o.sorted == nil {
		o.sorted = slices.SortedFunc(maps.Keys(o.Definitions), mcp.DefinitionKey.Compare)
	}
	return o.sorted
}

// NameOf returns the first other name under which the offer contains a definition with the same
// text and schema, or "" if there is none.
func (o *Offer) NameOf(d *mcp.Definition) string {
	if d.Parts[0] == (mcp.Digest{}) {
		return ""
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.content == nil {
		o.content = map[content][]string{}
		for _, key := range o.keys() {
			c := content{key.Kind, [2]mcp.Digest(o.Definitions[key].Parts[:2])}
			if len(o.content[c]) < 2 { // two are enough, because one of them differs from the given name
				o.content[c] = append(o.content[c], key.Name)
			}
		}
	}
	for _, name := range o.content[content{d.Kind, [2]mcp.Digest(d.Parts[:2])}] {
		if name != d.Name {
			return name
		}
	}
	return ""
}
