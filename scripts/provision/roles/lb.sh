# shellcheck shell=bash
# nginx with the project's configuration, as a unit of its own beside the distribution's; sourced.

tls=/etc/catalog/tls

certificate_fits() {
  local public
  [[ $(stat -c %a "$tls/key.pem" 2>/dev/null) == 600 ]] || return 1
  public=$(openssl x509 -in "$tls/fullchain.pem" -noout -pubkey 2>/dev/null) &&
    [[ $public == "$(openssl pkey -in "$tls/key.pem" -pubout 2>/dev/null)" ]]
}
self_sign() {
  [[ ! -e $tls/fullchain.pem ]] || fail "$tls/fullchain.pem does not belong to $tls/key.pem (mode 600): put both there"
  (
    umask 077
    # A certificate for this key may be on order, or an earlier run was interrupted.
    [[ -s $tls/key.pem ]] || quietly openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out "$tls/key.pem"
    chmod 600 "$tls/key.pem"
    quietly openssl req -x509 -key "$tls/key.pem" -days 366 \
      -out "$tls/fullchain.pem" -subj "/CN=$(uname -n)" -addext "subjectAltName=IP:$address"
  )
}

nginx_configuration() {
  CATALOG_RATE_LIMIT=$rate_limit "$home/node/bin/node" "$home/current/scripts/provision/nginx.js" "$role" "$public_port" "$upstreams"
}

upstream_lines() { "$home/node/bin/node" "$home/current/scripts/provision/upstreams.js" "$upstreams"; }

role_lb() {
  local text unit=/etc/systemd/system/catalog-nginx.service
  ensure_packages nginx
  ensure_masked nginx.service
  ensure_directory "$tls" 700 root:root
  make_so 'make a self-signed certificate' certificate_fits self_sign
  # nginx's workers enter both folders, to reach their own and to reopen logs. If one belonged to them, its links could make root
  # change other files.
  ensure_directory /var/cache/catalog-nginx 755 root:root
  ensure_directory /var/log/catalog-nginx 755 root:adm
  ensure_rendered "$unit" 644 root:root catalog-nginx.service
  ensure_rendered /etc/logrotate.d/catalog-nginx 644 root:root logrotate-nginx
  if [[ ! -e $home/current ]]; then
    say 'would write /etc/catalog/nginx.conf, once Node is installed'
  else
    # Only the first list: afterwards `npm run node` adds, drains and removes nodes.
    if [[ $role == all || ! -s /etc/catalog/upstreams.conf ]]; then
      text=$(upstream_lines) || fail 'upstreams.conf cannot be rendered'
      ensure_file /etc/catalog/upstreams.conf 644 root:root "$text"
    fi
    text=$(nginx_configuration) || fail 'nginx.conf cannot be rendered'
    ensure_file /etc/catalog/nginx.conf 644 root:root "$text"
  fi
  ensure_enabled catalog-nginx.service multi-user.target
  # A restart closes the port for a moment, so the operator chooses when.
  ensure_read catalog-nginx.service "$unit"
  ensure_running catalog-nginx.service reload /etc/catalog/nginx.conf /etc/catalog/upstreams.conf "$tls/fullchain.pem"
  tell_older catalog-nginx.service "$unit"
}
