'use strict';
const { upstreamsFile } = require('../../../nginx/node-paths');
const { parseInventory } = require('../../../scripts/fleet/inventory');
const { newEra, promotion } = require('../../../scripts/local/replica');
const { changes } = require('../../../scripts/fleet/node/change');
const { afterPromotion, promote } = require('../../../scripts/fleet/node/promote');
const { applyUpstreams, upstreamsText } = require('../../../scripts/fleet/node/upstreams');

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
  test('a drained node stays in the list as down, and add brings it up again', () => {
    const drained = changes.drain(inventory, 'app-2');
    expect(listOf(drained)).toContain('server 10.0.0.32:3030 down;');
    expect(listOf(changes.add(drained, 'app-2', {}))).toBe(listOf(inventory));
  });

  test('a new node needs an address, and a removed one leaves no trace', () => {
    expect(() => changes.add(inventory, 'app-3', {})).toThrow('--address IP');
    const grown = changes.add(inventory, 'app-3', { address: '10.0.0.33' });
    expect(listOf(grown)).toContain('server 10.0.0.33:3031');
    expect(listOf(changes.remove(grown, 'app-3'))).toBe(listOf(inventory));
  });

  test('a known node takes the given address and workers, and keeps the rest', () => {
    const drained = changes.drain(inventory, 'app-2');
    const moved = changes.add(drained, 'app-2', { address: '10.0.0.42', workers: undefined });
    expect(listOf(moved)).toBe(listOf(inventory).replaceAll('10.0.0.32', '10.0.0.42'));
    const grown = changes.add(inventory, 'app-2', { address: undefined, workers: 2 });
    expect(listOf(grown)).toContain('server 10.0.0.32:3031');
  });

  test.each(['db-3', 'cache1', 'redis-1', 'lb-2'])('the new node %s is not put behind nginx', (name) => {
    expect(() => changes.add({ nodes: [inventory.nodes[4]] }, name, { address: '10.0.0.50' })).toThrow(
      `${name} is not named like an app node (app)`,
    );
  });

  test('app nodes may have other names, and a new one a name like theirs', () => {
    const web = { nodes: [{ ...inventory.nodes[4], name: 'web1' }] };
    expect(changes.add(web, 'web2', { address: '10.0.0.50' }).nodes).toHaveLength(2);
  });

  test('the last node that serves cannot be drained or removed', () => {
    const one = changes.drain(inventory, 'app-2');
    expect(() => changes.drain(one, 'app-1')).toThrow('app-1 is the last app node in service');
    expect(() => changes.remove(one, 'app-1')).toThrow('app-1 is the last app node in service');
  });

  test('only app nodes are balanced', () => {
    for (const change of Object.values(changes))
      expect(() => change(inventory, 'db-1', {})).toThrow(
        /^db-1 is a db node, .*: edit the inventory yourself to add or remove it$/,
      );
  });
});

describe('the balancers', () => {
  const two = { nodes: [...inventory.nodes, { ...inventory.nodes[0], name: 'lb-2', address: '10.0.0.11' }] };
  /**
   * Balancers with their files, and the list that each nginx uses.
   * @param {(node: string, words: string[]) => boolean} fails
   */
  function fakeBalancers(fails) {
    /** @type {Record<string, Record<string, string>>} */
    const files = { 'lb-1': { [upstreamsFile]: 'the old list' }, 'lb-2': { [upstreamsFile]: 'the old list' } };
    /** @type {Record<string, string>} */
    const served = { 'lb-1': 'the old list', 'lb-2': 'the old list' };
    /** @type {import('../../../scripts/fleet/transport').Transport} */
    const transport = async ({ name }, words, { input } = {}) => {
      const [program, first, second] = words;
      const bad = fails(name, words);
      // A connection that breaks leaves a part of the file.
      if (program === 'tee') files[name][first] = bad ? String(input).slice(0, 9) : String(input).trim();
      if (bad) return { status: 1, output: '', printed: 'host not found' };
      if (program === 'mv') files[name][second] = files[name][first];
      if (program === 'systemctl') served[name] = files[name][upstreamsFile];
      return { status: 0, output: program === 'cat' ? files[name][first] : '', printed: '' };
    };
    const lists = () => ['lb-1', 'lb-2'].flatMap((name) => [files[name][upstreamsFile], served[name]]);
    return { transport, lists };
  }
  const old = Array.from({ length: 4 }, () => 'the old list');

  test('all get the new list, and are reported', async () => {
    const { transport, lists } = fakeBalancers(() => false);
    expect(await applyUpstreams(two, transport)).toEqual(['lb-1', 'lb-2']);
    expect(lists()).toEqual(old.map(() => upstreamsText(two).trim()));
  });

  test('keep the old list when one nginx refuses the new one, so that no later start fails', async () => {
    const { transport, lists } = fakeBalancers((name, [program]) => name === 'lb-2' && program === 'systemctl');
    await expect(applyUpstreams(two, transport)).rejects.toThrow(
      /^lb-2 refused the list, so all balancers keep the old one: lb-2: systemctl reload catalog-nginx failed: host not found$/,
    );
    expect(lists()).toEqual(old);
  });

  test('have no partial list after a broken connection', async () => {
    const { transport, lists } = fakeBalancers((_, [program]) => program === 'tee');
    await expect(applyUpstreams(two, transport)).rejects.toThrow(/lb-1 refused .*; NOT REVERTED: lb-1: tee/);
    expect(lists()).toEqual(old);
  });

  test('are all checked before one is changed; an unreachable one is reported with the next step', async () => {
    /** @type {string[]} */
    const asked = [];
    const { transport } = fakeBalancers((name, [program]) => {
      asked.push(program);
      return name === 'lb-2';
    });
    await expect(applyUpstreams(two, transport)).rejects.toThrow(
      /^nothing was changed\..* remove them from the inventory:\n {2}lb-2: host not found$/,
    );
    expect(asked).toEqual(['cat', 'cat']);
  });
});

