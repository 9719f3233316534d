# shellcheck shell=bash
# What the scripts of the action share. A runner reads every line of their
# output for commands, so text that is not ours goes through quote.

# fail MESSAGE ends the step, also from where output is captured: the runner reads
# commands in both streams. The message is ours, but may name an input.
fail() {
  printf '::error title=mcpscan::%s\n' "$(escape "$1")" >&2
  exit 2
}

notice() { printf '::notice title=mcpscan::%s\n' "$(escape "$1")"; }
warning() { printf '::warning title=mcpscan::%s\n' "$(escape "$1")"; }

# escape TEXT makes a text fit for the message of a workflow command.
escape() {
  local s=${1//%/%25}
  s=${s//$'\r'/%0D}
  s=${s//$'\n'/%0A}
  printf '%s' "$s"
}

# random sets token to what cannot be guessed.
random() {
  token=$(od -An -N16 -tx1 /dev/urandom)
  token=mcpscan-${token//[[:space:]]/}
}

# output NAME VALUE sets an output of the step. The delimiter cannot be guessed,
# so a value of several lines cannot set another one.
output() {
  local token
  random
  printf '%s<<%s\n%s\n%s\n' "$1" "$token" "$2" "$token" >>"$GITHUB_OUTPUT"
}

# quote FILE BYTES prints the beginning of a file that may hold anything, while
# the runner takes no commands.
quote() {
  local token
  random
  printf '::stop-commands::%s\n' "$token"
  head -c "$2" "$1"
  printf '\n::%s::\n' "$token"
}

# boolean NAME VALUE refuses what is neither true nor false: a typing error must
# not switch anything.
boolean() {
  case $2 in
  true | false) ;;
  *) fail "the input $1 is \"$2\"; expected true or false" ;;
  esac
}

# unix PATH and native PATH name a file for bash and for other programs; they
# differ on Windows alone.
unix() { if command -v cygpath >/dev/null; then cygpath -u "$1"; else printf '%s' "$1"; fi; }
native() { if command -v cygpath >/dev/null; then cygpath -m "$1"; else printf '%s' "$1"; fi; }
