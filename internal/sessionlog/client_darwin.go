package sessionlog

import (
	"bytes"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// FindClient returns the client of this process: the process at the other end of standard input if
// that is a socket, as Node.js clients create, otherwise the nearest ancestor that is neither a
// shell nor a package launcher. On a terminal, the client is the parent.
func FindClient() (Client, error) {
	if pid, err := unix.GetsockoptInt(0, unix.SOL_LOCAL, unix.LOCAL_PEERPID); err == nil && pid > 0 && pid != os.Getpid() {
		if c, err := clientOf(pid); err == nil {
			return c, nil
		}
	}
	pid := os.Getppid()
	if _, err := unix.IoctlGetTermios(0, unix.TIOCGETA); err == nil { // started from a terminal
		return clientOf(pid)
	}
	for range maxAncestors {
		is, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil || is.Eproc.Ppid == 0 {
			return Client{}, errNoClient
		}
		if !launchers[commOf(is)] {
			return clientOf(pid)
		}
		pid = int(is.Eproc.Ppid)
	}
	return Client{}, errNoClient
}

// launchers are programs that start a server for a client.
var launchers = map[string]bool{"sh": true, "bash": true, "dash": true, "zsh": true, "fish": true, "env": true,
	"npx": true, "npm": true, "npm exec": true, "pnpm": true, "yarn": true, "bunx": true, "uv": true, "uvx": true}

func clientOf(pid int) (Client, error) {
	is, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return Client{}, errNoClient
	}
	started := is.Proc.P_starttime
	return Client{
		Name: fmt.Sprintf("%s-%d", plainName(commOf(is)), pid),
		Key:  fmt.Sprintf("%d %d.%06d", pid, started.Sec, started.Usec),
	}, nil
}

func commOf(is *unix.KinfoProc) string {
	name, _, _ := bytes.Cut(is.Proc.P_comm[:], []byte{0})
	return string(name)
}
