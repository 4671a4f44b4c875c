'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { SETTINGS } = require('../../../server/config/settings');
const { root } = require('../../../scripts/lib/runtime');
const { runningStack } = require('../../../scripts/local/state');
const { UsageError, wholeNumber } = require('../../../scripts/lib/command-line');
const { openShell } = require('../../helpers/command-lines');
const { unless } = require('../../helpers/skip');

const shell = openShell();
afterAll(() => shell.close());

/** @type {string} the current folder of the caller */
let folder;
beforeEach(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'usage-'))));
afterEach(() => fs.rmSync(folder, { recursive: true }));

/** @param {string} script @param {string[]} words @param {NodeJS.ProcessEnv} [env] */
const run = (script, words, env = {}) => shell.type(script, words, { INIT_CWD: folder, ...env });

test('DEBUG adds a stack to a failure, but not to a refusal', async () => {
  const stderrOf = async (/** @type {string} */ script, /** @type {string[]} */ words, DEBUG = '') =>
    (await run(script, words, { DEBUG })).stderr;
  fs.writeFileSync(path.join(folder, 'stack.json'), '{');
  expect(await stderrOf('status.js', ['--state', folder])).toMatch(/^.*JSON.*\n$/);
  expect(await stderrOf('status.js', ['--state', folder], '1')).toMatch(/JSON.*\n +at /);
  expect(await stderrOf('bench.js', ['nothing'], '1')).toMatch(/^no part "nothing": .*\n$/);
});

test('a command ends after all of its output was read', () => {
  const commandLine = JSON.stringify(path.join(root, 'scripts/lib/command-line.js'));
  const program = `process.stdout.write('x'.repeat(1e6)); require(${commandLine}).exitWith(Promise.resolve(3))`;
  const { status, stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  expect([status, stdout.length]).toEqual([3, 1e6]);
});

describe('a state folder', () => {
  test.each([
    ['status.js', []],
    ['load.js', ['csv']],
    ['monitor.js', ['targets']],
    ['profile.js', []],
    ['k6.js', ['smoke']],
  ])('without a stack is reported by %s with the next step', async (script, words) => {
    const { status, stderr } = await run(script, [...words, '--state', '.state']);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`no stack runs on ${folder}/.state: npm start, or `)]);
  });

  test('lists what runs there, but not what ran before a power cut', () => {
    const left = (/** @type {number} */ pid) =>
      fs.writeFileSync(path.join(folder, 'stack.json'), JSON.stringify({ pid, adminPorts: [9030] }));
    left(process.pid);
    expect(runningStack(folder).adminPorts).toEqual([9030]);
    left(spawnSync('true').pid);
    expect(() => runningStack(folder)).toThrow('no stack runs');
  });
});

