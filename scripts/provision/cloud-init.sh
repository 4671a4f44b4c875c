#!/usr/bin/env bash
# Prints cloud-init's user data for a new machine of the fleet.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)

usage() {
  cat <<'TEXT'
cloud-init.sh --repository URL --commit SHA [--secrets-from COMMAND] -- --role app --address 10.0.0.34 --database 10.0.0.20

Prints user data with which a new machine makes itself a node at its first boot; the words after -- are node.sh's.

  --repository URL        where the machine fetches the project
  --commit SHA            40 digits
  --secrets-from COMMAND  its output becomes /etc/catalog/secrets.env
  --help
TEXT
}

fail() {
  printf 'cloud-init.sh: %s\n' "$1" >&2
  exit 2
}

# Each value becomes a shell word in a script inside a YAML block. Characters that either may interpret are refused.
require_plain() {
  [[ ${!1} =~ ^[A-Za-z0-9@%+=:,./\ _-]+$ ]] || fail "$1 is missing or has a character other than A-Z a-z 0-9 @%+=:,./_- and space"
}

main() {
  local REPOSITORY='' COMMIT='' SECRETS_FROM='true' NODE_OPTIONS_LINE
  while (($# > 0)) && [[ $1 != -- ]]; do
    [[ $1 != --help ]] || { usage && exit 0; }
    (($# > 1)) || fail "$1 needs a value"
    case $1 in
      --repository) REPOSITORY=$2 ;;
      --commit) COMMIT=$2 ;;
      --secrets-from) SECRETS_FROM=$2 ;;
      *) fail "unknown option $1" ;;
    esac
    shift 2
  done
  (($# > 1)) || fail 'the options of node.sh are missing: -- --role app …'
  shift
  NODE_OPTIONS_LINE=$*
  local name
  for name in REPOSITORY COMMIT SECRETS_FROM NODE_OPTIONS_LINE; do require_plain "$name"; done
  [[ $COMMIT =~ ^[0-9a-f]{40}$ ]] || fail '--commit must be the 40 digits of a commit, because a branch changes'
  [[ " $NODE_OPTIONS_LINE " == *' --role '* ]] || fail 'the options of node.sh lack --role'
  export REPOSITORY COMMIT SECRETS_FROM NODE_OPTIONS_LINE
  "$here/render.sh" cloud-init.yaml
}

main "$@"
