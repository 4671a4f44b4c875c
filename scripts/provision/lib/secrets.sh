# shellcheck shell=bash
# Passwords: from the environment, else from the machine's file, else (where the database is) made; sourced.

secrets_file=/etc/catalog/secrets.env

secret_in_file() {
  if [[ -f $secrets_file ]]; then sed -n "s/^$1=//p" "$secrets_file" | tail -n 1; fi
}

# An address of PostgreSQL contains it, and a configuration file of Redis: nothing there must need quotes.
require_plain() {
  [[ ${!1} =~ ^[A-Za-z0-9._~-]{16,}$ ]] ||
    fail "$1 must be 16 or more of A-Z a-z 0-9 . _ ~ -: make one with openssl rand -hex 24"
}

# use_secrets may-generate|must-exist NAME…: exports them, and keeps in the file what this role needs and no more
use_secrets() {
  local rule=$1 name text='# Passwords of this node, written by scripts/provision/node.sh.'
  shift
  for name in "$@"; do
    [[ -n ${!name:-} ]] || printf -v "$name" '%s' "$(secret_in_file "$name")"
    if [[ -z ${!name} ]]; then
      [[ $rule == may-generate ]] ||
        fail "$name is in neither the environment nor $secrets_file: copy that file from the database's node"
      printf -v "$name" '%s' "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"
    fi
    require_plain "$name"
    export "${name?}"
    text+=$'\n'"$name=${!name}"
  done
  if (($# > 0)); then ensure_file "$secrets_file" 600 root:root "$text"; fi
}
