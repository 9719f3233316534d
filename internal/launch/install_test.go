package launch_test

// installations are commands for TestLaunch that install packages before they start them.
const installations = `
sh|-c|npm i -g foo@1.0.0 && foo --stdio => npm foo 1.0.0 exact 1
bash|-lc|npm install --no-save foo bar@latest 2>/dev/null >>log.txt >> log.txt; node server.js => path server.js - open 1 > npm foo - open 1 > npm bar latest open 1
cmd|/c|npm install foo && foo => npm foo - open 1
cmd|/c|npm|install|foo => npm foo - open 3
sh|-c|npm install && cd x && npx foo => npm foo - open 1
sh|-c|npm ci && foo => none - - open 1
sh|-c|pnpm add -g foo && yarn global add bar && bun add -g baz && foo => npm foo - open 1 > npm bar - open 1 > npm baz - open 1
sh|-c|pip install -q -r requirements.txt "foo[cli]>=1" $EXTRA bar==1.0 . && python -m foo => none foo - open 1 > pypi foo >=1 open 1 > pypi bar 1.0 exact 1
sh|-c|.venv/bin/pip3.11 install foo && foo => pypi foo - open 1
sh|-c|python3 -m pip install --user foo && foo => pypi foo - open 1
sh|-c|sudo pip install foo && python3 -m bar => none bar - open 1 > pypi foo - open 1
sh|-c|env A=b npm i foo && node x.js => path x.js - open 1 > npm foo - open 1
sh|-c|pip install -r https://h.example/r.txt -e git+https://h.example/o/r && foo => url https://h.example/r.txt - open 1 + git git+https://h.example/o/r - open 1
sh|-c|uv pip install --system foo && uv tool install bar==1.0 --with baz && pipx install qux && bar => pypi foo - open 1 > pypi baz - open 1 > pypi bar 1.0 exact 1 > pypi qux - open 1
sh|-c|go install h.example/o/foo@latest; dotnet tool install -g Bar --version 1.0.0; deno install -g -n x npm:baz; foo => go h.example/o/foo latest open 1 > nuget Bar 1.0.0 exact 1 > npm baz - open 1
docker|run|--entrypoint|sh|img|-c|npm i -g foo && foo => oci img - open 3 > npm foo - open 5
docker|run|img|sh|-c|pip install foo && foo => oci img - open 1 > pypi foo - open 4
uvx|--with-requirements|https://h.example/r.txt|-c|c.txt|foo => pypi foo - open 4 + url https://h.example/r.txt - open 1
server|--allow|npm install|pip => none server - open -1
`
