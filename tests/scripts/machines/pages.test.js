'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { makeCertificate } = require('../../../scripts/lib/certificate');
const { blocksOf } = require('../../../scripts/machines/runbook');
const { read } = require('../../docs/sources');
const { writeStub } = require('../../helpers/stub');

/* The parts of the runbook that need no fleet, repeated or with fake nodes. */

/** @type {string} */
let folder;
beforeEach(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'page-'))));
afterEach(() => fs.rmSync(folder, { recursive: true }));

/** @param {string} page @param {string} words of the block @returns {string} its commands */
function block(page, words) {
  const found = blocksOf(page).filter(({ commands }) => commands.includes(words));
  expect([words, found.length]).toEqual([words, 1]);
  return found[0].commands;
}

/** @param {string} name @param {string} text */
const program = (name, text) => writeStub(folder, name, text);

/** @param {string} commands with /etc/catalog in the test's folder */
const type = (commands) =>
  execFileSync('bash', ['-ec', commands.replaceAll('/etc/catalog', folder)], {
    cwd: folder,
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
    encoding: 'utf8',
  });

describe('a renewal of the certificate', () => {
  const certificate = () => path.join(folder, 'tls/fullchain.pem');
  const inForce = () => fs.readFileSync(certificate(), 'utf8');
  const keep = () => type(`set +e\n${block('certificate-renewal.md', 'cp -a')}\ntrue`); // as an interactive shell
  const undo = () => type(block('certificate-renewal.md', 'tls.old /'));
  /** @returns {string} the certificate of a new pair, which is installed */
  const renew = () => {
    const made = makeCertificate(folder);
    if (!made) throw new Error('openssl is missing');
    fs.renameSync(made.certFile, certificate());
    fs.renameSync(made.keyFile, path.join(folder, 'tls/key.pem'));
    return inForce();
  };
  beforeEach(() => {
    program('systemctl', 'true');
    fs.mkdirSync(path.join(folder, 'tls'));
    renew();
  });

  test('can be undone each time', () => {
    keep();
    const second = renew();
    keep();
    renew();
    undo();
    expect(inForce()).toBe(second);
  });

  test('that was started twice, with half of the new pair there, is undone to the old one', () => {
    const good = inForce();
    keep();
    const key = path.join(folder, 'tls/key.pem');
    const old = fs.readFileSync(key);
    renew();
    fs.writeFileSync(key, old);
    keep();
    undo();
    expect(inForce()).toBe(good);
  });

  test('that was started twice, with no pair there, is undone to the old one', () => {
    const good = inForce();
    keep();
    for (const file of ['fullchain.pem', 'key.pem']) fs.rmSync(path.join(folder, 'tls', file));
    keep();
    undo();
    expect(inForce()).toBe(good);
  });

  test('is undone once, however often the undo is typed', () => {
    const good = inForce();
    keep();
    renew();
    undo();
    undo();
    expect(inForce()).toBe(good);
  });
});

