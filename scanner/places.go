package scanner

import (
	"sort"
	"unicode/utf8"
)

// places finds lines and columns in the frame of one event. It counts through
// the frame once and leaves marks, so that the places of many findings cost
// little in whatever order they are asked for.
type places struct {
	event *Event
	marks []mark
}

type mark struct {
	off, line, column int
}

// markEvery is the distance of the marks in bytes.
const markEvery = 1024

// reset starts with another event.
func (p *places) reset(e *Event) { p.event, p.marks = e, p.marks[:0] }

// at returns what Origin.At does.
func (p *places) at(off int) Location {
	o, frame := p.event.Origin, p.event.Frame
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

func (m mark) at(file string, frame []byte, off int) Location {
	return Origin{file, m.line, m.column, true}.At(frame[m.off:], off-m.off)
}
