'use strict';
const path = require('node:path');
const { environment, environmentOf } = require('../../../scripts/lib/environment');
const { root } = require('../../../scripts/lib/runtime');
const { SETTINGS } = require('../../../server/config/settings');
const { read, trackedFiles } = require('../../docs/sources');

/** Variables that a shell may have and no child process may get. */
const hostile = Object.fromEntries(
  `LD_PRELOAD LD_LIBRARY_PATH MALLOC_CONF GLIBC_TUNABLES BASH_ENV COLUMNS FORCE_COLOR GIT_DIR
  PYTHONSAFEPATH PYTHONOPTIMIZE PYTHONPATH PYTHONHOME VIRTUAL_ENV PYTEST_ADDOPTS JEST_JUNIT_OUTPUT_DIR
  PGHOST PGPORT PGSSLMODE PGOPTIONS PGSERVICE PGTZ PGDATABASE PGUSER PGPASSFILE PGDATESTYLE PGCONNECT_TIMEOUT PGDATA
  PIP_TARGET PIP_PREFIX PIP_USER PIP_REQUIRE_VIRTUALENV PIP_DRY_RUN PIP_ROOT
  npm_config_omit npm_config_global npm_config_dry_run NPM_CONFIG_PREFIX
  GOFLAGS GOOS GOARCH GODEBUG GOGC GOMAXPROCS
  K6_DURATION K6_VUS K6_ITERATIONS K6_STAGES K6_NO_THRESHOLDS K6_OUT RATE RATES DURATION P99_MS BASE_URL SUMMARY ROUTES
  NODE_USE_ENV_PROXY NODE_TLS_REJECT_UNAUTHORIZED NODE_PATH NODE_V8_COVERAGE
  HOST PORT ADMIN_HOST PM2_HOME CATALOG_HOME CATALOG_WORKERS NGINX`
    .split(/\s+/)
    .map((name) => [name, 'hostile']),
);
/** @typedef {import('../../../scripts/lib/environment').Kind} Kind */
const kinds = /** @type {Kind[]} */ ('server installer go tool loader worker k6 fleet test command'.split(' '));

/** @param {string} names @returns {Record<string, string>} a shell in which all of them are set */
const setting = (names) =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, 'set']),
  );

test.each(kinds)('a %s gets path, home and temporary folder, and nothing that changes its behaviour', (kind) => {
  /** Commands find options there that npm kept (lib/words.js). Inventories read what they like; the rest is of programs that Ansible runs. */
  const own = /** @type {Partial<Record<Kind, RegExp>>} */ ({
    command: /^npm_config_/i,
    fleet: /^(?!LD_|MALLOC|GLIBC|PYTHON|VIRTUAL|PG|PIP_|npm_|NODE_|GIT_|BASH_)/i,
  });
  const usual = { PATH: '/bin', HOME: '/home/me', TMPDIR: '/tmp/me' };
  const given = environment(kind, {}, { ...usual, ...hostile });
  expect(given).toMatchObject(usual);
  const passed = Object.keys(hostile).filter((name) => given[name] === 'hostile');
  expect(passed.filter((name) => !own[kind]?.test(name))).toEqual([]);
});

test("Ansible gets what an operator's inventory, plugins and ssh read", () => {
  const shell = setting(`AWS_ACCESS_KEY_ID AWS_PROFILE AZURE_CLIENT_ID GOOGLE_APPLICATION_CREDENTIALS HCLOUD_TOKEN OWN
    VAULT_ADDR VAULT_TOKEN SOPS_AGE_KEY_FILE OP_SERVICE_ACCOUNT_TOKEN GNUPGHOME KUBECONFIG PGP_KEY
    SSH_AUTH_SOCK GIT_SSH_COMMAND ANSIBLE_VAULT_PASSWORD_FILE NODE_EXTRA_CA_CERTS PIP_INDEX_URL`);
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
  const given = environment('worker', {}, setting(names.join(' ')));
  const missing = names.filter((name) => !(name in given));
  expect(missing.sort()).toEqual(decided.sort());
});

test('each variable of scripts/README.md that a user may set reaches the commands', () => {
  const [, table = ''] = /^\| variable \| read by \|.*\n((?:\|.*\n)+)/m.exec(read('scripts/README.md')) ?? [];
  const rows = table
    .split('\n')
    .filter((row) => row.startsWith('| `') && !/\| (ecosystem\.config\.js|tests) \||; set by /.test(row));
  const names = rows.flatMap((row) => [...row.split('|')[1].matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(names.length).toBeGreaterThan(10);
  const given = environment('command', {}, setting(names.join(' ')));
  expect(names.filter((name) => !(name in given))).toEqual([]);
});

describe('proxies', () => {
  const shell = { https_proxy: 'http://proxy:3128', HTTP_PROXY: 'http://proxy:3128', NO_PROXY: '.intern' };
  const reaching = /** @type {Kind[]} */ (['installer', 'go', 'k6', 'fleet', 'test', 'command']);

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

describe('only lib/environment.js makes environments', () => {
  /** Use of the whole environment, not of one variable. */
  const whole = /\.\.\.process\.env\b|\benv\s*[:=]\s*process\.env\b(?!\.)|entries\(process\.env\)/;
  /** The environment of a container is for its one program. */
  const ofContainer = 'scripts/containers/pid-one.js';
  const files = trackedFiles().filter((file) => /^scripts\/.*\.js$/.test(file) && file !== ofContainer);

  test('no other file of scripts/ passes its own environment on', () => {
    expect('env: { ...process.env, A: 1 }').toMatch(whole);
    expect('function run(env = process.env) {').toMatch(whole);
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => whole.test(read(file)))).toEqual([]);
  });

  test('every start of a process in lib/, bootstrap.js or k6/ names its environment', () => {
    const starts = /(?<![.\w])(?:spawn|spawnSync|execFile|execFileSync)\(/g;
    const nameless = files
      .filter((file) => file !== 'scripts/fleet/nginx.js')
      .flatMap((file) => [...read(file).matchAll(starts)].map(({ index }) => `${file}: ${read(file).slice(index)}`))
      .map((call) => call.slice(0, 400).split(/;\n/)[0])
      .filter((call) => !/\benv\b|environment\(|\boptions\b/.test(call.replace(/^[^:]*/, '')));
    expect(nameless).toEqual([]);
  });
});
