# shellcheck shell=bash
# Every change to a machine goes through `make_so`, which checks, changes and checks again; sourced.

changes=0
dry_run=''
# The changes of a dry run, as MAKE:WORD. Later steps read them, since the machine did not change.
planned=()

say() { printf '%s\n' "$*"; }
note() { printf 'note: %s\n' "$*"; }
fail() {
  printf 'node.sh: %s\n' "$*" >&2
  exit 1
}

systemd_runs() { [[ -d /run/systemd/system ]]; }

# make_so TEXT ASK MAKE WORDS…: runs `MAKE WORDS…` unless `ASK WORDS…` is true. Fails if it is not true afterwards.
make_so() {
  local text=$1 ask=$2 make=$3
  shift 3
  if "$ask" "$@"; then return 0; fi
  changes=$((changes + 1))
  if [[ -n $dry_run ]]; then
    say "would $text"
    planned+=("$make:${1:-}")
    return 0
  fi
  say "$text"
  "$make" "$@"
  "$ask" "$@" || fail "this step had no effect: $text"
}

is_planned() { [[ " ${planned[*]} " == *" $1:$2 "* ]]; }

# quietly WORDS…: the output is shown only when the command fails.
quietly() {
  local output
  output=$("$@" 2>&1) || fail "$* failed: $(tail -n 5 <<<"$output")"
}

is_installed() {
  local name
  for name in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$name" 2>/dev/null) == ii* ]] || return 1
  done
}

policy_file=/usr/sbin/policy-rc.d
policy_mark='# of node.sh, while it installs'

# Whether the file is from this run or from a killed one, which would keep every package from starting its service.
is_own_policy() { grep -qsxF "$policy_mark" "$policy_file"; }
drop_policy() { rm -f "$policy_file"; }

# Packages must not start servers with the distribution's settings and ports.
install_packages() {
  if [[ ! -e $policy_file ]]; then
    printf '#!/bin/sh\n%s\nexit 101\n' "$policy_mark" >"$policy_file"
    chmod 755 "$policy_file"
  fi
  if is_own_policy; then trap drop_policy EXIT; fi
  quietly apt-get update -q
  DEBIAN_FRONTEND=noninteractive quietly apt-get install -q -y --no-install-recommends \
    -o Dpkg::Options::=--force-confold "$@"
}

ensure_packages() {
  if [[ -z $dry_run ]] && is_own_policy; then trap drop_policy EXIT; fi
  make_so "install $*" is_installed install_packages "$@"
}

has_user() { id "$1" >/dev/null 2>&1; }
add_user() { quietly useradd --system --home-dir "$2" --no-create-home --shell /usr/sbin/nologin "$1"; }
ensure_user() { make_so "add the system user $1" has_user add_user "$1" "$2"; }

has_modes() { [[ $(stat -c '%a %U:%G' "$1" 2>/dev/null) == "$2 $3" ]]; }

is_directory() { [[ -d $1 ]] && has_modes "$@"; }
make_directory() { install -d -m "$2" -o "${3%:*}" -g "${3#*:}" "$1"; }
# ensure_directory PATH MODE OWNER:GROUP
ensure_directory() { make_so "make the folder $1 ($2 $3)" is_directory make_directory "$@"; }

is_link() { [[ -L $1 && $(readlink "$1") == "$2" ]]; }
make_link() { mkdir -p "$(dirname "$1")" && ln -sfnT "$2" "$1"; }
# ensure_link PATH TARGET
ensure_link() { make_so "point $1 to $2" is_link make_link "$@"; }

# The text is in a variable, not in arguments, because it may be a secret.
is_file() { [[ -f $1 ]] && has_modes "$@" && cmp -s "$1" <(printf '%s\n' "$file_text"); }
write_file() {
  local draft="$1.new.$$"
  mkdir -p "$(dirname "$1")"
  install -m 600 /dev/null "$draft"
  printf '%s\n' "$file_text" >"$draft"
  chown "$3" "$draft"
  chmod "$2" "$draft"
  sync "$draft" # a power cut after the rename could leave it empty
  mv "$draft" "$1"
}
# ensure_file PATH MODE OWNER:GROUP TEXT; a reader never finds a partial file
ensure_file() {
  local file_text=$4
  make_so "write $1 ($2 $3)" is_file write_file "$1" "$2" "$3"
}

# ensure_rendered PATH MODE OWNER:GROUP TEMPLATE
ensure_rendered() {
  local text
  text=$("$here/render.sh" "$4") || fail "$1 cannot be written"
  ensure_file "$1" "$2" "$3" "$text"
}