describe('npm start ends with status 2 and one line', () => {
  test.each([
    ['CATALOG_RATE_LIMIT', 'soon', /^CATALOG_RATE_LIMIT soon: must be .*\n$/],
    ['REDIS_URL', 'cache:6379', /^REDIS_URL: must start with .*\n$/],
    ['REDIS_URL', 'redis://cache/first', /^REDIS_URL: must be .*\n$/],
    ['REDIS_URL', 'unix:///50%/s.sock', /^REDIS_URL: must be .*\n$/],
    ['DATABASE_URL', 'postgres://[::1/catalog', /^DATABASE_URL: must be a URL: .*\n$/],
    ['API_DATABASE_URL', 'postgres://catalog_api:1234@db-2/catalog', /^API_DATABASE_URL: has a password .*\n$/],
    ['CAMPUS', 'hr\nlax', /^CAMPUS: must be one line .*\n$/],
    ['SEARCH_LANGUAGE', 'German', /^SEARCH_LANGUAGE: must be the code .*\n$/],
    ['NGINX_BIN', '/no/nginx', /^NGINX_BIN: \/no\/nginx is not a program .*\n$/],
    ['VALKEY_BIN', 'no-valkey', /^VALKEY_BIN: no-valkey is not a program .*\n$/],
    ['POSTGRES_BIN_DIR', '/no', /^POSTGRES_BIN_DIR: \/no\/postgres is not a program .*\n$/],
    ['LOG_LEVEL', 'DEBUG', /^LOG_LEVEL: .*"DEBUG".*debug.*\n$/],
    ['GZIP_MIN_BYTES', '1k', /^GZIP_MIN_BYTES: must be .* from 1 to 2147483647, not "1k" .*\n$/],
    ['PG_QUERY_TIMEOUT_MS', '600', /^PG_STATEMENT_TIMEOUT_MS: must be below PG_QUERY_TIMEOUT_MS \(600\), not 1400\n$/],
  ])('when %s is %s', async (name, value, line) => {
    // Not a folder: a command that continues fails there, before it starts anything.
    const { status, stderr } = await run('start.js', ['--state', '/dev/null'], { [name]: value });
    expect([status, stderr]).toEqual([2, expect.stringMatching(line)]);
  });

  test('for each wrong setting of the workers', async () => {
    // Any text is valid for the first two; npm start sets the others.
    const free = 'REDIS_KEY_PREFIX NEW_RELIC_LICENSE_KEY HOST PORT ADMIN_HOST ADMIN_PORT DATABASE_URL'.split(' ');
    const names = Object.keys(SETTINGS).filter((name) => !free.includes(name));
    const wrong = Object.fromEntries(names.map((name) => [name, ' ']));
    const { status, stdout, stderr } = await run('start.js', ['--state', '/dev/null'], wrong);
    expect([status, stdout, stderr.match(/^\w+(?=: )/gm)?.sort()]).toEqual([2, '', names.sort()]);
  });

  const refusal = /^.*choose another.* --state DIR\n$/;

  test.each([
    ['/dev/null', '/dev/null is not a folder'],
    [path.join(root, 'package.json/state'), 'package.json is not a folder'],
    ['/proc/none/state', 'no such file'], // where Node's mkdir never ends
    [path.join(os.tmpdir(), 'x'.repeat(300)), 'name too long'],
    [path.join(os.tmpdir(), 'a{b'), 'nginx cannot use'],
    [path.join(os.tmpdir(), 'a\nb'), 'nginx cannot use'],
  ])('when the state folder is %j', async (state, reason) => {
    const { status, stdout, stderr } = await run('start.js', ['--state', state]);
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(refusal)]);
    expect(stderr).toContain(reason);
  });

  const cannotMount = spawnSync('unshare', ['--mount', 'true']).status !== 0 && 'needs root that may mount';
  for (const [place, make, reason, ...as] of [
    ['is closed to its account', 'true', 'permission denied', 'setpriv', '--reuid=65534', '--clear-groups'],
    ['is read-only', 'mount -t tmpfs -o ro none "$0"', 'read-only file system'],
    ['is full', 'mount -t tmpfs -o size=12k none "$0" && ! head -c 20k /dev/zero 2>&- >"$0/all"', 'no space left'],
  ])
    unless(cannotMount).test(`when the place of the state folder ${place}`, () => {
      const start = [process.execPath, path.join(root, 'scripts/start.js'), '--state', path.join(folder, 'state')];
      const words = ['--mount', 'sh', '-c', `${make} && exec "$@"`, folder, ...as, ...start];
      const { status, stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8' });
      expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(refusal)]);
      expect(stderr).toContain(reason);
    });

  test("when the state folder is another user's", async () => {
    const isRoot = process.getuid?.() === 0;
    if (isRoot) fs.chownSync(folder, 65534, 65534);
    const { status, stderr } = await run('start.js', ['--state', isRoot ? folder : '/']);
    const line = `${isRoot ? folder : '/'} belongs to another user: choose another folder with --state DIR\n`;
    expect([status, stderr]).toEqual([2, line]);
  });
});

test.each(['0', '65536', '1e3', '-1', '1.5', ' 1', '', 'x'])('refuses "%s" as a port', (text) => {
  expect(() => wholeNumber('port', text, 65535)).toThrow(
    new UsageError(`--port ${text}: must be a whole number from 1 to 65535`),
  );
});
