package live

import "os/exec"

func leaveSession(*exec.Cmd) {} // Windows has no sessions that a process could leave
