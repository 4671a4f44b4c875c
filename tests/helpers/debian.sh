#!/usr/bin/env bash
# debian.sh DIR PACKAGE…: unpacks Debian packages into DIR. They are not installed: that needs no root, and starts no service.
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
# A fresh container has no list of packages; elsewhere the list is its owner's to bring up to date.
if [[ -n ${CI:-} ]] || ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then apt-get update -qq; fi
apt-get download -qq "$@"
for package in *.deb; do
  dpkg -x "$package" .
  rm "$package"
done
chmod 755 .
mv "$draft" "$kept"
