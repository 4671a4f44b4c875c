#!/usr/bin/env bash
# backup.sh FOLDER [KEEP]: dumps the schemas catalog, catalog_log and catalog_meta into FOLDER, checks the dump, and removes all but
# the KEEP newest (default 7). On a node, it copies the dump off the site, and makes pgBackRest's base backup, where these are set.
set -euo pipefail
umask 077
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
# shellcheck source=shared.sh
source "$here/shared.sh"
metrics=/var/lib/prometheus/node-exporter/backup.prom

# One snapshot for dump and fingerprint, because rows may be written between the two. Its transaction idles while pg_dump runs,
# longer than files/postgresql.conf allows, so shared.sh lifts that limit.
dump() {
  export DRAFT=$1 HERE=$here PGDATABASE=catalog
  sql -d catalog <<SQL
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT pg_export_snapshot() AS snapshot \gset
\setenv SNAPSHOT :snapshot
\! pg_dump --snapshot="\$SNAPSHOT" --format=custom --compress=1 --schema=catalog --schema=catalog_log --schema=catalog_meta --file="\$DRAFT/catalog.dump" || rm -f "\$DRAFT/catalog.dump"
\getenv draft DRAFT
\getenv here HERE
\o :draft/fingerprint
\i :here/fingerprint.sql
COMMIT;
SQL
}

# The transaction that named the served schema: a rename writes its row again.
served() { sql -d catalog -c "SELECT xmin FROM pg_namespace WHERE nspname = 'catalog'"; }

# A swap renames schemas, which no reader's lock prevents, and pg_dump and the fingerprint read by name. A dump during a swap
# mixes two catalogs and may be empty. The loader's own locks would stop whole loads, not only swaps.
dump_between_swaps() {
  local before status
  for _ in 1 2 3; do
    before=$(served) || return
    # Empty backups would replace the good ones night after night.
    [[ -n $before ]] || fail 'no backup was made: there is no schema catalog, so nothing is served; earlier backups are kept. Load a catalog first'
    status=0
    dump "$1" || status=$?
    if [[ $(served) == "$before" ]]; then return "$status"; fi
  done
  fail 'no backup was made: a swap occurred during each of three dumps; run this again when no load is about to end'
}

# Encrypted and with the passwords, into the repository that the unit's environment names. All servers of a catalog share it. Only the play makes
# one: at night, a disk that is not mounted would get an empty one, without a word.
copy_offsite() {
  [[ -n ${RESTIC_REPOSITORY:-} ]] || return 0
  local id not_copied="$1/$2 is made, but not copied off the site"
  id=$(restic --no-cache cat config | sed -n 's/.*"id": "\([0-9a-f]*\)".*/\1/p') ||
    fail "$not_copied: its repository does not answer, or is not there (restic says why above). Mount its disk; a new one is made by npm run fleet -- site, or catalog-node"
  # Written by the play; earlier releases had none.
  [[ ${OFFSITE_ID:-$id} == "$id" ]] ||
    fail "$not_copied: its repository is not that of earlier copies. Mount its disk; npm run fleet -- site, or catalog-node, says what else to do"
  # `unlock` removes locks of ended processes of this machine, and those that were not renewed for 30 minutes.
  { cd "$1" && cp "${CATALOG_SECRETS:-/etc/catalog/secrets.yml}" "$2/secrets.yml" && restic --no-cache --quiet unlock &&
    restic --no-cache --quiet backup --host catalog "$2"; } ||
    fail "$not_copied: the reason is above; the next backup tries again"
  restic --no-cache --quiet forget --prune --group-by host --keep-daily 7 --keep-weekly 5 --keep-monthly 12 ||
    fail "$1/$2 is made and copied off the site, but no old copy was removed there: restic says why above; the next backup tries again"
}

# For a restore to any second: on Sundays all, on other days what changed since.
copy_base() {
  grep -qs '^\[catalog\]' /etc/pgbackrest.conf || return 0
  local kind=diff
  if [[ $(date +%u) == 7 ]]; then kind=full; fi
  pgbackrest --stanza=catalog --type="$kind" backup ||
    fail "$1/$2 is made, but no base backup for a restore to a moment: pgBackRest says why above; the next backup tries again"
}

main() {
  [[ ${1:-} == /* && ${2:-7} =~ ^[1-9][0-9]*$ ]] || wrong_use 'FOLDER [KEEP], FOLDER from the root on'
  become_postgres "$@"
  if [[ $(sql -d postgres -c 'SELECT pg_is_in_recovery()') == t ]]; then
    echo 'this is a replica: its primary makes the backups'
    return
  fi
  local folder=$1 keep=${2:-7} name draft old
  mkdir -p "$folder"
  # Renamed when complete: an interrupted backup keeps this name, and the next run removes it.
  exec 9>"$folder/.lock"
  flock -n 9 || fail "another backup into $folder is running: wait until it ends"
  rm -rf "$folder"/.draft-*
  name=$(date -u +%Y%m%dT%H%M%S.%3NZ)
  draft="$folder/.draft-$name"
  mkdir "$draft"
  dump_between_swaps "$draft" || fail "no backup was made: does catalog exist, and is the server the one you mean?"
  pg_restore --list "$draft/catalog.dump" >/dev/null 2>&1 || fail "pg_dump wrote no dump into $draft: is the disk full?"
  sync "$draft"/*
  mv "$draft" "$folder/$name"
  # Never this one, even if a wrong clock has left later names.
  find "$folder" -mindepth 1 -maxdepth 1 -name '2*Z' ! -name "$name" | sort -r | tail -n +"$keep" |
    while read -r old; do rm -rf "$old"; done
  copy_offsite "$folder" "$name"
  copy_base "$folder" "$name"
  # For BackupMissed; only a node with exporters has the file.
  if [[ -w $metrics ]]; then echo "catalog_backup_timestamp_seconds $(date +%s)" >"$metrics"; fi
  echo "$folder/$name $(du -sh "$folder/$name" | cut -f 1)"
}

main "$@"
