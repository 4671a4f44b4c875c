#!/usr/bin/env bash
# restore.sh BACKUP: restores a folder that backup.sh made, beside what is served; compares its fingerprint; then takes
# its place by renaming databases. What was served is kept as catalog_replaced.
# restore.sh --undo: the other way round.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
# shellcheck source=lib/backup.sh
source "$here/lib/backup.sh"

exists() { [[ $(sql -d postgres -c "SELECT 1 FROM pg_database WHERE datname = '$1'") == 1 ]]; }

# Renaming needs a database without connections: they are ended, and workers come back within a second.
rename() {
  if exists "$1"; then
    sql -d postgres >/dev/null <<SQL
ALTER DATABASE $1 ALLOW_CONNECTIONS false;
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '$1';
ALTER DATABASE $1 RENAME TO $2;
ALTER DATABASE $2 ALLOW_CONNECTIONS true;
SQL
  fi
}

fill() {
  sql -d postgres -c 'DROP DATABASE IF EXISTS catalog_restored' -c 'CREATE DATABASE catalog_restored TEMPLATE template0'
  sql -d catalog_restored -f "$here/../../db/roles.sql"
  pg_restore --dbname=catalog_restored --exit-on-error --jobs="$(nproc)" "$1/catalog.dump"
  sql -d catalog_restored -c 'ANALYZE'
  cmp -s "$1/fingerprint" <(fingerprint_of catalog_restored) ||
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
    fail 'usage: restore.sh BACKUP (a folder that backup.sh made), or restore.sh --undo'
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
  if [[ $1 == --undo ]]; then
    exists catalog_replaced || fail 'there is no database catalog_replaced to go back to'
    # What it was cached under may hold bodies of the restored one, read in the moment of the exchange.
    sql -d catalog_replaced -c 'SELECT catalog_meta.bump_version()' >/dev/null
    rename catalog catalog_restored
    rename catalog_replaced catalog
    echo 'catalog is what it was before the restore; the restored one is catalog_restored'
    return
  fi
  fill "$1"
  sql -d postgres -c 'DROP DATABASE IF EXISTS catalog_replaced WITH (FORCE)'
  rename catalog catalog_replaced
  rename catalog_restored catalog
  echo "catalog is what $1 holds; what was served before is catalog_replaced"
}

main "$@"
