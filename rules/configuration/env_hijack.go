package configuration

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/entries"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var EnvHijack = scanner.Rule{
	ID:         "cfg-env-hijack",
	Category:   "configuration",
	Title:      "A variable, option or file changes the code that a harmless command runs",
	Why:        "LD_PRELOAD, NODE_OPTIONS, PATH and similar variables decide which code a command runs, and command-line options and settings files of launchers decide where that code comes from. The server still appears under the name that the user approved.",
	Fix:        "Remove the variable, option or file. Put code that must run before the server into the server's own package.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The finding is high for variables that name code to run, search paths that begin in a directory where others can write, a PATH that begins in the working directory, a Python interpreter or an additional package that is a file or directory of the project, and a file of the project that runs instead of the package version that the entry requests (medium if the file is in the project's own copy of the package). It is medium for variables that redirect downloads or traffic (lock-stale reports a new host as high), files of the project that decide which packages uv and pip install, and from where, variables that make a file of the project run instead of Yarn, a file whose code pnpm runs (.pnpmfile.cjs), and search paths that make a downloaded package load code from the working directory. Paths from which a program of the project loads the project's own code are not reported.",
	Refs:       []string{"OWASP-MCP:MCP05", "ATLAS:AML.T0081", "CWE-427"},
	Config: func(p *scanner.ConfigPass) {
		entries.EachCommand(p, func(e *configfile.Entry, l *launch.Command) {
			named(e.Env, "/env/", func(pointer, name, value string) {
				if severity, message := hijack(name, value, runsPackage(l)); message != "" {
					p.Report(e, pointer, severity, message, name+"="+value)
				}
			})
		})
		entries.EachNested(p, hijackedArguments)
		for i := range p.Entries {
			replacedPackage(p, &p.Entries[i])
		}
		if p.User {
			return // users set their own environment
		}
		for _, s := range p.Settings {
			if !strings.HasPrefix(s.Pointer, "/env/") && !strings.HasPrefix(s.Pointer, "/envFile/") {
				continue
			}
			if severity, message := hijack(lastToken(s.Pointer), s.Text, true); message != "" {
				p.ReportOther(nil, s, severity, message, lastToken(s.Pointer)+"="+s.Text)
			}
		}
	},
}

// replacedPackage reports an entry that requests an exact version of a package, but runs a file of the
// project. The finding is less severe if the file is in the project's own copy of the package.
func replacedPackage(p *scanner.ConfigPass, e *configfile.Entry) {
	l := launch.Parse(e.Command, e.Args)
	if e.Found.Instead == "" || !l.Exact {
		return
	}
	severity, message := scanner.High, "the launcher runs what is in the project instead of the package"
	if committed := "/node_modules/" + l.Name + "/"; strings.Contains("/"+e.Found.Instead, committed) {
		severity, message = scanner.Medium, "the launcher runs the package that the project contains instead of the published one"
	}
	pointer, _ := entries.Argument(e, l.Arg)
	p.Report(e, pointer, severity, message, e.Found.Instead)
}

// runsPackage reports whether a command runs a downloaded package, and not code of the project with it.
func runsPackage(l *launch.Command) bool {
	script := l.Script()
	return l.Ecosystem.Fetched() && (script.Path == "" || script.Module)
}

// hijackedArguments checks the variables that are set on a command line, and launcher options that have
// the same effect.
func hijackedArguments(_ *configfile.Entry, l *launch.Command, report entries.Reporter) {
	for _, v := range l.Env {
		if severity, message := hijack(v.Name, v.Value, runsPackage(l)); message != "" {
			report(v.Arg, severity, message, v.Name+"="+v.Value)
		}
	}
	if !l.Ecosystem.Fetched() {
		return
	}
	check := func(words []string, arg int) {
		name, value, attached := strings.Cut(words[0], "=")
		if !attached && len(words) > 1 {
			value = words[1]
		}
		if severity, message := hijack(sameAsOption(l, name), value, runsPackage(l)); message != "" {
			report(arg, severity, message, name+" "+value)
		}
	}
	for i, word := range l.Options {
		word, attached := strings.CutPrefix(word, "--pip-args=")
		if !attached && (i == 0 || l.Options[i-1] != "--pip-args") {
			check(l.Options[i:], l.ArgOf(i))
			continue
		}
		words := strings.Fields(word) // the options that pipx passes to pip
		for k := range words {
			check(words[k:], l.ArgOf(i))
		}
	}
}

