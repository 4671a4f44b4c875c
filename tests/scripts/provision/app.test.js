'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { fleet, oneMachine } = require('../../../nginx/retries');
const { parseInventory } = require('../../../scripts/fleet/inventory');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { targetsOf } = require('../../../scripts/monitoring/targets');
const { loadConfig } = require('../../../server/config/config');
const { read, root } = require('../../docs/sources');
const { writeStub } = require('../../helpers/stub');

const provision = path.join(root, 'scripts/provision');
const address = '10.0.0.31';

/** @type {string} */
let folder;
beforeEach(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'app-'))));
afterEach(() => fs.rmSync(folder, { recursive: true }));

/** @param {string} script for bash, beside the role's functions @param {Record<string, string>} [env] */
function bash(script, env = {}) {
  const options = `address=${address} database=10.0.0.20 cache=10.0.0.40 replica='' workers=2`;
  const more = `role=app here="${provision}" worker_port=3030 admin_port=9030`;
  const whole = `. "${provision}/roles/app.sh"\n${options} ${more}\n${script}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', whole], {
    encoding: 'utf8',
    env: {
      PATH: `${folder}:${process.env.PATH}`,
      API_PASSWORD: 'api'.repeat(6),
      REDIS_PASSWORD: 'redis'.repeat(4),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.trim();
}

/** @param {string} name @param {string} text */
const program = (name, text) => writeStub(folder, name, text);

/** @param {string[]} sockets as ss prints them, those of UDP behind "udp " @param {string[]} words @returns {number | null} exit status */
function listening(sockets, ...words) {
  const lines = (/** @type {boolean} */ udp) =>
    sockets
      .filter((socket) => socket.startsWith('udp ') === udp)
      .map((socket) => `echo "UNCONN 0 511 ${socket.replace('udp ', '')} 0.0.0.0:*"`);
  program('ss', ['case $* in -Hltn)', ...lines(false), ';; -Hlun)', ...lines(true), ';; esac'].join('\n'));
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const script = read('scripts/provision/listening.sh').replaceAll('/etc/catalog', folder);
  return spawnSync('bash', ['-c', script, 'listening.sh', ...words], { env }).status;
}

describe('a database stall of one second fails no read, and a silent database is a 503 within two', () => {
  test.each([
    ['of one machine', 'all', oneMachine],
    ['of a fleet', 'app', fleet],
  ])('%s', (_, role, { documentTimeout, tries, retried }) => {
    const settings = bash(`role=${role}; app_environment; worker_settings`);
    const config = loadConfig(Object.fromEntries(settings.split('\n').map((line) => line.split(/=(.*)/, 2))));
    const { PG_LOCK_TIMEOUT_MS, REDIS_COMMAND_TIMEOUT_MS, REPLICA_HEDGE_MS } = config;
    const [stallMs, slackMs] = [1000, 250];
    const tryMs = Number.parseFloat(documentTimeout) * (documentTimeout.endsWith('ms') ? 1 : 1000);
    expect(PG_LOCK_TIMEOUT_MS).toBeGreaterThan(stallMs + slackMs); // the smallest of a worker's limits
    expect(tries * tryMs).toBeGreaterThan(stallMs + REDIS_COMMAND_TIMEOUT_MS + slackMs);
    // A silent replica is hedged within one try.
    expect(tryMs).toBeGreaterThan(REDIS_COMMAND_TIMEOUT_MS + (role === 'app' ? REPLICA_HEDGE_MS : 0) + slackMs);
    // No try starts after that.
    const [limitMs] = read('nginx/nginx.conf.template').match(/(?<=proxy_next_upstream_timeout )\d+(?=ms)/g) ?? [];
    expect(tryMs * Math.min(tries, Math.ceil(Number(limitMs) / tryMs))).toBeLessThanOrEqual(2000);
    expect(Number(limitMs)).toBeGreaterThan(stallMs);
    // A frozen node delays a request by a second: one try, or in a fleet two, which may meet the same node.
    expect(retried.includes('http_503') ? 2 * tryMs : tryMs).toBeLessThanOrEqual(1000);
  });
});

describe('the admin listener of a node', () => {
  test('is at the address of the list for Prometheus', () => {
    const environment = bash('app_environment; worker_settings');
    const setting = (/** @type {string} */ name) => new RegExp(`^${name}=(.*)$`, 'm').exec(environment)?.[1];
    const inventory = parseInventory(
      JSON.stringify({ nodes: [{ name: 'app-1', role: 'app', address, workers: 1 }] }),
      'test',
    );
    const [{ targets }] = targetsOf(inventory);
    expect(targets).toEqual([`${setting('ADMIN_HOST')}:${setting('CATALOG_ADMIN_PORT')}`]);
  });

  test('may be on the address of the node, and nowhere else', () => {
    const workers = [`${address}:3030`, `${address}:3031`];
    expect(listening([...workers, `${address}:9030`], 'app', address)).toBe(0);
    for (const wrong of ['0.0.0.0:9030', '10.0.0.32:9030', '127.0.0.1:9030'])
      expect([wrong, listening([...workers, wrong], 'app', address)]).toEqual([wrong, 1]);
    expect(listening(['127.0.0.1:9030', '127.0.0.1:3030'], 'all')).toBe(0);
  });

  test.each([
    ['at the address of the node', 'reload', `${address}:9030`, 'exit 0'],
    ['where they did before the node got another one', 'reload', '127.0.0.1:9030', 'exit 0'],
    ['and do not answer', 'restart', `${address}:9030`, 'exit 7'],
    ['and hang', 'restart', `${address}:9030`, 'case "$*" in *--max-time*) exit 28 ;; esac'],
    ['on another node alone, whose image was copied', 'restart', '', 'exit 0'],
  ])('workers that listen %s get new settings by a %s', (_, how, socket, answer) => {
    program('ss', socket && `echo "LISTEN 0 511 ${socket} 0.0.0.0:*"`);
    const url = `http://${socket || `${address}:9030`}/livez`;
    program('curl', `for url; do :; done; [ "$url" = ${url} ] || exit 6; ${answer}`);
    expect(bash('worker_renewal')).toBe(how);
  });
});

