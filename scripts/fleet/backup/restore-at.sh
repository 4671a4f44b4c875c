#!/usr/bin/env bash
# restore-at.sh --at TIME|latest: brings the server of this machine to a moment, by a base backup and the WAL after it. The server serves
# until its files are exchanged with the restored ones; its own are kept beside them, as main.replaced.
# restore-at.sh --undo-at: exchanges them again, and keeps the restored ones as main.undone.
# With Patroni, the other servers are stopped first, and then follow this one.
# restore-at.sh --follow: starts Patroni on another server. What a new machine was made with is kept as main.mismatched.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
# shellcheck source=shared.sh
source "$here/shared.sh"
program=catalog-restore

data=$(sed -n 's/^pg1-path=//p' /etc/pgbackrest.conf 2>/dev/null) || true
version=$(basename "$(dirname "$data")")
programs=/usr/lib/postgresql/$version/bin
unit=postgresql@$version-main
draft=$data.restoring replacing=$data.replacing replaced=$data.replaced undone=$data.undone undoing=$data.undoing
mismatched=$data.mismatched
# Patroni would replay to the newest row, so PostgreSQL comes to the moment in a unit of its own, and Patroni takes it over.
if [[ -e $patroni ]]; then unit=catalog-restoring; else patroni=''; fi
archive_get='pgbackrest --stanza=catalog archive-get %f "%p"'

answers() { as_postgres psql -X -q -A -t -d postgres -c "$1" 2>/dev/null; }

# control NAME: a value of the files of this server
control() { "$programs/pg_controldata" "$data" 2>/dev/null | sed -n "s/^$1: *//p"; }

system_id() { control 'Database system identifier'; }
# is_kept ID: the repository has the WAL of this cluster. It has none of the empty one that a new machine begins with.
is_kept() { [[ -n $1 ]] && as_postgres pgbackrest --stanza=catalog --output=json info | grep -q "\"system-id\":$1\b"; }

# timeline: that of this server, if it is the repository's: after an undo, another branch there is later.
timeline() { if is_kept "$(system_id)"; then control "Latest checkpoint's TimeLineID"; else echo latest; fi; }

# run_server [SETTING…]: with the files at $data. In a fleet no client or replica reaches it, and it waits for none.
run_server() {
  if [[ -z $patroni ]]; then
    systemctl start "$unit"
    return
  fi
  systemctl disable -q --now patroni
  rm -f "$data/standby.signal"
  systemctl is-active -q "$unit" || systemd-run -q --collect --unit="$unit" --uid=postgres --service-type=exec \
    -p KillMode=mixed -p KillSignal=SIGINT -p TimeoutStopSec=infinity \
    "$programs/postgres" -D "$data" -c listen_addresses= -c synchronous_standby_names= "$@"
}

# After it, no start of the machine starts PostgreSQL until the files are whole.
stop_server() {
  if [[ $patroni ]]; then
    systemctl disable -q --now patroni
    systemctl is-active -q "$unit" || return 0
  fi
  systemctl stop "$unit"
}

start_as_before() { if [[ $patroni ]]; then systemctl enable -q --now patroni; else systemctl start "$unit"; fi; }

give_to_patroni() {
  [[ $patroni ]] || return 0
  require_alone 'this server is not given to Patroni yet' # recovery takes long, and an operator may have started another meanwhile
  systemctl stop "$unit"
  forget_server
  start_as_before
  reached patroni || fail 'Patroni does not start: journalctl -u patroni says why. Then run this again'
  echo 'now run catalog-restore --follow on the other servers'
}

# recover_draft MOMENT: fills a folder beside the data.
recover_draft() {
  local until=(--type=default)
  if [[ $1 != latest ]]; then until=(--type=time --target="$1" --target-action=promote); fi
  rm -rf "$draft"
  install -d -o postgres -g postgres -m 700 "$draft"
  as_postgres pgbackrest --stanza=catalog --pg1-path="$draft" "${until[@]}" --target-timeline="$(timeline)" \
    --recovery-option="restore_command=$archive_get" restore || {
    rm -rf "$draft"
    fail 'nothing was changed: pgBackRest says why above. runuser -u postgres -- pgbackrest info lists what can be restored'
  }
}

# reached [UNIT]: recovery takes as long as its WAL is.
reached() {
  until [[ $(answers 'SELECT pg_is_in_recovery()') == f ]]; do
    systemctl is-active -q "${1:-$unit}" || return 1
    sleep 1
  done
}

# go_back: the files of before, when the restored ones do not start. Each step may be interrupted: the next run then tries the restored ones again.
go_back() {
  stop_server || true
  mv "$data" "$draft"
  mv "$replacing" "$data"
  start_as_before
  rm -rf "$draft"
}

