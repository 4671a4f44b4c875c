'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { deploy, rollback } = require('../../../scripts/fleet/deploy/deploy');
const { parseInventory } = require('../../../scripts/fleet/inventory');
const { sshCommand } = require('../../../scripts/fleet/transport');
const { shellWord } = require('../../../scripts/lib/words');

const inventory = parseInventory(
  JSON.stringify({
    nodes: ['app-1', 'app-2'].map((name, index) => ({
      name,
      role: 'app',
      address: `10.0.0.${index + 1}`,
    })),
  }),
  'test',
);

/** @type {string} a minimal clone */
let source;
beforeAll(() => {
  source = fs.mkdtempSync(path.join(os.tmpdir(), 'release-'));
  fs.writeFileSync(path.join(source, 'package-lock.json'), '{}');
});
afterAll(() => fs.rmSync(source, { recursive: true }));

/**
 * Fake nodes that only record links, folders, and which release each worker runs.
 * @param {{ broken?: (worker: string, release: string) => boolean, stuck?: (worker: string) => boolean,
 *   wrong?: (release: string) => boolean, ends?: (worker: string) => boolean, locked?: boolean, late?: string,
 *   dies?: string, stopped?: string, lists?: boolean, refuses?: string }} [options] stuck: keeps the old release; wrong: is ready and answers 500;
 *   ends: and is restarted; late: a node that was added afterwards; dies: a node that is lost as soon as one of its workers is reloaded;
 *   stopped: a node without PM2; lists: whether listing releases works; refuses: a node with settings that the new release refuses
 */
function fakeFleet(options = {}) {
  const { broken = () => false, stuck = () => false, wrong = () => false, ends = () => false } = options;
  const { locked = false, late = '', dies = '', stopped = '', lists = true, refuses = '' } = options;
  /** @type {Record<string, string>} such as `app-1 current` */
  const links = {
    'app-1 current': '/opt/catalog/releases/old',
    'app-2 current': '/opt/catalog/releases/old',
  };
  /** @type {Record<string, string>} */
  const running = {};
  /** @type {string[]} */
  const reloads = [];
  /** @type {any[]} */
  const audits = [];
  /** @type {string[]} */
  const watched = [];
  /** @type {string[]} */
  const said = [];
  const state = { links, running, reloads, watched, audits, said, locked };
  let dead = false;
  /** @type {import('../../../scripts/fleet/transport').Transport} */
  const transport = async ({ name }, words, { input } = {}) => {
    const ok = (output = '') => ({ status: 0, output, printed: `a banner of ssh\n${output}` });
    const bad = (printed = '') => ({ status: 1, output: '', printed });
    if (dead && name === dies) return bad('no route to host');
    const [program, first, ...rest] = words;
    const last = words[words.length - 1];
    if (typeof input === 'object') input.resume();
    if (program.endsWith('/catalog-pm2') && name === stopped) return bad('PM2 does not run');
    if (program === 'mkdir' && last.endsWith('.lock')) {
      if (state.locked) return bad('File exists');
      state.locked = true;
    }
    if (program === 'rmdir') state.locked = false;
    if (program === 'test' && last.endsWith('/package.json')) return name === late ? bad() : ok();
    if (last.endsWith('/server/config/config.js') && name === refuses)
      return bad('GZIP_MIN_BYTES: must be a whole number');
    if (words[1] === 'report') return ok('argv : node,/opt/catalog/releases/old/Daemon.js');
    if (words[1] === 'pid') {
      const worker = `${name} ${words[2]}`;
      return ok(ends(worker) && watched.includes(worker) ? `${worker} again` : worker);
    }
    if (words[1]?.startsWith('/proc/')) {
      const worker = words[1].split('/')[2].replace(' again', '');
      return ok(`/opt/catalog/releases/${stuck(worker) ? 'old' : running[worker]}`);
    }
    if (program === 'readlink') {
      const target = links[`${name} ${path.basename(first)}`];
      return target ? ok(target) : bad();
    }
    if (program === 'rm' && first === '-f') delete links[`${name} ${path.basename(last)}`];
    if (program === 'ln') links[`${name} ${path.basename(last)}`] = rest[0];
    if (program === 'mv' && first === '-T') links[`${name} current`] = links[`${name} current.new`];
    if (program.endsWith('/catalog-pm2')) {
      dead ||= name === dies;
      if (dead && name === dies) return bad('connection closed');
      const worker = `${name} ${words[words.indexOf('--only') + 1]}`;
      reloads.push(worker);
      running[worker] = path.basename(links[`${name} current`]);
    }
    if (words.some((word) => word.endsWith('/readyz'))) {
      const port = Number(/:(\d+)\/readyz/.exec(words.join(' '))?.[1]) - 6000;
      const worker = `${name} worker-${port}`;
      return broken(worker, running[worker]) ? bad() : ok();
    }
    const port = /^:(\d+)\/products$/.exec(words.at(-2) ?? '')?.[1];
    if (port) {
      watched.push(`${name} worker-${port}`);
      return wrong(running[`${name} worker-${port}`]) ? bad(`:${port}/products/1: 500`) : ok();
    }
    if (program === 'tee') audits.push(JSON.parse(String(input)));
    if (program === 'ls') return lists ? ok('newest\nold') : bad('connection closed');
    return ok();
  };
  return { fleet: { inventory, transport, say: (/** @type {string} */ line) => void said.push(line) }, state };
}

