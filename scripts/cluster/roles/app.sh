#!/usr/bin/env bash
# The workers, run by PM2 as the user catalog, from the release that `current` names.
set -euo pipefail
# shellcheck source=base.sh
source "$(dirname "$0")/base.sh"

home=/opt/catalog
account catalog 64003
install -d -o catalog -g catalog -m 700 /var/lib/catalog
install -d -o catalog -g catalog -m 755 /var/log/catalog
mkdir -p "$home/node/bin" "$home/releases" "$home/modules/$LOCK_DIGEST"
ln -sfn "$NODE_BIN" "$home/node/bin/node"
# On a real node `npm ci` fills this; the nodes of a cluster share the clone's.
ln -sfn "$REPOSITORY/node_modules" "$home/modules/$LOCK_DIGEST/node_modules"

export ADMIN_ADDRESS=$NODE_ADDRESS PG_PORT=5432 PM2_HOME=/var/lib/catalog/pm2 CATALOG_LOGS=/var/log/catalog
render worker.env /etc/catalog/worker.env 600
echo "NODE_OPTIONS='--require=\"$REPOSITORY/scripts/cluster/poison.js\"'" >>/etc/catalog/worker.env
render catalog-pm2 /usr/local/sbin/catalog-pm2 755
if [[ -e $home/current ]]; then
  rm -f "$PM2_HOME"/*.sock "$PM2_HOME"/pm2.pid
  catalog-pm2 start "$home/current/ecosystem.config.js" >/dev/null
fi