// sameAsOption returns the variable that has the same effect as a launcher option, or "".
func sameAsOption(l *launch.Command, option string) string {
	switch {
	case option == "--node-options":
		return "NODE_OPTIONS"
	case registryOption.MatchString(option):
		return "UV_INDEX"
	case l.Program == "uv" && strings.HasPrefix(option, "--with") && !slices.Contains(l.Options, "tool"):
		return "" // uv run starts programs of the project
	case slices.Contains([]string{"uv", "uvx", "pipx", "pip"}, l.Program):
		return pythonOptions[option]
	}
	return ""
}

// pythonOptions contains the variables that have the same effect as options of uv, pip and pipx.
var pythonOptions = map[string]string{
	"--python": "UV_PYTHON", "-p": "UV_PYTHON",
	"--config-file": "UV_CONFIG_FILE",
	"--override":    "UV_OVERRIDE", "--overrides": "UV_OVERRIDE",
	"--constraint": "UV_CONSTRAINT", "--constraints": "UV_CONSTRAINT", "-c": "UV_CONSTRAINT",
	"--build-constraint": "UV_BUILD_CONSTRAINT", "--build-constraints": "UV_BUILD_CONSTRAINT", "-b": "UV_BUILD_CONSTRAINT",
	"--with-requirements": "PIP_REQUIREMENT",
	"--find-links":        "UV_FIND_LINKS", "-f": "UV_FIND_LINKS",
	"--with": withPackages, "-w": withPackages, "--with-editable": withPackages,
}

// packageLists matches the variables that name files with packages to install, or with the versions or
// addresses to use for them.
const packageLists = `(?:(?:UV|PIP)_(?:BUILD_)?CONSTRAINT|UV_OVERRIDE|PIP_REQUIREMENT)`

// withPackages stands for options that install additional packages, for which there is no variable.
const withPackages = "--WITH"

// otherSource reports whether value contains the address of an unofficial registry on another
// machine. The value can be a list, with names before the addresses.
func otherSource(value string) bool {
	for _, one := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' || r == '|' }) {
		if name, address, ok := strings.Cut(one, "="); ok && !strings.Contains(name, "://") {
			one = address
		}
		if u, ok := destination.Address(one); ok && !launch.OfficialRegistry(u.Hostname()) && !destination.Loopback(u.Hostname()) {
			return true
		}
	}
	return false
}

// hijack rates an environment variable. The message is "" if the variable is harmless.
func hijack(name, value string, fetched bool) (scanner.Severity, string) {
	upper := strings.ToUpper(name)
	literal := text.Literal(value)
	if strings.TrimSpace(literal) == "" {
		return 0, ""
	}
	switch {
	case namesCode.MatchString(upper), upper == "NPM_CONFIG_SCRIPT_SHELL" && !systemShell.MatchString(literal):
		return scanner.High, "the variable names code that runs in the program or instead of it"
	case (upper == "NODE_OPTIONS" || upper == "NPM_CONFIG_NODE_OPTIONS") && nodeCode.MatchString(value), upper == "RUBYOPT" && strings.Contains(value, "-r"), upper == "PERL5OPT",
		(upper == "JAVA_TOOL_OPTIONS" || upper == "_JAVA_OPTIONS" || upper == "JDK_JAVA_OPTIONS") && strings.Contains(value, "-javaagent"):
		return scanner.High, "the options load code into the program"
	case upper == "YARN_YARNPATH" || upper == "YARN_YARN_PATH":
		return scanner.Medium, "a file of the project runs instead of the installed launcher"
	case upper == "NPM_CONFIG_PNPMFILE" || upper == "NPM_CONFIG_GLOBAL_PNPMFILE":
		return scanner.Medium, "a file of the project runs in pnpm, and can replace the packages that it installs"
	case searchPath.MatchString(upper):
		return searched(upper, value, fetched)
	case packageSource.MatchString(upper) && otherSource(value):
		return scanner.Medium, "packages come from a different registry"
	case fetched && pythonSetting.MatchString(upper):
		return pythonFile(upper, value)
	case proxy.MatchString(upper):
		if u, ok := destination.Address(value); ok && !destination.Loopback(u.Hostname()) && !destination.Private(u.Hostname()) {
			return scanner.Medium, "the server's traffic goes through another host"
		}
	}
	return 0, ""
}

