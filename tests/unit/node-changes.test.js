'use strict';
const { parseInventory } = require('../../scripts/lib/inventory');
const { changes } = require('../../scripts/node/change');
const { promote } = require('../../scripts/node/promote');
const { applyUpstreams, upstreamsText } = require('../../scripts/node/upstreams');

const inventory = parseInventory(
  JSON.stringify({
    nodes: [
      { name: 'lb-1', role: 'lb', address: '10.0.0.10' },
      { name: 'db-1', role: 'db', address: '10.0.0.20' },
      { name: 'db-2', role: 'db', address: '10.0.0.21', replicaOf: 'db-1' },
      { name: 'db-3', role: 'db', address: '10.0.0.22', replicaOf: 'db-1' },
      { name: 'app-1', role: 'app', address: '10.0.0.31' },
      { name: 'app-2', role: 'app', address: '10.0.0.32', workers: 1 },
    ],
  }),
  'test',
);
const listOf = (/** @type {any} */ next) => upstreamsText(parseInventory(JSON.stringify(next), 'test'));

describe('a change of the fleet', () => {
  test('a drained node stays in the list as down, an added one is up again', () => {
    const drained = changes.drain(inventory, 'app-2');
    expect(listOf(drained)).toContain('server 10.0.0.32:3030 down;');
    expect(listOf(changes.add(drained, 'app-2', {}))).toBe(listOf(inventory));
  });

  test('a new node needs an address, a removed one leaves no trace', () => {
    expect(() => changes.add(inventory, 'app-3', {})).toThrow('--address IP');
    const grown = changes.add(inventory, 'app-3', { address: '10.0.0.33' });
    expect(listOf(grown)).toContain('server 10.0.0.33:3031');
    expect(listOf(changes.remove(grown, 'app-3'))).toBe(listOf(inventory));
  });

  test('a node that is known takes the address and the workers that are given, and keeps the rest', () => {
    const drained = changes.drain(inventory, 'app-2');
    const moved = changes.add(drained, 'app-2', { address: '10.0.0.42', workers: undefined });
    expect(listOf(moved)).toBe(listOf(inventory).replaceAll('10.0.0.32', '10.0.0.42'));
    const grown = changes.add(inventory, 'app-2', { address: undefined, workers: 2 });
    expect(listOf(grown)).toContain('server 10.0.0.32:3031');
  });

  test.each(['db-3', 'cache1', 'redis-1', 'lb-2'])('%s, which is new, is not put behind nginx', (name) => {
    expect(() => changes.add({ nodes: [inventory.nodes[4]] }, name, { address: '10.0.0.50' })).toThrow(
      `${name} is not named like an app node (app)`,
    );
  });

  test('app nodes may be named otherwise, and a new one like them', () => {
    const web = { nodes: [{ ...inventory.nodes[4], name: 'web1' }] };
    expect(changes.add(web, 'web2', { address: '10.0.0.50' }).nodes).toHaveLength(2);
  });

  test('the last node that serves neither drains nor leaves', () => {
    const one = changes.drain(inventory, 'app-2');
    expect(() => changes.drain(one, 'app-1')).toThrow('app-1 is the last node that serves');
    expect(() => changes.remove(one, 'app-1')).toThrow('app-1 is the last node that serves');
  });

  test('only app nodes are balanced', () => {
    expect(() => changes.drain(inventory, 'db-1')).toThrow('db-1 is a db node');
  });
});

test('a list that nginx refuses is taken back, so that its next start does not fail', async () => {
  /** @type {string[]} */
  const written = [];
  const transport = async (/** @type {any} */ _, /** @type {string[]} */ words, /** @type {any} */ options) => {
    if (words[0] === 'tee') written.push(options.input);
    if (words[0] === 'systemctl') return { status: 1, output: '', printed: 'host not found' };
    const output = words[0] === 'cat' ? 'the old list' : '';
    return { status: 0, output, printed: output };
  };
  await expect(applyUpstreams(inventory, transport)).rejects.toThrow('lb-1 keeps its old list');
  expect(written.at(-1)).toBe('the old list\n');
});

describe('a promotion', () => {
  /** @param {Record<string, string | null>} writable by node; null: away @param {number} [seen] status of pg_isready */
  const asking = (writable, seen = 2) => {
    /** @type {string[]} */
    const promoted = [];
    /** @type {import('../../scripts/lib/transport').Transport} */
    const transport = async ({ name }, words) => {
      if (writable[name] === null) return { status: 255, output: '', printed: 'no route' };
      if (words[0] === 'pg_isready') return { status: seen, output: '', printed: '' };
      if (words.join(' ').includes('replay')) return { status: 0, output: '00:00:07', printed: '00:00:07' };
      if (words.join(' ').includes('pg_promote')) promoted.push(name);
      const output = words.join(' ').includes('pg_promote') ? 't' : String(writable[name]);
      return { status: 0, output, printed: `could not change directory\n${output}` };
    };
    return { transport, promoted };
  };

  test('makes the replica the one that the others follow, and names those; the old primary leaves', async () => {
    const { transport, promoted } = asking({ 'db-1': null, 'db-2': 'f' });
    /** @type {string[]} */
    const said = [];
    const { nodes } = await promote(inventory, 'db-2', transport, { say: (line) => said.push(line) });
    expect(promoted).toEqual(['db-2']);
    expect(said).toEqual([
      expect.stringMatching(/^db-2: .* is 00:00:07 old$/),
      expect.stringMatching(/^db-3 still follows .*: make it anew/),
    ]);
    expect(nodes.filter(({ role }) => role === 'db')).toEqual([
      { name: 'db-2', role: 'db', address: '10.0.0.21' },
      { name: 'db-3', role: 'db', address: '10.0.0.22', replicaOf: 'db-2' },
    ]);
  });

  test('is refused while the old primary takes writes', async () => {
    const { transport, promoted } = asking({ 'db-1': 't', 'db-2': 'f' });
    await expect(promote(inventory, 'db-2', transport)).rejects.toThrow('db-1 still takes writes');
    expect(promoted).toEqual([]);
  });

  test('is refused when what the old primary says is not clear', async () => {
    const { transport, promoted } = asking({
      'db-1': 'could not change directory\nt',
      'db-2': 'f',
    });
    await expect(promote(inventory, 'db-2', transport)).rejects.toThrow('db-1 still takes writes');
    expect(promoted).toEqual([]);
  });

  test.each([
    ['takes connections', 0],
    ['refuses them', 1],
  ])('is refused while ssh fails and the PostgreSQL of the old primary %s, unless it is forced', async (_, seen) => {
    const { transport, promoted } = asking({ 'db-1': null, 'db-2': 'f' }, seen);
    await expect(promote(inventory, 'db-2', transport)).rejects.toThrow(/^db-1 .* \(no route\), .* --force$/);
    expect(promoted).toEqual([]);
    await promote(inventory, 'db-2', transport, { force: true, say: () => {} });
    expect(promoted).toEqual(['db-2']);
  });

  test('is refused for what is no replica', async () => {
    await expect(promote(inventory, 'db-1', asking({}).transport)).rejects.toThrow('no replica');
  });
});