test('settings that the workers would refuse are not written, whatever the shell has set', () => {
  const at = path.join(folder, 'catalog');
  fs.mkdirSync(path.join(at, 'node/bin'), { recursive: true });
  fs.symlinkSync(process.execPath, path.join(at, 'node/bin/node'));
  fs.symlinkSync(root, path.join(at, 'current'));
  const check = (/** @type {string} */ more) =>
    bash(
      `home=${at}\nfail() { echo "$*"; exit 0; }\ncheck_settings $'DATABASE_URL=postgres://x@/x\\n${more}' 'for worker.env'`,
      {
        GZIP_MIN_BYTES: '1k',
      },
    );
  expect(check('LOG_LEVEL=debug')).toBe('');
  expect(check('LOG_LEVEL=DEBUG')).toMatch(/^nothing was written, for worker\.env: .*\n {2}LOG_LEVEL: .*"DEBUG"/);
});

test('the check of ports allows as many workers as the node has', () => {
  const of = (/** @type {number} */ index) => [`${address}:${3029 + index}`, `${address}:${9029 + index}`];
  expect(listening([...of(1), ...of(999)], 'app', address)).toBe(0);
  expect(listening([`${address}:${3030 + 999}`], 'app', address)).toBe(1);
  fs.writeFileSync(path.join(folder, 'worker.env'), 'CATALOG_WORKERS=72\n');
  expect(listening([...of(1), ...of(72)], 'app', address)).toBe(0);
  for (const socket of of(73)) expect([socket, listening([socket], 'app', address)]).toEqual([socket, 1]);
});

test('the check of ports allows only the UDP sockets of the operating system', () => {
  const machine = ['127.0.0.53%lo:53', '127.0.0.1:323', '[::1]:323', `${address}%eth0:68`, '[fe80::1]%eth0:546'];
  expect(listening(['0.0.0.0:80', ...machine.map((socket) => `udp ${socket}`)], 'lb')).toBe(0);
  for (const socket of ['0.0.0.0:323', '0.0.0.0:123', '0.0.0.0:80'])
    expect([socket, listening(['0.0.0.0:80', `udp ${socket}`], 'lb')]).toEqual([socket, 1]);
  program('systemctl', '[ "$*" = "is-active --quiet ntpsec" ]');
  expect(listening(['0.0.0.0:80', 'udp 0.0.0.0:123', `udp ${address}:123`, 'udp [::]:123'], 'lb')).toBe(0);
});

test('the check of ports allows a balancer only the port of its last run', () => {
  expect(listening(['0.0.0.0:80', '[::]:443'], 'lb')).toBe(0);
  expect(listening(['0.0.0.0:8080', '0.0.0.0:443'], 'lb')).toBe(1);
  const options = '--role\nlb\n--port\n81\n--port\n8080\n';
  fs.writeFileSync(path.join(folder, 'node.options'), options);
  expect(listening(['0.0.0.0:8080', '0.0.0.0:443'], 'lb')).toBe(0);
  for (const port of ['80', '81']) expect(listening([`0.0.0.0:${port}`], 'lb')).toBe(1);
});