const every = ['app-1 worker-3030', 'app-1 worker-3031', 'app-2 worker-3030', 'app-2 worker-3031'];

test('a deploy reloads the workers one after the other, logs a line, and leaves no lock', async () => {
  const { fleet, state } = fakeFleet();
  const { ok, reason } = await deploy(fleet, source);
  expect({ ok, reason }).toEqual({
    ok: true,
    reason: expect.stringContaining('serves on every node'),
  });
  expect(state.reloads).toEqual(every);
  expect(new Set(Object.values(state.running)).size).toBe(1);
  expect(state.audits).toHaveLength(2);
  expect(state.audits[0]).toMatchObject({
    action: 'deploy',
    ok: true,
    release: state.running[every[0]],
  });
  expect(state.locked).toBe(false);
});

test("a release that refuses a node's settings changes no worker", async () => {
  const { fleet, state } = fakeFleet({ refuses: 'app-2' });
  await expect(deploy(fleet, source)).rejects.toThrow('no worker was changed. app-2: GZIP_MIN_BYTES: must be');
  expect([state.reloads, state.links['app-1 current'], state.locked]).toEqual([[], '/opt/catalog/releases/old', false]);
});

test('a deploy succeeds even if old releases cannot be removed', async () => {
  const { fleet, state } = fakeFleet({ lists: false });
  expect((await deploy(fleet, source)).ok).toBe(true);
  expect(state.said.at(-1)).toMatch(/^old releases stay: app-1: .*connection closed/);
});

test('a canary that never gets ready goes back, and no other worker is touched', async () => {
  const { fleet, state } = fakeFleet({ broken: (_, release) => release !== 'old' });
  const { ok, reason } = await deploy(fleet, source);
  expect(ok).toBe(false);
  expect(reason).toMatch(/app-1: worker 3030 of .* did not become ready; all are back/);
  expect(state.reloads).toEqual([every[0], every[0]]);
  expect(state.running[every[0]]).toBe('old');
  expect(state.links['app-1 current']).toBe('/opt/catalog/releases/old');
  expect(state.audits[0]).toMatchObject({ ok: false });
});

test.each([
  [
    'that answers 500',
    { wrong: (/** @type {string} */ release) => release !== 'old' },
    'not serve: :3030/products/1: 500',
  ],
  [
    'that ends after a moment',
    { ends: (/** @type {string} */ worker) => worker === every[0] },
    'ended and was restarted',
  ],
])('a ready canary %s goes back, and no other worker is touched', async (_, options, why) => {
  const { fleet, state } = fakeFleet(options);
  const { ok, reason } = await deploy(fleet, source);
  expect([ok, reason]).toEqual([false, expect.stringContaining(why)]);
  expect(reason).toMatch(/^app-1: worker 3030 of .*; all are back on the release before$/);
  expect(state.reloads).toEqual([every[0], every[0]]);
});

test('a deploy watches one worker and a rollback none, because wrong data must not block it', async () => {
  const { fleet, state } = fakeFleet({ wrong: (release) => release === 'old' });
  await deploy(fleet, source);
  expect(state.watched).toEqual([every[0]]);
  expect((await rollback(fleet)).ok).toBe(true);
  expect(state.watched).toEqual([every[0]]);
});

test('a worker that is ready but runs the old release fails the deploy', async () => {
  const { fleet } = fakeFleet({ stuck: (worker) => worker === every[1] });
  expect((await deploy(fleet, source)).reason).toMatch(
    /worker 3031 of .* did not become ready: it still runs in .*\/old;/,
  );
});

