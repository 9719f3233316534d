package scanner

// Judge is the judge for benchmarks.
type Judge struct{ j *judge }

// NewJudge returns a judge with nothing in it.
func NewJudge(e *Engine) Judge { return Judge{newJudge(e)} }

// Judge judges one event.
func (j Judge) Judge(e *Event, f *Facts) []Finding { return j.j.judge(e, f) }
