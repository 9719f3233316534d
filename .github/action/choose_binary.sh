#!/usr/bin/env bash
# Chooses the source of mcpscan. Building it needs Go. actions/setup-go hashes and
# caches only files in the workspace, so this script copies go.mod and go.sum there;
# the next step removes the copies.
set -euo pipefail
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
# shellcheck source-path=SCRIPTDIR source=workflow_commands.sh
. "$here/workflow_commands.sh"

main() {
  local modules
  if [ -n "$INPUT_BINARY_PATH" ] || [ -n "${INPUT_VERSION:-$(cat "$here/VERSION")}" ]; then return 0; fi
  modules=$(mktemp -d "$(unix "$GITHUB_WORKSPACE")/.mcpscan-XXXXXXXX")
  cp "$here/../../go.mod" "$here/../../go.sum" "$modules"
  output modules "$(basename "$modules")"
}

main
