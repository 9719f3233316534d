package report

// Flush writes the current event. It is for callers who know that the event has no more
// findings.
func (v *Events) Flush() error {
	v.flush()
	if err := v.out.Flush(); v.err == nil {
		v.err = err
	}
	return v.err
}
