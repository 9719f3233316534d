package sessionlog

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// FindClient returns the client of this process. It is the nearest ancestor with a different
// standard input: intermediaries such as npx or a shell pass on their own input, whose other end
// the client holds. If the input is neither a pipe nor a socket, for example on a terminal, the client
// is the parent.
func FindClient() (Client, error) {
	pid := os.Getppid()
	if input, ok := inputOf("self"); ok {
		for range maxAncestors {
			theirs, ok := inputOf(strconv.Itoa(pid))
			if !ok || theirs != input {
				break
			}
			parent, _, err := statOf(pid)
			if err != nil || parent == 0 {
				return Client{}, errNoClient
			}
			pid = parent
		}
	}
	_, started, err := statOf(pid)
	if err != nil {
		return Client{}, errNoClient
	}
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	namespace, _ := os.Readlink("/proc/self/ns/pid") // process IDs are only unique within a container
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return Client{
		Name: fmt.Sprintf("%s-%d", plainName(strings.TrimSpace(string(name))), pid),
		Key:  fmt.Sprintf("%d %s %s %s", pid, started, namespace, bytes.TrimSpace(boot)),
	}, nil
}

// input identifies a pipe or a socket.
type input struct{ device, inode uint64 }

// inputOf returns the standard input of a process; ok is false if it is neither a pipe nor a socket,
// or is unknown.
func inputOf(process string) (in input, ok bool) {
	var is unix.Stat_t
	if err := unix.Stat("/proc/"+process+"/fd/0", &is); err != nil {
		return input{}, false
	}
	kind := is.Mode & unix.S_IFMT
	return input{uint64(is.Dev), is.Ino}, kind == unix.S_IFIFO || kind == unix.S_IFSOCK
}

// statOf returns the parent and the start time of a process.
func statOf(pid int) (parent int, started string, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, "", err
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // the name may contain anything
	const parentField, startedField = 1, 19
	if len(fields) <= startedField {
		return 0, "", errNoClient
	}
	parent, err = strconv.Atoi(fields[parentField])
	return parent, fields[startedField], err
}
