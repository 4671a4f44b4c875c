'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const { read } = require('../../docs/sources');
const { useFolder } = require('../../helpers/folder');

/* At a first boot another apt holds the locks. Here apt-get is a stub, and no time passes. */

/** Locked as often as the file `locks` has lines; then it fails if there is a file `broken`. */
const stub = `#!/bin/sh
cd "$DIR" && echo "$@" >>calls
[ ! -s locks ] || { sed -i 1d locks; echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7'; exit 100; }
[ ! -e broken ] || { echo 'E: Unable to locate package'; exit 100; }
`;
const { at, write } = useFolder('apt');
beforeEach(() => {
  for (const [name, text] of Object.entries({ 'apt-get': stub, dpkg: '#!/bin/sh\nexit 1\n', sleep: '#!/bin/sh\n' }))
    write(name, text, 0o755);
});

/** The functions of node.sh, without its main. */
const ofNode = read('scripts/fleet/node.sh').replace(/^main "\$@"$|(?<=C\.UTF-8) PATH=\S+/gm, '');
const [, ofPlay = 'exit 9'] = /raw: \|\n([^]*?)\n {2}register/.exec(read('scripts/fleet/tasks/python.yml')) ?? [];

/** @param {string} shell @param {string} text @param {number} locks */
function run(shell, text, locks) {
  write('locks', 'lock\n'.repeat(locks));
  const env = { PATH: `${at()}:${process.env.PATH}`, DIR: at() };
  const { status, stdout, stderr } = spawnSync(shell, ['-c', text], { env, encoding: 'utf8' });
  const calls = fs.readFileSync(at('calls'), 'utf8').trim().split('\n');
  return { status, output: stdout + stderr, calls };
}

describe.each([
  ['node.sh', 'bash', `${ofNode}\napt update && apt install -y python3-venv`],
  ['the first task of site', 'sh', ofPlay],
])('%s', (_, shell, text) => {
  test('waits for another apt, with the lists and with the packages', () => {
    const { status, output, calls } = run(shell, text, 3);
    expect([status, status ? output : '']).toEqual([0, '']);
    expect(calls).toHaveLength(5);
    expect(calls[3]).toMatch(/DPkg::Lock::Timeout=900 update$/);
    expect(calls[4]).toMatch(/DPkg::Lock::Timeout=900 install -y/);
  });

  test('does not repeat what fails for another reason, and says it', () => {
    write('broken', '');
    const { status, output, calls } = run(shell, text, 0);
    expect([status === 0, calls.length]).toEqual([false, 1]);
    expect(output).toContain('Unable to locate package');
  });
});

test('each play that may install packages waits for another apt', () => {
  const plays = read('scripts/fleet/site.yml').split(/^(?=- name: )/m);
  const installing = plays.filter((play) => /roles: \[|import_role|import_tasks/.test(play));
  expect(installing.length).toBeGreaterThan(8);
  const waits = /module_defaults: (\*apt|&apt \{ ansible\.builtin\.apt: \{ lock_timeout: 900 \} \})/;
  expect(installing.filter((play) => !waits.test(play))).toEqual([]);
});
