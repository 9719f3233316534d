package configuration

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/entries"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var PrivilegedRuntime = scanner.Rule{
	ID:         "cfg-privileged-runtime",
	Category:   "configuration",
	Title:      "A server runs with more permissions than it needs",
	Why:        "A server does what a model requests, and a model can be manipulated. A server that runs as root, or has access to the whole disk or the Docker socket, can then harm the whole machine.",
	Fix:        "Remove the option. Mount only the directories that the server works on, read-only if possible; give a file server only the project directory.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The finding is high if the sandbox is ineffective or everything is writable, and medium for host networking, a read-only home directory, or a browser without its sandbox.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-LLM:LLM06", "CWE-250"},
	Config: func(p *scanner.ConfigPass) {
		entries.EachCommand(p, func(e *configfile.Entry, l *launch.Command) {
			report := func(arg int, severity scanner.Severity, message string) {
				pointer, word := entries.Argument(e, arg)
				p.Report(e, pointer, severity, message, word)
			}
			asRoot(e, report)
			switch {
			case l.Program == "docker" || l.Program == "podman" || l.Program == "nerdctl":
				containerRights(l, report)
			case strings.Contains(l.Name, "filesystem"):
				wholeDisk(l, report)
			}
			for i, w := range l.Words {
				if w == "--no-sandbox" || w == "--disable-sandbox" {
					report(l.ArgOf(i), scanner.Medium, "the browser runs without its sandbox")
				}
			}
		})
	},
}

// asRoot reports commands that run the server with a different user's permissions.
func asRoot(e *configfile.Entry, report func(int, scanner.Severity, string)) {
	const message = "the server runs as root"
	if elevating.MatchString(e.Command) {
		report(launch.InCommand, scanner.High, message)
	}
	if len(e.Args) > 0 && wrapping.MatchString(e.Command) && elevating.MatchString(e.Args[0]) {
		report(0, scanner.High, message)
	}
}

var (
	elevating = lazyregexp.New(`^(?:/usr/bin/|/usr/local/bin/)?(?:sudo|doas|pkexec|gsudo)(?:\.exe)?(?: |$)`)
	wrapping  = lazyregexp.New(`(?:^|/)(?:env|nohup|nice|time|timeout)$`)
)

// right is a docker run option, with its value, that weakens the container's isolation.
type right struct {
	option, value *lazyregexp.Regexp
	severity      scanner.Severity
	message       string
}

var (
	// shortMount matches -v and a group that ends with it, with the value if it follows directly.
	shortMount = lazyregexp.New(`^-[ditPq]*v=?(.*)$`)

	mounting = lazyregexp.New(`^(?:-v|--volume|--mount)$`)
	rights   = []right{
		{lazyregexp.New(`^--privileged$`), lazyregexp.New(`^(?:true)?$`), scanner.High, "the container has full rights on the host (--privileged)"},
		{lazyregexp.New(`^--(?:pid|ipc|uts|userns|cgroupns)$`), lazyregexp.New(`^host$`), scanner.High, "the container shares a namespace with the host"},
		{lazyregexp.New(`^--net(?:work)?$`), lazyregexp.New(`^host$`), scanner.Medium, "the container shares the host network and everything that listens on it"},
		{lazyregexp.New(`^--cap-add$`), lazyregexp.New(`(?i)^(?:cap_)?(?:all|sys_admin|sys_ptrace|sys_module|dac_read_search)$`), scanner.High, "the container has a capability that allows an escape to the host"},
		{lazyregexp.New(`^--security-opt$`), lazyregexp.New(`^(?:seccomp|apparmor|label|systempaths)[=:](?:unconfined|disable)`), scanner.High, "a protection of the container is disabled"},
		{lazyregexp.New(`^--device$`), lazyregexp.New(`^/dev/(?:mem|kmem|sd|nvme|disk)`), scanner.High, "the container has access to a disk or the memory of the host"},
		{mounting, lazyregexp.New(`(?:docker|podman|containerd)\.sock`), scanner.High, "the container controls the container engine, which is root on the host"},
		{mounting, lazyregexp.New(`^(?:/|[A-Za-z]:[\\/]?):` +
			`|(?:^|,)(?:src|source)=(?:/|[A-Za-z]:[\\/]?)(?:,|$)`), scanner.High, "the container mounts the whole disk of the host"},
		{mounting, lazyregexp.New(`^/(?:etc|root|boot|sys|proc|dev|var/run|run)/?:|(?:^|,)(?:src|source)=/(?:etc|root|boot|sys|proc|dev)(?:,|$)`), scanner.High, "the container mounts a system directory of the host"},
		{mounting, lazyregexp.New(`^` + home + `/?:.*:ro$|(?:^|,)(?:src|source)=` + home + `/?,(?:.*,)?(?:ro|readonly)(?:,|=|$)`), scanner.Medium, "the container can read the whole home directory"},
		{mounting, lazyregexp.New(`^` + home + `/?:|(?:^|,)(?:src|source)=` + home + `/?(?:,|$)`), scanner.High, "the container mounts the whole home directory"},
	}
)

// home matches an entire home directory, as written in a configuration.
const home = `(?:~|\$HOME|\$\{(?:env:)?(?:HOME|USERPROFILE|userHome)\}|\{env:HOME\}|/(?:home|Users)/[^/:,]+|%USERPROFILE%|[A-Za-z]:[\\/]Users[\\/][^\\/:,]+)`

// containerRights checks the options before the image name.
func containerRights(l *launch.Command, report func(int, scanner.Severity, string)) {
	for i := 0; i < len(l.Words); i++ {
		if l.First != launch.InText && l.ArgOf(i) == l.Arg {
			return
		}
		option, value, attached := strings.Cut(l.Words[i], "=")
		if mount := shortMount.FindStringSubmatch(l.Words[i]); mount != nil {
			option, value, attached = "-v", mount[1], mount[1] != ""
		}
		if !attached && option != "--privileged" && i+1 < len(l.Words) {
			value = l.Words[i+1]
		}
		for _, r := range rights {
			if r.option.MatchString(option) && r.value.MatchString(value) {
				report(l.ArgOf(i), r.severity, r.message)
				break
			}
		}
	}
}

// wholeDisk checks the directories passed to a file server.
func wholeDisk(l *launch.Command, report func(int, scanner.Severity, string)) {
	for i, w := range l.Words {
		switch {
		case everything.MatchString(w):
			report(l.ArgOf(i), scanner.High, "the file server can access the whole disk")
		case wholeHome.MatchString(w):
			report(l.ArgOf(i), scanner.High, "the file server can access the whole home directory, including keys")
		}
	}
}

var (
	everything = lazyregexp.New(`^(?:/|[A-Za-z]:[\\/]*|/(?:home|Users)/?|/mnt/[a-z]/?)$`)
	wholeHome  = lazyregexp.New(`^` + home + `[\\/]?$`)
)