// pythonFile rates the files that a setting of uv, pip or pipx names for a downloaded package. The names
// and versions of interpreters and packages are not paths.
func pythonFile(name, value string) (scanner.Severity, string) {
	for _, file := range strings.Fields(strings.ReplaceAll(value, `\`, "/")) {
		isPath := strings.HasPrefix(file, ".") || strings.Contains(file, "/")
		switch {
		case !projectFile.MatchString(file) && !shared.MatchString(file):
		case strings.HasSuffix(name, "_FIND_LINKS"):
			return scanner.Medium, "packages come from a directory of the project, or one that others can write to"
		case strings.HasSuffix(name, "_CONFIG_FILE"), packageList.MatchString(name):
			return scanner.Medium, "a file of the project, or one that others can write to, decides which packages are installed, and from where"
		case isPath && name == withPackages:
			return scanner.High, "code of the project, or of a directory that others can write to, is installed with the package"
		case isPath:
			return scanner.High, "a file of the project, or one that others can write to, runs as the Python interpreter"
		}
	}
	return 0, ""
}

// searched rates a search path by its first directory.
func searched(name, value string, fetched bool) (scanner.Severity, string) {
	between := ":"
	if strings.Contains(value, `:\`) {
		between = ";"
	}
	first, _, _ := strings.Cut(value, between)
	switch {
	case shared.MatchString(first):
		return scanner.High, "the search path begins in a directory that others can write to"
	case name == "PATH" && relative.MatchString(first):
		return scanner.High, "programs are searched for in the working directory first"
	case name != "PATH" && fetched && relative.MatchString(first):
		return scanner.Medium, "a downloaded package loads code from the working directory"
	}
	return 0, ""
}

var (
	namesCode = lazyregexp.New(`^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|DYLD_FRAMEWORK_PATH|PYTHONSTARTUP|PYTHONINSPECT|PYTHONHOME|BASH_ENV|PROMPT_COMMAND|` +
		`ZDOTDIR|GIT_SSH_COMMAND|GIT_SSH|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|GIT_ASKPASS|SSH_ASKPASS|DOTNET_STARTUP_HOOKS|COR_PROFILER|` +
		`CORECLR_PROFILER(?:_PATH.*)?|COMSPEC|NODE_REPL_EXTERNAL_MODULE|NPM_CONFIG_PACKAGE)$`)
	// systemShell matches a common shell, by name or in a system directory. It does no harm if npm
	// uses such a shell instead of its default.
	systemShell   = lazyregexp.New(`(?i)^(?:(?:/usr(?:/local)?|/opt/homebrew)?/bin/|[A-Z]:[\\/]+(?:Program Files|Windows)[^%$]*[\\/])?(?:(?:ba|z|da|k|fi)?sh|powershell|pwsh|cmd)(?:\.exe)?$`)
	nodeCode      = lazyregexp.New(`(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader|--inspect(?:-brk|-wait)?|--openssl-config|--snapshot-blob)(?:[\s=]|$)`)
	searchPath    = lazyregexp.New(`^(?:PATH|PYTHONPATH|NODE_PATH|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|DYLD_FALLBACK_LIBRARY_PATH|RUBYLIB|PERL5LIB|CLASSPATH|LUA_PATH)$`)
	packageSource = lazyregexp.New(`^(?:NPM_CONFIG_(?:@[^:]+:)?REGISTRY|YARN_REGISTRY|YARN_NPM_?REGISTRY_?SERVER|BUN_CONFIG_REGISTRY|UV_INDEX_URL|UV_DEFAULT_INDEX|UV_INDEX|` +
		`UV_EXTRA_INDEX_URL|PIP_INDEX_URL|PIP_EXTRA_INDEX_URL|UV_FIND_LINKS|PIP_FIND_LINKS|` + packageLists + `|GOPROXY)$`)
	packageList    = lazyregexp.New(`^` + packageLists + `$`)
	pythonSetting  = lazyregexp.New(`^(?:UV_FIND_LINKS|PIP_FIND_LINKS|UV_CONFIG_FILE|PIP_CONFIG_FILE|` + packageLists + `|UV_PYTHON|PIPX_DEFAULT_PYTHON|` + withPackages + `)$`)
	projectFile    = lazyregexp.New(`^(?:file:)?(?:(?:\$\{(?:workspaceFolder|workspaceRoot|CLAUDE_PROJECT_DIR|PWD)\}|\$PWD|\.{1,2})(?:/|$)|\.?[\w-][\w.-]*(?:/|$))`)
	registryOption = lazyregexp.New(`^(?:--reg(?:istry)?|--@[^:=]+:registry|--index-url|-i|--index|--default-index|--extra-index-url|--source|--add-source)$`)
	proxy          = lazyregexp.New(`^(?:(?:HTTPS?|ALL)_PROXY|NPM_CONFIG_(?:HTTPS?_)?PROXY|YARN_HTTPS?_?PROXY)$`)
	relative       = lazyregexp.New(`^(?:\.|\./.*|\.\.(?:/.*)?|[\w-][\w.-]*(?:/.*)?)$`)
	shared         = lazyregexp.New(`^(?:/tmp|/var/tmp|/dev/shm|/private/tmp|/Users/Shared|[A-Za-z]:\\(?:Windows\\Temp|Temp|Users\\Public))(?:[/\\]|$)`)
)
