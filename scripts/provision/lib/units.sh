# shellcheck shell=bash
# Units of systemd, also on a machine where it does not run yet (an image that is being built); sourced.

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

# Running, and started (or told to read them again) after each of these files was written: a run that was cut off
# between the two is mended.
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
# A reload costs no request; what is not running is started.
renew_unit() {
  quietly systemctl daemon-reload
  if [[ $2 == restart ]]; then quietly systemctl restart "$1"; else quietly systemctl reload-or-restart "$1"; fi
  touch "/run/$1.reloaded"
}
# ensure_running UNIT restart|reload FILE…: what to do when one of the files is newer
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
# ensure_read UNIT FILE: the unit or a drop-in, for its next start, which this is not
ensure_read() {
  if systemd_runs; then make_so "have systemd read $2" is_read read_units "$@"; fi
}
# tell_older UNIT FILE
tell_older() {
  if [[ -z $dry_run ]] && systemd_runs && ! is_current "$1" restart "$2"; then
    note "$1 was started before $2 was changed; a restart takes that, and closes its ports for a moment: systemctl restart $1"
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
# ensure_masked UNIT: one of the distribution's, whose place ours takes
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
# ensure_sysctl FILE: what the kernel lets us set has the file's values
ensure_sysctl() {
  if systemd_runs && [[ -f $1 ]]; then make_so "apply $1" has_sysctl apply_sysctl "$1"; fi
}
