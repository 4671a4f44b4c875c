#!/usr/bin/env bash
# The workers, run by PM2 as the user catalog, from the release that `current` names.
set -euo pipefail
# shellcheck source=base.sh
source "$(dirname "$0")/base.sh"

account catalog 64003
install -d -o catalog -g catalog -m 700 /var/lib/catalog
install -d -o catalog -g catalog -m 755 /var/log/catalog

export ADMIN_ADDRESS=$NODE_ADDRESS PG_PORT=5432 PM2_HOME=/var/lib/catalog/pm2 CATALOG_LOGS=/var/log/catalog
render worker.env /etc/catalog/worker.env 600
cat "$provision/files/fleet.env" >>/etc/catalog/worker.env
render catalog-pm2 /usr/local/sbin/catalog-pm2 755
rm -f "$PM2_HOME"/*.sock "$PM2_HOME"/pm2.pid
catalog-pm2 start /opt/catalog/current/ecosystem.config.js >/dev/null
