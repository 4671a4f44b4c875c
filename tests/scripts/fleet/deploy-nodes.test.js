'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { deploy, rollback } = require('../../../scripts/fleet/deploy/deploy');
const { lockDigest } = require('../../../scripts/fleet/deploy/release');
const { parseInventory } = require('../../../scripts/fleet/inventory');
const { execute } = require('../../../scripts/fleet/transport');

const roles = { 'lb-1': 'lb', 'db-1': 'db', 'app-1': 'app', 'app-2': 'app' };
const names = Object.keys(roles);
const inventory = parseInventory(
  JSON.stringify({
    nodes: Object.entries(roles).map(([name, role], index) => ({
      name,
      role,
      address: `10.0.0.${index + 1}`,
      ...(role === 'app' ? { workers: 1 } : {}),
    })),
  }),
  'test',
);

/** @type {string} a folder for each node, and a clone */
let folder;
/** @type {string} */
let source;
/** @type {string[]} switches and reloads in their order */
let seen;
/** @type {Record<string, string>} the file that PM2 of an app node was started from */
let daemons;
/** @type {(node: string, words: string[]) => boolean} commands that get no answer */
let lost;

const home = (/** @type {string} */ name) => path.join(folder, name);
const linkOf = (/** @type {string} */ link) => (/** @type {string} */ name) =>
  path.basename(fs.readlinkSync(path.join(home(name), link)));
const current = linkOf('current');
const logOf = (/** @type {string} */ name) =>
  fs
    .readFileSync(path.join(home(name), 'deploys.log'), 'utf8')
    .trim()
    .split('\n');

/** Runs every command as on a node, in the folder of that node; only workers are fake. @type {import('../../../scripts/fleet/transport').Transport} */
async function transport({ name }, words, options) {
  const answer = (status = 0, output = '') => ({ status, output, printed: output || 'no route' });
  if (lost(name, words)) return answer(255);
  const text = words.join(' ');
  if (text.startsWith('/usr/local/sbin/catalog-pm2')) {
    if (words[1] === 'reload') seen.push(`${name} reload`);
    if (words[1] === 'report') return answer(0, `argv  : node,${daemons[name]}`);
    return answer(0, '1');
  }
  if (/\/readyz|\/products |loadConfig/.test(text)) return answer();
  const result = await execute(
    text === 'readlink /proc/1/cwd'
      ? ['readlink', path.join(home(name), 'current')]
      : words.map((word) => word.replaceAll('/opt/catalog', home(name))),
    options,
  );
  if (words[0] === 'mv' && words[1] === '-T') seen.push(name);
  return { ...result, output: result.output.replaceAll(home(name), '/opt/catalog') };
}
const fleet = { inventory, transport, say: () => {} };

/** @param {string} name @param {string} id of a release without a deploy */
function lay(name, id) {
  const dir = path.join(home(name), 'releases', id);
  fs.mkdirSync(dir, { recursive: true });
  fs.writeFileSync(path.join(dir, 'package.json'), '{}');
}
/** @param {string} name @param {string} link @param {string} id */
function point(name, link, id) {
  fs.rmSync(path.join(home(name), link), { force: true });
  fs.symlinkSync(path.join(home(name), 'releases', id), path.join(home(name), link));
}
/** @param {string} name @param {string} lock */
const layModules = (name, lock) =>
  fs.mkdirSync(path.join(home(name), 'modules', lock, 'node_modules'), { recursive: true });

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nodes-'));
  source = path.join(folder, 'clone');
  fs.mkdirSync(path.join(source, 'db'), { recursive: true });
  for (const file of ['db/documents.sql', 'package.json', 'package-lock.json'])
    fs.writeFileSync(path.join(source, file), '{}');
  [seen, lost] = [[], () => false];
  daemons = { 'app-1': '/usr/Daemon.js', 'app-2': '/usr/Daemon.js' };
  for (const name of names) {
    lay(name, 'first');
    point(name, 'current', 'first');
    layModules(name, lockDigest(source));
  }
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

test('a deploy switches every node, those with workers first, and restarts nothing else', async () => {
  const { ok } = await deploy(fleet, source);
  expect(ok).toBe(true);
  expect(seen).toEqual(['app-1', 'app-1 reload', 'app-2', 'app-2 reload', 'lb-1', 'db-1']);
  expect(new Set(names.map(current))).toEqual(new Set([current('app-1')]));
  expect(fs.existsSync(path.join(home('db-1'), 'current/db/documents.sql'))).toBe(true);
  expect(names.map((name) => logOf(name).length)).toEqual([1, 1, 1, 1]);
});

test('a rollback switches every node back, those with workers last', async () => {
  await deploy(fleet, source);
  seen = [];
  expect((await rollback(fleet)).ok).toBe(true);
  expect(names.map(current)).toEqual(['first', 'first', 'first', 'first']);
  expect(seen).toEqual(['db-1', 'lb-1', 'app-2', 'app-2 reload', 'app-1', 'app-1 reload']);
});

test('a node of any role that cannot be reached is reported before anything is copied', async () => {
  lost = (name) => name === 'db-1';
  await expect(deploy(fleet, source)).rejects.toThrow(
    /^nothing was changed\..*\n {2}db-1: it cannot be reached, or has no release: no route$/,
  );
  await expect(rollback(fleet)).rejects.toThrow('db-1: it cannot be reached');
  expect(fs.readdirSync(path.join(home('app-1'), 'releases'))).toEqual(['first']);
  expect(seen).toEqual([]);
});

