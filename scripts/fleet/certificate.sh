#!/usr/bin/env bash
# certificate.sh CHAIN KEY ROOT [NAME…]: whether every client can use the pair under these names. A chain must lead to a root that this machine
# trusts, that ROOT has (empty: none), or that ends the chain. A certificate that signed itself stands alone.
set -euo pipefail
export LC_ALL=C
chain=$1 key=$2 root=$3
draft=$(mktemp -d)
trap 'rm -rf "$draft"' EXIT

refuse() {
  printf '%s\n' "$1" >&2
  exit 1
}
of() { openssl x509 -in "$draft/$1.pem" -noout "${@:2}"; }
is_own() { [[ $(of "$1" -subject_hash) == "$(of "$1" -issuer_hash)" ]]; }

for file in "$chain" "$key" ${root:+"$root"}; do
  [[ -r $file && -f $file ]] || refuse "$file cannot be read: name the files of the certificate and its key from the root on"
done
awk -v folder="$draft" '/-----BEGIN CERTIFICATE-----/ { file = folder "/" ++count ".pem" } file { print >file }
  /-----END CERTIFICATE-----/ { close(file); file = "" }' "$chain"
count=$(find "$draft" -name '*.pem' | wc -l)
of 1 2>/dev/null || refuse "$chain has no certificate in PEM"
openssl pkey -in "$key" -passin pass: -out /dev/null 2>/dev/null ||
  { grep -q ENCRYPTED "$key" && refuse "$key is encrypted, and nginx cannot ask for its password: openssl pkey -in FILE -out FILE2 decrypts it"; } ||
  refuse "$key is no private key in PEM"
[[ $(of 1 -pubkey) == "$(openssl pkey -in "$key" -passin pass: -pubout)" ]] ||
  refuse "the first certificate of $chain does not belong to $key: each certificate comes before the one that signed it"
of 1 -checkend 86400 >/dev/null || refuse "$chain is no longer valid tomorrow ($(of 1 -enddate)): renew it"
begins=$(of 1 -startdate)
(($(date -d "${begins#*=}" +%s) <= $(date +%s))) || refuse "$chain is not valid yet ($begins): look at the clock, or wait"
for name in "${@:4}"; do
  how=-checkhost
  if [[ $name =~ ^[0-9.]+$|: ]]; then how=-checkip; elif [[ $(of 1 -ext subjectAltName 2>/dev/null) != *DNS:* ]]; then
    refuse "$chain has no name in subjectAltName, and browsers do not read its subject: have it made with DNS:$name there"
  fi
  [[ $(of 1 "$how" "$name") == *'does match'* ]] || refuse "$chain is not for $name, which public_urls names"
done
for ((each = 1; each < count; each++)); do
  [[ $(of "$each" -issuer_hash) == "$(of $((each + 1)) -subject_hash)" ]] ||
    refuse "certificate $((each + 1)) of $chain did not sign the one before it: put them in the order of their signatures"
done
trusted=()
if is_own "$count"; then trusted=(-CAfile "$draft/$count.pem"); elif [[ -n $root ]]; then trusted=(-CAfile "$root"); fi
next='take the file with the intermediates (fullchain.pem); the root of an authority of your own is -e root=FILE'
# Level 2, as clients and Debian's nginx ask: no SHA-1, no RSA of 1024 bits.
said=$(openssl verify -auth_level 2 -purpose sslserver "${trusted[@]}" -untrusted "$chain" "$draft/1.pem" 2>&1) || {
  error=$(grep -m 1 ^error <<<"$said")
  [[ $error != *weak* && $error != *purpose* ]] || next='have one made for servers, with SHA-256 and a key of at least 2048 bits (RSA) or 256 (EC)'
  refuse "$chain does not lead to a trusted root ($error): $next"
}
