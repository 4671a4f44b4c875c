'use strict';
const fs = require('node:fs');
const path = require('node:path');

/*
 * Prints the SBOM of a release as CycloneDX: each package of the lock files that it is built from, with the digests there. The tools of CycloneDX
 * need 200 packages of their own, and each reads only one registry.
 */

/** @typedef {string | { type: string }} License */
/** @typedef {{ version: string, integrity: string, license?: License | License[], dev?: boolean, optional?: boolean, os?: string[], cpu?: string[] }} Locked */

const root = path.join(__dirname, '../..');
const pythonLocks = ['etl', 'scripts/fleet', 'scripts/fleet/roles/db/files'];
/** @param {string} file @returns {string} */
const read = (file) => fs.readFileSync(path.join(root, file), 'utf8');

/** @param {string} folder */
const lockOf = (folder) => JSON.parse(read(path.join(folder, 'package-lock.json')));

/** @param {Locked} entry as npm on a node: a release is for Linux on x86_64 */
const isReleased = ({ dev, os = ['linux'], cpu = ['x64'] }) => !dev && os.includes('linux') && cpu.includes('x64');

/** @param {License | License[]} given an expression of SPDX, or words such as "SEE LICENSE IN …" */
const licenses = (given) =>
  typeof given === 'string' && !/^see /i.test(given)
    ? [{ expression: given }]
    : [given].flat().map((each) => ({ license: { name: typeof each === 'string' ? each : each.type } }));

/** @param {string} folder of a lock file */
function npmComponents(folder) {
  /** @type {[string, Locked][]} */
  const entries = Object.entries(lockOf(folder).packages);
  return entries
    .filter(([place, entry]) => place !== '' && isReleased(entry))
    .map(([place, { version, integrity, license, optional }]) => {
      const [name] = place.split('node_modules/').slice(-1);
      const [algorithm, digest] = integrity.split('-');
      return {
        name,
        version,
        purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
        ...(optional && { scope: 'optional' }),
        hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }],
        ...(license && { licenses: licenses(license) }),
      };
    });
}

/** @param {string} folder of a lock file, whose entries have a digest for each file of a version */
function pythonComponents(folder) {
  const [file] = fs.globSync('*.lock', { cwd: path.join(root, folder) });
  const entries = read(path.join(folder, file))
    .replaceAll('\\\n', ' ')
    .matchAll(/^([\w.-]+)==(\S+)(.*)$/gm);
  return [...entries].map(([, name, version, rest]) => {
    const hashes = [...rest.matchAll(/sha256:(\w+)/g)].map(([, content]) => ({ alg: 'SHA-256', content }));
    const url = `https://pypi.org/project/${name}/${version}/`;
    const purl = `pkg:pypi/${name.toLowerCase().replaceAll(/[._]/g, '-')}@${version}`;
    return { name, version, purl, externalReferences: [{ type: 'distribution', url, hashes }] };
  });
}

const found = [...['', 'scripts/install/node'].flatMap(npmComponents), ...pythonLocks.flatMap(pythonComponents)];
const components = [...new Map(found.map((each) => [each.purl, each])).values()].map((each) => ({
  type: 'library',
  'bom-ref': each.purl,
  ...each,
}));
const { name, version } = lockOf('');
const component = { type: 'application', 'bom-ref': name, name, version };
const sbom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component }, components };
process.stdout.write(`${JSON.stringify(sbom, null, 2)}\n`);