test('losing a database node in the middle of a deploy rolls the workers back', async () => {
  lost = (name, words) => name === 'db-1' && words[0] === 'mv';
  const { ok, reason } = await deploy(fleet, source);
  expect([ok, reason]).toEqual([false, expect.stringContaining('db-1: mv -T')]);
  expect(names.map(current)).toEqual(['first', 'first', 'first', 'first']);
});

describe('after an interrupted deploy', () => {
  beforeEach(() => {
    for (const name of names) {
      for (const id of ['older', 'failed', 'cut']) lay(name, id);
      // So old that only a link keeps it.
      fs.utimesSync(path.join(home(name), 'releases/first'), 9, 9);
      point(name, 'previous', 'older');
    }
    point('app-1', 'current', 'cut');
  });

  test.each([
    ['at once', async () => {}],
    ['and a deploy that went through', () => deploy(fleet, source)],
  ])('a rollback %s is refused without a release, and goes to the one that is named', async (_, then) => {
    await then();
    await expect(rollback(fleet)).rejects.toThrow(
      /the nodes disagree about the previous release:(\n {2}\S+: \S+, previous: \S+){4}\nchoose one: npm run rollback -- RELEASE/,
    );
    expect(linkOf('previous')('app-1')).not.toBe('first');
    expect((await rollback(fleet, 'first')).ok).toBe(true);
    expect(names.map(current)).toEqual(['first', 'first', 'first', 'first']);
  });
});

describe('on a fleet of one node, after a killed deploy', () => {
  const one = { ...fleet, inventory: { nodes: inventory.nodes.filter(({ name }) => name === 'app-1') } };
  /** As by kill -9 before the worker was reloaded: the node gets no more commands. @param {() => Promise<unknown>} change */
  async function killed(change) {
    let dead = false;
    lost = (_, words) => (dead ||= words[1] === 'reload');
    await change();
    lost = () => false;
    fs.rmdirSync(path.join(home('app-1'), 'deploy.lock'));
  }
  const links = () =>
    ['current', 'previous']
      .filter((link) => fs.existsSync(path.join(home('app-1'), link)))
      .map((link) => linkOf(link)('app-1'));
  beforeEach(async () => {
    lay('app-1', 'older');
    point('app-1', 'previous', 'older');
    await killed(() => deploy(one, source));
    expect(links()).toEqual([expect.stringMatching(/^2/), 'older']);
  });

  test('a rollback goes to the release that served before it, and a second one is refused', async () => {
    expect((await rollback(one)).ok).toBe(true);
    await expect(rollback(one)).rejects.toThrow('a rollback to it is done');
    expect(links()).toEqual(['first']);
  });

  test('a repeated deploy records the release that served as the previous one, also after a deploy that went back', async () => {
    lost = (_, words) => words.join(' ').includes('/readyz');
    expect((await deploy(one, source)).ok).toBe(false);
    lost = () => false;
    expect((await deploy(one, source)).ok).toBe(true);
    expect(links()).toEqual([expect.stringMatching(/^2/), 'first']);
    expect((await rollback(one)).ok).toBe(true);
    expect(current('app-1')).toBe('first');
  });

  test('a killed rollback goes to the same release when it is repeated', async () => {
    for (const before of [async () => {}, () => deploy(one, source)]) {
      await before();
      await killed(() => rollback(one));
      expect((await rollback(one)).ok).toBe(true);
      expect(current('app-1')).toBe('first');
    }
  });
});

describe('old releases', () => {
  const releases = (/** @type {string} */ name) => fs.readdirSync(path.join(home(name), 'releases')).sort();
  const modules = (/** @type {string} */ name) => fs.readdirSync(path.join(home(name), 'modules')).sort();
  /** @param {string} name @param {string} id @param {number} day @param {string} lock */
  function layOld(name, id, day, lock) {
    const dir = path.join(home(name), 'releases', id);
    lay(name, id);
    layModules(name, lock);
    layModules(name, `.cache-${lock}`);
    fs.symlinkSync(`${home(name)}/modules/${lock}/node_modules`, path.join(dir, 'node_modules'));
    fs.utimesSync(dir, day, day);
  }
  beforeEach(() => {
    for (const name of names) {
      fs.utimesSync(path.join(home(name), 'releases/first'), 9, 9);
      for (const [index, id] of ['a', 'b', 'c'].entries()) layOld(name, id, index, `lock-${id}`);
    }
  });

  test('are removed with their modules and npm caches, and the newest three stay with theirs', async () => {
    await deploy(fleet, source);
    for (const name of names) {
      expect(releases(name)).toEqual([current(name), 'c', 'first'].sort());
      expect(modules(name)).toEqual([lockDigest(source), 'lock-c'].sort());
    }
  });

  test('stay while PM2 runs from them, because it starts every worker by a file there', async () => {
    daemons['app-1'] = '/opt/catalog/modules/lock-a/node_modules/pm2/lib/Daemon.js';
    daemons['app-2'] = '/opt/catalog/releases/a/node_modules/pm2/lib/Daemon.js';
    await deploy(fleet, source);
    expect(modules('app-1')).toContain('lock-a');
    expect(releases('app-2')).toContain('a');
    expect(releases('app-1')).not.toContain('a');
  });

  test('all stay on a node whose PM2 does not report its folder', async () => {
    daemons['app-1'] = '';
    await deploy(fleet, source);
    expect(releases('app-1')).toEqual(expect.arrayContaining(['a', 'b', 'c']));
    expect(releases('app-2')).not.toContain('a');
  });
});
