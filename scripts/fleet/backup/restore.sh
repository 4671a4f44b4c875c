#!/usr/bin/env bash
# restore.sh BACKUP: restores a folder of backup.sh into a second database, compares its fingerprint, and exchanges the two by
# renaming. The replaced database is kept as catalog_replaced.
# restore.sh --undo: exchanges them again.
# restore.sh --at TIME, --undo-at, --follow: see restore-at.sh.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
# shellcheck source=shared.sh
source "$here/shared.sh"

exists() { [[ $(sql -d postgres -c "SELECT 1 FROM pg_database WHERE datname = '$1'") == 1 ]]; }

# After an interrupted exchange, databases must allow connections again, or the workers' outage would not end.
allow_connections() {
  sql -d postgres <<'SQL'
SELECT format('ALTER DATABASE %I ALLOW_CONNECTIONS true', datname) FROM pg_database
WHERE datname IN ('catalog', 'catalog_replaced', 'catalog_restored') AND NOT datallowconn \gexec
SQL
}

# exchange NEW OLD: renames the database NEW to catalog, and catalog to OLD; both or neither. A rename needs databases without
# connections: these are ended, and workers reconnect within a second.
exchange() {
  sql -d postgres >/dev/null <<SQL
SELECT format('ALTER DATABASE %I ALLOW_CONNECTIONS false', datname)
FROM pg_database WHERE datname IN ('catalog', '$1') ORDER BY datname \gexec
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname IN ('catalog', '$1');
BEGIN;
SELECT 'ALTER DATABASE catalog RENAME TO $2' FROM pg_database WHERE datname = 'catalog' \gexec
ALTER DATABASE $1 RENAME TO catalog;
COMMIT;
SQL
  allow_connections
}

# On a replica the rename ends no session, so its workers would keep reading the replaced database.
tell_replicas() {
  local replicas end="SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IN ('catalog_api', 'catalog_writer')"
  replicas=$(sql -d postgres -c "SELECT string_agg(host(client_addr), ', ') FROM pg_stat_replication WHERE state <> 'backup'")
  [[ -z $replicas ]] || printf 'now run on each replica (%s): runuser -u postgres -- psql -X -c "%s"\n' "$replicas" "$end"
}

# A user who missed the end of a restore repeats it: catalog_replaced is then the only copy of what was served. A restore that was
# interrupted between its renames has left no catalog, and this run continues it.
require_not_replaced() {
  if exists catalog && exists catalog_replaced; then
    tell_replicas
    fail "a backup is already restored, and the database before it is catalog_replaced. To go back, run catalog-restore --undo. If all is well, run runuser -u postgres -- psql -c 'DROP DATABASE catalog_replaced', then this again"
  fi
}

fill() {
  sql -d postgres -c 'DROP DATABASE IF EXISTS catalog_restored' -c 'CREATE DATABASE catalog_restored TEMPLATE template0'
  sql -d catalog_restored -f "$here/../../../db/roles.sql"
  pg_restore --dbname=catalog_restored --exit-on-error --jobs="$(nproc)" "$1/catalog.dump"
  sql -d catalog_restored -c 'ANALYZE'
  cmp -s "$1/fingerprint" <(fingerprint_of catalog_restored) ||
    cmp -s "$1/fingerprint" <(fingerprint_of catalog_restored -v older=yes) ||
    fail "$1 was restored as catalog_restored, but differs from its fingerprint; what is served is unchanged. Restore another backup"
  prepare catalog_restored
  begin_era catalog_restored
}

# root can read what came by scp; the account that restores it may not.
require_backup() {
  local reader=postgres as=as_postgres
  is_roots || reader=$(id -un) as=command
  # A folder that this account may not enter can be a backup.
  [[ -f $1/catalog.dump || -d $1 && ! -x $1 ]] ||
    wrong_use "BACKUP (a folder that catalog-backup made), or $program --undo, --at TIME, --undo-at, --follow"
  "$as" test -r "$1/catalog.dump" -a -r "$1/fingerprint" ||
    fail "the account $reader cannot read $1: run chown -R $reader: $1; if it is in a closed folder such as /root, first move it to /var/backups/catalog"
}

main() {
  if [[ ${1:-} =~ ^--(at|undo-at|follow)$ ]]; then exec "$here/restore-at.sh" "$@"; fi
  if [[ ${1:-} != --undo ]]; then
    # An absolute path from here on, since the other account starts in another folder.
    set -- "$(readlink -m -- "${1:-}")"
    require_backup "$1"
  fi
  become_postgres "$@"
  [[ $(sql -d postgres -c 'SELECT pg_is_in_recovery()') == f ]] ||
    fail 'this server is a replica, or does not answer: run this on the primary, which patronictl list names'
  allow_connections
  trap allow_connections EXIT
  if [[ $1 == --undo ]]; then
    exists catalog_replaced || fail 'nothing to undo: there is no database catalog_replaced'
    prepare catalog_replaced
    begin_era catalog_replaced # what was read during the exchange may be under its former version
    # Frees the name for the current catalog.
    if exists catalog; then sql -d postgres -c 'DROP DATABASE IF EXISTS catalog_restored WITH (FORCE)'; fi
    exchange catalog_replaced catalog_restored
    echo 'catalog is as before the restore; the restored database is catalog_restored'
    tell_replicas
    return
  fi
  require_not_replaced
  fill "$1"
  exchange catalog_restored catalog_replaced
  echo "catalog is restored from $1; the database before it is catalog_replaced"
  tell_replicas
}

main "$@"
