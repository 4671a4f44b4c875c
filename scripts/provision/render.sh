#!/usr/bin/env bash
# Prints a file of files/ with each {{NAME}} replaced by the environment's value. Only {{NAME?}} may be empty: an empty password
# would work. Values are never arguments, which every account can read.
set -euo pipefail

placeholder='\{\{([A-Z][A-Z0-9_]*\??)\}\}'

fail() {
  echo "render.sh: $1" >&2
  exit 1
}

value_of() {
  local name=${1%\?} file=$2
  [[ -v $name ]] || fail "$file needs $name in the environment"
  [[ -n ${!name} || $1 == *\? ]] || fail "$file needs a value in $name, which is empty"
  # A line break in a value would write further settings.
  [[ ${!name} != *[[:cntrl:]]* ]] || fail "$name has a control character"
  printf '%s' "${!name}"
}

main() {
  [[ $# -eq 1 ]] || fail 'usage: render.sh FILE (one of scripts/provision/files/)'
  local file=$1 text bare value rendered=''
  [[ -f $file ]] || file="$(dirname "${BASH_SOURCE[0]}")/files/$1"
  [[ -f $file ]] || fail "there is no file $1 in scripts/provision/files"
  text=$(<"$file")
  bare=$(sed -E "s/$placeholder//g" <<<"$text")
  [[ $bare != *'{{'* ]] || fail "$1 has braces that are not a placeholder"
  # Replaced text is not searched again: a value may itself contain braces.
  while [[ $text =~ $placeholder ]]; do
    value=$(value_of "${BASH_REMATCH[1]}" "$1")
    rendered+="${text%%"${BASH_REMATCH[0]}"*}$value"
    text=${text#*"${BASH_REMATCH[0]}"}
  done
  printf '%s\n' "$rendered$text"
}

main "$@"
