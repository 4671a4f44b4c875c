# shellcheck shell=bash
# What backup.sh and restore.sh share; sourced. The server is the one of libpq's environment (PGHOST, PGUSER, …); on a
# node that is the local socket, as the user postgres.

program=$(basename "$0")
# Before anything changes the folder.
program_file=$(readlink -f "$0")

fail() {
  printf '%s: %s\n' "$program" "$1" >&2
  exit 1
}

wrong_use() {
  printf '%s: usage: %s %s\n' "$program" "$program" "$1" >&2
  exit 2
}

# On a node root types the command, and PostgreSQL knows the user postgres.
is_roots() { [[ $EUID == 0 && -z ${PGHOST:-} ]]; }
as_postgres() { (cd / && exec setpriv --reuid postgres --regid postgres --init-groups "$@"); }
become_postgres() {
  if is_roots; then cd / && exec setpriv --reuid postgres --regid postgres --init-groups "$program_file" "$@"; fi
}

# Neither the server, the database, nor the shell decides how long a dump may take, or whose function a name means.
PGOPTIONS="${PGOPTIONS:-} -c search_path=pg_catalog -c default_transaction_isolation=read\\ committed"
PGOPTIONS+=' -c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c idle_session_timeout=0 -c client_min_messages=warning'
export PGOPTIONS

sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

# fingerprint_of DATABASE [OPTION…]
fingerprint_of() { sql -d "$@" -f "$here/fingerprint.sql"; }
