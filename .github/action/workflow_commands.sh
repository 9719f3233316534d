# shellcheck shell=bash
# Functions shared by the scripts of the action. A runner interprets every line of
# their output as a possible command, so untrusted text must go through quote.

# fail MESSAGE ends the step, even if its output is captured, because the runner reads
# commands from both streams. The message is ours, but may contain an input.
fail() {
  printf '::error title=mcpscan::%s\n' "$(escape "$1")" >&2
  exit 2
}

notice() { printf '::notice title=mcpscan::%s\n' "$(escape "$1")"; }
warning() { printf '::warning title=mcpscan::%s\n' "$(escape "$1")"; }

# escape TEXT escapes a text for the message of a workflow command.
escape() {
  local s=${1//%/%25}
  s=${s//$'\r'/%0D}
  s=${s//$'\n'/%0A}
  printf '%s' "$s"
}

# random sets token to an unpredictable value.
random() {
  token=$(od -An -N16 -tx1 /dev/urandom)
  token=mcpscan-${token//[[:space:]]/}
}

# output NAME VALUE sets an output of the step. The delimiter is unpredictable, so a
# multi-line value cannot set another output.
output() {
  local token
  random
  printf '%s<<%s\n%s\n%s\n' "$1" "$token" "$2" "$token" >>"$GITHUB_OUTPUT"
}

# quote FILE BYTES prints the beginning of a file with arbitrary content, while the
# runner ignores commands.
quote() {
  local token
  random
  printf '::stop-commands::%s\n' "$token"
  head -c "$2" "$1"
  printf '\n::%s::\n' "$token"
}

# boolean NAME VALUE rejects anything but true and false, so that a typo does not
# change a setting.
boolean() {
  case $2 in
  true | false) ;;
  *) fail "the input $1 is \"$2\"; expected true or false" ;;
  esac
}

# unix PATH and native PATH convert a path for bash and for other programs; the two
# differ only on Windows.
unix() { if command -v cygpath >/dev/null; then cygpath -u "$1"; else printf '%s' "$1"; fi; }
native() { if command -v cygpath >/dev/null; then cygpath -m "$1"; else printf '%s' "$1"; fi; }
