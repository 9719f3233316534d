package scanner

import (
	"sort"
	"unicode/utf8"
)

// Places finds lines and columns in a text, such as the frame of an event. It scans the text
// once and leaves marks, so that many places cost little in any order.
type Places struct {
	origin Origin
	frame  []byte
	marks  []mark
}

// NewPlaces returns a finder of places in a file.
func NewPlaces(file string, data []byte) *Places {
	return &Places{origin: Origin{File: file, Line: 1, Column: 1, Exact: true}, frame: data}
}

type mark struct {
	off, line, column int
}

// markEvery is the distance of the marks in bytes.
const markEvery = 1024

// reset starts with another event.
func (p *Places) reset(e *Event) { p.origin, p.frame, p.marks = e.Origin, e.Frame, p.marks[:0] }

// At returns what Origin.At does.
func (p *Places) At(off int) Location {
	o, frame := p.origin, p.frame
	if !o.Exact || off > len(frame) {
		return Location{o.File, o.Line, o.Column}
	}
	if len(p.marks) == 0 {
		p.marks = append(p.marks, mark{0, o.Line, o.Column})
	}
	for last := p.marks[len(p.marks)-1]; off >= last.off+markEvery; last = p.marks[len(p.marks)-1] {
		end := last.off + markEvery
		for range utf8.UTFMax - 1 { // no mark inside a character
			if end < len(frame) && !utf8.RuneStart(frame[end]) {
				end--
			}
		}
		loc := last.at(o.File, frame, end)
		p.marks = append(p.marks, mark{end, loc.Line, loc.Column})
	}
	k := sort.Search(len(p.marks), func(k int) bool { return p.marks[k].off > off })
	return p.marks[max(0, k-1)].at(o.File, frame, off)
}

// Origin returns the origin of the text that begins at a place.
func (p *Places) Origin(off int) Origin {
	loc := p.At(off)
	return Origin{loc.File, loc.Line, loc.Column, true}
}

func (m mark) at(file string, frame []byte, off int) Location {
	return Origin{file, m.line, m.column, true}.At(frame[m.off:], off-m.off)
}
