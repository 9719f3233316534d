package launch

import (
	"slices"
	"strings"
)

// options describes the options of a program, in enough detail to find the words after them.
type options struct {
	values string // options that take the next word, each with a space before and after it
	named  string // options whose value is the package
	with   string // options whose value is an additional package
	list   string // options whose value is a file or address that lists further packages
	dir    string // those options in values that name the directory in which the program starts
	code   string // options whose value is a command that replaces the package
	// most means that every option takes a value unless it is in flags.
	most  bool
	flags string
	// anywhere means that options may also follow other words, up to --.
	anywhere bool
}

func has(list, option string) bool {
	return option != "" && strings.Contains(list, " "+option+" ")
}

// read returns the index of the first word that is not an option, or -1, and invokes the callback
// with every option, its value and the value's index.
func (o *options) read(words []string, each func(option, value string, at int)) int {
	found := -1
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w == "--" {
			if found < 0 && i+1 < len(words) {
				found = i + 1
			}
			return found
		}
		if !strings.HasPrefix(w, "-") || w == "-" {
			if found < 0 {
				found = i
			}
			if o.anywhere {
				continue
			}
			return found
		}
		name, value, attached := strings.Cut(w, "=")
		switch {
		case attached:
			each(name, value, i)
		case o.takes(w):
			if i+1 >= len(words) {
				return found
			}
			i++
			each(w, words[i], i)
		default:
			each(w, "", i)
		}
	}
	return found
}

// first returns the index of the first word, at or after a given index, that is not an option, or
// -1.
func (o *options) first(words []string, from int) int {
	at := o.read(words[from:], func(string, string, int) {})
	if at < 0 {
		return -1
	}
	return from + at
}

// verb returns the index after the first word that is not an option if that word is one of the
// verbs; 0 if there are no verbs; otherwise -1.
func (o *options) verb(words []string, verbs string) int {
	if verbs == "" {
		return 0
	}
	at := o.first(words, 0)
	if at < 0 || !has(verbs, words[at]) {
		return -1
	}
	return at + 1
}

// takes reports whether an option takes the next word as its value.
func (o *options) takes(w string) bool {
	if has(o.values, w) || has(o.named, w) || has(o.with, w) || has(o.list, w) || has(o.code, w) {
		return true
	}
	if !o.most || has(o.flags, w) {
		return false
	}
	if strings.HasPrefix(w, "--") {
		return true
	}
	for i, c := range w[1:] { // -it is two flags; -e takes the next word, but -eX contains its value
		if !has(o.flags, "-"+string(c)) {
			return i == len(w)-2
		}
	}
	return false
}

// npmValues are the options of npm exec that take a value, according to npm's definitions of its
// options.
const npmValues = " --_auth --access --allow-directory --allow-file --allow-git --allow-remote --allow-scripts --also --audit-level --auth-type --before " +
	"--enjoy-by --ca --cache --cache-max --cache-min --cafile --cert --cidr --cpu --depth --diff --diff-dst-prefix --diff-src-prefix " +
	"--diff-unified --editor --expect-result-count --expires --fetch-retries --fetch-retry-factor --fetch-retry-maxtimeout " +
	"--fetch-retry-mintimeout --fetch-timeout --git --globalconfig --heading --https-proxy --include --init-author-email --init-author-name " +
	"--init-author-url --init-license --init-module --init-type --init-version --init.author.email --init.author.name --init.author.url " +
	"--init.license --init.module --init.version --install-strategy --key --libc --local-address --location -L --lockfile-version --loglevel " +
	"--logs-dir --logs-max --maxsockets --message -m --min-release-age --min-release-age-exclude --name --node-gyp --node-options --noproxy " +
	"--omit --only --orgs --orgs-permission --os --otp --pack-destination --packages --packages-and-scopes-permission --password --preid " +
	"--prefix -C --provenance-file --proxy --reg --registry --replace-registry-host --save-prefix --sbom-format --sbom-type --scope --scopes " +
	"--script-shell --searchexclude --searchlimit --searchopts --searchstaleness --shell --tag --tag-version-prefix --token-description --umask " +
	"--user-agent --userconfig --viewer --which --workspace -w "