test("root's shell history has no password after an undo", () => {
  const undo = read('scripts/runbook/rotate-a-secret.md').split('## Undo')[1];
  const [first, ...rest] = [...undo.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
  program('catalog-node', 'true');
  fs.writeFileSync(path.join(folder, 'typed'), [first, ...rest.map((line) => ` ${line}`)].join('\n'));
  const shell = 'env -u HISTCONTROL bash --norc --noprofile';
  const typed = type(`{ echo set -o history; cat typed; echo; echo history; } | ${shell}`);
  expect(typed).toContain(first);
  expect(typed).not.toContain('PASSWORD');
});

test('the table of the breaking point names what its command prints', () => {
  const page = 'breaking-point.md';
  const printed = [...block(page, 'pg_stat_activity').matchAll(/ AS (\w+)/g)].map(([, name]) => name);
  const [row] = read(`scripts/runbook/${page}`).match(/^\| .*`max_connections`.*$/m) ?? [];
  const compared = [...(row ?? '').split('|')[1].matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(compared).toEqual(printed);
});

describe('a new password', () => {
  const reached = () => path.join(folder, 'reached');
  const list = () => fs.readFileSync(reached(), 'utf8').trim().split('\n');
  /** @param {string} primary by name @param {string} answer of it @param {string} [node] what every other node does first */
  const ssh = (primary, answer, node = 'true') =>
    program('ssh', `[ "$1" != ${primary} ] || { ${answer}; exit; }; ${node}; echo "$1 $(cat)" >> ${reached()}`);
  const rotate = () => type(`set +e\n${block('rotate-a-secret.md', 'for node')}\ntrue`); // as an interactive shell
  beforeEach(() => fs.writeFileSync(path.join(folder, 'inventory.json'), read('scripts/inventory.example.json')));

  test('reaches every cache, app node and replica of the inventory, the cache first', () => {
    ssh('db-1', 'echo A=1');
    expect(rotate()).toBe('');
    expect(list()).toEqual(['cache-1', 'app-1', 'app-2', 'app-3', 'db-2'].map((name) => `${name} A=1`));
  });

  test('is copied from the database that takes writes, also after a promotion', () => {
    const { nodes } = JSON.parse(read('scripts/inventory.example.json'));
    const others = nodes.filter((/** @type {{ role: string }} */ { role }) => role !== 'db');
    const pair = [
      { name: 'db-1', role: 'db', replicaOf: 'db-2' },
      { name: 'db-2', role: 'db' },
    ];
    fs.writeFileSync(path.join(folder, 'inventory.json'), JSON.stringify({ nodes: [...pair, ...others] }));
    ssh('db-2', 'echo A=1');
    rotate();
    expect(list().at(-1)).toBe('db-1 A=1');
  });

  test('reaches the other nodes if one fails, which is reported by name', () => {
    ssh('db-1', 'echo A=1', '[ "$1" != app-2 ] || exit 255');
    expect(rotate()).toBe('app-2 FAILED\n');
    expect(list()).toHaveLength(4);
  });

  test('reaches no node when it cannot be read from the primary', () => {
    ssh('db-1', 'false');
    rotate();
    expect(fs.existsSync(reached())).toBe(false);
  });

  test('counts as failed where a new connection or Redis refuses it', () => {
    program('catalog-node', 'echo app: 0 changes');
    fs.writeFileSync(path.join(folder, 'worker.env'), 'ADMIN_HOST=127.0.0.1\nCATALOG_ADMIN_PORT=9030\n');
    // As curl -f does: it does not print the reply of a worker that is not ready.
    program('curl', `[ -e ${folder}/reloaded ] && cat ${folder}/ready`);
    program('catalog-pm2', `[ "$*" = 'reload worker-3030' ] && touch ${folder}/reloaded`);
    const worked = (/** @type {string} */ ready) => {
      fs.writeFileSync(path.join(folder, 'ready'), ready);
      return type(
        `if (set -e\n${block('rotate-a-secret.md', 'readyz')}) > said; then echo yes; else echo no; fi`,
      ).trim();
    };
    const parts = (/** @type {string} */ cache) => `{"ready":true,"database":"up","cache":"${cache}"}`;
    expect([worked(parts('up')), worked(parts('off')), worked(parts('down')), worked('')]).toEqual([
      'yes',
      'yes',
      'no',
      'no',
    ]);
  });
});

test('the check covers every disk that the signs show', () => {
  const full = (/** @type {string} */ percent) => {
    program(
      'df',
      `case "$*" in "--output=pcent / "*/var/log*) ;; *) exit 1 ;; esac; printf 'Use%%\\n 20%%\\n ${percent}%%\\n 7%%\\n'`,
    );
    return type(`${block('disk-filling.md', 'pcent').trim()} && echo well || echo full`).trim();
  };
  expect([full('89'), full('90')]).toEqual(['well', 'full']);
  const [, watched] = /^DISK_PATHS=(.*)$/m.exec(read('scripts/fleet/roles/app/templates/worker.env.j2')) ?? [
    '',
    'none',
  ];
  for (const disk of watched.split(':')) expect(block('disk-filling.md', 'pcent')).toContain(` ${disk} `);
});

test('the page drops every schema that the loader makes beside the served one', () => {
  const names = /^SERVED, STAGING, PREVIOUS, META = (.*)$/m.exec(read('etl/database.py'))?.[1].match(/\w+/g) ?? [];
  const dropped = [...block('disk-filling.md', 'DROP SCHEMA').matchAll(/DROP SCHEMA IF EXISTS (\w+) CASCADE/g)];
  expect(dropped.map(([, name]) => name)).toEqual(names.slice(1, 3));
});
