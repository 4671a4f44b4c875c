'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { environment } = require('./environment');
const floors = require('./floors.json');
const { readOrNothing } = require('./proc');

/*
 * The oldest versions without known security faults. A distribution keeps its version and mends it, so its packages have floors of their
 * own; where we know none, the newest package that apt knows counts as patched.
 */

/** @typedef {keyof typeof floors} Program */
/** @typedef {{ name: string, advisory: string, lines: Record<string, string>, packages?: Record<string, string>, next?: string }} Floor */
/** @typedef {{ program: Program, version: string, package?: { name: string, version: string } }} Installed */

const nodePrograms = /** @type {[Program, string][]} */ ([
  ['node', '/opt/catalog/node/bin/node'],
  ['nginx', '/usr/sbin/nginx'],
  ['valkey', '/usr/bin/valkey-server'],
  ['valkey', '/usr/bin/redis-server'],
]);

/** @param {string} program @param {string[]} words @returns {string} what it printed; empty when it failed or is missing */
function outputOf(program, words) {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', env: environment('server') });
  return status === 0 ? `${stdout}${stderr}\n` : '';
}

/** @param {string} a @param {string} b @returns {number} negative: `a` is older */
function compare(a, b) {
  const [one, other] = [a, b].map((version) => version.split('.').map(Number));
  const at = one.findIndex((part, index) => part !== (other[index] ?? 0));
  return at < 0 ? one.length - other.length : one[at] - (other[at] ?? 0);
}

/** @param {Program} program @param {string} version @returns {string} the floor that it does not reach; empty: it does */
function floorAbove(program, version) {
  const { lines } = floors[program];
  const line = Object.keys(lines).find((each) => `${version}.`.startsWith(`${each}.`));
  const newest = Object.values(lines).sort(compare).at(-1) ?? '';
  const floor = line ? lines[/** @type {keyof typeof lines} */ (line)] : newest;
  return compare(version, floor) < 0 ? floor : '';
}

/** @param {Floor} floor @param {{ name: string, version: string }} installed */
function isPatchedPackage({ packages = {} }, { name, version }) {
  const [, codename = ''] = /^VERSION_CODENAME=(.*)$/m.exec(readOrNothing('/etc/os-release')) ?? [];
  const floor = packages[codename];
  // Packages of others, such as nginx.org's, have other versions.
  if (floor && floor.split('-')[0] === version.split('-')[0])
    return outputOf('dpkg', ['--compare-versions', version, 'ge', floor]) !== '';
  const policy = outputOf('apt-cache', ['policy', name]);
  // Without the lists of an archive, as in most images of containers, what is installed is all that apt knows.
  const isListed = /^ \*{3} .*\n +\d+ (?!\/var\/lib\/dpkg\/status)/m.test(policy);
  return !floor && isListed && policy.includes(`Candidate: ${version}\n`);
}

/** @param {string} file @returns {Installed['package']} the package of a distribution that has it */
function packageOf(file) {
  const [, name] = /^([^\s:,]+)(?::\w+)?: /m.exec(outputOf('dpkg-query', ['-S', fs.realpathSync(file)])) ?? [];
  return name ? { name, version: outputOf('dpkg-query', ['-W', '-f', '${Version}', name]).trim() } : undefined;
}

/** @param {Program} program @param {string} file @returns {Installed} */
function inspect(program, file) {
  const said = outputOf(file, [program === 'nginx' ? '-v' : '--version']);
  const [version = '0'] = /\d+(\.\d+)+/.exec(said) ?? [];
  return { program, version, package: fs.existsSync(file) ? packageOf(file) : undefined };
}

/** @param {Installed} installed @returns {string} a line that names what it lacks; empty: it has all fixes that we know */
function lackOf(installed) {
  /** @type {Floor} */
  const floor = floors[installed.program];
  const missing = floorAbove(installed.program, installed.version);
  if (!missing || (installed.package && isPatchedPackage(floor, installed.package))) return '';
  const version = installed.package?.version ?? installed.version;
  return `${floor.name} ${version} lacks the security fixes of ${missing} (${floor.advisory})${floor.next ? `: ${floor.next}` : ''}`;
}

/** @param {string} [root] @returns {string[]} a line for each program of this node that lacks fixes */
function lacksOfNode(root = process.env['CATALOG_ROOT'] ?? '/') {
  const servers = fs.globSync(path.join(root, 'usr/lib/postgresql/*/bin/postgres'));
  const there = nodePrograms.map(([program, file]) => /** @type {const} */ ([program, path.join(root, file)]));
  const all = [...there, ...servers.map((file) => /** @type {const} */ (['postgres', file]))];
  const found = all.filter(([, file]) => fs.existsSync(file));
  return found.map(([program, file]) => lackOf(inspect(program, file)).split(': ')[0]).filter(Boolean);
}

/** Modules that our configuration needs. */
const nginxModules = ['http_ssl_module', 'http_v2_module'];
/** The oldest nginx that takes our configuration. */
const oldestNginx = '1.19.10';

/** @type {string | undefined} found once */
let systemNginx;

/** @returns {string} the system's nginx when it has all fixes and modules; empty: none */
function patchedNginx() {
  const places = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin'];
  const isEnough = (/** @type {string} */ file) => {
    const [installed, built] = [inspect('nginx', file), outputOf(file, ['-V'])];
    const isNew = compare(installed.version, oldestNginx) >= 0 && !lackOf(installed);
    return isNew && nginxModules.every((name) => built.includes(name));
  };
  const files = places.map((place) => path.join(place, 'nginx')).filter((file) => fs.existsSync(file));
  systemNginx ??= files.find(isEnough) ?? '';
  return systemNginx;
}

module.exports = { floorAbove, inspect, lackOf, lacksOfNode, patchedNginx };
