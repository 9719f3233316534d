package report

// Flush writes the current event. Callers must know that the event has no more
// findings.
func (v *Events) Flush() error {
	v.flush()
	if err := v.out.Flush(); v.err == nil {
		v.err = err
	}
	return v.err
}
