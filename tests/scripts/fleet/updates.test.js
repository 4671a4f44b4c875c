'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('../../../scripts/lib/runtime');
const { useFolder } = require('../../helpers/folder');
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
const { at, write } = useFolder('updates');

/** @param {NodeJS.ProcessEnv} env */
function run(env) {
  const { status, stderr } = spawnSync(script, [at('updates.prom')], { env, encoding: 'utf8' });
  const text = fs.existsSync(at('updates.prom')) ? fs.readFileSync(at('updates.prom'), 'utf8') : '';
  return { status, stderr, text };
}

/** @param {string} plan @param {string} [fails] the word of apt-get that fails */
function count(plan, fails = 'none') {
  const script = `#!/bin/sh\ncase "$*" in *${fails}*) exit 100 ;; *dist-upgrade) cat "${write('plan', plan)}" ;; esac\n`;
  write('apt-get', script, 0o755);
  return run({ PATH: `${at()}:${process.env.PATH}` });
}

test.each([
  ['debian', 2],
  ['ubuntu', 1],
  ['none', 0],
])('counts the security updates of %s', (name, wanted) => {
  const { status, text } = count(plans[/** @type {keyof typeof plans} */ (name)]);
  const stamped = `^catalog_security_updates ${wanted}\ncatalog_security_updates_timestamp_seconds \\d{10}\n$`;
  expect([status, text]).toEqual([0, expect.stringMatching(new RegExp(stamped))]);
});

test.each(['update', 'dist-upgrade'])('a failed %s keeps the last count, so that its age is seen', (word) => {
  const { text } = count(plans.debian);
  expect(count('', word)).toMatchObject({ status: 100, text });
});

const noApt = !fs.existsSync('/usr/bin/apt-get') && 'needs apt-get';
unless(noApt).test('with a mirror that does not answer nothing is counted', () => {
  for (const name of ['lists/partial', 'parts']) fs.mkdirSync(at(name), { recursive: true });
  write('sources.list', 'deb http://127.0.0.1:9/debian stable main\n');
  const places = { 'Etc::SourceList': 'sources.list', 'Etc::SourceParts': 'parts', 'State::Lists': 'lists' };
  const lines = Object.entries(places).map(([name, place]) => `Dir::${name} "${at(place)}";\n`);
  const config = write('apt.conf', ['Acquire::Retries "0";\n', ...lines].join(''));
  const stderr = expect.stringContaining('Could not connect to 127.0.0.1:9');
  expect(run({ PATH: process.env.PATH, APT_CONFIG: config })).toEqual({ status: 100, stderr, text: '' });
});
