#!/usr/bin/env bash
# Ends the action with the exit code of mcpscan. It rests on nothing else: a
# token that may not upload must neither open nor close the gate.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(cd "${BASH_SOURCE[0]%/*}" && pwd)/lib.sh"

if [ "$UPLOAD_OUTCOME" = failure ]; then
  warning "the SARIF file was not uploaded: the job needs the permission security-events: write, and the repository code scanning; the gate does not depend on it"
fi
case $EXIT_CODE in
0) echo "mcpscan: nothing at or above the severity that fails" ;;
1) echo "mcpscan: findings at or above the severity that fails" ;;
2) fail "wrong usage or configuration: the log of the scan says what was expected" ;;
3) echo "mcpscan: something could not be inspected; the report says what" ;;
'') fail "mcpscan did not run: an earlier step says why" ;;
esac
[[ $EXIT_CODE =~ ^[0-9]{1,3}$ ]] || fail "the scan left no exit code"
exit "$EXIT_CODE"
