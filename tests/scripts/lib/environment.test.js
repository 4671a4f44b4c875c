'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { environment, environmentOf } = require('../../../scripts/lib/environment');
const { root } = require('../../../scripts/lib/runtime');
const { SETTINGS } = require('../../../server/config/settings');

/** Variables that a shell may have and no child process may get. */
const hostile = {
  LD_PRELOAD: '/missing.so',
  LD_LIBRARY_PATH: '/missing',
  MALLOC_CONF: 'x',
  GLIBC_TUNABLES: 'x',
  PYTHONSAFEPATH: '1',
  PYTHONOPTIMIZE: '2',
  PYTHONPATH: '/missing',
  PYTHONHOME: '/missing',
  VIRTUAL_ENV: '/missing',
  PGHOST: 'elsewhere',
  PGPORT: '1',
  PGSSLMODE: 'require',
  PGOPTIONS: '-c x=y',
  PGSERVICE: 'x',
  PGTZ: 'Asia/Tokyo',
  PGDATABASE: 'x',
  PGUSER: 'x',
  PGPASSFILE: '/missing',
  PGDATESTYLE: 'SQL, DMY',
  PGCONNECT_TIMEOUT: '1',
  PGDATA: '/missing',
  PIP_TARGET: '/tmp/x',
  PIP_PREFIX: '/tmp/x',
  PIP_USER: '1',
  PIP_REQUIRE_VIRTUALENV: '1',
  PIP_DRY_RUN: '1',
  PIP_ROOT: '/x',
  npm_config_omit: 'dev',
  npm_config_global: 'true',
  npm_config_dry_run: 'true',
  NPM_CONFIG_PREFIX: '/tmp/x',
  GOFLAGS: '-race',
  GOOS: 'plan9',
  GOARCH: 'arm',
  GODEBUG: 'http2client=0',
  GOGC: '1',
  GOMAXPROCS: '1',
  K6_DURATION: '3s',
  K6_VUS: '1',
  K6_ITERATIONS: '1',
  K6_STAGES: '1s:1',
  K6_NO_THRESHOLDS: 'true',
  K6_OUT: 'json',
  RATE: '1',
  RATES: '1',
  DURATION: '1s',
  P99_MS: '9999',
  BASE_URL: 'http://elsewhere',
  SUMMARY: '/x',
  ROUTES: 'x',
  NODE_USE_ENV_PROXY: '1',
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
  NODE_PATH: '/missing',
  NODE_V8_COVERAGE: '/x',
  HOST: '0.0.0.0',
  PORT: '1',
  ADMIN_HOST: '0.0.0.0',
  PM2_HOME: '/x',
  CATALOG_HOME: '/x',
  CATALOG_WORKERS: '9',
  NGINX: '5;6',
  PYTEST_ADDOPTS: '-x',
  JEST_JUNIT_OUTPUT_DIR: '/x',
  GIT_DIR: '/x',
  BASH_ENV: '/x',
  COLUMNS: '10',
  FORCE_COLOR: '1',
};
const kinds = /** @type {const} */ ([
  'server',
  'installer',
  'go',
  'tool',
  'loader',
  'worker',
  'k6',
  'fleet',
  'test',
  'command',
]);

describe.each(kinds)('a %s', (kind) => {
  const own = {
    loader: ['PYTHONPATH', 'PYTHONSAFEPATH'],
    // Commands find options there that npm kept (lib/words.js); installers do not get them.
    command: Object.keys(hostile).filter((name) => /^npm_config_/i.test(name)),
    // Inventories read what they like; these are of programs that Ansible does not run.
    fleet: Object.keys(hostile).filter(
      (name) => !/^(LD_|MALLOC|GLIBC|PYTHON|VIRTUAL|PG|PIP_|npm_|NODE_|GIT_|BASH_)/i.test(name),
    ),
  };

  test('gets path, home and temporary folder, and nothing that changes its behaviour', () => {
    const usual = { PATH: '/bin', HOME: '/home/me', TMPDIR: '/tmp/me' };
    const given = environment(kind, {}, { ...usual, ...hostile });
    expect(given).toMatchObject(usual);
    const passed = Object.entries(hostile).filter(([name, value]) => given[name] === value);
    const allowed = /** @type {Record<string, string[]>} */ (own)[kind] ?? [];
    expect(passed.map(([name]) => name).filter((name) => !allowed.includes(name))).toEqual([]);
  });
});

