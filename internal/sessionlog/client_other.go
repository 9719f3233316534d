//go:build !linux && !darwin

package sessionlog

// FindClient refuses: the system does not say who the client is.
func FindClient() (Client, error) { return Client{}, ErrUnsupported }
