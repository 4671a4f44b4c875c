# shellcheck shell=bash
# Units of systemd, also on a machine without a running systemd (an image that is being built); sourced.

is_enabled() { [[ -L /etc/systemd/system/$2.wants/$1 ]]; }
enable_unit() {
  local folder unit=$1
  [[ $unit == *@*.service ]] && unit="${unit%%@*}@.service"
  for folder in /etc/systemd/system /lib/systemd/system; do
    if [[ -e $folder/$unit ]]; then
      make_link "/etc/systemd/system/$2.wants/$1" "$folder/$unit"
      return
    fi
  done
}
# ensure_enabled UNIT TARGET
ensure_enabled() { make_so "enable $1" is_enabled enable_unit "$@"; }

# Whether the unit runs, and was started or reloaded after each of these files was written. So a run repairs one that was
# interrupted between the two.
is_current() {
  local unit=$1 how=$2 since stamp file
  shift 2
  if is_planned renew_unit "$unit"; then return 0; fi
  systemctl is-active --quiet "$unit" || return 1
  since=$(date -d "$(systemctl show -P ActiveEnterTimestamp "$unit")" +%s) || return 1
  if [[ $how == reload ]]; then
    stamp=$(stat -c %Y "/run/$unit.reloaded" 2>/dev/null || echo 0)
    ((stamp <= since)) || since=$stamp
  fi
  for file in "$@"; do
    if is_planned write_file "$file"; then return 1; fi
    [[ -e $file ]] && (($(stat -c %Y "$file") <= since)) || return 1
  done
}
# A reload fails no request; a stopped unit is started.
renew_unit() {
  quietly systemctl daemon-reload
  if [[ $2 == restart ]]; then quietly systemctl restart "$1"; else quietly systemctl reload-or-restart "$1"; fi
  touch "/run/$1.reloaded"
}
# ensure_running UNIT restart|reload FILE…: restarts or reloads it if one of the files is newer
ensure_running() {
  if systemd_runs; then
    make_so "$2 $1 for its new settings" is_current renew_unit "$@"
  else
    note "systemd does not run here: $1 starts at the next boot"
  fi
}

is_read() {
  ! is_planned write_file "$2" &&
    [[ $(systemctl show -P FragmentPath -P DropInPaths "$1") == *"$2"* && $(systemctl show -P NeedDaemonReload "$1") == no ]]
}
read_units() { quietly systemctl daemon-reload; }
# ensure_read UNIT FILE: makes systemd read the unit or drop-in for its next start, without a restart
ensure_read() {
  if systemd_runs; then make_so "have systemd read $2" is_read read_units "$@"; fi
}
# tell_older UNIT FILE
tell_older() {
  if [[ -z $dry_run ]] && systemd_runs && ! is_current "$1" restart "$2"; then
    note "$1 was started before $2 changed. To apply it, run systemctl restart $1, which closes its ports for a moment"
  fi
}

is_masked() { is_link "/etc/systemd/system/$1" /dev/null; }
mask_unit() {
  make_link "/etc/systemd/system/$1" /dev/null
  if systemd_runs; then
    quietly systemctl daemon-reload
    systemctl stop "$1" 2>/dev/null || true
  fi
}
# ensure_masked UNIT: a unit of the distribution that ours replaces
ensure_masked() { make_so "mask $1" is_masked mask_unit "$1"; }

differs_from_kernel() {
  local name value
  while IFS=' =' read -r name value; do
    [[ $name == [a-z]* ]] || continue
    name=/proc/sys/${name//.//}
    [[ ! -w $name || $(tr -s '\t' ' ' <"$name") == "$value" ]] || return 0
  done <"$1"
  return 1
}
has_sysctl() { ! differs_from_kernel "$1"; }
apply_sysctl() {
  local name value
  while IFS=' =' read -r name value; do
    if [[ $name == [a-z]* && -w /proc/sys/${name//.//} ]]; then quietly sysctl --quiet "$name=$value"; fi
  done <"$1"
}
# ensure_sysctl FILE: applies the values that this kernel allows to set
ensure_sysctl() {
  if systemd_runs && [[ -f $1 ]]; then make_so "apply $1" has_sysctl apply_sysctl "$1"; fi
}