test("Ansible gets what an operator's inventory, plugins and ssh read", () => {
  const names = [
    'AWS_ACCESS_KEY_ID',
    'AWS_PROFILE',
    'AZURE_CLIENT_ID',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'HCLOUD_TOKEN',
    'OWN',
  ];
  names.push(
    'VAULT_ADDR',
    'VAULT_TOKEN',
    'SOPS_AGE_KEY_FILE',
    'OP_SERVICE_ACCOUNT_TOKEN',
    'GNUPGHOME',
    'KUBECONFIG',
    'PGP_KEY',
  );
  names.push('SSH_AUTH_SOCK', 'GIT_SSH_COMMAND', 'ANSIBLE_VAULT_PASSWORD_FILE', 'NODE_EXTRA_CA_CERTS', 'PIP_INDEX_URL');
  const shell = Object.fromEntries(names.map((name) => [name, 'set']));
  expect(environment('fleet', {}, shell)).toMatchObject(shell);
  expect(environmentOf('fleet', { ...shell, INIT_CWD: '/here' })).toMatchObject({ ...shell, INIT_CWD: '/here' });
  expect(environmentOf('load', shell)).not.toHaveProperty('VAULT_ADDR');
});

test("the loader imports code from the clone only, whatever Python's variables are", () => {
  expect(environment('loader', {}, hostile)).toMatchObject({ PYTHONPATH: root, PYTHONSAFEPATH: '1' });
});

test('each setting of a worker reaches it, except those that npm start sets', () => {
  const decided = ['HOST', 'PORT', 'ADMIN_HOST', 'ADMIN_PORT', 'DATABASE_URL'];
  const names = [...Object.keys(SETTINGS), 'NODE_OPTIONS', 'OTEL_EXPORTER_OTLP_HEADERS', 'NEW_RELIC_LABELS'];
  const shell = Object.fromEntries(names.map((name) => [name, 'set']));
  const missing = names.filter((name) => !(name in environment('worker', {}, shell)));
  expect(missing.sort()).toEqual(decided.sort());
});

test('each variable of scripts/README.md that a user may set reaches the commands', () => {
  const [, table = ''] = /^\| variable \| read by \|.*\n((?:\|.*\n)+)/m.exec(read('scripts/README.md')) ?? [];
  const rows = table
    .split('\n')
    .filter((row) => row.startsWith('| `') && !/\| (ecosystem\.config\.js|tests) \||; set by /.test(row));
  const names = rows.flatMap((row) => [...row.split('|')[1].matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(names.length).toBeGreaterThan(10);
  const shell = Object.fromEntries(names.map((name) => [name, 'set']));
  expect(names.filter((name) => !(name in environment('command', {}, shell)))).toEqual([]);
});

describe('proxies', () => {
  const shell = { https_proxy: 'http://proxy:3128', HTTP_PROXY: 'http://proxy:3128', NO_PROXY: '.intern' };
  const reaching = /** @type {const} */ (['installer', 'go', 'k6', 'fleet', 'test', 'command']);

  test('are for processes that reach other machines', () => {
    expect(kinds.filter((kind) => 'https_proxy' in environment(kind, {}, shell))).toEqual(reaching);
  });

  test.each(reaching)('are not for connections of a %s to this machine', (kind) => {
    const given = environment(kind, {}, shell);
    expect([given.NO_PROXY, given.no_proxy]).toEqual(Array(2).fill('.intern,localhost,127.0.0.1,::1'));
  });
});

test("installers trust the machine's certificate authorities, unless the user names others", () => {
  const bundle = path.join(root, 'package.json'); // any file
  const given = environment('installer', {}, { SSL_CERT_FILE: bundle });
  expect(given).toMatchObject({ NODE_EXTRA_CA_CERTS: bundle, REQUESTS_CA_BUNDLE: bundle });
  const chosen = { NODE_EXTRA_CA_CERTS: '/my/ca.pem', REQUESTS_CA_BUNDLE: '/my/ca.pem' };
  expect(environment('installer', {}, { SSL_CERT_FILE: bundle, ...chosen })).toMatchObject(chosen);
});

/** @param {string} file */
const read = (file) => fs.readFileSync(path.join(root, file), 'utf8');

describe('only lib/environment.js makes environments', () => {
  /** Use of the whole environment, not of one variable. */
  const whole = /\.\.\.process\.env\b|\benv\s*[:=]\s*process\.env\b(?!\.)|entries\(process\.env\)/;
  const files = fs
    .readdirSync(path.join(root, 'scripts'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => path.join('scripts', name));

  test('no other file of scripts/ passes its own environment on', () => {
    expect('env: { ...process.env, A: 1 }').toMatch(whole);
    expect('function run(env = process.env) {').toMatch(whole);
    expect(files.length).toBeGreaterThan(70);
    expect(files.filter((file) => whole.test(read(file)))).toEqual([]);
  });

  test('every start of a process in lib/, bootstrap.js or k6/ names its environment', () => {
    const starts = /(?<![.\w])(?:spawn|spawnSync|execFile|execFileSync)\(/g;
    const nameless = files
      .filter((file) => !/^scripts\/(machines\/|fleet\/nginx\.js$)/.test(file))
      .flatMap((file) =>
        [...read(file).matchAll(starts)].map((match) => [file, read(file).slice(match.index, match.index + 400)]),
      )
      .filter(([, call]) => !/\benv\b|environment\(|\boptions\b/.test(call.split(/;\n/)[0]))
      .map(([file, call]) => `${file}: ${call.split('\n')[0]}`);
    expect(nameless).toEqual([]);
  });
});
