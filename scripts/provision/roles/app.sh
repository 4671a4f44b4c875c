# shellcheck shell=bash
# The workers, run by PM2 under systemd as the user catalog; sourced.

app_environment() {
  # Prometheus scrapes from another machine.
  export NODE_ADDRESS=$address ADMIN_ADDRESS=$address PG_PORT=5432 PG_ADDRESS=$database PM2_HOME=/var/lib/catalog/pm2
  export CATALOG_WORKERS=$workers CATALOG_WORKER_PORT=$worker_port CATALOG_ADMIN_PORT=$admin_port
  export CATALOG_LOGS=/var/log/catalog REDIS_URL=''
  if [[ -n $cache ]]; then REDIS_URL="redis://:$REDIS_PASSWORD@$cache:6379"; fi
  if [[ -n $replica ]]; then PG_ADDRESS=$replica:5432,$database; fi
  # More than the size at which PM2 restarts a worker (ecosystem.config.js, 448 MB), and some for PM2 itself.
  export WORKERS_MEMORY_MAX="$((workers * 512 + 256))M"
  export WORKERS_START_SECONDS=$((60 + 20 * workers))
}

# A reload waits in vain for a worker that cannot start, and a restart fails no request if none runs. The address comes from the
# socket: the one in worker.env may be new, or from another node in a copied image.
worker_renewal() {
  local listener
  listener=$(ss -Hltn "sport = :$admin_port" 2>/dev/null | awk 'NR == 1 { print $4 }') || true
  # A worker that hangs accepts the connection and does not answer.
  if [[ -n $listener ]] && curl -fs --max-time 5 --noproxy '*' -o /dev/null "http://$listener/livez"; then echo reload; else echo restart; fi
}

# Workers of one machine keep the defaults, because nginx waits for a second there.
worker_settings() {
  "$here/render.sh" worker.env || return
  if [[ $role == app ]]; then "$here/render.sh" fleet.env; fi
}

# The release that serves checks the settings: a worker that refuses them would end repeatedly. The check has a clean environment,
# because the service does not get the shell's variables.
check_settings() {
  local check='try { require(process.argv[1]).loadConfig(); } catch ({ message }) { console.log(message); process.exit(1); }'
  local faults
  if [[ ! -e $home/current/server/config/config.js || ! -x $home/node/bin/node ]]; then return; fi
  # shellcheck disable=SC2016
  faults=$(env -i PATH="$PATH" sh -c 'set -a && eval "$(cat)" && exec "$@"' sh \
    "$home/node/bin/node" -e "$check" "$home/current/server/config/config.js" <<<"$1") || fail "nothing was written, $2: $faults"
}

close_file() { chown "$3" "$1" && chmod "$2" "$1"; }

role_app() {
  local settings=(/etc/catalog/worker.env) own=/etc/catalog/worker.local.env text
  app_environment
  text=$(worker_settings) || fail "${settings[0]} cannot be written"
  check_settings "$text"$'\n'"$(cat "$own" 2>/dev/null || true)" "for ${settings[0]} or $own is wrong"
  ensure_file "${settings[0]}" 600 root:root "$text"
  # The operator's own file, which no run changes.
  if [[ -e $own ]]; then
    make_so "close $own (600 root:root)" has_modes close_file "$own" 600 root:root
    settings+=("$own")
  fi
  ensure_rendered /etc/systemd/system/catalog-workers.service 644 root:root catalog-workers.service
  ensure_rendered /usr/local/sbin/catalog-pm2 755 root:root catalog-pm2
  ensure_rendered /etc/logrotate.d/catalog-workers 644 root:root logrotate-workers
  ensure_enabled catalog-workers.service multi-user.target
  ensure_running catalog-workers.service restart /etc/systemd/system/catalog-workers.service
  ensure_running catalog-workers.service "$(worker_renewal)" "${settings[@]}"
}
