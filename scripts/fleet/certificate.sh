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
  [[ ! $name =~ ^[0-9.]+$|: ]] || how=-checkip
  [[ $(of 1 "$how" "$name") == *'does match'* ]] || refuse "$chain is not for $name, which public_urls names"
done
for ((each = 1; each < count; each++)); do
  [[ $(of "$each" -issuer_hash) == "$(of $((each + 1)) -subject_hash)" ]] ||
    refuse "certificate $((each + 1)) of $chain did not sign the one before it: put them in the order of their signatures"
done
if is_own 1; then exit 0; fi
trusted=()
if is_own "$count"; then trusted=(-CAfile "$draft/$count.pem"); elif [[ -n $root ]]; then trusted=(-CAfile "$root"); fi
said=$(openssl verify -purpose sslserver "${trusted[@]}" -untrusted "$chain" "$draft/1.pem" 2>&1) ||
  refuse "$chain does not lead to a trusted root ($(grep -m 1 ^error <<<"$said")): take the file with the intermediates (fullchain.pem); the root of an authority of your own is -e root=FILE"
