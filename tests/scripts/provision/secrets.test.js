'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { read, root } = require('../../docs/sources');

/* Which role generates passwords, and when: a new one while another is in use locks the workers out. */

const provision = path.join(root, 'scripts/provision');
const names = ['API_PASSWORD', 'LOADER_PASSWORD', 'REPLICA_PASSWORD', 'REDIS_PASSWORD'];
/** Files belong to root; an ordinary account is root in a namespace of its own. */
const asRoot = process.getuid?.() === 0 ? [] : ['unshare', '--user', '--map-root-user'];

/** @type {string} */
let folder;
beforeEach(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'secrets-'))));
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/**
 * @param {string} script the machine and the options, for bash
 * @param {Record<string, string>} [env]
 */
function roleSecrets(script, env = {}) {
  const functions = read('scripts/provision/lib/secrets.sh').replaceAll('/etc/postgresql', `${folder}/postgresql`);
  fs.writeFileSync(path.join(folder, 'secrets.sh'), functions);
  const whole = `. "${provision}/lib/make.sh"; . "${provision}/roles/db.sh"; . "${folder}/secrets.sh"
    secrets_file="${folder}/secrets.env" role=db replica_of='' cache=''
    ${script}
    role_secrets`;
  const words = [...asRoot, 'bash', '-euo', 'pipefail', '-c', whole];
  const { status, stderr } = spawnSync(words[0], words.slice(1), {
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { status, stderr: stderr.trim() };
}

const file = () => path.join(folder, 'secrets.env');
/** @returns {string[]} */
const kept = () => [...fs.readFileSync(file(), 'utf8').matchAll(/^(\w+)=\S{16,}$/gm)].map((match) => match[1]);
/** Fakes the answers that role_secrets gets from the database. @param {string} answers whether it runs @param {string} row of pg_roles */
const database = (answers, row) => `database_answers() { ${answers}; }; as_postgres() { echo '${row}'; }`;
function configure() {
  fs.mkdirSync(path.join(folder, 'postgresql/15/main/conf.d'), { recursive: true });
  fs.writeFileSync(path.join(folder, 'postgresql/15/main/conf.d/catalog.conf'), '');
}

describe.each(['db', 'all'])('the role %s', (role) => {
  const silent = `role=${role}; ${database('false', '')}`;
  const inUse = `role=${role}; ${database('true', '1')}`;

  test('generates the passwords of a new machine once', () => {
    expect(roleSecrets(silent)).toEqual({ status: 0, stderr: '' });
    expect(kept()).toEqual(names);
    const before = fs.readFileSync(file(), 'utf8');
    configure(); // an interrupted first run resumes
    for (const machine of [silent, inUse]) expect(roleSecrets(machine)).toEqual({ status: 0, stderr: '' });
    expect(fs.readFileSync(file(), 'utf8')).toBe(before);
  });

  test("generates them beside the empty cluster of the distribution's package", () => {
    expect(roleSecrets(`role=${role}; ${database('true', '')}`)).toEqual({ status: 0, stderr: '' });
    expect(kept()).toEqual(names);
  });

  test.each(names)('generates no other %s while the database has its roles or does not answer', (lost) => {
    configure();
    const text = names.filter((name) => name !== lost).map((name) => `${name}=${'x'.repeat(20)}\n`);
    fs.writeFileSync(file(), text.join(''));
    for (const machine of [inUse, silent]) {
      const { status, stderr } = roleSecrets(machine);
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(new RegExp(`^node.sh: ${lost} is in neither .* Copy it from another node`)),
      ]);
    }
    expect(fs.readFileSync(file(), 'utf8')).toBe(text.join(''));
    expect(roleSecrets(inUse, { [lost]: 'typed-by-the-operator' })).toEqual({ status: 0, stderr: '' });
    expect(kept()).toEqual(names);
  });
});

test.each([
  ['role=db replica_of=10.0.0.20', names],
  ['role=cache', ['REDIS_PASSWORD']],
  ['role=app', ['API_PASSWORD']],
  ['role=app cache=10.0.0.40', ['API_PASSWORD', 'REDIS_PASSWORD']],
])('%s generates none, and says where they are', (machine, wanted) => {
  const { status, stderr } = roleSecrets(machine);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/copy that file from the database's node$/)]);
  const given = Object.fromEntries(wanted.map((name) => [name, 'x'.repeat(20)]));
  expect(roleSecrets(machine, given)).toEqual({ status: 0, stderr: '' });
  expect(kept()).toEqual(wanted);
});

test('a self-signed certificate is made for the existing key, or else for a new one', () => {
  const selfSign = `. "${provision}/lib/make.sh"; . "${provision}/roles/lb.sh"
    tls="${folder}" address=10.0.0.10
    certificate_fits || self_sign
    certificate_fits`;
  const run = () => spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', selfSign], { encoding: 'utf8' });
  const key = path.join(folder, 'key.pem');
  expect(run()).toMatchObject({ status: 0, stderr: '' });
  const made = fs.readFileSync(key, 'utf8');
  fs.rmSync(path.join(folder, 'fullchain.pem'));
  fs.chmodSync(key, 0o644);
  expect(run()).toMatchObject({ status: 0, stderr: '' });
  expect(fs.readFileSync(key, 'utf8')).toBe(made);
});
