'use strict';
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { runTool } = require('../../scripts/lib/run');
const { nodePackage, root } = require('../../scripts/lib/runtime');
const { makeClone } = require('../helpers/clone');

/** @type {string} a clone that has its Python packages and nothing else */
let clone;
/** @type {string[]} npm's requests to the registry */
let asked;
/** @type {http.Server} which answers with bytes that the lock file does not know */
let registry;
beforeAll(async () => {
  clone = makeClone('clone-');
  fs.mkdirSync(path.join(clone, '.runtime'));
  fs.symlinkSync(path.join(root, '.runtime/venv'), path.join(clone, '.runtime/venv'));
  registry = http.createServer(({ url = '', headers }, reply) => {
    asked.push(url);
    const { optionalDependencies } = JSON.parse(
      fs.readFileSync(path.join(clone, 'scripts/install/node/package.json'), 'utf8'),
    );
    const version = optionalDependencies[nodePackage];
    const dist = { tarball: `http://${headers.host}/node.tgz` };
    const entry = { name: nodePackage, version, dist };
    reply.end(url.endsWith('.tgz') ? 'other bytes' : JSON.stringify({ ...entry, versions: { [version]: entry } }));
  });
  registry.listen(0, '127.0.0.1');
  await once(registry, 'listening');
});
beforeEach(() => (asked = []));
afterAll(() => {
  registry.close();
  fs.rmSync(clone, { recursive: true, force: true });
});

/** @param {string} version of the machine's Node */
function start(version) {
  const { port } = /** @type {import('node:net').AddressInfo} */ (registry.address());
  const program = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
    process.argv.splice(1, 0, 'bootstrap'); require('./scripts/bootstrap.js');`;
  const env = { PATH: process.env.PATH, HOME: clone, npm_config_cache: path.join(clone, 'cache') };
  return runTool([process.execPath, '-e', program, 'start', '--help'], {
    cwd: clone,
    env: { ...env, npm_config_registry: `http://127.0.0.1:${port}`, npm_config_fetch_retries: '0' },
    keepOutput: true,
  });
}

test.each([
  ['has an untested major', '22.99.0'],
  ['lacks security fixes', '26.10.0'],
])(
  'a machine whose Node %s (%s) gets the locked Node, never another',
  async (_, own) => {
    const { status, output } = await start(own);
    expect(output).toMatch(new RegExp(`installing Node 26\\.\\S+: the one of this machine is ${own}`));
    expect(asked).toContain('/node.tgz');
    expect([status, output]).toEqual([1, expect.stringMatching(/npm could not install Node 26\.\S+: [^]*integrity/)]);
    expect(fs.existsSync(path.join(clone, '.runtime/node/.stamp'))).toBe(false);
  },
  60_000,
);

test.each(['24.22.1', '26.99.0'])(
  "a machine's own Node %s is used",
  async (version) => {
    const { output } = await start(version);
    expect(output).not.toContain('installing Node');
    expect(asked).not.toContain(`/${nodePackage}`);
  },
  60_000,
);
