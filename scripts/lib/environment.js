'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { root } = require('./repository');

/*
 * The environment of every process that the commands start. Only variables in the lists below pass: those of libpq, Python,
 * pip, k6 or the dynamic linker would change what a process does. Ansible gets all others: inventories read what they like.
 */

/** `*` stands for any text; upper and lower case are the same, as for npm and for proxies. */
const everyone = `PATH HOME USER LOGNAME SHELL TMPDIR TZ TERM NO_COLOR CI CATALOG_STATE`;
const locale = 'LANG LANGUAGE LC_*';
const trust = 'NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA SSL_CERT_FILE SSL_CERT_DIR';
const proxies = 'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY';
const network = `${trust} ${proxies} NETRC XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME`;
const npmNames = `REGISTRY USERCONFIG GLOBALCONFIG CACHE CAFILE CA CERT KEY STRICT_SSL PROXY HTTP_PROXY HTTPS_PROXY NOPROXY
  FETCH_* MAXSOCKETS OFFLINE PREFER_OFFLINE PREFER_ONLINE LOCAL_ADDRESS REPLACE_REGISTRY_HOST _AUTH _AUTHTOKEN @* //*`;
const pipNames = `INDEX_URL EXTRA_INDEX_URL FIND_LINKS NO_INDEX TRUSTED_HOST CERT CLIENT_CERT PROXY CONFIG_FILE CACHE_DIR
  NO_CACHE_DIR TIMEOUT DEFAULT_TIMEOUT RETRIES KEYRING_PROVIDER USE_FEATURE`;

/** @param {string} prefix @param {string} names */
const prefixed = (prefix, names) => names.replace(/\S+/g, (name) => prefix + name);

/** Variables by kind of process, besides those for everyone. */
const lists = {
  /** PostgreSQL, Valkey, nginx and their tools. We parse their messages, so they are in English (LC_ALL below). */
  server: '',
  /** pip and npm. A .npmrc may name a secret in the environment. */
  installer: `${network} ${prefixed('npm_config_', npmNames)} ${prefixed('PIP_', pipNames)} REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
    *_TOKEN *_AUTH *_PASSWORD *_USERNAME`,
  /** No flags: they would change how fast k6 is. */
  go: `${network} GOPROXY GONOPROXY GOPRIVATE GOSUMDB GONOSUMDB GOINSECURE GOVCS GOAUTH GOPATH GOCACHE GOMODCACHE GOROOT GOTOOLCHAIN`,
  /** Linters, scanners and the like. */
  tool: locale,
  /** WRITER_*: of `upsert`, which speaks HTTP. */
  loader: `${locale} SSL_CERT_FILE SSL_CERT_DIR CAMPUS SEARCH_LANGUAGE LOADER_DATABASE_URL WRITER_URL WRITER_KEY`,
  /** Settings of server/config/settings.js that `npm start` does not set, and those of agents and of Node. */
  worker: `${locale} ${trust} NODE_OPTIONS NODE_ENV PG_* REPLICA_* REDIS_* LOG_LEVEL ACCESS_LOG_RATIO CORS_ORIGIN CACHE_* SHOP_*
    L1_* L2_* SEARCH_* GZIP_MIN_BYTES BREAKER_* VERSION_POLL_MS EVENT_LOOP_LAG_LIMIT_MS HTTP_MAX_* HTTP_KEEP_ALIVE_TIMEOUT_MS
    HTTP_HEADERS_TIMEOUT_MS HTTP_REQUEST_TIMEOUT_MS READY_WAIT_MS DRAIN_* DISK_PATHS WRITE_QUEUE* WRITE_DURABILITY TRACE_* OTLP_* OTEL_* PROFILING NEW_RELIC_*`,
  /** Only settings of k6's outputs and of its way to a service, and of its writes: its options are those of the command. */
  k6: `${trust} ${proxies} WRITER_* PATCH_RATE STOCK_RATE K6_WEB_DASHBOARD* K6_PROMETHEUS_RW_* K6_OTEL_* K6_INFLUXDB_* K6_STATSD_* K6_CLOUD_*`,
  /** Ansible, of what `harmful` matches; it also gets what the installers do. */
  fleet: `${locale} PGP_*`,
  test: `${locale} ${network} NGINX_BIN POSTGRES_BIN_DIR VALKEY_BIN K6_BIN TEST_*`,
  /** A command of scripts/, which starts all others. */
  command: `INIT_CWD npm_config_* DEBUG PYTHON DATABASE_URL API_DATABASE_URL WRITE_DATABASE_URL CATALOG_RATE_LIMIT`,
};
/** @typedef {keyof typeof lists} Kind */

