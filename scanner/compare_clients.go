package scanner

import (
	"slices"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// The bounds on the listings that are remembered for each client of a server.
const (
	maxClients  = 4     // per server
	maxCompared = 65536 // definitions in total
)

// clientOffer contains what a server listed to one client.
type clientOffer struct {
	client      string
	version     string // version that the server reported
	last        time.Time
	definitions map[mcp.DefinitionKey]shown
	lists       [mcp.MessageSubject]bool // kinds that were listed completely
}

// shown is the version of a definition that a client saw last.
type shown struct {
	digest   mcp.Digest
	location Location
}

// ClientDifference is a definition that a server does not show to all clients in the same
// form.
type ClientDifference struct {
	mcp.DefinitionKey
	Change      string // one of the constants below
	Offset      int
	Other       string // client compared with
	At          Location
	Apart       time.Duration // time between the two listings, or negative if unknown
	SameVersion bool          // the server reported the same version both times
}

// The ways in which two clients' views of a server can differ.
const (
	ClientSeesOther = "changed"
	ClientSeesMore  = "added"
	ClientSeesLess  = "missing"
)

// compareClients records the definitions that a message offers the client, and compares them with
// those that the server offered to the first client with a different name.
func (j *judge) compareClients(p *JudgePass) (apart []ClientDifference) {
	e, m, client := p.event, p.Message, p.Server.Client
	if client == nil || client.Name == "" || e.Kind == DefinitionEvent || e.Kind == LockEvent {
		return nil
	}
	mine, other := j.offersOf(e, client.Name)
	if mine == nil {
		return nil
	}
	mine.last, mine.version = e.Time, p.Server.Info.Version
	tell := func(key mcp.DefinitionKey, change string, offset int, at Location) {
		apart = append(apart, ClientDifference{key, change, offset, other.client, at, between(other.last, e.Time), mine.version != "" && mine.version == other.version})
	}
	for i := range m.Definitions {
		d := &m.Definitions[i]
		key := d.Key()
		if d.Foreign || !j.note(mine, key, shown{d.Digest, j.places.At(d.Offset)}) || other == nil {
			continue
		}
		switch before, ok := other.definitions[key]; {
		case ok && before.digest != d.Digest:
			tell(key, ClientSeesOther, d.Offset, before.location)
		case !ok && other.lists[d.Kind]:
			tell(key, ClientSeesMore, d.Offset, Location{})
		}
	}
	for kind, listed := range m.Lists {
		if !listed || m.More {
			continue
		}
		mine.lists[kind] = true
		if other == nil {
			continue
		}
		for _, key := range other.keys(mcp.SubjectKind(kind)) {
			if _, ok := mine.definitions[key]; !ok {
				tell(key, ClientSeesLess, 0, other.definitions[key].location)
			}
		}
	}
	return apart
}

func between(a, b time.Time) time.Duration {
	if a.IsZero() || b.IsZero() {
		return -1
	}
	return b.Sub(a).Abs()
}

// offersOf returns what a server listed to a client, and to the first client with a different name.
// It returns nil for mine if there are too many clients.
func (j *judge) offersOf(e *Event, client string) (mine, other *clientOffer) {
	all := j.offers[e.Server]
	for _, o := range all {
		switch {
		case o.client == client:
			mine = o
		case other == nil:
			other = o
		}
	}
	if mine == nil && len(all) < maxClients {
		mine = &clientOffer{client: client, definitions: map[mcp.DefinitionKey]shown{}}
		j.offers[e.Server] = append(all, mine)
	}
	if mine == nil {
		j.coverage.skip("a server has more clients than the limit: the definitions that this client sees are not compared with what other clients see", e.Origin)
	}
	return mine, other
}

// note remembers a definition and reports whether there was room for it.
func (j *judge) note(o *clientOffer, key mcp.DefinitionKey, s shown) bool {
	if _, known := o.definitions[key]; !known {
		if j.shown >= maxCompared {
			return false
		}
		j.shown++
	}
	o.definitions[key] = s
	return true
}

// keys returns the keys of the definitions of one kind, sorted.
func (o *clientOffer) keys(kind mcp.SubjectKind) (keys []mcp.DefinitionKey) {
	for key := range o.definitions {
		if key.Kind == kind {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, mcp.DefinitionKey.Compare)
	return keys
}
