//go:build !linux && !darwin

package sessionlog

// FindClient returns ErrUnsupported.
func FindClient() (Client, error) { return Client{}, ErrUnsupported }
