'use strict';
const { spawnSync } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { root } = require('../../../scripts/lib/runtime');
const { useFolder } = require('../../helpers/folder');

/* A package of one line, in a wheel and a lock file, and environments with it: as those of Ansible, Patroni and the loader are made. */

const script = path.join(root, 'scripts/fleet/venv.sh');
const wheel = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + '/tiny-1-py3-none-any.whl', 'w') as out:
    out.writestr('tiny.py', 'answer = 42')
    out.writestr('tiny-1.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\n')
    out.writestr('tiny-1.dist-info/WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    out.writestr('tiny-1.dist-info/RECORD', '')
`;

const { at, write } = useFolder("it's a venv");
const tiny = 'wheels/tiny-1-py3-none-any.whl';
beforeEach(() => {
  fs.mkdirSync(at('wheels'));
  expect(spawnSync('python3', ['-c', wheel, at('wheels')]).status).toBe(0);
  const digest = crypto
    .createHash('sha256')
    .update(fs.readFileSync(at(tiny)))
    .digest('hex');
  write('lock', `tiny==1 --hash=sha256:${digest}\n`);
});

/** @param {string[]} [more] @param {string} [wheels] @param {NodeJS.ProcessEnv} [env] */
function make(more = [], wheels = at('wheels'), env = process.env) {
  const words = [at('tools'), at('lock'), wheels, ...more];
  const { status, stdout, stderr } = spawnSync(script, words, { encoding: 'utf8', env });
  const answer = spawnSync(at('tools/bin/python'), ['-c', 'import tiny; print(tiny.answer)'], { encoding: 'utf8' });
  return { status, said: stdout + stderr, answer: answer.stdout };
}
const works = { status: 0, answer: '42\n' };

/** An environment of a Python that the machine had before. */
const former = 'tools-2.7-abc';

test('an environment is made again for another Python, and a second run changes nothing', () => {
  write(`${former}/used`, '');
  fs.symlinkSync(at(former), at('tools'));
  expect(make()).toEqual({ ...works, said: expect.stringMatching(/^made .*\/tools-3\.\d+-\w+\n$/) });
  expect(make()).toEqual({ ...works, said: '' });
  expect(fs.existsSync(at(former, 'used'))).toBe(true); // a process may run from it
}, 120_000);

test('a folder of an earlier release is exchanged, also when that release came back', () => {
  for (let times = 0; times < 2; times += 1) {
    fs.rmSync(at('tools'), { force: true });
    write('tools/used', '');
    expect(make(['--system'])).toMatchObject(works);
    expect(fs.readFileSync(at('tools/pyvenv.cfg'), 'utf8')).toContain('include-system-site-packages = true');
  }
}, 120_000);

test.each(['link', 'folder'])(
  'without its wheels the %s in use stays, and the next step is named',
  (kind) => {
    write(`${kind === 'link' ? former : 'tools'}/used`, '');
    if (kind === 'link') fs.symlinkSync(at(former), at('tools'));
    fs.rmSync(at(tiny));
    const before = fs.readdirSync(at());
    expect(make()).toMatchObject({
      status: 1,
      said: expect.stringMatching(/tools is as before: .* bring a release that/),
    });
    expect(fs.existsSync(at('tools/used'))).toBe(true);
    expect(fs.readdirSync(at()).filter((name) => name !== 'tools.lock')).toEqual(before);
  },
  60_000,
);

test('what an interrupted run left is made again, and what no process uses goes', () => {
  expect(make()).toMatchObject(works);
  const made = fs.readlinkSync(at('tools'));
  fs.rmSync(path.join(made, '.whole'));
  fs.rmSync(path.join(made, 'bin'), { recursive: true });
  write(`${former}/used`, '');
  expect(make()).toMatchObject(works);
  expect(fs.existsSync(at(former))).toBe(false);
}, 120_000);

test.each([
  ['the wheels of a release', 'wheels'],
  ["sources of pip's own settings", ''],
])(
  'settings of pip that would install elsewhere are ignored, with %s',
  (_, wheels) => {
    const sources = `user = true\nno-index = true\nfind-links = ${pathToFileURL(at('wheels'))}`;
    const elsewhere = `target = ${at('elsewhere')}\nroot = ${at('root')}\ndry-run = true\nplatform = win32\nrequirement = /missing`;
    const file = write('pip.conf', `[global]\n${sources}\n[install]\n${elsewhere}\n`);
    const env = { PATH: process.env.PATH, PIP_CONFIG_FILE: file, PIP_PREFIX: '/missing' };
    expect(make([], wheels && at(wheels), env)).toEqual({ ...works, said: expect.stringMatching(/^made \S.*\n$/) });
  },
  120_000,
);

const folder = path.join(root, 'scripts/fleet');
test('no task and no script makes a Python environment in another way', () => {
  const others = fs
    .globSync('**/*.{yml,sh}', { cwd: folder })
    .filter((file) => /-m venv|pip install|--clear/.test(fs.readFileSync(path.join(folder, file), 'utf8')));
  expect(others).toEqual(['venv.sh']);
});
