#!/usr/bin/env bash
# Runs mcpscan once, over the checkout. Nothing in the checkout is executed unless
# run-servers is set. The exit code of mcpscan becomes an output; gate.sh ends the
# action with it.
set -euo pipefail
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
# shellcheck source-path=SCRIPTDIR source=workflow_commands.sh
. "$here/workflow_commands.sh"

# In a container job, another user owns the files. The checkout can contain a directory
# that looks like a separate repository with commands in its configuration; git runs
# none of them.
git() {
  GIT_TERMINAL_PROMPT=0 command git -c safe.directory='*' -c safe.bareRepository=explicit \
    -c core.fsmonitor=false -c core.hooksPath=/dev/null "$@"
}

# enter changes to the root of the repository and sets prefix, the path from there to
# the project. Reports can then name files relative to the repository, whatever the
# checkout directory and the project directory.
enter() {
  local workspace root
  workspace=$(cd "$(unix "$GITHUB_WORKSPACE")" && pwd -P)
  cd "$workspace"
  cd -P "./$INPUT_WORKING_DIRECTORY" 2>/dev/null || fail "the workspace contains no directory \"$INPUT_WORKING_DIRECTORY\"; run actions/checkout first, and give the path from the root of the repository"
  case $PWD/ in "$workspace"/*) ;; *) fail "the working-directory \"$INPUT_WORKING_DIRECTORY\" is outside the workspace" ;; esac
  prefix='' repository=false
  # A commit cannot contain .git, so a directory without one is not the runner's repository.
  if root=$(git rev-parse --show-toplevel 2>/dev/null) && [ -e "$(unix "$root")/.git" ]; then
    repository=true prefix=$(git rev-parse --show-prefix)
    cd "$(unix "$root")"
    case $(pwd -P)/ in "$workspace"/*) ;; *) fail "the repository of \"$INPUT_WORKING_DIRECTORY\" is outside the workspace" ;; esac
  fi
  output root "$(native "$PWD")"
}

# named FILE prints the path of a project file from the root. The path never begins
# with a hyphen, like a flag.
named() {
  local name=$prefix$1
  case $1 in /* | [A-Za-z]:[\\/]*) name=$1 ;; esac
  case $name in -*) name=./$name ;; esac
  printf '%s' "$name"
}

# base_commit sets base to the commit to compare the checkout with, or to nothing.
base_commit() {
  local want=$INPUT_BASE_REF depth=0
  base=''
  if [ "$want" = auto ]; then want=$EVENT_BASE; fi
  # A new branch has no previous commit.
  if [[ $want =~ ^0*$ ]]; then return 0; fi
  [ "$repository" = true ] ||
    fail "\"$INPUT_WORKING_DIRECTORY\" is not in a git repository with history, so drift cannot be detected: install git before actions/checkout, or set base-ref to an empty string"
  if [ "$INPUT_BASE_REF" = auto ] && [ "$GITHUB_EVENT_NAME" = pull_request ]; then
    want=$(pull_request_base)
    if [ "$(git rev-parse --verify --quiet HEAD)" = "$GITHUB_SHA" ]; then depth=2; fi
  fi
  base=$(git rev-parse --verify --quiet --end-of-options "$want^{commit}") ||
    fail "the base \"$want\" is not in this clone, so drift cannot be detected: set \"fetch-depth: $depth\" for actions/checkout (0 is the whole history), or set base-ref"
}

# pull_request_base prints the first parent of the merge commit that GitHub created to
# test the pull request: the difference from that parent is what the pull request
# changes. For any other commit, the event gives the base.
pull_request_base() {
  local head merged
  head=$(git rev-parse --verify --quiet HEAD) || head=
  merged=$(git rev-parse --verify --quiet HEAD^2) || merged=
  if [ -n "$EVENT_HEAD" ] && [ "$head" = "$GITHUB_SHA" ] && [ "$merged" = "$EVENT_HEAD" ]; then
    git rev-parse --verify --quiet HEAD^1
  else
    printf '%s' "$EVENT_BASE"
  fi
}

# blob FILE prints the object ID of a file at the base, or nothing.
blob() {
  local code=0
  git rev-parse --verify --quiet --end-of-options "$base:./$1" || code=$?
  [ "$code" -le 1 ] || fail "$1 could not be looked up at the base: it must be in the repository, and actions/checkout must not set filter"
}

# before FILE [NAME] writes the base version of a file to the same path below was, or
# to the path of NAME. It fails if the base has no such file.
before() {
  local name=${2:-$1} to object old new
  to=$was/./$name
  case $1 in /* | [A-Za-z]:[\\/]*) return 0 ;; esac
  object=$(blob "$1") || exit 2
  [ -n "$object" ] || return 1
  if [[ $(git ls-tree "$base" "./$1") = 120000* ]]; then # a symbolic link
    object=$(printf '%s\n' "$base:./$1" | git cat-file --follow-symlinks --batch-check='%(objectname)')
    case $object in 'dangling '* | 'loop '* | 'notdir '*) return 1 ;; esac
  fi
  mkdir -p "${to%/*}"
  # cat-file applies no filter or driver that the checkout could configure.
  if ! [[ $object =~ ^[0-9a-f]+$ ]] || ! git cat-file blob "$object" >"$to"; then
    fail "the base version of $1 could not be read: it must be a file or a link to a file in the repository, and actions/checkout must not set filter"
  fi
  # A checkout may convert line ends, which is not a change.
  if [ -f "$name" ] && old=$(lines "$to") && new=$(lines "$name") && [ "$old" = "$new" ]; then cp "$name" "$to"; fi
}

# lines FILE prints the object ID that a text has with line feeds as line ends.
lines() { LC_ALL=C sed $'s/\r$//' "$1" | git hash-object --stdin; }

# executables marks the executables that the base's lockfile names and that are files at the base: it
# creates empty files for them below was. Their content at the base does not matter.
executables() {
  local file list=$out/executables dirs=("$was")
  if [ ! -f "$was/./$lock" ]; then return; fi
  git -c core.quotePath=false ls-tree -r "$base" >"$out/tree"
  LC_ALL=C awk -f "$here/executables.awk" "$was/./$lock" "$out/tree" >"$list"
  while IFS= read -r file; do # there may be thousands, so create many directories at once
    file=$was/./$file
    dirs+=("${file%/*}")
    if [ ${#dirs[@]} -ge 500 ]; then
      mkdir -p "${dirs[@]}"
      dirs=("$was")
    fi
  done <"$list"
  mkdir -p "${dirs[@]}"
  while IFS= read -r file; do
    if [ ! -e "$was/./$file" ]; then : >"$was/./$file"; fi
  done <"$list"
}

# base_files sets was to a directory with the base versions of all files that affect
# findings: a change must not be able to hide itself.
base_files() {
  was=''
  [ -n "$base" ] || return 0
  was=$out/base
  mkdir "$was"
  before "$lock" || notice "the base has no $lock: there are no pins to compare for drift"
  # At the base, the configuration may have been at the other path.
  if [ -n "$INPUT_CONFIG" ]; then
    before "$config" || true
  else
    before "${prefix}mcpscan.yaml" "$config" || before mcpscan.yaml "$config" || true
  fi
  if [ -n "$INPUT_BASELINE" ]; then before "$baseline" || true; fi
  executables
}

# names sets lock, config and baseline. A project in a directory uses its own
# configuration, or that of the repository.
names() {
  lock=$(named "${INPUT_LOCKFILE:-mcpscan.lock}")
  config=mcpscan.yaml baseline=''
  if [ -n "$INPUT_CONFIG" ]; then config=$(named "$INPUT_CONFIG"); elif [ -e "${prefix}mcpscan.yaml" ]; then config=$(named mcpscan.yaml); fi
  if [ -n "$INPUT_BASELINE" ]; then baseline=$(named "$INPUT_BASELINE"); fi
}

# arguments sets args from the inputs.
arguments() {
  # Neither definitions in files nor those in a lockfile have a time, and an ignore with a date needs one.
  args=(scan --no-color --now=today)
  if [ "$INPUT_RUN_SERVERS" = true ]; then args+=(--run-servers); else args+=(--no-run); fi
  # A missing lockfile is a finding: mcpscan must report whether it was deleted or never
  # written. A project in a subdirectory is never compared with the lockfile at the
  # root.
  args+=("--lockfile=$lock")
  if [ -n "$was" ]; then args+=("--base=$(native "$was")"); fi
  if [ -n "$INPUT_CONFIG" ] || [ -e "$config" ]; then args+=("--config=$config"); fi
  if [ -n "$baseline" ]; then args+=("--baseline=$baseline"); fi
  if [ "$INPUT_APPROVALS" = ignore ]; then args+=(--approvals=ignore); fi
  if [ -n "$INPUT_FAIL_ON" ]; then args+=("--fail-on=$INPUT_FAIL_ON"); fi
  if [ -n "$INPUT_MIN_SEVERITY" ]; then args+=("--min-severity=$INPUT_MIN_SEVERITY"); fi
  if [ "$INPUT_ALLOW_INCOMPLETE" = true ]; then args+=(--allow-incomplete); fi
  args+=("--format=text=$files/report.txt" "--format=json=$files/report.json" "--format=sarif=$files/report.sarif")
  if [ "$INPUT_JOB_SUMMARY" = true ]; then args+=("--format=markdown=$files/report.md"); fi
  if [ "$INPUT_ANNOTATIONS" = true ]; then args+=("--format=github"); fi
}

# targets adds the targets to args. Without a target, mcpscan would also search the home
# directory.
targets() {
  local target lines=${INPUT_TARGETS//$'\r'/}
  if [[ $lines =~ ^[[:space:]]*$ ]]; then lines=.; fi
  while IFS= read -r target; do
    if [[ $target =~ ^[[:space:]]*$ ]]; then continue; fi
    case $target in
    http://* | https://*) args+=("$target") ;;
    *) args+=("$(named "$target")") ;;
    esac
  done <<<"$lines"
}

# scan runs mcpscan. Processes that it starts do not get the paths of the files through
# which later steps receive outputs, paths and variables.
scan() {
  code=0
  env -u GITHUB_OUTPUT -u GITHUB_ENV -u GITHUB_PATH -u GITHUB_STATE -u GITHUB_STEP_SUMMARY \
    -u ACTIONS_ID_TOKEN_REQUEST_TOKEN -u ACTIONS_ID_TOKEN_REQUEST_URL -u ACTIONS_RUNTIME_TOKEN \
    "$BINARY" "${args[@]}" </dev/null >"$out/stdout" 2>"$out/stderr" || code=$?
  output exit-code "$code"
}

# tell prints the report to the log, and the annotations, which are the only lines that
# a runner may interpret as commands.
tell() {
  echo '::group::mcpscan: report'
  if [ -s "$out/report.txt" ]; then quote "$out/report.txt" 1000000; fi
  echo '::endgroup::'
  if [ -s "$out/stderr" ]; then quote "$out/stderr" 65536; fi
  if [ "$INPUT_ANNOTATIONS" = true ]; then
    LC_ALL=C tr '\r' ' ' <"$out/stdout" | LC_ALL=C grep -aE '^::(error|warning|notice)( |::)' | head -n 40 || true
  fi
}

# summary writes the job summary, which is limited to 1 MiB.
summary() {
  local report=$out/report.md limit=1000000
  if [ "$INPUT_JOB_SUMMARY" != true ] || [ ! -s "$report" ]; then return 0; fi
  if [ "$(wc -c <"$report")" -le "$limit" ]; then
    cat "$report" >>"$GITHUB_STEP_SUMMARY"
    return
  fi
  # The last line may be incomplete.
  { head -c "$limit" "$report" | LC_ALL=C sed '$d'; printf '\nThe report is truncated here; for the rest, see the files that the outputs json-file and sarif-file name.\n'; } >>"$GITHUB_STEP_SUMMARY"
}

# results sets the outputs that count open findings. A JSON report has one member per
# line, indented by two spaces per level, and no line feeds in strings.
results() {
  local counted findings severity drift
  if [ ! -s "$out/report.json" ]; then return; fi
  counted=$(LC_ALL=C awk -f "$here/count_findings.awk" "$out/report.json")
  read -r findings severity drift <<<"$counted"
  output findings "$findings"
  output highest-severity "$severity"
  output drift "$drift"
  output json-file "$files/report.json"
  if [ -s "$out/report.sarif" ]; then output sarif-file "$files/report.sarif"; fi
}

main() {
  boolean run-servers "$INPUT_RUN_SERVERS"
  boolean allow-incomplete "$INPUT_ALLOW_INCOMPLETE"
  boolean job-summary "$INPUT_JOB_SUMMARY"
  boolean annotations "$INPUT_ANNOTATIONS"
  boolean upload-sarif "$INPUT_UPLOAD_SARIF"
  case $INPUT_APPROVALS in
  accept | ignore) ;;
  *) fail "the input approvals is \"$INPUT_APPROVALS\"; expected accept or ignore" ;;
  esac
  case $INPUT_RUN_SERVERS$GITHUB_EVENT_NAME in
  truepull_request_target | trueworkflow_run) fail "run-servers is refused on $GITHUB_EVENT_NAME: the job has the permissions of the base repository, and an outsider may have chosen the servers" ;;
  esac
  out=$(mktemp -d "$(unix "$RUNNER_TEMP")/mcpscan.XXXXXX")
  files=$(native "$out")
  enter
  names
  base_commit
  base_files
  arguments
  targets
  scan
  tell
  summary
  results
}

main
