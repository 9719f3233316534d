package scanner

import "github.com/mcpscan/mcpscan/internal/mcp"

// pinKey identifies a definition that a server listed.
type pinKey struct {
	server  string
	kind    mcp.SubjectKind
	name    string
	foreign bool // another engine's digest is remembered beside ours, so that neither hides a change
}

// version describes a definition listed after the one pinned under its name, in the same session.
type version struct {
	digest              mcp.Digest
	announced, reopened bool
}

// Notice returns whether the server announced the change to definition d with list_changed, and
// whether the client had initialized the server again, as after a restart. Either applies
// to one change only, but to every listing of the changed definition.
func (p *JudgePass) Notice(d *mcp.Definition) (announced, reopened bool) {
	v := p.judge.versions[pinKey{p.event.Server, d.Kind, d.Name, d.Foreign}]
	if v.digest == d.Digest {
		return v.announced, v.reopened
	}
	return p.Server.announced[d.Kind], p.Server.reopened[d.Kind]
}

// shared returns the record of a definition. If the definition equals the first one that the server
// listed under its name, the record refers to the copy that pin remembered, so that only one copy is
// kept.
func (j *judge) shared(e *Event, d *mcp.Definition) *Known {
	offset := d.Offset
	if known := j.pins[pinKey{e.Server, d.Kind, d.Name, d.Foreign}]; known != nil && known.Definition.Digest == d.Digest {
		if known.Definition == d {
			return known // just pinned
		}
		d = known.Definition
	} else {
		d = j.keepSchemas(e, d)
	}
	return j.known(e, d, offset)
}

// pin remembers the first definition that a server listed under a name and, if the session that
// listed it lists another one, that version.
func (j *judge) pin(e *Event, d *mcp.Definition) {
	key := pinKey{e.Server, d.Kind, d.Name, d.Foreign}
	if first := j.pins[key]; first != nil {
		key.name = first.Definition.Name // a copy, so that the message can be freed
		switch {
		case first.Session != e.Session:
		case first.Definition.Digest == d.Digest:
			delete(j.versions, key)
		default:
			announced, reopened := j.pass.Notice(d)
			j.versions[key] = version{d.Digest, announced, reopened}
		}
		return
	}
	if d.Kind == mcp.ToolSubject && j.pins[pinKey{e.Server, d.Kind, d.Name, !d.Foreign}] == nil {
		j.stats.Tools++
	}
	if len(j.pins) >= maxPins {
		j.coverage.skip("more definitions than the limit: later changes to this definition are not detected", e.Origin)
		return
	}
	before := j.schemas
	d = j.keepSchemas(e, d)
	j.pinned += j.schemas - before
	j.pins[key] = j.known(e, d, d.Offset)
}

// keepSchemas counts the schemas of a definition that is to be remembered. If they would exceed the
// limit on remembered schemas, it returns the definition without them.
func (j *judge) keepSchemas(e *Event, d *mcp.Definition) *mcp.Definition {
	if j.schemas+len(d.Input)+len(d.Output) > maxSchemas {
		bare := *d
		bare.Input, bare.Output = nil, nil
		d = &bare
		j.coverage.skip("more schemas than the limit: arguments and results of this tool are not checked", e.Origin)
	}
	j.schemas += len(d.Input) + len(d.Output)
	return d
}

// known returns the record of the definition at an offset in the event's frame.
func (j *judge) known(e *Event, d *mcp.Definition, offset int) *Known {
	at := j.places.At(offset)
	s := provenance{Server: e.Server, Session: e.Session, file: at.File, pointer: at.Pointer, Time: e.Time, Client: j.server.Client, Version: j.server.Info.Version}
	if j.provenance == nil || *j.provenance != s {
		j.provenance = new(s)
	}
	return &Known{Definition: d, at: at.place(), provenance: j.provenance}
}
