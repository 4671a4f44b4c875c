#!/usr/bin/env bash
# nginx, with the configuration that setup.js wrote and a certificate of its own.
set -euo pipefail
# shellcheck source=base.sh
source "$(dirname "$0")/base.sh"

tls=/etc/catalog/tls
logs=/var/log/catalog-nginx
mkdir -p "$tls" "$logs" /var/cache/catalog-nginx /run/catalog-nginx
mountpoint -q /run/catalog-nginx || mount -t tmpfs -o size=192m,mode=755 tmpfs /run/catalog-nginx
if [[ ! -e $tls/key.pem ]]; then
  (
    umask 077
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj '/CN=catalog' \
      -keyout "$tls/key.pem" -out "$tls/fullchain.pem" 2>/dev/null
  )
fi

# A real node has systemd; its unit does the same two things.
cat >/usr/local/sbin/systemctl <<SH
#!/bin/sh
set -eu
[ "\$*" = "reload catalog-nginx" ]
"$NGINX" -t -q -e $logs/nginx-error.log -c /etc/catalog/nginx.conf
kill -HUP "\$(cat /var/cache/catalog-nginx/nginx.pid)"
SH
chmod 755 /usr/local/sbin/systemctl
cd /var/cache/catalog-nginx
setsid "$NGINX" -e "$logs/nginx-error.log" -c /etc/catalog/nginx.conf >>"$logs/start.log" 2>&1 </dev/null &
timeout 30 bash -c 'until [[ -s nginx.pid ]]; do sleep 0.1; done'
