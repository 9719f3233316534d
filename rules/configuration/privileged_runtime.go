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
	Basis:      "The finding is high if the server runs as root, if an option breaks the isolation of its container, or if the server can access a whole disk, a system directory or, with write access, a whole home directory. It is medium for host networking, a read-only home directory, access to directories with credentials, or a browser without its sandbox.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-LLM:LLM06", "CWE-250"},
	Config: func(p *scanner.ConfigPass) {
		entries.EachNested(p, func(_ *configfile.Entry, l *launch.Command, report entries.Reporter) {
			if l.Contained {
				return
			}
			if l.Root != launch.NoCode {
				report(l.Root, scanner.High, "the server runs as root", "")
			}
			switch {
			case l.RunsContainer():
				containerRights(l, report)
			case strings.Contains(l.Name, "filesystem"):
				servedDirectories(l, report)
			}
			for i, w := range l.Words {
				if w == "--no-sandbox" || w == "--disable-sandbox" {
					report(l.ArgOf(i), scanner.Medium, "the browser runs without its sandbox", w)
				}
			}
		})
	},
}

// right is a docker run option, with its value, that weakens the container's isolation.
type right struct {
	option, value *lazyregexp.Regexp
	severity      scanner.Severity
	message       string
}

var (
	// shortMount matches -v, or a group of short options that ends with v, with the value if it is
	// attached.
	shortMount = lazyregexp.New(`^-[ditPq]*v=?(.*)$`)

	mounting = lazyregexp.New(`^(?:-v|--volume|--mount)$`)
	rights   = []right{
		{lazyregexp.New(`^--privileged$`), lazyregexp.New(`^(?:true)?$`), scanner.High, "the container has full rights on the host (--privileged)"},
		{lazyregexp.New(`^--(?:pid|ipc|uts|userns|cgroupns)$`), lazyregexp.New(`^host$`), scanner.High, "the container shares a namespace with the host"},
		{lazyregexp.New(`^--net(?:work)?$`), lazyregexp.New(`^host$`), scanner.Medium, "the container shares the host network, including everything that listens on it"},
		{lazyregexp.New(`^--cap-add$`),
			lazyregexp.New(`(?i)^(?:cap_)?(?:all|sys_admin|sys_ptrace|sys_module|dac_read_search)$`), scanner.High,
			"the container has a capability that allows an escape to the host"},
		{lazyregexp.New(`^--security-opt$`), lazyregexp.New(`^(?:seccomp|apparmor|label|systempaths)[=:](?:unconfined|disable)`), scanner.High, "a security restriction of the container is disabled"},
		{lazyregexp.New(`^--device$`), lazyregexp.New(`^/dev/(?:mem|kmem|sd|nvme|disk)`), scanner.High, "the container has access to a disk or the memory of the host"},
		{mounting,
			lazyregexp.New(`(?:docker|podman|containerd)\.sock|(?i:pipe[\\/](?:docker_engine|podman-machine-))`),
			scanner.High, "the container controls the container engine, which is root on the host"},
		{mounting, mounted(everything), scanner.High, "the container mounts the whole disk of the host"},
		{mounting, mounted(system), scanner.High, "the container mounts a system directory of the host"},
		{mounting, lazyregexp.New(`^` + home + `[\\/]?:.*:ro$|(?:^|,)(?:src|source)=` + home + `[\\/]?,(?:.*,)?(?:ro|readonly)(?:,|=|$)`), scanner.Medium, "the container can read the whole home directory"},
		{mounting, mounted(home + `[\\/]?`), scanner.High, "the container mounts the whole home directory"},
		{mounting, mounted(credentials), scanner.Medium, "the container mounts credentials of the user"},
	}
)

// mounted returns a pattern for an option that mounts a path.
func mounted(path string) *lazyregexp.Regexp {
	return lazyregexp.New(`^(?:` + path + `):|(?:^|,)(?:src|source)=(?:` + path + `)(?:,|$)`)
}

// containerRights checks the options before the image name.
func containerRights(l *launch.Command, report entries.Reporter) {
	words := l.Words
	if l.Ecosystem.Fetched() {
		words = l.Options
	}
	for i, w := range words {
		option, value, attached := strings.Cut(w, "=")
		if mount := shortMount.FindStringSubmatch(w); mount != nil {
			option, value, attached = "-v", mount[1], mount[1] != ""
		}
		if !attached && option != "--privileged" && i+1 < len(words) {
			value = words[i+1]
			if l.First == launch.InText { // several mounts in a text differ only by their values
				w += " " + value
			}
		}
		for _, r := range rights {
			if r.option.MatchString(option) && r.value.MatchString(value) {
				report(l.ArgOf(i), r.severity, r.message, w)
				break
			}
		}
	}
}

// servedDirectories checks the directories passed to a file server, as arguments or values of options.
func servedDirectories(l *launch.Command, report entries.Reporter) {
	for i, w := range l.Words {
		directory := w
		if _, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(w, "-") {
			directory = value
		}
		for _, s := range served {
			if s.directory.MatchString(directory) {
				report(l.ArgOf(i), s.severity, s.message, w)
				break
			}
		}
	}
}

// served lists the directories that a file server should not offer. The first match wins.
var served = []struct {
	directory *lazyregexp.Regexp
	severity  scanner.Severity
	message   string
}{
	{lazyregexp.New(`^(?:` + everything + `)$`), scanner.High, "the file server can access the whole disk"},
	{lazyregexp.New(`^(?:` + system + `)$`), scanner.High, "the file server can access a system directory"},
	{lazyregexp.New(`^` + home + `[\\/]?$`), scanner.High, "the file server can access the whole home directory, including keys"},
	{lazyregexp.New(`^(?:` + credentials + `)$`), scanner.Medium, "the file server can access credentials of the user"},
}
