#!/usr/bin/env bash
# Determines where the program comes from. Building it needs Go;
# actions/setup-go only hashes and caches files in the workspace, so it gets
# copies of go.mod and go.sum there, which the next step removes.
set -euo pipefail
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"

main() {
  local modules
  if [ -n "$INPUT_BINARY_PATH" ] || [ -n "${INPUT_VERSION:-$(cat "$here/VERSION")}" ]; then return 0; fi
  modules=$(mktemp -d "$(unix "$GITHUB_WORKSPACE")/.mcpscan-XXXXXXXX")
  cp "$here/../../go.mod" "$here/../../go.sum" "$modules"
  output modules "$(basename "$modules")"
}

main
