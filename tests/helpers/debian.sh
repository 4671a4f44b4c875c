#!/usr/bin/env bash
# debian.sh DIR PACKAGE…: unpacks Debian packages into DIR. They are not installed: that needs no root, and starts no service.
# With SUITE they are of that suite of Debian, from the machine's own sources.
set -euo pipefail
kept=$1
shift
mkdir -p "$(dirname "$kept")"
# Test files run side by side, and apt's lists allow one reader that brings them up to date.
exec 9>"$(dirname "$kept")/debian.lock"
flock 9
[[ ! -d $kept ]] || exit 0
draft=$(mktemp -d "$kept.XXXXXX")
trap 'rm -rf "$draft"' EXIT
cd "$draft"
options=()
if [[ -n ${SUITE:-} ]]; then
  mkdir -p apt/lists/partial apt/archives/partial apt/sources
  # shellcheck source=/dev/null
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
    [[ ! -e $file ]] || sed "s/$codename/$SUITE/g" "$file" >"apt/sources/${file##*/}"
  done
  options=(-o "Dir::State::Lists=$draft/apt/lists" -o "Dir::Cache=$draft/apt" -o Dir::State::Status=/dev/null
    -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$draft/apt/sources")
  apt-get "${options[@]}" update -qq
# A fresh container has no list of packages; elsewhere the list is its owner's to bring up to date.
elif [[ -n ${CI:-} ]] || ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then apt-get update -qq; fi
apt-get "${options[@]}" download -qq "$@"
rm -rf apt
for package in *.deb; do
  dpkg -x "$package" .
  rm "$package"
done
chmod 755 .
mv "$draft" "$kept"
