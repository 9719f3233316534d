//go:build !linux && !darwin

package sessionlog

// FindClient returns ErrUnsupported: the system does not reveal the client.
func FindClient() (Client, error) { return Client{}, ErrUnsupported }
