'use strict';
const { nodeNamed, primaryOf, replicasOf } = require('../inventory');
const { newEra, promotion } = require('../../local/replica');
const { must } = require('../transport');
const { UsageError } = require('../../lib/command-line');

/** @typedef {import('../inventory').Inventory} Inventory @typedef {import('../inventory').Node} Node */

/**
 * Runs as the account postgres, which pg_hba.conf admits without a password, and from a folder that it may enter: elsewhere psql
 * adds a warning to its answer.
 * @param {string} sql @param {string} [database]
 */
const asPostgres = (sql, database = 'postgres') => [
  ...['env', '-C', '/'],
  ...['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'],
  ...['timeout', '30', 'psql', '-qXAtU', 'postgres', '-c', sql, database],
];
const takesWrites = asPostgres('SELECT NOT pg_is_in_recovery()');
const replayed = asPostgres("SELECT date_trunc('second', now() - pg_last_xact_replay_timestamp())");
/** @param {string} address @returns {string[]} exit status 2: no server answers within 3 s */
const isThere = (address) => ['pg_isready', '-q', '-t', '3', '-h', address];
const noAnswer = 2;

/** @param {Inventory} inventory @param {string} name @returns {Node} @throws {UsageError} */
function replicaNamed(inventory, name) {
  const node = nodeNamed(inventory, name);
  if (node.role === 'db' && node.replicaOf) return node;
  throw new UsageError(`${name} is not a replica of a database`);
}

/**
 * @param {Inventory} inventory @param {string} name of the replica
 * @returns {Inventory} without the old primary, which must come back as a replica
 * @throws {UsageError}
 */
function afterPromotion(inventory, name) {
  const node = replicaNamed(inventory, name);
  const old = primaryOf(inventory, 'db');
  return {
    nodes: inventory.nodes
      .filter((other) => other !== old)
      .map(({ replicaOf, ...other }) => {
        if (other.name === node.name || !replicaOf) return other;
        return { ...other, replicaOf: other.role === 'db' ? name : replicaOf };
      }),
  };
}

/**
 * Makes a replica the primary. Workers follow without help: they query each server whether it takes writes.
 * @param {Inventory} inventory
 * @param {string} name of the replica
 * @param {import('../transport').Transport} transport
 * @param {{ force?: boolean, say?: (line: string) => void }} [options] `force`: even if the replica reaches the old
 *   primary; `say`: prints what is lost, and what is left to do
 * @throws {UsageError} while the old primary takes writes: two primaries would have two different catalogs
 */
async function promote(inventory, name, transport, { force = false, say = console.log } = {}) {
  const node = replicaNamed(inventory, name);
  const old = primaryOf(inventory, 'db');
  if (old && !force) await requireAway(old, node, transport);
  const { output: age } = await transport(node, replayed);
  if (age) say(`${name}: its last transaction from the old primary is ${age} old`);
  const output = await must(transport, node, asPostgres(promotion));
  if (output !== 't') throw new Error(`${name} was not promoted in 25 s: see the log of its PostgreSQL`);
  const { status, printed } = await transport(node, asPostgres(newEra, 'catalog'));
  // It is promoted whatever the result is, so the inventory must change. A second run is refused, so print the next step.
  if (status !== 0)
    say(
      `${name} takes writes, but its catalog got no new version, and caches may hold rows of a lost load: ${printed}\n` +
        `run on ${name}: runuser -u postgres -- psql -X -d catalog -c '${newEra}'`,
    );
  // Their PostgreSQL does not read the inventory.
  for (const other of replicasOf(inventory, 'db').filter((replica) => replica !== node))
    say(`${other.name} still follows the old primary: recreate it (runbook/promote-a-replica.md)`);
}

/**
 * A failed ssh is not enough: PostgreSQL may still serve without sshd, or with all connections in use. So the replica checks it
 * too. pg_stat_wal_receiver would not do: an idle primary sends nothing for half a minute.
 * @param {Node} old @param {Node} replica @param {import('../transport').Transport} transport
 * @throws {UsageError}
 */
async function requireAway(old, replica, transport) {
  // In parallel: after a power cut each takes its whole timeout.
  const [said, seen] = await Promise.all([transport(old, takesWrites), transport(replica, isThere(old.address))]);
  const { status, output, printed } = said;
  if (status === 0 && output === 'f') return;
  if (status === 0) throw new UsageError(`${old.name} still takes writes: stop PostgreSQL there first`);
  if (seen.status === noAnswer) return;
  throw new UsageError(
    `${old.name} does not say whether it takes writes (${printed}), and ${replica.name} cannot confirm that it is down: switch it off, or use --force`,
  );
}

module.exports = { afterPromotion, promote };