/**
 * Ansible does not get these, unless its list has them. Its lookups, plugins and ssh read the rest (AWS_*, VAULT_*, SOPS_*, SSH_AUTH_SOCK, …), but
 * these would change what its own Python, git, tar, pip, npm and psql do.
 */
const harmful = `LD_* DYLD_* MALLOC_* GLIBC_* PYTHON* VIRTUAL_ENV PIP_* npm_* NODE_* PG* BASH_* ENV CDPATH IFS SHELLOPTS BASHOPTS TAR_OPTIONS
  GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_NAMESPACE GIT_CONFIG* GIT_CEILING_DIRECTORIES`;

/** @param {string} names @returns {RegExp} */
const matcher = (names) => new RegExp(`^(${names.trim().split(/\s+/).join('|').replaceAll('*', '.*')})$`, 'i');

const kinds = /** @type {Kind[]} */ (Object.keys(lists));
/** @type {Record<string, { test: (name: string) => boolean }>} */
const matchers = Object.fromEntries(kinds.map((kind) => [kind, matcher(`${everyone} ${lists[kind]}`)]));
matchers.test = matcher(`${everyone} ${lists.test} ${lists.go}`);
const ofAnsible = matcher(`${everyone} ${lists.fleet} ${lists.installer}`);
const harmsAnsible = matcher(harmful);
matchers.fleet = { test: (name) => ofAnsible.test(name) || !harmsAnsible.test(name) };
matchers.command = matcher(`${everyone} ${Object.values(lists).join(' ')}`);

/** Each distribution keeps the authorities that the machine trusts in one of these files. */
const bundles = [
  '/etc/ssl/certs/ca-certificates.crt', // Debian, Ubuntu, Alpine, Arch
  '/etc/pki/tls/certs/ca-bundle.crt', // Fedora, RHEL
  '/etc/ssl/ca-bundle.pem', // openSUSE
];

/**
 * pip and Node have authorities of their own. A proxy that opens TLS is known to the machine's file only.
 * @param {NodeJS.ProcessEnv} from
 */
function trustOfMachine(from) {
  const bundle = from['SSL_CERT_FILE'] || bundles.find((file) => fs.existsSync(file));
  return bundle ? { NODE_EXTRA_CA_CERTS: bundle, REQUESTS_CA_BUNDLE: bundle } : {};
}

/** @type {Partial<Record<Kind, (from: NodeJS.ProcessEnv) => NodeJS.ProcessEnv>>} variables of the shell override these */
const defaults = { fleet: trustOfMachine, installer: trustOfMachine };

/** A process of this kind always gets these. @type {Partial<Record<Kind, NodeJS.ProcessEnv>>} */
const fixed = {
  server: { LC_ALL: 'C' },
  fleet: { LC_ALL: 'C.UTF-8' }, // Ansible starts with no other encoding
  // Load no code from the folder in which it runs (scripts/fleet/roles/db/files/catalog-etl does the same).
  loader: { PYTHONPATH: root, PYTHONSAFEPATH: '1' },
};

/** @param {NodeJS.ProcessEnv} env @returns {NodeJS.ProcessEnv} without a proxy for this machine's own addresses */
function sparingLoopback(env) {
  const names = ['no_proxy', 'NO_PROXY'];
  const known = names.map((name) => env[name]).find(Boolean);
  const value = [known, 'localhost', '127.0.0.1', '::1'].filter(Boolean).join(',');
  return { ...env, ...Object.fromEntries(names.map((name) => [name, value])) };
}

/**
 * @param {Kind} kind @param {NodeJS.ProcessEnv} [more] what this one gets besides
 * @param {NodeJS.ProcessEnv} [from] the environment of the shell @returns {NodeJS.ProcessEnv}
 */
function environment(kind, more = {}, from = process.env) {
  const passing = Object.entries(from).filter(([name]) => matchers[kind].test(name));
  const env = { ...defaults[kind]?.(from), ...Object.fromEntries(passing), ...fixed[kind], ...more };
  const hasProxy = Object.keys(env).some((name) => /^(https?|all)_proxy$/i.test(name));
  return hasProxy ? sparingLoopback(env) : env;
}

/**
 * The environment of a command and of all that it starts.
 * @param {string} name @param {NodeJS.ProcessEnv} [from] the environment of the shell @returns {NodeJS.ProcessEnv}
 */
const environmentOf = (name, from = process.env) => ({
  ...(name === 'fleet' && environment('fleet', {}, from)),
  ...environment('command', {}, from),
});

/** @param {NodeJS.ProcessEnv} env @param {string} folder @returns {NodeJS.ProcessEnv} with that folder's programs first */
const withPath = (env, folder) => ({ ...env, PATH: [folder, env['PATH']].filter(Boolean).join(path.delimiter) });

module.exports = { environment, environmentOf, withPath };
