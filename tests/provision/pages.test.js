'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { blocksOf } = require('../../scripts/provision/proof/runbook');
const { read } = require('../docs/sources');
const { writeStub } = require('../helpers/stub');

/* What of the runbook can be followed without a fleet, where more than one round or other nodes matter. */

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

test('each renewal of the certificate can be undone, not the first alone', () => {
  const certificate = path.join(folder, 'tls/fullchain.pem');
  const put = (/** @type {string} */ text) => fs.writeFileSync(certificate, text);
  program('systemctl', 'true');
  fs.mkdirSync(path.dirname(certificate));
  put('first');
  for (const next of ['second', 'third']) {
    type(block('certificate-renewal.md', 'cp -a'));
    put(next);
  }
  type(block('certificate-renewal.md', 'tls.old /'));
  expect(fs.readFileSync(certificate, 'utf8')).toBe('second');
});

test('the shell of root remembers no password that is taken back', () => {
  const undo = read('scripts/runbook/rotate-a-secret.md').split('## Undo')[1];
  const [first, ...rest] = [...undo.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
  program('catalog-node', 'true');
  fs.writeFileSync(path.join(folder, 'typed'), [first, ...rest.map((line) => ` ${line}`)].join('\n'));
  const shell = 'env -u HISTCONTROL bash --norc --noprofile';
  const typed = type(`{ echo set -o history; cat typed; echo; echo history; } | ${shell}`);
  expect(typed).toContain(first);
  expect(typed).not.toContain('PASSWORD');
});

test('the table of the breaking point compares what its command prints', () => {
  const page = 'breaking-point.md';
  const printed = [...block(page, 'pg_stat_activity').matchAll(/ AS (\w+)/g)].map(([, name]) => name);
  const [row] = read(`scripts/runbook/${page}`).match(/^\| .*`max_connections`.*$/m) ?? [];
  const compared = [...(row ?? '').split('|')[1].matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(compared).toEqual(printed);
});

test('a new password reaches every cache, app node and replica of the inventory, the cache first', () => {
  fs.writeFileSync(path.join(folder, 'inventory.json'), read('scripts/inventory.example.json'));
  const reached = path.join(folder, 'reached');
  const ssh = (/** @type {string} */ primary) =>
    program('ssh', `[ "$1" != db-1 ] || { ${primary}; exit; }; echo "$1 $(cat)" >> ${reached}`);
  ssh('echo A=1');
  type(block('rotate-a-secret.md', 'ssh db-1'));
  const lines = fs.readFileSync(reached, 'utf8').trim().split('\n');
  expect(lines).toEqual(['cache-1', 'app-1', 'app-2', 'app-3', 'db-2'].map((name) => `${name} A=1`));

  fs.rmSync(reached);
  ssh('false');
  type(`set +e\n${block('rotate-a-secret.md', 'ssh db-1')}\ntrue`); // as a shell that goes on
  expect(fs.existsSync(reached)).toBe(false);
});

test('every disk whose signs are looked at must have become emptier', () => {
  const full = (/** @type {string} */ percent) => {
    program(
      'df',
      `case "$*" in "--output=pcent / "*/var/log*) ;; *) exit 1 ;; esac; printf 'Use%%\\n 20%%\\n ${percent}%%\\n 7%%\\n'`,
    );
    return type(`${block('disk-filling.md', 'pcent').trim()} && echo well || echo full`).trim();
  };
  expect([full('89'), full('90')]).toEqual(['well', 'full']);
  const [, watched] = /^DISK_PATHS=(.*)$/m.exec(read('scripts/provision/files/worker.env')) ?? ['', 'none'];
  for (const disk of watched.split(':')) expect(block('disk-filling.md', 'pcent')).toContain(` ${disk} `);
});

test('a full disk gets back every schema that the loader makes beside what is served', () => {
  const names = /^SERVED, STAGING, PREVIOUS, META = (.*)$/m.exec(read('etl/database.py'))?.[1].match(/\w+/g) ?? [];
  const dropped = [...block('disk-filling.md', 'DROP SCHEMA').matchAll(/DROP SCHEMA IF EXISTS (\w+) CASCADE/g)];
  expect(dropped.map(([, name]) => name)).toEqual(names.slice(1, 3));
});
