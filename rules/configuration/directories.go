package configuration

// disk and home match an entire disk or home directory, as written in a configuration. Docker Desktop,
// Git Bash and WSL also accept Windows paths as //c/Users/NAME, /c/Users/NAME and /mnt/c/Users/NAME.
const (
	disk = `(?:/|[A-Za-z]:[\\/]*|//[A-Za-z]/?|/mnt/[a-z]/?)`
	home = `(?i:~|\$(?:env:)?(?:HOME|USERPROFILE)|\$\{(?:env:)?(?:HOME|USERPROFILE|userHome)\}|\{env:(?:HOME|USERPROFILE)\}|%USERPROFILE%|(?:%HOMEDRIVE%)?%HOMEPATH%|` +
		`(?://?[a-z]|/mnt/[a-z]|[a-z]:)?/(?:home|Users)/[^\\/:,]+|[a-z]:[\\/]+Users[\\/]+[^\\/:,]+)`
)

// keys matches directories and files with credentials. Many documented commands pass them because
// the server needs them.
const keys = `\.(?i:(?:aws|gnupg|kube|azure|config[\\/]+gcloud)(?:[\\/][^:,]*)?|ssh(?:[\\/](?:[^:,]*(?:id_|rsa|ed25519|key|pem)[^:,]*)?)?|` +
	`docker[\\/]?|docker[\\/]config\.json|netrc|npmrc|pypirc|git-credentials)`

// everything and system match directories that a container or a file server rarely needs. configured
// matches the directory in which command-line tools keep tokens, among other files. credentials matches
// configured, and keys in any directory.
const (
	everything = disk + `|/(?:home|Users)/?|(?i:` + drive + `[\\/]+Users[\\/]?)`
	system     = `(?:(?:/private)?/etc|/root|/boot|/sys|/proc|/dev|/var/run|/run)/?|` +
		`(?i:(?:` + drive + `[\\/]+Windows|%(?:SystemRoot|windir)%|\$(?:env:(?:SystemRoot|windir)|\{env:(?:SystemRoot|windir)\}))(?:[\\/]+System32)?[\\/]*)`
	configured  = `(?:` + home + `[\\/]+(?i:\.config|AppData(?:[\\/]+Roaming)?)|(?i:%APPDATA%|\$(?:env:APPDATA|\{env:APPDATA\})))[\\/]*`
	credentials = `(?:` + home + `|[A-Za-z]:|\$\{\w+:\w+\})?[^:,]*[\\/]` + keys + `|` + configured
	drive       = `(?://?[a-z]|/mnt/[a-z]|[a-z]:)`
)
