'use strict';
const { nodeNamed, primaryOf, replicasOf } = require('../lib/inventory');
const { must } = require('../lib/transport');
const { UsageError } = require('../lib/usage');

/**
 * As the account of PostgreSQL, whom pg_hba.conf lets in without a password. From a folder that it may enter: elsewhere
 * psql complains beside its answer.
 * @param {string} sql
 */
const asPostgres = (sql) => [
  ...['env', '-C', '/'],
  ...['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'],
  ...['timeout', '30', 'psql', '-qXAtU', 'postgres', '-c', sql, 'postgres'],
];
const takesWrites = asPostgres('SELECT NOT pg_is_in_recovery()');
const promotion = asPostgres('SELECT pg_promote(true, 25)');

/**
 * Makes a replica the primary. Workers follow by themselves: they ask each server whether it takes writes.
 * @param {import('../lib/inventory').Inventory} inventory
 * @param {string} name of the replica
 * @param {import('../lib/transport').Transport} transport
 * @param {(line: string) => void} [say] what is left to do by hand
 * @returns {Promise<import('../lib/inventory').Inventory>} without the old primary, which must come back as a replica
 * @throws {UsageError} while the old primary takes writes: two that do would each have a catalog of its own
 */
async function promote(inventory, name, transport, say = console.log) {
  const node = nodeNamed(inventory, name);
  if (node.role !== 'db' || !node.replicaOf) throw new UsageError(`${name} is no replica of a database`);
  const old = primaryOf(inventory, 'db');
  const answer = old && (await transport(old, takesWrites));
  if (old && answer?.status === 0 && answer.output !== 'f') {
    throw new UsageError(`${old.name} still takes writes: stop PostgreSQL there first`);
  }
  const output = await must(transport, node, promotion);
  if (output !== 't') throw new Error(`${name} was not promoted in 25 s: see the log of its PostgreSQL`);
  // Their PostgreSQL knows nothing of the inventory.
  for (const other of replicasOf(inventory, 'db').filter((replica) => replica !== node))
    say(`${other.name} still follows the old primary: make it anew (runbook/promote-a-replica.md)`);
  return {
    nodes: inventory.nodes
      .filter((other) => other !== old)
      .map(({ replicaOf, ...other }) => {
        if (other.name === name || !replicaOf) return other;
        return { ...other, replicaOf: other.role === 'db' ? name : replicaOf };
      }),
  };
}

module.exports = { promote };
