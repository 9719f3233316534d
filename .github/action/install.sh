#!/usr/bin/env bash
# Finds, builds or downloads mcpscan, and passes its path to the next step. A download
# runs only after its digest and provenance have been verified; the digest check
# cannot be skipped.
set -euo pipefail
here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
# shellcheck source-path=SCRIPTDIR source=workflow_commands.sh
. "$here/workflow_commands.sh"

repository=mcpscan/mcpscan
site=https://github.com/$repository

# given uses a program that is already on the machine.
given() {
  local program
  cd "$(unix "$GITHUB_WORKSPACE")"
  program=$(unix "$1")
  if [ ! -f "$program" ] || [ ! -x "$program" ]; then fail "binary-path is \"$1\", which is not an executable file; expected the path of mcpscan"; fi
  program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
  output binary "$program"
}

# build builds mcpscan from the source of the action, at the commit that the workflow
# names. go.sum gives the digests of the dependencies.
build() {
  local dir program=mcpscan
  rm -rf -- "$(unix "$GITHUB_WORKSPACE")/$MODULES"
  case ${RUNNER_OS:-} in Windows) program=mcpscan.exe ;; esac
  dir=$(mktemp -d "$(unix "$RUNNER_TEMP")/mcpscan.XXXXXX")
  GOWORK=off GOFLAGS=-mod=readonly go build -C "$(native "$(cd "$here/../.." && pwd)")" -buildvcs=false \
    -o "$(native "$dir/$program")" ./cmd/mcpscan >"$dir/build.log" 2>&1 || {
    quote "$dir/build.log" 65536
    fail "mcpscan could not be built from the source of this action; see the log above. If the runner has no network, install mcpscan on it and set binary-path"
  }
  printf 'mcpscan, built from the source of this action\n'
  output binary "$dir/$program"
}

# fetch VERSION FILE downloads a file of a release.
fetch() {
  local url=$site/releases/download/v$1/$2 status
  status=$(curl --disable --proto '=https' --proto-redir '=https' --tlsv1.2 --fail --silent --show-error --location \
    --retry 3 --max-time 300 --max-filesize 209715200 --write-out '%{http_code}' --output "$2" --url "$url") && return 0
  if [ "$status" = 404 ]; then
    fail "no such release: v$1 of mcpscan has no file $2; $site/releases lists the releases. Without the input version, the action builds the commit that the workflow names"
  fi
  fail "downloading $url failed; if the runner has no network, install mcpscan on it and set binary-path"
}

# wanted VERSION prints the version to install, as X.Y.Z.
wanted() {
  local version=$1 to
  if [ "$version" = latest ]; then
    to=$(curl --disable --proto '=https' --tlsv1.2 --fail --silent --show-error --retry 3 --max-time 60 \
      --output /dev/null --write-out '%{redirect_url}' --url "$site/releases/latest") ||
      fail "asking $site/releases/latest failed; if the runner has no network, install mcpscan on it and set binary-path"
    # If there is no release, GitHub redirects to the empty list.
    if [ "$to" = "$site/releases" ]; then fail "no such release: mcpscan has no releases yet; without the input version, the action builds the commit that the workflow names"; fi
    version=${to##*/tag/v}
  fi
  [[ $version =~ ^(0|[1-9][0-9]{0,5})(\.(0|[1-9][0-9]{0,5})){2}$ ]] ||
    fail "the version is \"$version\"; expected latest, or three numbers as in 1.2.3"
  printf '%s' "$version"
}

# platform prints OS_ARCH as in the names of the archives.
platform() {
  local os arch
  case ${RUNNER_OS:-} in
  Linux) os=linux ;;
  macOS) os=darwin ;;
  Windows) os=windows ;;
  *) fail "mcpscan has no release for the system \"${RUNNER_OS:-}\"; build mcpscan with Go and set binary-path" ;;
  esac
  case ${RUNNER_ARCH:-} in
  X64) arch=amd64 ;;
  ARM64) arch=arm64 ;;
  *) fail "mcpscan has no release for the processor \"${RUNNER_ARCH:-}\"; build mcpscan with Go and set binary-path" ;;
  esac
  printf '%s_%s' "$os" "$arch"
}

# digest_of NAME FILE prints the digest of NAME in a list, or nothing.
digest_of() { awk -v name="$1" '$2 == name && length($1) == 64 && $1 !~ /[^0-9a-f]/ { print $1 }' "$2"; }

sha256() { if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -c 1-64; }

# verify ARCHIVE VERSION compares the archive with the digest in this commit of the
# action, or, if the release is newer than the commit, with the list in the
# release.
verify() {
  local want got embedded=true
  want=$(digest_of "$1" "$here/checksums.txt")
  if [ -z "$want" ]; then
    embedded=false
    fetch "$2" checksums.txt
    want=$(digest_of "$1" checksums.txt)
  fi
  [[ $want =~ ^[0-9a-f]{64}$ ]] || fail "the release does not list exactly one digest for $1; it is incomplete, or was changed"
  got=$(sha256 "$1")
  [ "$got" = "$want" ] || fail "$1 has the digest $got, expected $want: the download was changed in transit or at its source"
  attested "$1" "$2" "$embedded"
}

# attested ARCHIVE VERSION EMBEDDED verifies the provenance. A release contains both its
# list and its archives, so whoever can change one can change both. The provenance
# says which workflow built the archive, from which tag.
attested() {
  if command -v gh >/dev/null; then
    GH_TOKEN=$INPUT_TOKEN GH_HOST=github.com gh attestation verify "$1" --repo "$repository" --deny-self-hosted-runners \
      --signer-workflow "$repository/.github/workflows/release.yml" --source-ref "refs/tags/v$2" >attestation.log 2>&1 || {
      quote attestation.log 8192
      fail "the provenance of $1 was not verified: see the output of gh attestation verify above"
    }
  elif [ "$3" = false ] && [ "$INPUT_ALLOW_UNATTESTED" != true ]; then
    fail "the provenance of $1 cannot be verified: gh is not installed, and this commit of the action contains no digest for it; install gh, use a later commit of the action, or set allow-unattested: true"
  elif [ "$3" = false ]; then
    warning "the provenance of $1 was not verified: gh is not installed, and allow-unattested is set"
  fi
}

# download gets mcpscan from a release.
download() {
  local version archive program=mcpscan on says
  version=$(wanted "${INPUT_VERSION:-$(cat "$here/VERSION")}")
  on=$(platform)
  archive=mcpscan_${version}_$on.tar.gz
  case $on in windows_*) program=mcpscan.exe ;; esac
  # Names without a directory, because tar treats D: as a host.
  cd "$(mktemp -d "$(unix "$RUNNER_TEMP")/mcpscan.XXXXXX")"
  fetch "$version" "$archive"
  verify "$archive" "$version"
  tar -xzf "$archive" "$program"
  if [ ! -f "$program" ] || [ -L "$program" ]; then fail "$archive contains no $program"; fi
  chmod 755 "$program"
  says=$("./$program" version | head -n 1) || says=
  [ "$says" = "mcpscan v$version" ] || fail "the program in $archive is not version $version"
  printf 'mcpscan %s\n' "$version"
  output binary "$PWD/$program"
}

main() {
  boolean allow-unattested "$INPUT_ALLOW_UNATTESTED"
  if [ -n "$INPUT_BINARY_PATH" ]; then
    given "$INPUT_BINARY_PATH"
  elif [ -n "$MODULES" ]; then
    build
  else
    download
  fi
}

main
