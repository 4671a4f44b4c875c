#!/usr/bin/env bash
# Where the releases of a node lie, and the Node that runs them.
set -euo pipefail

home=/opt/catalog
mkdir -p "$home/node/bin" "$home/releases" "$home/modules/$LOCK_DIGEST"
ln -sfn "$NODE_BIN" "$home/node/bin/node"
# On a real node `npm ci` fills this; the nodes of a cluster share the clone's.
ln -sfn "$REPOSITORY/node_modules" "$home/modules/$LOCK_DIGEST/node_modules"
