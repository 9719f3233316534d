package scanner

import (
	"sort"
	"unicode/utf8"
)

// Places converts offsets in a text, such as an event's frame, to lines and columns. It scans the
// text once and remembers marks in it, so that many lookups are cheap in any order.
type Places struct {
	origin Origin
	frame  []byte
	parts  []Part
	inside map[int]*Places // by part, identified by its start offset
	marks  []mark
}

// NewPlaces returns the Places of a file.
func NewPlaces(file string, data []byte) *Places {
	return &Places{origin: Origin{File: file, Line: 1, Column: 1, Exact: true}, frame: data}
}

// NewPlacesAt returns the Places of a text that begins at the given origin.
func NewPlacesAt(at Origin, data []byte) *Places { return &Places{origin: at, frame: data} }

type mark struct {
	off, line, column int
}

// markEvery is the distance between marks, in bytes.
const markEvery = 1024

// reset switches to another event.
func (p *Places) reset(e *Event) {
	p.origin, p.frame, p.parts, p.inside, p.marks = e.Origin, e.Frame, e.Parts, nil, p.marks[:0]
}

// within returns the Places for the text of a part.
func (p *Places) within(part *Part) *Places {
	if p.inside[part.Start] == nil {
		set(&p.inside, part.Start, NewPlacesAt(part.Origin, p.frame[part.Start:part.End]))
	}
	return p.inside[part.Start]
}

// part returns the part of the frame that contains byte off, or nil if there is none.
func (p *Places) part(off int) *Part {
	k := sort.Search(len(p.parts), func(k int) bool { return p.parts[k].End > off })
	if k == len(p.parts) || p.parts[k].Start > off {
		return nil
	}
	return &p.parts[k]
}

// At returns the location of byte off, as Origin.At does.
func (p *Places) At(off int) Location {
	o, frame := p.origin, p.frame
	if part := p.part(off); part != nil {
		return p.within(part).At(off - part.Start)
	}
	if !o.Exact || off > len(frame) {
		return Location{o.File, o.Line, o.Column, o.Pointer}
	}
	if len(p.marks) == 0 {
		p.marks = append(p.marks, mark{0, o.Line, o.Column})
	}
	for last := p.marks[len(p.marks)-1]; off >= last.off+markEvery; last = p.marks[len(p.marks)-1] {
		end := last.off + markEvery
		for range utf8.UTFMax - 1 { // do not set a mark inside a character
			if end < len(frame) && !utf8.RuneStart(frame[end]) {
				end--
			}
		}
		loc := last.at(o.File, frame, end)
		p.marks = append(p.marks, mark{end, loc.Line, loc.Column})
	}
	k := sort.Search(len(p.marks), func(k int) bool { return p.marks[k].off > off })
	loc := p.marks[max(0, k-1)].at(o.File, frame, off)
	loc.Pointer = o.Pointer
	return loc
}

// Origin returns the origin of the text that begins at byte off.
func (p *Places) Origin(off int) Origin {
	loc := p.At(off)
	return Origin{File: loc.File, Line: loc.Line, Column: loc.Column, Exact: true}
}

func (m mark) at(file string, frame []byte, off int) Location {
	return Origin{File: file, Line: m.line, Column: m.column, Exact: true}.At(frame[m.off:], off-m.off)
}
