'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { root } = require('../../../scripts/lib/runtime');

/* At a first boot another apt holds the locks. Here apt-get is a stub, and no time passes. */

const folder = path.join(root, 'scripts/fleet');
const read = (/** @type {string} */ file) => fs.readFileSync(path.join(folder, file), 'utf8');

/** Locked as often as the file `locks` has lines; then it fails if there is a file `broken`. */
const stub = `#!/bin/sh
cd "$DIR" && echo "$@" >>calls
[ ! -s locks ] || { sed -i 1d locks; echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7'; exit 100; }
[ ! -e broken ] || { echo 'E: Unable to locate package'; exit 100; }
`;
/** @type {string} */
let dir;
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'apt-'));
  for (const [name, text] of Object.entries({ 'apt-get': stub, dpkg: '#!/bin/sh\nexit 1\n', sleep: '#!/bin/sh\n' }))
    fs.writeFileSync(path.join(dir, name), text, { mode: 0o755 });
});
afterEach(() => fs.rmSync(dir, { recursive: true }));

/** The functions of node.sh, without its main. */
const ofNode = () => `${read('node.sh')
  .replace(/^main "\$@"$/m, '')
  .replace(/ PATH=\S+/, '')}
apt update && apt install -y python3-venv`;
const ofPlay = () => /raw: \|\n([^]*?)\n {2}register/.exec(read('tasks/python.yml'))?.[1] ?? 'exit 9';

/** @param {string} shell @param {string} text @param {number} locks */
function run(shell, text, locks) {
  fs.writeFileSync(path.join(dir, 'locks'), 'lock\n'.repeat(locks));
  const { status, stdout, stderr } = spawnSync(shell, ['-c', text], {
    env: { PATH: `${dir}:${process.env.PATH}`, DIR: dir },
    encoding: 'utf8',
  });
  const calls = fs.readFileSync(path.join(dir, 'calls'), 'utf8').trim().split('\n');
  return { status, output: stdout + stderr, calls };
}

describe.each([
  ['node.sh', 'bash', ofNode],
  ['the first task of site', 'sh', ofPlay],
])('%s', (_, shell, text) => {
  test('waits for another apt, with the lists and with the packages', () => {
    const { status, output, calls } = run(shell, text(), 3);
    expect([status, status ? output : '']).toEqual([0, '']);
    expect(calls).toHaveLength(5);
    expect(calls[3]).toMatch(/DPkg::Lock::Timeout=900 update$/);
    expect(calls[4]).toMatch(/DPkg::Lock::Timeout=900 install -y/);
  });

  test('does not repeat what fails for another reason, and says it', () => {
    fs.writeFileSync(path.join(dir, 'broken'), '');
    const { status, output, calls } = run(shell, text(), 0);
    expect([status === 0, calls.length]).toEqual([false, 1]);
    expect(output).toContain('Unable to locate package');
  });
});

test('each play that may install packages waits for another apt', () => {
  const plays = read('site.yml')
    .split(/^(?=- name: )/m)
    .filter((play) => /roles: \[|import_role|import_tasks/.test(play));
  expect(plays.length).toBeGreaterThan(8);
  expect(
    plays.filter(
      (play) => !/module_defaults: (\*apt|&apt \{ ansible\.builtin\.apt: \{ lock_timeout: 900 \} \})/.test(play),
    ),
  ).toEqual([]);
});