describe('a promotion', () => {
  /** @param {Record<string, string | null>} writable by node; null: away @param {number} [seen] status of pg_isready */
  const asking = (writable, seen = 2) => {
    /** @type {string[]} */
    const promoted = [];
    /** @type {import('../../../scripts/fleet/transport').Transport} */
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

  test('makes the replica the primary, names the replicas to recreate, and removes the old primary', async () => {
    const { transport, promoted } = asking({ 'db-1': null, 'db-2': 'f' });
    /** @type {string[]} */
    const said = [];
    await promote(inventory, 'db-2', transport, { say: (line) => said.push(line) });
    expect(promoted).toEqual(['db-2']);
    expect(said).toEqual([
      expect.stringMatching(/^db-2: .* is 00:00:07 old$/),
      expect.stringMatching(/^db-3 still follows .*: recreate it/),
    ]);
    expect(afterPromotion(inventory, 'db-2').nodes.filter(({ role }) => role === 'db')).toEqual([
      { name: 'db-2', role: 'db', address: '10.0.0.21' },
      { name: 'db-3', role: 'db', address: '10.0.0.22', replicaOf: 'db-2' },
    ]);
  });

  test('then gives the catalog a new version, because caches may hold rows of a lost load', async () => {
    const { transport } = asking({ 'db-1': null, 'db-2': 'f' });
    /** @type {(string | undefined)[][]} */
    const asked = [];
    /** @type {typeof transport} */
    const listening = (node, words) => {
      asked.push([node.name, ...words.slice(-2)]);
      return transport(node, words);
    };
    await promote(inventory, 'db-2', listening, { say: () => {} });
    expect(asked.slice(-2)).toEqual([
      ['db-2', promotion, 'postgres'],
      ['db-2', newEra, 'catalog'],
    ]);
  });

  test('is kept and reported with the next step when the catalog gets no new version', async () => {
    const { transport, promoted } = asking({ 'db-1': null, 'db-2': 'f' });
    /** @type {string[]} */
    const said = [];
    /** @type {typeof transport} */
    const refusing = async (node, words) =>
      words.includes(newEra) ? { status: 1, output: '', printed: 'FATAL: refused' } : transport(node, words);
    await promote(inventory, 'db-2', refusing, { say: (line) => said.push(line) });
    expect(promoted).toEqual(['db-2']);
    expect(said.join()).toContain('no new version, and caches may hold rows of a lost load: FATAL: refused\n');
    expect(said.join()).toContain(`\nrun on db-2: runuser -u postgres -- psql -X -d catalog -c '${newEra}'`);
  });

  test('is refused while the old primary takes writes', async () => {
    const { transport, promoted } = asking({ 'db-1': 't', 'db-2': 'f' });
    await expect(promote(inventory, 'db-2', transport)).rejects.toThrow('db-1 still takes writes');
    expect(promoted).toEqual([]);
  });

  test("is refused when the old primary's answer is not clear", async () => {
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

  test('is refused for a node that is not a replica', async () => {
    await expect(promote(inventory, 'db-1', asking({}).transport)).rejects.toThrow('is not a replica');
    expect(() => afterPromotion(inventory, 'db-1')).toThrow('is not a replica');
  });
});
