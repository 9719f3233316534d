package proxy

// Processes returns the number of running server processes, including those that are ending.
func (h *HTTP) Processes() int {
	if h.bridge == nil {
		return 0
	}
	h.bridge.mu.Lock()
	defer h.bridge.mu.Unlock()
	return h.bridge.count
}
