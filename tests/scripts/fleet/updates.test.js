'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { root } = require('../../../scripts/lib/runtime');
const { unless } = require('../../helpers/skip');

/* Figures for the node exporter: apt-get is a stub that plans what real ones of Debian 12, Debian 13 and Ubuntu 24.04 print, or the real one. */

const script = path.join(root, 'scripts/fleet/roles/exporters/files/catalog-updates');
const plans = {
  debian: `Inst base-files [12.4+deb12u11] (12.4+deb12u15 Debian:12.15/oldstable [amd64])
Inst libgcrypt20 [1.10.1-3] (1.10.1-3+deb12u1 Debian:12.15/oldstable, Debian-Security:12/oldstable-security [amd64]) []
Inst libssl3t64 [3.5.1-1] (3.5.1-1+deb13u1 Debian-Security:13/stable-security [amd64])
Conf libssl3t64 (3.5.1-1+deb13u1 Debian-Security:13/stable-security [amd64])`,
  ubuntu: `Inst nginx [1.24.0-2] (1.24.0-2ubuntu7.5 Ubuntu:24.04/noble-updates, Ubuntu:24.04/noble-security [amd64])
Inst mysecurity-tool [1] (2 Ubuntu:24.04/noble-updates [amd64])`,
  none: '',
};
/** @type {string} */
let dir;
beforeEach(() => (dir = fs.mkdtempSync(path.join(os.tmpdir(), 'updates-'))));
afterEach(() => fs.rmSync(dir, { recursive: true }));

/** @param {string} plan @param {string} [fails] the word of apt-get that fails */
function count(plan, fails = 'none') {
  fs.writeFileSync(path.join(dir, 'plan'), plan);
  const stub = `#!/bin/sh\ncase "$*" in *${fails}*) exit 100 ;; *dist-upgrade) cat "${dir}/plan" ;; esac\n`;
  fs.writeFileSync(path.join(dir, 'apt-get'), stub, { mode: 0o755 });
  const file = path.join(dir, 'updates.prom');
  const { status } = spawnSync(script, [file], { env: { PATH: `${dir}:${process.env.PATH}` } });
  return { status, text: fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '' };
}

test.each([
  ['debian', 2],
  ['ubuntu', 1],
  ['none', 0],
])('counts the security updates of %s', (name, wanted) => {
  const { status, text } = count(plans[/** @type {keyof typeof plans} */ (name)]);
  expect(status).toBe(0);
  expect(text).toMatch(
    new RegExp(`^catalog_security_updates ${wanted}\ncatalog_security_updates_timestamp_seconds \\d{10}\n$`),
  );
});

test.each(['update', 'dist-upgrade'])('a failed %s keeps the last count, so that its age is seen', (word) => {
  const { text } = count(plans.debian);
  expect(count('', word)).toEqual({ status: 100, text });
});

const noApt = !fs.existsSync('/usr/bin/apt-get') && 'needs apt-get';
unless(noApt).test('with a mirror that does not answer nothing is counted', () => {
  for (const name of ['lists/partial', 'parts']) fs.mkdirSync(path.join(dir, name), { recursive: true });
  fs.writeFileSync(path.join(dir, 'sources.list'), 'deb http://127.0.0.1:9/debian stable main\n');
  const places = { 'Etc::SourceList': 'sources.list', 'Etc::SourceParts': 'parts', 'State::Lists': 'lists' };
  const lines = Object.entries(places).map(([name, place]) => `Dir::${name} "${path.join(dir, place)}";\n`);
  fs.writeFileSync(path.join(dir, 'apt.conf'), ['Acquire::Retries "0";\n', ...lines].join(''));
  const env = { PATH: process.env.PATH, APT_CONFIG: path.join(dir, 'apt.conf') };
  const file = path.join(dir, 'updates.prom');
  const { status, stderr } = spawnSync(script, [file], { env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([100, expect.stringContaining('Could not connect to 127.0.0.1:9')]);
  expect(fs.existsSync(file)).toBe(false);
});
