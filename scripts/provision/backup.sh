#!/usr/bin/env bash
# backup.sh FOLDER [KEEP]: dumps what is served and what outlives a load into FOLDER, checks the dump, and removes all
# but the KEEP newest (default 7).
set -euo pipefail
umask 077
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
# shellcheck source=lib/backup.sh
source "$here/lib/backup.sh"

# One snapshot for the dump and for the fingerprint: a load may swap between the two.
dump() {
  export DRAFT=$1 PGDATABASE=catalog
  sql -d catalog <<SQL
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT pg_export_snapshot() AS snapshot \gset
\setenv SNAPSHOT :snapshot
\! pg_dump --snapshot="\$SNAPSHOT" --format=custom --compress=1 --schema=catalog --schema=catalog_meta --file="\$DRAFT/catalog.dump" || rm -f "\$DRAFT/catalog.dump"
\o '$DRAFT/fingerprint'
\i '$here/fingerprint.sql'
COMMIT;
SQL
}

main() {
  [[ ${1:-} == /* && ${2:-7} =~ ^[1-9][0-9]*$ ]] || fail 'usage: backup.sh FOLDER [KEEP], FOLDER from the root on'
  become_postgres "$@"
  if [[ $(sql -d postgres -c 'SELECT pg_is_in_recovery()') == t ]]; then
    echo 'this is a replica: its primary makes the backups'
    return
  fi
  local folder=$1 keep=${2:-7} name draft old
  mkdir -p "$folder"
  # A reader never meets a half: what was cut off keeps this name, and the next run removes it.
  exec 9>"$folder/.lock"
  flock -n 9 || fail "another backup into $folder is running"
  rm -rf "$folder"/.draft-*
  name=$(date -u +%Y%m%dT%H%M%S.%3NZ)
  draft="$folder/.draft-$name"
  mkdir "$draft"
  dump "$draft" || fail "no backup was made: does catalog exist, and is the server the one you mean?"
  pg_restore --list "$draft/catalog.dump" >/dev/null 2>&1 || fail "pg_dump wrote no dump into $draft: is the disk full?"
  sync "$draft"/*
  mv "$draft" "$folder/$name"
  find "$folder" -mindepth 1 -maxdepth 1 -name '2*Z' | sort -r | tail -n +$((keep + 1)) |
    while read -r old; do rm -rf "$old"; done
  echo "$folder/$name $(du -sh "$folder/$name" | cut -f 1)"
}

main "$@"