test('an app node with stopped workers is reported before anything is changed', async () => {
  const { fleet, state } = fakeFleet({ stopped: 'app-2' });
  for (const change of [() => deploy(fleet, source), () => rollback(fleet, 'old')])
    await expect(change()).rejects.toThrow(/^nothing was changed\..*\n {2}app-2: .*: PM2 does not run$/);
  expect([state.reloads, state.audits, state.locked]).toEqual([[], [], false]);
});

test('a failure on a later node rolls all workers back, the last first', async () => {
  const { fleet, state } = fakeFleet({
    broken: (worker, release) => worker === every[2] && release !== 'old',
  });
  expect((await deploy(fleet, source)).ok).toBe(false);
  expect(state.reloads).toEqual([...every.slice(0, 3), every[2], every[1], every[0]]);
  expect(Object.values(state.running)).toEqual(['old', 'old', 'old']);
});

test('a node that is lost in the middle keeps no other node from going back and logging it', async () => {
  const { fleet, state } = fakeFleet({ dies: 'app-2' });
  const { ok, reason } = await deploy(fleet, source);
  expect(ok).toBe(false);
  expect(reason).toMatch(
    /worker 3030 of .* did not become ready: connection closed; NOT READY after going back: app-2/,
  );
  expect(Object.values(state.running)).toEqual(['old', 'old']);
  expect(state.links['app-1 current']).toBe('/opt/catalog/releases/old');
  expect(state.audits).toMatchObject([{ ok: false }]);
  expect(state.locked).toBe(false);
});

test('a deploy that went back does not change the target of a rollback', async () => {
  const { fleet, state } = fakeFleet({
    broken: (worker, release) => worker === every[2] && release !== 'old',
  });
  for (const name of ['app-1', 'app-2']) state.links[`${name} previous`] = '/opt/catalog/releases/older';
  expect((await deploy(fleet, source)).ok).toBe(false);
  expect(state.links['app-1 previous']).toBe('/opt/catalog/releases/older');
  expect((await rollback(fleet)).reason).toContain('of older');
});

test('workers that are not ready after going back are reported', async () => {
  const { fleet } = fakeFleet({ broken: () => true });
  expect((await deploy(fleet, source)).reason).toContain('NOT READY after going back: app-1 worker 3030');
});

test('a second deploy is refused while one runs, and leaves its lock', async () => {
  const { fleet, state } = fakeFleet({ locked: true });
  await expect(deploy(fleet, source)).rejects.toThrow('another deploy runs');
  expect(state.reloads).toEqual([]);
  expect(state.locked).toBe(true);
});

test('a rollback goes to the previous release, and reports when there is none', async () => {
  const { fleet, state } = fakeFleet();
  const refusal =
    'old is the first release, or a rollback to it is done; to go to another one, run npm run rollback -- RELEASE';
  await expect(rollback(fleet)).rejects.toThrow(refusal);
  await deploy(fleet, source);
  expect((await rollback(fleet)).ok).toBe(true);
  expect(Object.values(state.running)).toEqual(['old', 'old', 'old', 'old']);
});

test('a repeated rollback goes forward only if the release is named', async () => {
  const { fleet, state } = fakeFleet();
  await deploy(fleet, source);
  const bad = path.basename(state.links['app-1 current']);
  await rollback(fleet);
  await expect(rollback(fleet)).rejects.toThrow('a rollback to it is done');
  expect(Object.values(state.running)).toEqual(['old', 'old', 'old', 'old']);
  expect((await rollback(fleet, bad)).ok).toBe(true);
  await expect(rollback(fleet)).rejects.toThrow('a rollback to it is done');
  await deploy(fleet, source);
  expect((await rollback(fleet)).reason).toContain(`${bad} serves`);
});

test('a rollback that a later node cannot follow does not start', async () => {
  const { fleet, state } = fakeFleet({ late: 'app-2' });
  await deploy(fleet, source);
  await expect(rollback(fleet)).rejects.toThrow('app-2 does not have old: deploy the older commit');
  expect(state.reloads).toEqual(every);
  expect(state.locked).toBe(false);
});

test('arguments reach the remote shell unchanged', () => {
  expect(shellWord("a b'c$d")).toBe("'a b'\\''c$d'");
  const node = { name: 'app-1', role: /** @type {const} */ ('app'), address: '10.0.0.1' };
  const command = sshCommand(node, ['tee', '/a b'], '/tmp/sockets');
  expect(command.slice(-3)).toEqual(['root@10.0.0.1', '--', "umask 022 && tee '/a b'"]);
});
