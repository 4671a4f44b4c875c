#!/usr/bin/env bash
# venv.sh LINK LOCK WHEELS [--system]: a virtual environment with the packages of a lock file, from a folder of wheels (empty: from PyPI), for
# the Python of this machine. LINK names it. With --system it also has the distribution's packages.
# It is made beside the one in use, and one rename exchanges them. If it cannot be made, nothing changes.
set -euo pipefail
export PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin
link=$(readlink -f "$(dirname "$1")")/$(basename "$1") lock=$2 wheels=$3
venv=() pip=(--only-binary=:all: --require-hashes)
[[ ${4:-} != --system ]] || venv=(--system-site-packages) pip+=(--no-deps --ignore-installed)
[[ -z $wheels ]] || pip+=(--no-index --find-links "$wheels")

# An upgrade of the distribution replaces its Python, for which the packages of the one before are invisible.
version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
made=$link-$version-$(sha256sum "$lock" | cut -c 1-12)

fail() {
  rm -rf "$made"
  echo "$link is as before: its packages for Python $version could not be installed, as pip says. If wheels are missing, bring a release that has them: npm run fleet -- release, then deploy" >&2
  exit 1
}

# pip's settings may say how to reach packages; user, target, root, dry-run and others would make another installation.
keep_sources() {
  local names='index-url|extra-index-url|find-links|no-index|trusted-host|cert|client-cert|proxy|timeout|retries' name value variable said
  # pip config has a --user of its own, which lists that file alone.
  said=$(PIP_USER=0 PIP_SITE=0 PIP_GLOBAL=0 "$made/bin/python" -m pip config list)
  for variable in "${!PIP_@}"; do
    name=${variable#PIP_} name=${name//_/-}
    [[ ${name,,} =~ ^($names)$ ]] || unset "$variable"
  done
  while IFS='=' read -r name value; do
    variable=PIP_${name//-/_} variable=${variable^^}
    if [[ $name && -z ${!variable:-} ]]; then export "$variable=$(printf %b "$value")"; fi
  done < <(sed -nE "s/^(global|install)\.($names)=(['\"])(.*)\3$/\2=\4/p" <<<"$said")
  export PIP_CONFIG_FILE=/dev/null
}

exec 9>"$link.lock"
flock 9
before=$(readlink "$link" || true)
if [[ $before == "$made" && -e $made/.whole ]]; then exit 0; fi
if [[ ! -e $made/.whole ]]; then
  rm -rf "$made" # of a run that was interrupted
  python3 -m venv "${venv[@]}" "$made" || fail
  keep_sources || fail
  "$made/bin/python" -m pip install --quiet --no-input --disable-pip-version-check "${pip[@]}" -r "$lock" || fail
  touch "$made/.whole"
fi
ln -sfn "$made" "$link.new"
# An earlier release made a folder, and makes it again when it comes back.
if [[ -d $link && ! -L $link ]]; then
  rm -rf "$link.before"
  mv -T "$link" "$link.before"
fi
mv -T "$link.new" "$link"
for old in "$link"-[0-9]*; do
  # Python loads more of its packages later.
  if [[ $old != "$made" && $old != "$before" ]] && ! grep -qsF "$old/" /proc/[0-9]*/cmdline; then rm -rf "$old"; fi
done
echo "made $made"
