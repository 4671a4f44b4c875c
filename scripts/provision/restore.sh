#!/usr/bin/env bash
# restore.sh BACKUP: restores a folder that backup.sh made, beside what is served; compares its fingerprint; then takes
# its place by renaming databases. What was served is kept as catalog_replaced.
# restore.sh --undo: the other way round.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
# shellcheck source=lib/backup.sh
source "$here/lib/backup.sh"

exists() { [[ $(sql -d postgres -c "SELECT 1 FROM pg_database WHERE datname = '$1'") == 1 ]]; }

# Whatever cut an exchange off, no database stays closed: to the workers that would be an outage without an end.
allow_connections() {
  sql -d postgres <<'SQL'
SELECT format('ALTER DATABASE %I ALLOW_CONNECTIONS true', datname) FROM pg_database
WHERE datname IN ('catalog', 'catalog_replaced', 'catalog_restored') AND NOT datallowconn \gexec
SQL
}

# exchange NEW OLD: the database NEW becomes catalog, and what was catalog becomes OLD; both or neither. Renaming needs
# databases without connections: they are ended, and workers come back within a second.
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

# On a replica the rename ends no session: its workers would go on reading what was replaced.
tell_replicas() {
  local replicas end="SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'catalog_api'"
  replicas=$(sql -d postgres -c "SELECT string_agg(host(client_addr), ', ') FROM pg_stat_replication WHERE state <> 'backup'")
  [[ -z $replicas ]] || printf 'now on each replica (%s): runuser -u postgres -- psql -X -c "%s"\n' "$replicas" "$end"
}

# A restore whose end nobody saw is typed again: catalog_replaced is then the only copy of what was served. One that was
# cut off between its renames has left no catalog, and this goes on from there.
require_not_replaced() {
  if exists catalog && exists catalog_replaced; then
    tell_replicas
    fail "a restore has taken its place already, and what was served before it is catalog_replaced: catalog-restore --undo goes back to that; if all is well, runuser -u postgres -- psql -c 'DROP DATABASE catalog_replaced', then this again"
  fi
}

fill() {
  sql -d postgres -c 'DROP DATABASE IF EXISTS catalog_restored' -c 'CREATE DATABASE catalog_restored TEMPLATE template0'
  sql -d catalog_restored -f "$here/../../db/roles.sql"
  pg_restore --dbname=catalog_restored --exit-on-error --jobs="$(nproc)" "$1/catalog.dump"
  sql -d catalog_restored -c 'ANALYZE'
  cmp -s "$1/fingerprint" <(fingerprint_of catalog_restored) ||
    cmp -s "$1/fingerprint" <(fingerprint_of catalog_restored -v older=yes) ||
    fail "$1 was restored as catalog_restored, and is not what was dumped; what is served was not touched"
  # The number tells workers that this is another catalog, whatever numbers went before.
  sql -d catalog_restored -c 'SELECT catalog_meta.bump_version()' >/dev/null
}

# Root reads what came with scp; the account that restores it may not.
require_backup() {
  local reader=postgres as=as_postgres
  is_roots || reader=$(id -un) as=command
  # A folder that may not be entered can be a backup.
  [[ -f $1/catalog.dump || -d $1 && ! -x $1 ]] ||
    wrong_use "BACKUP (a folder that catalog-backup made), or $program --undo"
  "$as" test -r "$1/catalog.dump" -a -r "$1/fingerprint" ||
    fail "the account $reader cannot read $1: chown -R $reader: $1, and from below a closed folder such as /root move it into /var/backups/catalog"
}

main() {
  if [[ ${1:-} != --undo ]]; then
    # From here on the way from the root: another account starts in another folder.
    set -- "$(readlink -m -- "${1:-}")"
    require_backup "$1"
  fi
  become_postgres "$@"
  allow_connections
  trap allow_connections EXIT
  if [[ $1 == --undo ]]; then
    exists catalog_replaced || fail 'there is no database catalog_replaced to go back to'
    # What it was cached under may hold bodies of the restored one, read in the moment of the exchange.
    sql -d catalog_replaced -c 'SELECT catalog_meta.bump_version()' >/dev/null
    # Its name is for what is catalog now.
    if exists catalog; then sql -d postgres -c 'DROP DATABASE IF EXISTS catalog_restored WITH (FORCE)'; fi
    exchange catalog_replaced catalog_restored
    echo 'catalog is what it was before the restore; the restored one is catalog_restored'
    tell_replicas
    return
  fi
  require_not_replaced
  fill "$1"
  exchange catalog_restored catalog_replaced
  echo "catalog is what $1 holds; what was served before is catalog_replaced"
  tell_replicas
}

main "$@"