const catalogPm2 = () =>
  read('scripts/provision/files/catalog-pm2')
    .replaceAll('/etc/catalog', folder)
    .replaceAll('/run/systemd', folder)
    .replaceAll('/opt/catalog/current', folder);

test('catalog-pm2 starts no PM2 beside the service; without systemd only "start" does', () => {
  program('setpriv', 'echo "$@"');
  fs.writeFileSync(path.join(folder, 'worker.env'), `PM2_HOME=${folder}\n`);
  const run = (/** @type {string} */ word) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', catalogPm2(), 'catalog-pm2', word], {
      env: { PATH: `${folder}:${process.env.PATH}` },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return [status, stdout.trim().split(' ').at(-1), stderr.trim()];
  };
  const refused = [1, '', 'catalog-pm2: PM2 does not run; start the workers: systemctl start catalog-workers'];
  expect(run('list')).toEqual(refused);
  expect(run('start')).toEqual([0, 'start', '']);
  fs.mkdirSync(path.join(folder, 'system'));
  expect(run('start')).toEqual(refused);
  const { pid } = spawnSync('true');
  fs.writeFileSync(path.join(folder, 'pm2.pid'), String(pid)); // of a killed PM2
  expect(run('list')).toEqual(refused);
  fs.writeFileSync(path.join(folder, 'pm2.pid'), String(process.pid));
  expect(run('list')).toEqual([0, 'list', '']);
});

test.each([
  [2, '100'],
  [24, '540'],
])('the service allows enough time to reload %i workers in turn', (workers, seconds) => {
  const unit = bash(`workers=${workers}; app_environment; "${provision}/render.sh" catalog-workers.service`);
  expect(/^TimeoutStartSec=(.*)$/m.exec(unit)?.[1]).toBe(seconds);
});

describe("the script that logrotate runs after renaming the workers' logs", () => {
  const script = () =>
    /postrotate\n([\s\S]*)endscript/.exec(read('scripts/provision/files/logrotate-workers'))?.[1] ?? 'false';

  test('makes PM2 open new logs without a Node program', async () => {
    const home = path.join(folder, 'pm2');
    const log = path.join(folder, 'worker.log');
    const worker = path.join(folder, 'worker.js');
    const patienceMs = 5000;
    const isWritten = () => fs.existsSync(log) && fs.statSync(log).size > 0;
    fs.writeFileSync(worker, "setInterval(() => console.log('a line'), 20);");
    const pm2 = (/** @type {string[]} */ ...words) =>
      spawnSync(process.execPath, [path.join(root, 'node_modules/pm2/bin/pm2'), ...words], {
        env: { ...process.env, PM2_HOME: home, PM2_DISABLE_VERSION_CHECK: 'true' },
        stdio: 'ignore',
      });
    try {
      pm2('start', worker, '--no-pmx', '--merge-logs', '--output', log, '--error', log);
      expect(await waitUntil(isWritten, patienceMs)).toBe(true);
      fs.renameSync(log, `${log}.1`);
      const words = '--kill-who=main --signal=USR2 catalog-workers.service';
      const main = `kill -USR2 "$(cat ${home}/pm2.pid)"`;
      program('systemctl', `case "$*" in is-active*) ;; "kill ${words}") ${main} ;; *) exit 1 ;; esac`);
      program('node', 'exit 1');
      bash(script());
      expect(await waitUntil(isWritten, patienceMs)).toBe(true);
    } finally {
      pm2('kill');
    }
  });

  test('does nothing while the service is stopped', () => {
    program('systemctl', 'case "$*" in is-active*) exit 3 ;; *) echo "systemctl $*"; exit 1 ;; esac');
    expect(bash(script())).toBe('');
  });
});

describe("the operator's own settings", () => {
  test('reach PM2 and override those of provisioning', () => {
    program('setpriv', 'echo "$NEW_RELIC_LICENSE_KEY $CATALOG_WORKERS"');
    fs.writeFileSync(path.join(folder, 'worker.env'), 'CATALOG_WORKERS=2\n');
    const pm2 = `set -- start\n${catalogPm2()}`;
    expect(bash(pm2, { NEW_RELIC_LICENSE_KEY: 'none' })).toBe('none 2');
    const local = path.join(folder, 'worker.local.env');
    fs.writeFileSync(local, 'NEW_RELIC_LICENSE_KEY=key\nCATALOG_WORKERS=3\n');
    expect(bash(pm2)).toBe('key 3');
  });

  test('are read by the service after those of provisioning, and are optional', () => {
    const unit = read('scripts/provision/files/catalog-workers.service');
    expect(unit.match(/^EnvironmentFile=.*$/gm)).toEqual([
      'EnvironmentFile=/etc/catalog/worker.env',
      'EnvironmentFile=-/etc/catalog/worker.local.env',
    ]);
  });
});
