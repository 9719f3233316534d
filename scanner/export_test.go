package scanner

// Judge is the judge for benchmarks.
type Judge struct{ j *judge }

// NewJudge returns a judge with nothing in it.
func NewJudge(e *Engine) Judge { return Judge{newJudge(e)} }

// Judge judges one event.
func (j Judge) Judge(e *Event, f *Facts) []Finding { return j.j.judge(e, f) }

// Places returns the finder of places in the frame of an event.
func Places(e *Event) func(off int) Location {
	p := &places{}
	p.reset(e)
	return p.at
}
