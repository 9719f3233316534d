#!/usr/bin/env bash
# Ends the action with the exit code of mcpscan. Nothing else affects the result: a
# token without upload permission must not change it.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=workflow_commands.sh
. "$(cd "${BASH_SOURCE[0]%/*}" && pwd)/workflow_commands.sh"

if [ "$UPLOAD_OUTCOME" = failure ]; then
  warning "the SARIF file was not uploaded: give the job the permission security-events: write, and enable code scanning in the repository; the result of this step does not depend on the upload"
fi
case $EXIT_CODE in
0) echo "mcpscan: no findings at or above fail-on" ;;
1) echo "mcpscan: findings at or above fail-on" ;;
2) fail "usage or configuration error: the log of the scan step shows what was expected" ;;
3) echo "mcpscan: something could not be inspected; the report lists what" ;;
'') fail "mcpscan did not run: see the log of the earlier steps" ;;
esac
[[ $EXIT_CODE =~ ^[0-9]{1,3}$ ]] || fail "the scan left no exit code"
exit "$EXIT_CODE"
