'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { root } = require('../../scripts/lib/runtime');
const { runningStack, stateFolder } = require('../../scripts/lib/state');
const { UsageError, wholeNumber } = require('../../scripts/lib/command-line');

/** @param {string} script @param {string[]} words @param {string} [callerFolder] @param {NodeJS.ProcessEnv} [env] */
const run = (script, words, callerFolder = os.tmpdir(), env = {}) =>
  spawnSync(process.execPath, [path.join(root, 'scripts', script), ...words], {
    cwd: root, // where npm runs it
    env: { ...process.env, INIT_CWD: callerFolder, ...env },
    encoding: 'utf8',
  });

const scripts = [
  ...['start.js', 'status.js', 'load.js', 'generate/index.js', 'bench.js', 'k6.js', 'node.js'],
  ...['deploy.js', 'promote.js', 'cluster.js', 'monitor.js', 'profile.js', 'provision-test.js'],
  'faults.js',
];

describe.each(scripts)('%s', (script) => {
  test('ends with status 2 and one line when an option is unknown', () => {
    const { status, stdout, stderr } = run(script, ['--stat', 'x']);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^.*'--stat'.*npm (start|run [a-z0-9:]+) -- --help shows the options\n$/);
  });

  test('tells its options', () => {
    const { status, stdout, stderr } = run(script, ['--help']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('--help');
  });
});

test('DEBUG adds the stack of a failure, and none to a refusal', () => {
  const said = (/** @type {string[]} */ words, DEBUG = '') => {
    const { status, stderr } = run('bench.js', words, undefined, { DEBUG });
    expect(status).toBe(2);
    return stderr;
  };
  expect(said(['compare', 'nowhere.json'])).toMatch(/^.*nowhere\.json does not exist.*\n$/);
  expect(said(['compare', 'nowhere.json'], '1')).toMatch(/nowhere\.json does not exist.*\n +at /);
  expect(said(['nothing'], '1')).toMatch(/^no part "nothing": .*\n$/);
});

test('a command ends when all that it said is read', () => {
  const commandLine = JSON.stringify(path.join(root, 'scripts/lib/command-line.js'));
  const program = `process.stdout.write('x'.repeat(1e6)); require(${commandLine}).exitWith(Promise.resolve(3))`;
  const { status, stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  expect([status, stdout.length]).toEqual([3, 1e6]);
});

describe('a state folder', () => {
  test('is meant from where the person stands, and lies in the clone when none is given', () => {
    process.env.INIT_CWD = '/srv/me';
    expect(stateFolder('s')).toBe('/srv/me/s');
    expect(stateFolder('.state')).toBe('/srv/me/.state');
    expect(stateFolder(undefined)).toBe(path.join(root, '.state'));
    expect(stateFolder(undefined, '.state-x')).toBe(path.join(root, '.state-x'));
  });

  test.each([
    ['status.js', []],
    ['load.js', ['csv']],
    ['monitor.js', ['targets']],
    ['profile.js', []],
    ['k6.js', ['smoke']],
  ])('without a stack is named by %s, with the next step', (script, words) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'usage-'));
    const { status, stderr } = run(script, [...words, '--state', '.state'], folder);
    fs.rmSync(folder, { recursive: true });
    expect(status).toBe(2);
    expect(stderr).toContain(`no stack runs on ${folder}/.state: npm start, or `);
  });

  test('says what runs there, and not what ran there when the power was cut', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'usage-'));
    const left = (/** @type {number} */ pid) =>
      fs.writeFileSync(path.join(folder, 'stack.json'), JSON.stringify({ pid, adminPorts: [9030] }));
    left(process.pid);
    expect(runningStack(folder).adminPorts).toEqual([9030]);
    left(spawnSync('true').pid);
    expect(() => runningStack(folder)).toThrow('no stack runs');
    fs.rmSync(folder, { recursive: true });
  });
});

describe('npm start ends with status 2 and one line', () => {
  test.each([
    ['CATALOG_RATE_LIMIT', 'soon', /^CATALOG_RATE_LIMIT soon: must be .*\n$/],
    ['REDIS_URL', 'cache:6379', /^REDIS_URL: must start with .*\n$/],
    ['REDIS_URL', 'redis://cache/first', /^REDIS_URL: must be .*\n$/],
    ['REDIS_URL', 'unix:///50%/s.sock', /^REDIS_URL: must be .*\n$/],
  ])('when %s is %s', (name, value, line) => {
    // No folder: one that goes on fails there, before anything is started.
    const { status, stderr } = run('start.js', ['--state', '/dev/null'], undefined, { [name]: value });
    expect([status, stderr]).toEqual([2, expect.stringMatching(line)]);
  });

  test("when the state folder is another user's", () => {
    const isRoot = process.getuid?.() === 0;
    const folder = isRoot ? fs.mkdtempSync(path.join(os.tmpdir(), 'usage-')) : '/';
    if (isRoot) fs.chownSync(folder, 65534, 65534);
    const { status, stderr } = run('start.js', ['--state', folder]);
    if (isRoot) fs.rmSync(folder, { recursive: true });
    expect([status, stderr]).toEqual([
      2,
      `${folder} belongs to another user: choose another folder with --state DIR\n`,
    ]);
  });
});

test.each(['0', '65536', '1e3', '-1', '1.5', ' 1', '', 'x'])('"%s" is no port', (text) => {
  expect(() => wholeNumber('port', text, 65535)).toThrow(UsageError);
  expect(() => wholeNumber('port', text, 65535)).toThrow('from 1 to 65535');
});
