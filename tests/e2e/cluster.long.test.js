'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { asAdmin, sshPackages } = require('../../scripts/cluster/admin-machine');
const { events } = require('../../scripts/cluster/events');
const { endAll } = require('../../scripts/cluster/machine');
const { up } = require('../../scripts/cluster/up');
const { isAlive, readOrNothing } = require('../../scripts/lib/proc');
const { unless } = require('../helpers/skip');

const spaces = ['--net', '--pid', '--mount', '--uts', '--ipc', '--fork', 'ip', 'link'];
/** @returns {string | false} why there can be no cluster here */
function cannot() {
  if (process.getuid?.() !== 0) return 'a cluster needs root';
  if (spawnSync('unshare', spaces).status !== 0) return 'a cluster needs namespaces and iproute2 (apt-get)';
  try {
    sshPackages();
    return false;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/** The size of `npm run cluster -- prove`. */
const scale = 0.02;

unless(cannot()).describe('a cluster of two nodes under traffic', () => {
  const dir = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'cluster-')), 'c');
  const interfaces = () => fs.readdirSync('/sys/class/net').sort();
  const before = interfaces();
  /** @type {import('../../scripts/cluster/cluster').Cluster} */
  let cluster;
  beforeAll(async () => {
    cluster = await up({ dir, nodes: 2, products: 300, say: () => {} });
  }, 180_000);
  afterAll(() => endAll(dir));

  /** In this order: after the last one the primary is gone. */
  test.each([
    ['a node loses its power and comes back', 'kill'],
    ['a node is drained, removed and added', 'nodes'],
    ['a new release goes to all nodes', 'deploys'],
    ['the primary loses its power and the replica is promoted', 'promote'],
  ])(
    'no request fails when %s',
    async (_, event) => {
      const { measured, pass, failures } = await events[event].run(cluster, scale);
      expect({ measured, pass, failures }).toEqual({ measured, pass: true, failures });
    },
    300_000,
  );

  test('its first processes have the mark by which an interrupted run of the tests finds them', () => {
    const pids = [cluster.machines.room, ...Object.values(cluster.machines.pids)].filter(isAlive);
    expect(pids.length).toBeGreaterThan(4);
    const mark = `TMPDIR=${process.env.TMPDIR}\0`;
    expect(pids.filter((pid) => !readOrNothing(`/proc/${pid}/environ`).includes(mark))).toEqual([]);
  });

  test('only the administrator reaches a node over ssh', async () => {
    expect(await asAdmin(cluster, 'ssh app-1 hostname')).toMatchObject({
      status: 0,
      output: 'app-1',
    });
    const { printed } = await asAdmin(cluster, 'ssh -F none -o BatchMode=yes app-1 hostname');
    expect(printed).toContain('Permission denied (publickey)');
  });

  test('down leaves no process, folder or interface', async () => {
    expect(await endAll(dir)).toBeGreaterThan(10);
    expect(await endAll(dir)).toBe(0);
    expect(fs.existsSync(dir)).toBe(false);
    expect(interfaces()).toEqual(before);
  });
});