// cargoValues are the options of cargo that take a value.
const cargoValues = " --manifest-path -p --package --bin --example --profile --target --target-dir -F --features -j --jobs --config -Z --color -C "

// The launcher options that take a value, according to the launchers' help.
var (
	npmInstall  = []string{"install", "i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "isntall", "add"}
	npxOptions  = options{values: npmValues + "--node-arg -n ", named: " -p --package ", code: " -c --call "}
	npmOptions  = options{values: npmValues, named: " --package ", code: " -c --call ", anywhere: true}
	pnpmOptions = options{values: " --reporter --dir -C --registry --filter -F --loglevel --store-dir --config ", dir: " --dir -C ", named: " --package "}
	yarnOptions = options{named: " -p --package ", values: " --cwd ", dir: " --cwd "}
	bunOptions  = options{named: " -p --package ", values: " --cwd -c --config --registry --env-file ", dir: " --cwd "}
	uvOptions   = options{
		values: " -p --python --with-editable --index -i --index-url --default-index " +
			"--extra-index-url -f --find-links -P --upgrade-package --refresh-package --reinstall-package " +
			"--cache-dir --directory --project --config-file --env-file --exclude-newer --link-mode " +
			"--resolution --prerelease --index-strategy --keyring-provider --color --python-preference " +
			"--python-platform --allow-insecure-host --no-binary-package --no-build-package " +
			"--no-build-isolation-package -C --config-setting --config-settings-package --fork-strategy " +
			"--torch-backend --extra --no-extra --group --no-group --only-group --package --no-sources-package " +
			"--target --prefix --no-binary --only-binary --python-version ",
		named: " --from ", with: " --with -w ", dir: " --directory ",
		list: " -r --requirement --requirements --with-requirements -c --constraint --constraints -b --build-constraint " +
			"--build-constraints --override --overrides ",
	}
	pipxOptions = options{values: " --python -i --index-url --pip-args --backend ", named: " --spec ", with: " --with "}
	pipOptions  = options{
		values: " -t --target --python --prefix --root -i --index-url --extra-index-url -f --find-links --no-binary --only-binary --cache-dir " +
			"--log --proxy --trusted-host --cert --client-cert --timeout --retries --exists-action --progress-bar -C --config-settings " +
			"--global-option --platform --python-version --implementation --abi --upgrade-strategy --src --report --root-user-action " +
			"--use-feature --use-deprecated --keyring-provider --group ",
		with: " -e --editable ", list: " -r --requirement -c --constraint --build-constraint ",
	}
	dockerOptions = options{most: true,
		flags: " -d --detach -i --interactive -t --tty --rm --init --privileged --read-only -P --publish-all " +
			"--no-healthcheck --oom-kill-disable --disable-content-trust --sig-proxy -q --quiet --use-api-socket " +
			"--tls-verify --replace --env-host --http-proxy --rmi --rootfs --no-hosts --no-hostname --passwd " +
			"--debug -D --tls --tlsverify --help --rosetta --ssh "}
	nixOptions = options{values: " --extra-experimental-features --experimental-features --inputs-from --system --store --max-jobs -j --log-format --eval-store --update-input "}
	goOptions  = options{values: " -C -mod -modfile -overlay -tags -ldflags -gcflags -asmflags -exec -p " +
		"-pkgdir -pgo -toolexec -buildmode -o -covermode -coverpkg -installsuffix -compiler -gccgoflags "}
	denoOptions  = options{values: " -n --name --root -c --config --import-map --lock --cert -L --log-level --location --seed --env-file --v8-flags --ext "}
	dnxOptions   = options{values: " --source --add-source --configfile -v --verbosity --framework --arch --version "}
	jbangOptions = options{values: " --config -j --java -m --main --deps --repos --cp --class-path -R --runtime-option -C --compile-option -s --sources --files --catalog "}
	cargoOptions = options{values: cargoValues}
	crateOptions = options{anywhere: true, values: cargoValues + "--version --vers --git --branch --tag --rev --path --root --index --registry --message-format --targets " +
		"--pkg-url --pkg-fmt --bin-dir --install-path --strategies --disable-strategies --rate-limit --github-token --log-level "}
)

// wrapper is a program that starts another one, with the syntax needed to find that
// program.
type wrapper struct {
	verbs string // words of which one must follow the options; "" for none
	options
	after int // number of its own words after the options
	dash  bool
	// tool parses the words between the verb and -- that name what the wrapper installs.
	tool func(string) Package
}

// skip returns the index of the program that is started, or -1.
func (w *wrapper) skip(words []string) int {
	from := w.verb(words, w.verbs)
	if from < 0 {
		return -1
	}
	if w.dash { // everything before -- belongs to the wrapper
		if i := slices.Index(words[from:], "--"); i >= 0 {
			return from + i + 1
		}
	}
	at := w.first(words, from)
	if at < 0 {
		return -1
	}
	at += w.after
	for at < len(words) && assignment.MatchString(words[at]) {
		at++
	}
	return at
}

// wrappers are programs that start another program given in their arguments.
var wrappers = map[string]*wrapper{
	"env":        {options: options{values: " -u --unset -C --chdir ", dir: " -C --chdir "}},
	"sudo":       {options: options{values: " -u --user -g --group -C -D --chdir -h -p -r -t -T -U ", dir: " -D --chdir "}},
	"doas":       {options: options{values: " -u -C "}},
	"pkexec":     {options: options{values: " --user "}},
	"gsudo":      {options: options{values: " -u --user -i --integrity --loglevel "}},
	"nohup":      {},
	"time":       {},
	"command":    {},
	"exec":       {options: options{values: " -a "}},
	"setsid":     {},
	"caffeinate": {options: options{values: " -t -w "}},
	"arch":       {},
	"nice":       {options: options{values: " -n --adjustment "}},
	"ionice":     {options: options{values: " -c -n "}},
	"stdbuf":     {options: options{values: " -i -o -e "}},
	"timeout":    {options: options{values: " -k -s --signal --kill-after "}, after: 1},
	"xvfb-run":   {options: options{values: " -n -s -e -f -w --server-args --server-num "}},
	"wsl":        {options: options{values: " -d --distribution -u --user --cd "}},
	"poetry":     {verbs: " run ", options: options{values: " -C --directory -P --project ", dir: " -C --directory "}},
	"pdm":        {verbs: " run ", options: options{values: " -p --project "}},
	"rye":        {verbs: " run "},
	"hatch":      {verbs: " run "},
	"pixi":       {verbs: " run ", options: options{values: " -e --environment --manifest-path "}},
	"conda":      {verbs: " run ", options: options{values: " -n --name -p --prefix --cwd ", dir: " --cwd "}},
	"mamba":      {verbs: " run ", options: options{values: " -n --name -p --prefix "}},
	"micromamba": {verbs: " run ", options: options{values: " -n --name -p --prefix "}},
	"mise":       {verbs: " exec x ", dash: true, tool: misePackage},
	"doppler":    {verbs: " run ", dash: true},
	"op":         {verbs: " run ", dash: true},
	"infisical":  {verbs: " run ", dash: true},
	"dotenvx":    {verbs: " run ", dash: true},
	"mcpscan":    {verbs: " proxy ", dash: true},
	"dotenv":     {dash: true, options: options{values: " -e -f -c -v "}},
	"chamber":    {verbs: " exec ", dash: true},
	"aws-vault":  {verbs: " exec ", dash: true},
	"volta":      {verbs: " run ", options: options{values: " --node --npm "}},
	"direnv":     {verbs: " exec ", after: 1},
}
