# shellcheck shell=bash
# What backup.sh and restore.sh share; sourced. The server is the one of libpq's environment (PGHOST, PGUSER, …); on a
# node that is the local socket, as the user postgres.

program=$(basename "$0")

fail() {
  printf '%s: %s\n' "$program" "$1" >&2
  exit 1
}

# On a node root types the command, and PostgreSQL knows the user postgres.
become_postgres() {
  if [[ $EUID == 0 && -z ${PGHOST:-} ]]; then
    cd / && exec setpriv --reuid postgres --regid postgres --init-groups "$(readlink -f "$0")" "$@"
  fi
}

sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

# fingerprint_of DATABASE
fingerprint_of() { sql -d "$1" -f "$here/fingerprint.sql"; }
