#!/bin/sh
# The balancer's container: nginx, with the workers that WORKERS (host:port) resolves to. Their addresses change with each
# new container, so nginx asks the network's name server every second. With a certificate it also serves HTTPS.
set -eu
server=$(awk '$1 == "nameserver" { print $2 ~ /:/ ? "[" $2 "]" : $2; exit }' /etc/resolv.conf)
workers=${WORKERS:-worker:3030}
cat >/tmp/upstreams.conf <<END
resolver $server valid=1s;
server $workers max_fails=3 fail_timeout=3s resolve;
server $workers max_fails=0 backup resolve;
END
ln -sf /dev/stdout /tmp/nginx-access.log
ln -sf /dev/stderr /tmp/nginx-error.log
# shellcheck disable=SC3045
ulimit -Sn 16384 # as balancer.js
name=nginx
test ! -e /etc/catalog/tls/fullchain.pem || name=nginx-https
exec nginx -e /dev/stderr -c /etc/nginx/$name.conf
