# shellcheck shell=bash
# Shared by backup.sh and restore.sh; sourced. The server is that of libpq's environment (PGHOST, PGUSER, …); on a node it is
# the local socket, as the user postgres.

program=$(basename "$0")
# Resolved before the current folder changes.
program_file=$(readlink -f "$0")

fail() {
  printf '%s: %s\n' "$program" "$1" >&2
  exit 1
}

wrong_use() {
  printf '%s: usage: %s %s\n' "$program" "$program" "$1" >&2
  exit 2
}

# On a node root runs the command, but PostgreSQL admits the user postgres.
is_roots() { [[ $EUID == 0 && -z ${PGHOST:-} ]]; }
as_postgres() { (cd / && exec setpriv --reuid postgres --regid postgres --init-groups "$@"); }
become_postgres() {
  if is_roots; then cd / && exec setpriv --reuid postgres --regid postgres --init-groups "$program_file" "$@"; fi
}

# No setting of server, database or shell may limit the time of a dump, or let a function of another schema replace a built-in one.
PGOPTIONS="${PGOPTIONS:-} -c search_path=pg_catalog -c default_transaction_isolation=read\\ committed"
PGOPTIONS+=' -c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c idle_session_timeout=0 -c client_min_messages=warning'
export PGOPTIONS

sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }

# fingerprint_of DATABASE [OPTION…]
fingerprint_of() { sql -d "$@" -f "$here/fingerprint.sql"; }
