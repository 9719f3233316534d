package report

// Flush writes the event at hand. It is for a caller who knows that no more findings of it come.
func (v *Events) Flush() error {
	v.flush()
	if err := v.out.Flush(); v.err == nil {
		v.err = err
	}
	return v.err
}
