'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { makeCertificate } = require('../../helpers/certificate');
const { blocksOf, elsewhere, order, pages } = require('../../lab/machines/runbook');
const { read } = require('../../docs/sources');
const { writeStub } = require('../../helpers/stub');

/* The parts of the runbook that need no fleet, repeated or with fake nodes. */

test('each page is typed on machines, or names why not', () => {
  expect([...order, ...Object.keys(elsewhere)].sort()).toEqual(pages());
});

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

describe('an undone renewal of the certificate', () => {
  const at = (/** @type {string} */ name) => path.join(folder, 'tls', name);
  const inForce = () => ['fullchain.pem', 'key.pem'].map((name) => fs.readFileSync(at(name), 'utf8'));
  const undo = () => type(block('certificate-renewal.md', 'fullchain.pem.*~'));
  let age = 9;
  /** As a copy of Ansible with a backup: what changed keeps its time. @param {string} name @param {string} from */
  function install(name, from) {
    if (fs.existsSync(at(name))) fs.renameSync(at(name), at(`${name}.${age}.2026-11-26@14:00:00~`));
    fs.renameSync(from, at(name));
    fs.utimesSync(at(name), 0, 1_800_000_000 - --age);
  }
  /** @returns {string[]} the pair that is in force then */
  function renew() {
    const made = makeCertificate(folder);
    if (!made) throw new Error('openssl is missing');
    install('key.pem', made.keyFile);
    install('fullchain.pem', made.certFile);
    return inForce();
  }
  beforeEach(() => {
    age = 9;
    program('systemctl', `echo "$*" >> ${folder}/reloaded`);
    fs.mkdirSync(path.join(folder, 'tls'));
  });

  test('brings back the pair before the last, and reloads nginx', () => {
    renew();
    const second = renew();
    renew();
    undo();
    expect(inForce()).toEqual(second);
    expect(fs.readFileSync(path.join(folder, 'reloaded'), 'utf8')).toBe('reload catalog-nginx\n');
  });

  test('keeps a key that did not change', () => {
    const [first, key] = renew();
    const { certFile, keyFile } = makeCertificate(folder) ?? { certFile: '', keyFile: '' };
    fs.rmSync(keyFile);
    install('fullchain.pem', certFile);
    undo();
    expect(inForce()).toEqual([first, key]);
  });

  test('changes nothing when there was no pair before', () => {
    const only = renew();
    undo();
    expect(inForce()).toEqual(only);
    expect(fs.existsSync(path.join(folder, 'reloaded'))).toBe(false);
  });
});

test('the table of the breaking point names what its command prints', () => {
  const page = 'breaking-point.md';
  const printed = [...block(page, 'pg_stat_activity').matchAll(/ AS (\w+)/g)].map(([, name]) => name);
  const [row] = read(`scripts/runbook/${page}`).match(/^\| .*`max_connections`.*$/m) ?? [];
  const compared = [...(row ?? '').split('|')[1].matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(compared).toEqual(printed);
});

test('counts a new password as wrong where a new connection or Redis refuses it', () => {
  fs.writeFileSync(path.join(folder, 'worker.env'), 'ADMIN_HOST=127.0.0.1\nCATALOG_ADMIN_PORT=9030\n');
  // As curl -f does: it does not print the reply of a worker that is not ready.
  program('curl', `[ -e ${folder}/reloaded ] && cat ${folder}/ready`);
  program('catalog-pm2', `[ "$*" = 'reload worker-3030' ] && touch ${folder}/reloaded`);
  const worked = (/** @type {string} */ ready) => {
    fs.writeFileSync(path.join(folder, 'ready'), ready);
    return type(`if (set -e\n${block('rotate-a-secret.md', 'readyz')}) > said; then echo yes; else echo no; fi`).trim();
  };
  const parts = (/** @type {string} */ cache) => `{"ready":true,"database":"up","cache":"${cache}"}`;
  expect([worked(parts('up')), worked(parts('off')), worked(parts('down')), worked('')]).toEqual([
    'yes',
    'yes',
    'no',
    'no',
  ]);
});

test('a rotated password is one that the fleet has', () => {
  const [, names = ''] = /^secret_names: \[(.*)\]$/m.exec(read('scripts/fleet/group_vars/all.yml')) ?? [];
  const [, deleted] = /\^(\w+):\/d/.exec(block('rotate-a-secret.md', 'secrets.old.yml\nsed')) ?? [];
  expect(names.split(', ')).toContain(deleted);
  const [, table = ''] = /^\| password .*\n\|.*\n((?:\|.*\n)+)/m.exec(read('scripts/runbook/rotate-a-secret.md')) ?? [];
  expect([...table.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual(names.split(', ').sort());
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
  const names = /^SERVED, STAGING, PREVIOUS, META = (.*)$/m.exec(read('etl/sql.py'))?.[1].match(/\w+/g) ?? [];
  const dropped = [...block('disk-filling.md', 'DROP SCHEMA').matchAll(/DROP SCHEMA IF EXISTS (\w+) CASCADE/g)];
  expect(dropped.map(([, name]) => name)).toEqual(names.slice(1, 3));
});
