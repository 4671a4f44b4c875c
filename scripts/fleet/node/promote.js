'use strict';
const { nodeNamed, primaryOf, replicasOf } = require('../inventory');
const { newVersion, promotion } = require('../../local/replica');
const { must } = require('../transport');
const { UsageError } = require('../../lib/command-line');

/** @typedef {import('../inventory').Inventory} Inventory @typedef {import('../inventory').Node} Node */

/**
 * As the account of PostgreSQL, whom pg_hba.conf lets in without a password. From a folder that it may enter: elsewhere
 * psql complains beside its answer.
 * @param {string} sql @param {string} [database]
 */
const asPostgres = (sql, database = 'postgres') => [
  ...['env', '-C', '/'],
  ...['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'],
  ...['timeout', '30', 'psql', '-qXAtU', 'postgres', '-c', sql, database],
];
const takesWrites = asPostgres('SELECT NOT pg_is_in_recovery()');
const replayed = asPostgres("SELECT date_trunc('second', now() - pg_last_xact_replay_timestamp())");
/** @param {string} address @returns {string[]} exit status 2: nobody answers there within 3 s */
const isThere = (address) => ['pg_isready', '-q', '-t', '3', '-h', address];
const nobodyAnswers = 2;

/** @param {Inventory} inventory @param {string} name @returns {Node} @throws {UsageError} */
function replicaNamed(inventory, name) {
  const node = nodeNamed(inventory, name);
  if (node.role === 'db' && node.replicaOf) return node;
  throw new UsageError(`${name} is no replica of a database`);
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
 * Makes a replica the primary. Workers follow by themselves: they ask each server whether it takes writes.
 * @param {Inventory} inventory
 * @param {string} name of the replica
 * @param {import('../transport').Transport} transport
 * @param {{ force?: boolean, say?: (line: string) => void }} [options] `force`: although the replica reaches the old
 *   primary; `say`: what is lost, and what is left to do by hand
 * @throws {UsageError} while the old primary takes writes: two that do would each have a catalog of its own
 */
async function promote(inventory, name, transport, { force = false, say = console.log } = {}) {
  const node = replicaNamed(inventory, name);
  const old = primaryOf(inventory, 'db');
  if (old && !force) await requireAway(old, node, transport);
  const { output: age } = await transport(node, replayed);
  if (age) say(`${name}: the last transaction that it has of the old primary is ${age} old`);
  const output = await must(transport, node, asPostgres(promotion));
  if (output !== 't') throw new Error(`${name} was not promoted in 25 s: see the log of its PostgreSQL`);
  const { status, printed } = await transport(node, asPostgres(newVersion, 'catalog'));
  // It is promoted whatever this says: the inventory must tell so. Typed again it is refused, so this tells the cure.
  if (status !== 0)
    say(
      `${name} takes writes, but its catalog got no new version, and caches may hold rows of a lost load: ${printed}\n` +
        `type on ${name}: runuser -u postgres -- psql -X -d catalog -c '${newVersion}'`,
    );
  // Their PostgreSQL knows nothing of the inventory.
  for (const other of replicasOf(inventory, 'db').filter((replica) => replica !== node))
    say(`${other.name} still follows the old primary: make it anew (runbook/promote-a-replica.md)`);
}

/**
 * That ssh fails says little: PostgreSQL may serve beside an sshd that is gone, or with all its connections taken. So the
 * replica looks as well. pg_stat_wal_receiver would not do: an idle primary sends nothing for half a minute.
 * @param {Node} old @param {Node} replica @param {import('../transport').Transport} transport
 * @throws {UsageError}
 */
async function requireAway(old, replica, transport) {
  // At once: with the power cut, each takes its whole time.
  const [said, seen] = await Promise.all([transport(old, takesWrites), transport(replica, isThere(old.address))]);
  const { status, output, printed } = said;
  if (status === 0 && output === 'f') return;
  if (status === 0) throw new UsageError(`${old.name} still takes writes: stop PostgreSQL there first`);
  if (seen.status === nobodyAnswers) return;
  throw new UsageError(
    `${old.name} does not say whether it takes writes (${printed}), and ${replica.name} does not find it gone: switch it off, or --force`,
  );
}

module.exports = { afterPromotion, promote };
