'use strict';
const { execFileSync } = require('node:child_process');
const { python } = require('../../../scripts/lib/runtime');
const { read, root } = require('../../docs/sources');

const lock = 'scripts/fleet/requirements.lock';
/** @param {string} version of Python */
const lockFor = (version) =>
  execFileSync(python, ['scripts/fleet/lock_for.py', version, lock], { cwd: root, encoding: 'utf8' });
const namesIn = (/** @type {string} */ text) => (text.match(/^[\w.-]+(?===)/gm) ?? []).sort();

test.each([
  ['3.11', '2.19'],
  ['3.12', '2.21'],
  ['3.13', '2.21'],
])('for Python %s a release brings Ansible %s, and all that it needs', (version, ansible) => {
  const own = lockFor(version);
  expect(own.match(/(?<=^ansible-core==)\d+\.\d+/gm)).toEqual([ansible]);
  expect(namesIn(own)).toEqual([...new Set(namesIn(read(lock)))]);
  expect(own).not.toContain(' ; ');
  expect(own.match(/^\S+ \\\n +--hash=sha256:/gm)).toHaveLength(namesIn(own).length);
});