show_log() {
  if [[ $patroni ]]; then journalctl --no-pager -o cat -u "$unit" -n 8; else tail -n 8 "/var/log/postgresql/postgresql-$version-main.log"; fi
}

# moment_of TIME: as PostgreSQL takes it, or latest: the end of the WAL that is archived
moment_of() {
  case $1 in
    '') return 1 ;;
    latest) echo latest ;;
    *) date -u -d "$1" '+%Y-%m-%d %H:%M:%S.%6N+00' 2>/dev/null ;;
  esac
}

restore_at() {
  local moment
  moment=$(moment_of "${1:-}") || wrong_use "--at TIME, such as '2026-11-29 10:15:00 UTC', or latest"
  [[ $moment == latest || $moment < $(moment_of now) ]] || fail "$moment is not over yet"
  [[ ! -e $undoing ]] || fail 'an undo was interrupted: first run catalog-restore --undo-at'
  require_alone
  if [[ -e $replacing ]]; then
    moment='the moment of the restore that was interrupted'
  else
    [[ ! -e $replaced ]] ||
      fail "$replaced is what an earlier restore replaced. To go back, run catalog-restore --undo-at. If all is well, run rm -r $replaced, then this again"
    recover_draft "$moment"
    # Recovery fails where no commit follows the moment. A server that does not answer has had its last one.
    answers 'SELECT pg_current_xact_id()' >/dev/null || true
    require_alone
    stop_server
    mv "$data" "$replacing"
  fi
  if [[ ! -e $data ]]; then mv "$draft" "$data"; fi
  if ! run_server || ! reached; then
    show_log >&2
    go_back
    fail "the server could not be brought to $moment, and is as before: its log above says why. An earlier moment may be there"
  fi
  as_postgres "$program_file" --begin
  give_to_patroni
  mv "$replacing" "$replaced"
  echo "the server is as at $moment; what was replaced is $replaced"
  echo 'now run catalog-node (of a fleet: npm run fleet -- site): roles have their passwords of that moment'
  systemctl start --no-block catalog-backup.service
}

undo() {
  [[ -e $replaced || -e $undoing ]] || fail "nothing to undo: there is no $replaced"
  require_alone
  if [[ -e $replaced ]]; then
    if [[ -e $data ]]; then # else an interrupted run has moved it
      [[ ! -e $undone ]] || fail "$undone is of an earlier undo: if it is not needed, run rm -r $undone, then this again"
      touch "$undoing"
      stop_server
      mv "$data" "$undone"
    fi
    # The archive has the restored timeline. Patroni would begin it a second time, and recovery begins one after all that are there.
    if [[ $patroni ]]; then as_postgres touch "$replaced/recovery.signal"; fi
    mv "$replaced" "$data"
  fi
  if ! run_server -c "restore_command=$archive_get" -c recovery_target_timeline=current || ! reached; then
    fail "the files of before are back, but $unit does not start: its log says why"
  fi
  as_postgres "$program_file" --begin
  give_to_patroni
  rm -f "$undoing"
  echo "the server is as before the restore; the restored one is $undone"
}

# follow: Patroni rewinds this server to the restored one, or copies that. Data of another cluster, which Patroni refuses, is moved only if the
# repository keeps the leader's and not this one: never for an empty fleet.
follow() {
  [[ $patroni ]] || fail 'Patroni does not run this server, so it follows none'
  local leads mine
  leads=$(in_etcd get --print-value-only /service/catalog/initialize) || fail 'nothing was changed: etcd does not answer. Bring it back first'
  mine=$(system_id) || true
  if [[ -n $mine && $mine != "$leads" ]]; then
    if ! is_kept "$leads" || is_kept "$mine"; then
      fail "nothing was changed: this server has data of another cluster than the leader, and not that of a new machine. Is the leader restored?"
    fi
    [[ ! -e $mismatched ]] || fail "$mismatched is of an earlier restore: if it is not needed, run rm -r $mismatched, then this again"
    stop_server
    mv "$data" "$mismatched"
    echo "this server copies the leader; what it was made with is $mismatched"
  fi
  start_as_before
}

main() {
  # As postgres: caches and cursors have what this moment lacks, and the release may need later tables.
  if [[ $1 == --begin ]]; then
    [[ $(sql -d postgres -c "SELECT 1 FROM pg_database WHERE datname = 'catalog'") == 1 ]] || return 0
    prepare catalog
    begin_era catalog
    return
  fi
  [[ -n $data ]] || fail 'this machine keeps no WAL: set wal_repository first (README.md of scripts/fleet)'
  is_roots || fail 'run this as root: it exchanges the files of PostgreSQL'
  case $1 in
    --at) restore_at "${2:-}" ;;
    --follow) follow ;;
    *) undo ;;
  esac
}

main "$@"
