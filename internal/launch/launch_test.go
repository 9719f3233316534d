package launch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/launch"
)

// TestLaunch checks which package each command starts. Each line has a command with its arguments,
// separated by bars, and after an arrow the ecosystem, name and version of the package, whether the
// version is exact, and the index of the argument.
func TestLaunch(t *testing.T) {
	for _, c := range strings.Split(strings.TrimSpace(launches+installations[1:]), "\n") {
		line, want, ok := strings.Cut(c, " => ")
		if !ok {
			t.Fatalf("no arrow in %q", c)
		}
		words := strings.Split(line, "|")
		if got := shown(launch.Parse(words[0], words[1:])); got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
}

func shown(l launch.Command) string {
	out := packaged(l.Package)
	for _, p := range l.With {
		out += " + " + packaged(p)
	}
	l.EachPackage(func(c *launch.Command, p launch.Package) {
		if c != &l {
			out += " > " + packaged(p)
		}
	})
	return out
}

func packaged(p launch.Package) string {
	or := func(s, other string) string {
		if s == "" {
			return other
		}
		return s
	}
	open := "open"
	if p.Exact {
		open = "exact"
	}
	out := fmt.Sprintf("%s %s %s %s %d", or(string(p.Ecosystem), "none"), or(p.Name, "-"), or(p.Version, "-"), open, p.Arg)
	if p.Digest != "" {
		out += " " + p.Digest
	}
	return out
}

const launches = `
nix|run|github:o/r => git github:o/r - open 1
nix|--extra-experimental-features|nix-command flakes|run|github:o/r/v1#foo|--|--stdio => git github:o/r v1 open 3
nix|run|github:o/r/0123456789abcdef0123456789abcdef01234567 => git github:o/r 0123456789abcdef0123456789abcdef01234567 exact 1 0123456789abcdef0123456789abcdef01234567
nix|run|git+https://h.example/o/r?rev=0123456789abcdef0123456789abcdef01234567&ref=main => git git+https://h.example/o/r 0123456789abcdef0123456789abcdef01234567 exact 1 0123456789abcdef0123456789abcdef01234567
nix|run|.#foo => path .#foo - open 1
nix|run|nixpkgs#foo => none nixpkgs#foo - open 1
nix|shell|nixpkgs#nodejs|-c|npx|-y|foo => none nixpkgs#nodejs - open 1 > npm foo - open 5
mise|x|npm:foo|node@22|--|foo|--stdio => none foo - open 4 + npm foo - open 1
mise|x|go:example.com/x|--|x => none x - open 3 + go example.com/x latest open 1
mise|exec|pipx:foo@1.0.0|--|foo => none foo - open 3 + pypi foo 1.0.0 exact 1
mise|x|npm:@s/foo@1.0.0|--|npx|-y|bar => npm bar - open 5 + npm @s/foo 1.0.0 exact 1
mise|x|ubi:o/r|pipx:o/s|--|r => none r - open 4 + git o/r - open 1 + git o/s - open 2
npm|init|foo => npm create-foo - open 1
npm|create|-y|@s/foo@1.0.0 => npm @s/create-foo 1.0.0 exact 2
npm|init|@s => npm @s/create - open 1
npm|init|-y => none - - open -1
pnpm|create|foo => npm create-foo - open 1
yarn|create|foo => npm create-foo - open 1
container|run|-i|--rm|img:1.0.0 => oci img 1.0.0 exact 3
npx|--omit|dev|foo => npm foo - open 2
npx|--scope|ok|foo => npm foo - open 2
npx|--unknown|foo|bar => npm foo - open 1
npx|-y| foo@ 1.0.0 => npm foo 1.0.0 exact 1
npx|-y|foo@github:o/r => git github:o/r - open 1
npx|-y|@s/foo@http://h.example/x.tgz => url http://h.example/x.tgz - open 1
npx|-y|foo@git+ssh://git@h.example/o/r.git#v1 => git git+ssh://git@h.example/o/r.git v1 open 1
npx|-y|foo@../x => path ../x - open 1
npx|-y|https://github.com/o/r#v1 => git https://github.com/o/r v1 open 1
npx|-y|https://github.com/o/r/archive/x.tgz => url https://github.com/o/r/archive/x.tgz - open 1
npx|ok|--package=foo => npm ok - open 0
npm|exec|ok|--package=foo => npm foo - open 2
npm|exec|ok|--|--package=foo => npm ok - open 1
npm|--package=foo|exec|ok => npm foo - open 0
pnpm|--package|foo|dlx|bar => npm foo - open 1
uvx| foo => pypi foo - open 0
uvx|--from|foo@git+https://h.example/o/r@v1|bar => git git+https://h.example/o/r v1 open 1
uv|run|https://h.example/x.py => url https://h.example/x.py - open 1
uv|run|--with|mcp|https://h.example/x.py => url https://h.example/x.py - open 3 + pypi mcp - open 2
npx|-y|supergateway|--stdio|npx -y foo@1.0.0 => npm supergateway - open 1 > npm foo 1.0.0 exact 3
npx|-y|supergateway|--stdio|cmd /c npx -y foo => npm supergateway - open 1 > npm foo - open 3
uvx|mcp-proxy@0.8.0|--|uvx|--from|foo|bar => pypi mcp-proxy 0.8.0 exact 0 > pypi foo - open 4
uvx|mcpo|--port|8000|--|docker|run|-i|img => pypi mcpo - open 0 > oci img - open 7
env-cmd|-f|.env|npx|-y|foo => none env-cmd - open -1 > npm foo - open 4
fnm|exec|--using=20|npx|-y|foo => none fnm - open -1 > npm foo - open 4
mise|exec|node@22|-c|npx -y foo => none node@22 - open 1 > npm foo - open 3
busybox|sh|-c|npx -y foo => none busybox - open -1 > npm foo - open 2
cmd|/c|start|/b|npx|-y|foo => none start - open 1 > npm foo - open 5
cmd|/c|"npx -y foo" => none - - open -1 > npm foo - open 1
python3|-m|pipx|run|foo => pypi foo - open 3
docker|run|-i|img|npx|-y|foo => oci img - open 2 > npm foo - open 5
docker|run|-i|--name|npx|img => oci img - open 4
sh|-c|exec "$@"|--|npx|-y|foo => none - - open -1 > npm foo - open 5
sh|-c|node -v; npx -y foo && uvx bar => none - - open 1 > npm foo - open 1 > pypi bar - open 1
sh|-c|sh -c "npx -y foo" => none - - open -1 > npm foo - open 1
nohup supergateway --stdio "npx -y foo" => none supergateway - open -1 > npm foo - open -1
server|--note|Use docker run to start the container => none server - open -1
server|--allow|docker|npm|git => none server - open -1
npx|-y|foo-mcp => npm foo-mcp - open 1
npx|-y|@scope/foo@1.2.3 => npm @scope/foo 1.2.3 exact 1
npx|--yes|foo@latest => npm foo latest open 1
npx|foo@^1.2.3 => npm foo ^1.2.3 open 0
npx|foo@1.2 => npm foo 1.2 open 0
npx|foo@1 => npm foo 1 open 0
npx|foo@v1.2.3-beta.1 => npm foo v1.2.3-beta.1 exact 0
npx|--registry|x|-y|foo => npm foo - open 3
npx|--registry=x|--|foo|-y => npm foo - open 2
npx|-p|foo@1.0.0|--package|bar|foo-cmd => npm foo 1.0.0 exact 1 + npm bar - open 3
npx|--package=foo|foo-cmd => npm foo - open 0
npx|-c|echo x => none - - open -1
npx|-y|github:o/r#v1 => git github:o/r v1 open 1
npx|-y|o/r => git o/r - open 1
npx|-y|git+https://h.example/o/r.git#0123456789abcdef0123456789abcdef01234567 => git git+https://h.example/o/r.git 0123456789abcdef0123456789abcdef01234567 exact 1 0123456789abcdef0123456789abcdef01234567
npx|-y|https://h.example/foo.tgz => url https://h.example/foo.tgz - open 1
npx|./local => path ./local - open 0
npx|-y|alias@npm:real@1.2.3 => npm real 1.2.3 exact 1
npx => none - - open -1
npx|-y => none - - open -1
/usr/local/bin/npx|-y|foo => npm foo - open 1
C:\Program Files\nodejs\npx.cmd|-y|foo => npm foo - open 1
npx.exe|foo => npm foo - open 0
NPX.CMD|foo => npm foo - open 0
npx -y foo@1.0.0 => npm foo 1.0.0 exact -1
cmd|/c|npx|-y|foo => npm foo - open 3
cmd.exe|/d|/s|/c|npx -y foo => npm foo - open 3
cmd|/C|uvx|foo@1.0 => pypi foo 1.0 exact 2
env|-u|C|A=B|npx|foo => npm foo - open 4
env|-S|A=B npx -y foo|bar => npm foo - open 1
env|-Snpx -y foo => npm foo - open 0
env|-i|A=B|uvx|foo => pypi foo - open 3
sudo|-E|-u|root|npx|foo => npm foo - open 4
timeout|-k|5|30|npx|foo => npm foo - open 4
nohup|env|X=1|docker|run|img => oci img - open 4
doppler|run|--project|x|--|npx|-y|foo => npm foo - open 6
/x/mcpscan|proxy|--wrapped=args|--name=a|--|npx|-y|foo => npm foo - open 6
mcpscan|scan|--|npx|-y|foo => none mcpscan - open -1 > npm foo - open 4
wsl|-d|Ubuntu|npx|foo => npm foo - open 3
bash|-c|npx -y foo@latest => npm foo latest open 1
bash|-lc|cd /x && TOKEN=y exec npx -y "foo" => npm foo - open 1
sh|-c|echo hi => none - - open -1
sh|-o|pipefail|-ec|npx -y foo => npm foo - open 3
sh|-c|cd /x&&(npx -y foo) => npm foo - open 1
sh|-c|if true; then npx -y foo; fi => npm foo - open 1
ash|-c|npx -y foo => npm foo - open 1
cmd|/d/c|npx|-y|foo => npm foo - open 3
cmd|/cnpx|-y|foo => npm foo - open 0
powershell|-Command|npx|-y|foo => npm foo - open 3
powershell|& npx -y foo => npm foo - open 0
powershell|-NoProfile|-Command|npx -y foo => npm foo - open 2
npm|exec|--yes|foo@2.0.0 => npm foo 2.0.0 exact 2
npm|x|--|foo => npm foo - open 2
npm|exec|--package=foo|--|bar => npm foo - open 1
npm|start => none - - open -1
pnpm|dlx|foo@1.0.0 => npm foo 1.0.0 exact 1
pnpm|--silent|dlx|foo => npm foo - open 2
pnpm|run|start => none - - open -1
pnpx|foo => npm foo - open 0
yarn|dlx|-q|foo => npm foo - open 2
yarn|dlx|-p|foo|bar => npm foo - open 2
bunx|--bun|foo@1.0.0 => npm foo 1.0.0 exact 1
bun|x|foo => npm foo - open 1
bun|run|server.ts => path server.ts - open 1
bun|server.ts => path server.ts - open 0
uvx|foo => pypi foo - open 0
uvx|foo@latest => pypi foo latest open 0
uvx|foo==1.2.3 => pypi foo 1.2.3 exact 0
uvx|foo==1.* => pypi foo ==1.* open 0
uvx|foo>=1.2 => pypi foo >=1.2 open 0
uvx|foo[cli]==1.2.3rc1 => pypi foo 1.2.3rc1 exact 0
uvx|--from|foo==1.0|bar => pypi foo 1.0 exact 1
uvx|--python|3.12|--from|git+https://h.example/o/r@main|bar => git git+https://h.example/o/r main open 3
uvx|--from|git+ssh://git@h.example/o/r|bar => git git+ssh://git@h.example/o/r - open 1
uvx|--with|a==1.0,b|foo => pypi foo - open 2 + pypi a 1.0 exact 1 + pypi b - open 1
uv|tool|run|foo@1.0.0 => pypi foo 1.0.0 exact 2
uv|run|--with|mcp[cli]|mcp|run|server.py => pypi mcp - open 2
uv|run|--with=mcp==1.2.0|server.py => pypi mcp 1.2.0 exact 1
uv|--directory|/x|run|server.py => path server.py - open 3
uv|run|server.py => path server.py - open 1
uv|sync => none - - open -1
pipx|run|foo==1.0 => pypi foo 1.0 exact 1
pipx|run|--spec|foo==1.0|foo => pypi foo 1.0 exact 2
pipx|install|foo => pypi foo - open 1
docker|run|-i|--rm|img => oci img - open 3
docker|run|-i|--rm|-e|TOKEN|h.example:5000/o/img:1.2.3 => oci h.example:5000/o/img 1.2.3 exact 5
docker|run|-it|-v|/a:/b|--name|n|img:latest|serve => oci img latest open 6
docker|run|-ie|TOKEN|-p8080:80|img => oci img - open 4
docker|run|--env=A|--privileged|img@sha256:00 => oci img - exact 3 sha256:00
docker|run|--mount|type=bind,src=/a,dst=/b|img => oci img - open 3
docker|--context|x|run|img => oci img - open 3
docker|container|run|--rm|img => oci img - open 3
docker|mcp|gateway|run => none - - open -1
docker|compose|run|x => none - - open -1
docker|run|--rm => none - - open -1
podman|run|--tls-verify=false|img:main => oci img main open 2
go|run|example.com/x/cmd@v1.2.3 => go example.com/x/cmd v1.2.3 exact 1
go|run|example.com/x@latest => go example.com/x latest open 1
go|run|-tags|a|example.com/x@v1.2.4-0.20260101000000-0123456789ab => go example.com/x v1.2.4-0.20260101000000-0123456789ab exact 3
go|run|./cmd/x => path ./cmd/x - open 1
go|run|main.go => path main.go - open 1
go|build|x => none - - open -1
deno|run|-A|npm:foo@1.2.3 => npm foo 1.2.3 exact 2
deno|run|--allow-net|npm:@s/foo@1.2.3/bin => npm @s/foo 1.2.3 exact 2
deno|run|-A|jsr:@s/foo => jsr @s/foo - open 2
deno|run|-A|https://h.example/x.ts => url https://h.example/x.ts - open 2
deno|run|-c|deno.json|main.ts => path main.ts - open 3
deno|eval|1 => none - - open -1
dnx|Foo.Mcp@1.2.3|--yes => nuget Foo.Mcp 1.2.3 exact 0
dnx|Foo.Mcp|--version|1.2.3|--yes => nuget Foo.Mcp 1.2.3 exact 0
dnx|--version|1.2.3|Foo.Mcp => nuget Foo.Mcp 1.2.3 exact 2
dnx|Foo.Mcp|--|--version|1.2.3 => nuget Foo.Mcp - open 0
dotnet|tool|exec|Foo|--yes => nuget Foo - open 2
jbang|--quiet|run|--java|21|https://x.example/a.java|b => url https://x.example/a.java - open 4
jbang|jdbc@quarkiverse/quarkus-mcp-servers|jdbc:h2:mem => git quarkiverse/quarkus-mcp-servers - open 0
jbang|a/b.java => path a/b.java - open 0
jbang|io.quarkus:quarkus-mcp:1.0.0 => none io.quarkus:quarkus-mcp:1.0.0 - open 0
dotnet|dnx|Foo@1.*|--yes => nuget Foo 1.* open 1
dotnet|run|--project|x.csproj => path x.csproj - open 2
dotnet|bin/x.dll => path bin/x.dll - open 0
cargo|run|--manifest-path|x/Cargo.toml => path x/Cargo.toml - open 2
cargo|+nightly|-q|run|--bin|x => path . - open 2
cargo|install|foo|--locked => cargo foo - open 1
cargo|+stable|install|--features|a|foo@1.2.3|bar => cargo foo 1.2.3 exact 4 + cargo bar - open 5
cargo|binstall|-y|foo|--version|1.2.3 => cargo foo 1.2.3 exact 2
cargo|install|--version=^1.2|foo => cargo foo ^1.2 open 2
cargo|install|--git|https://h.example/o/r|--tag|v1 => git https://h.example/o/r v1 open 2
cargo|install|--git|https://h.example/o/r|--rev|0123456789abcdef0123456789abcdef01234567 => git https://h.example/o/r 0123456789abcdef0123456789abcdef01234567 exact 2 0123456789abcdef0123456789abcdef01234567
cargo|install|--path|. => path . - open 2
cargo|build => none - - open -1
sh|-c|cargo install foo && foo => cargo foo - open 1
mise|x|cargo:foo@1.2.3|--|foo => none foo - open 3 + cargo foo 1.2.3 exact 1
python|-m|mcp_server_x => none mcp_server_x - open 1
python3.12|-u|server.py => path server.py - open 1
python|-c|print() => none - - open -1
.venv/bin/python|server.py => path server.py - open 0
poetry|run|python|-m|x => none x - open 3
node|build/index.js => path build/index.js - open 0
node|--require|./a.js|b.js => path b.js - open 2
node|-e|1 => none - - open -1
tsx|watch|a.ts => path a.ts - open 1
java|-jar|a.jar => path a.jar - open 1
mcp-server-x|--port|1 => none mcp-server-x - open -1
./bin/server => path ./bin/server - open -1
C:\tools\server.exe => path C:\tools\server.exe - open -1
/Applications/My App/server => path /Applications/My App/server - open -1
`

// TestCode checks which argument each command runs as code, and which program runs it.
func TestCode(t *testing.T) {
	for _, c := range strings.Split(strings.TrimSpace(codes), "\n") {
		line, want, _ := strings.Cut(c, " => ")
		words := strings.Split(line, "|")
		got := "none"
		l := launch.Parse(words[0], words[1:])
		if l.Code != launch.NoCode {
			got = fmt.Sprintf("%s %d", l.Interpreter, l.Code)
		}
		for _, c := range l.Behind {
			if c.Code != launch.NoCode && c.Code != l.Code {
				got += fmt.Sprintf(" > %s %d", c.Interpreter, c.Code)
			}
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
}

const codes = `
sh|-c|x => sh 1
bash|-ce|x => bash 1
bash|-c|-e|x => bash 2
bash|-c|--|x => bash 2
bash|-o|pipefail|-c|x => bash 3
bash|-euo|pipefail|-c|x => bash 3
bash|-co|pipefail|x => bash 2
bash|+x|-c|x => bash 2
bash|--rcfile|a|-c|x => bash 3
bash|a.sh|-c|x => none
bash|--|a.sh|-c|x => none
bash|-l => none
ash|-c|x => ash 1
fish|-ic|x => fish 1
fish|--command=x => fish 0
fish|a.fish|-c|x => none
cmd|/d|/s|/c|x y => cmd 3
cmd|/d/s/c|x y => cmd 1
cmd|/cx y => cmd 0
cmd|/e:on|/v:on/c|x y => cmd 2
cmd|/c|npx|-y|x => none
powershell|-NoProfile|-ExecutionPolicy|Bypass|-Command|$x => powershell 4
powershell|-nop|-ep|bypass|$x; $y => powershell 3
powershell|/c|$x => powershell 1
powershell|-enc|eAB4AA== => powershell 1
powershell|-NoProfile|-File|a.ps1|-Command|x => none
powershell|-Command|npx|-y|x => none
pwsh|-NoLogo|a.ps1|-c|x => none
pwsh|-wd|/x|-c|$x => pwsh 3
python3|-c|x => python3 1
python3|-Ic|x => python3 1
python3|-cx() => python3 0
python3|-W|ignore|-c|x => python3 3
python3|-X|utf8|-uc|x => python3 3
python3|-u|a.py|-c|x => none
python3|-m|http.server|-c|x => none
node|--no-warnings|-r|fs|-e|x => node 4
node|--input-type|module|--eval|x => node 3
node|--eval=x => node 0
node|-pe|x => node 1
node|a.js|-e|x => none
bun|-e|x => bun 1
bun|run|a.ts|-e|x => none
deno|eval|--ext=ts|x => deno 2
deno|-q|eval|x => deno 2
perl|-we|x => perl 1
perl|-Mstrict|-lne|x => perl 2
perl|-Ilib/e|a.pl => none
ruby|-rsocket|-e|x => ruby 2
php|-d|a=1|-r|x => php 3
lua|-i|-e|x => lua 2
osascript|-l|JavaScript|-e|x => osascript 3
uv|run|python|-c|x => python 3
uv|run|--with|a|python3|-Ic|x => python3 5
uvx|python|-c|x => python 2
npx|-y|tsx@4.0.0|-e|x => tsx 3
npx|-y|server|-e|x => none
pytest|-c|x => none
docker|run|img|sh|-c|x => none > sh 4
docker|run|--entrypoint|sh|img|-c|x => none > sh 5
docker|run|--entrypoint|docker|img|run|--entrypoint|sh|img|-c|x => none
docker|run|--entrypoint|sh => none
mcp-proxy|--|python|-c|x => none > python 3
foo|--runtime|python|-c|x => none
`

// TestLaunchHostile checks that any command is parsed in time proportional to its
// length.
func TestLaunchHostile(t *testing.T) {
	long := strings.Repeat("env ", 100_000)
	for _, args := range [][]string{nil, {""}, {"--"}, {"-"}, {"-", "--", ""}, {"@"}, {"@@"}, {"/@"}, {"git+@#="}, {"=="}, {"[", "]"}, {"npm:"}, {"x@npm:x@npm:x@npm:"},
		{"-c", long}, {"/c", long}, {"-p"}, {"-c"}, {"run"}, {"run", "run"}, {"tool", "run"}, {"exec"}, {"\x00\xff"}, strings.Fields(long), strings.Split(strings.Repeat("-p a ", 10_000), " "),
		{strings.Repeat("a@npm:", 100_000) + "1"}} {
		for _, command := range []string{"", " ", "npx", "npm", "uvx", "uv", "docker", "go", "deno", "dnx", "dotnet", "cargo", "python", "node", "env", "sh", "cmd", "cmd /c", "npx ", "doppler", long, "/", `\`, "\xff"} {
			launch.Parse(command, args)
		}
	}
}

func FuzzLaunch(f *testing.F) {
	f.Add("npx", "-y\x00foo@1.2.3")
	f.Add("cmd", "/c\x00npx -y foo")
	f.Fuzz(func(t *testing.T, command, args string) {
		words := strings.Split(args, "\x00")
		l := launch.Parse(command, words)
		l.Each(func(c *launch.Command) {
			at := []int{c.Arg}
			for _, p := range c.With {
				at = append(at, p.Arg)
			}
			for i := range c.Words {
				at = append(at, c.ArgOf(i))
			}
			for _, i := range []int{c.Code, c.Root} {
				if i != launch.NoCode {
					at = append(at, i)
				}
			}
			if i := slices.IndexFunc(at, func(i int) bool { return i < launch.InCommand || i >= len(words) }); i >= 0 {
				t.Errorf("argument %d of %d", at[i], len(words))
			}
		})
	})
}
