'use strict';
const { spawnSync } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { root } = require('../../../scripts/lib/runtime');

/* A package of one line, in a wheel and a lock file, and environments with it: as those of Ansible, Patroni and the loader are made. */

const script = path.join(root, 'scripts/fleet/venv.sh');
const wheel = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + '/tiny-1-py3-none-any.whl', 'w') as out:
    out.writestr('tiny.py', 'answer = 42')
    out.writestr('tiny-1.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\n')
    out.writestr('tiny-1.dist-info/WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    out.writestr('tiny-1.dist-info/RECORD', '')
`;

/** @type {string} */
let dir;
/** @type {string} */
let link;
/** @type {string} */
let lock;
beforeEach(() => {
  // Resolved, as the script names what it makes.
  dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "it's a venv-")));
  [link, lock] = ['tools', 'lock'].map((name) => path.join(dir, name));
  fs.mkdirSync(path.join(dir, 'wheels'));
  expect(spawnSync('python3', ['-c', wheel, path.join(dir, 'wheels')]).status).toBe(0);
  const [file] = fs.readdirSync(path.join(dir, 'wheels'));
  const digest = crypto.createHash('sha256').update(fs.readFileSync(path.join(dir, 'wheels', file)));
  fs.writeFileSync(lock, `tiny==1 --hash=sha256:${digest.digest('hex')}\n`);
});
afterEach(() => fs.rmSync(dir, { recursive: true }));

/** @param {...string} more */
const make = (...more) => makeFrom(path.join(dir, 'wheels'), process.env, more);

/** @param {string} wheels @param {NodeJS.ProcessEnv} env @param {string[]} [more] */
function makeFrom(wheels, env, more = []) {
  const { status, stdout, stderr } = spawnSync(script, [link, lock, wheels, ...more], { encoding: 'utf8', env });
  return { status, stdout, stderr };
}
const answer = () => spawnSync(path.join(link, 'bin/python'), ['-c', 'import tiny; print(tiny.answer)']);

/** An environment of a Python that the machine had before. @param {string} name */
function makeFormer(name) {
  fs.mkdirSync(path.join(dir, name));
  fs.writeFileSync(path.join(dir, name, 'used'), '');
}

test('an environment is made again for another Python, and a second run changes nothing', () => {
  makeFormer('tools-2.7-abc');
  fs.symlinkSync(path.join(dir, 'tools-2.7-abc'), link);
  expect(make()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^made .*\/tools-3\.\d+-\w+\n$/) });
  expect(answer().stdout.toString()).toBe('42\n');
  expect(make()).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(fs.existsSync(path.join(dir, 'tools-2.7-abc/used'))).toBe(true); // a process may run from it
}, 120_000);

test('a folder of an earlier release is exchanged, also with packages of the distribution', () => {
  makeFormer('tools');
  expect(make('--system')).toMatchObject({ status: 0 });
  expect(answer().stdout.toString()).toBe('42\n');
  expect(fs.readFileSync(path.join(link, 'pyvenv.cfg'), 'utf8')).toContain('include-system-site-packages = true');
  fs.rmSync(link);
  makeFormer('tools'); // by that release, which came back
  expect(make('--system')).toMatchObject({ status: 0 });
  expect(answer().stdout.toString()).toBe('42\n');
}, 120_000);

test.each(['link', 'folder'])(
  'without its wheels the %s that is in use stays, and the next step is named',
  (kind) => {
    makeFormer(kind === 'link' ? 'tools-2.7-abc' : 'tools');
    if (kind === 'link') fs.symlinkSync(path.join(dir, 'tools-2.7-abc'), link);
    fs.rmSync(path.join(dir, 'wheels/tiny-1-py3-none-any.whl'));
    const before = fs.readdirSync(dir).sort();
    const { status, stderr } = make();
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/tools is as before: .* bring a release that has them/),
    ]);
    expect(fs.existsSync(path.join(link, 'used'))).toBe(true);
    expect(
      fs
        .readdirSync(dir)
        .filter((name) => name !== 'tools.lock')
        .sort(),
    ).toEqual(before);
  },
  60_000,
);

test('what an interrupted run left is made anew, and what no process uses goes', () => {
  expect(make().status).toBe(0);
  const made = fs.readlinkSync(link);
  fs.rmSync(path.join(made, '.whole'));
  fs.rmSync(path.join(made, 'bin'), { recursive: true });
  makeFormer('tools-2.7-abc');
  expect(make().status).toBe(0);
  expect(answer().stdout.toString()).toBe('42\n');
  expect(fs.existsSync(path.join(dir, 'tools-2.7-abc'))).toBe(false);
}, 120_000);

test.each([
  ['the wheels of a release', 'wheels'],
  ["sources of pip's own settings", ''],
])(
  'settings of pip that would install elsewhere are ignored, with %s',
  (_, wheels) => {
    const file = path.join(dir, 'pip.conf');
    const elsewhere = `target = ${dir}/elsewhere\nroot = ${dir}/root\ndry-run = true\nplatform = win32\nrequirement = /missing\n`;
    fs.writeFileSync(
      file,
      `[global]\nuser = true\nno-index = true\nfind-links = ${pathToFileURL(path.join(dir, 'wheels'))}\n[install]\n${elsewhere}`,
    );
    const { PATH } = process.env;
    const env = { PATH, PIP_CONFIG_FILE: file, PIP_PREFIX: '/missing' };
    expect(makeFrom(wheels && path.join(dir, wheels), env)).toMatchObject({ status: 0, stderr: '' });
    expect(answer().stdout.toString()).toBe('42\n');
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
