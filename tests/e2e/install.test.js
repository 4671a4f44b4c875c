'use strict';
const { spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const net = require('node:net');
const path = require('node:path');
const { makeCertificate } = require('../helpers/certificate');
const { requireSpace } = require('../../scripts/lib/disk');
const { runInstaller } = require('../../scripts/install/installer');
const { runTool } = require('../../scripts/lib/run');
const { root } = require('../../scripts/lib/runtime');
const { unless } = require('../helpers/skip');
const { emptyClone, makeClone } = require('../helpers/clone');
const { writeStub } = require('../helpers/stub');

/** A clone in which something is not installed. @type {string} */
let clone;
/** @type {(() => unknown)[]} */
const cleanups = [];
beforeAll(() => (clone = makeClone('clone-')));
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  emptyClone(clone);
});
afterAll(() => fs.rmSync(clone, { recursive: true }));

/** @param {NodeJS.ProcessEnv} env */
const start = (env) =>
  runTool([process.execPath, path.join(clone, 'scripts/bootstrap.js'), 'start', '--help'], { env, keepOutput: true });

describe('an installation counts as done only when its packages are there', () => {
  /** The machine's Python without packages, whose pip follows its settings and installs nothing here. */
  function emptyVenv() {
    const bin = path.join(clone, '.runtime/venv/bin');
    fs.mkdirSync(bin, { recursive: true });
    fs.mkdirSync(path.join(clone, '.runtime/venv/lib/python3.11/site-packages'), { recursive: true });
    const seen = path.join(clone, 'seen');
    const real = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout.trim();
    writeStub(bin, 'python', `if [ "$2" = pip ]; then env >>${seen}; exit 0; fi\nexec ${real} -I -S "$@"`);
    return { stamp: path.join(clone, '.runtime/venv/.stamp'), seen };
  }

  test("not when pip put the packages elsewhere, and pip's settings are reported", async () => {
    const { stamp } = emptyVenv();
    const { status, output } = await start({ PATH: process.env.PATH });
    expect(status).toBe(1);
    expect(output).toMatch(/pip put \S+==\S+ elsewhere: look for target, prefix, root or user in `pip config list`/);
    expect(fs.existsSync(stamp)).toBe(false);
  });

  test("pip gets the shell's settings of sources, but none of targets", async () => {
    const { seen } = emptyVenv();
    const shell = {
      PIP_INDEX_URL: 'https://index.intern/simple',
      https_proxy: 'http://127.0.0.1:1',
      SSL_CERT_FILE: '/my/ca.pem',
    };
    const harmful = {
      PIP_TARGET: '/tmp/x',
      PIP_REQUIRE_VIRTUALENV: 'yes',
      PYTHONOPTIMIZE: '2',
      LD_PRELOAD: '/missing.so',
    };
    await start({ PATH: process.env.PATH, ...shell, ...harmful });
    const lines = fs.readFileSync(seen, 'utf8').split('\n');
    for (const [name, value] of Object.entries(shell)) expect(lines).toContain(`${name}=${value}`);
    expect(lines).toContain('REQUESTS_CA_BUNDLE=/my/ca.pem');
    expect(lines.filter((line) => Object.keys(harmful).some((name) => line.startsWith(`${name}=`)))).toEqual([]);
  });
});

describe("pip's configuration files", () => {
  /** @param {string} text of a pip.conf @returns {Promise<{ output: string, lines: string[] }>} `lines`: what pip gets */
  async function startWith(text) {
    const bin = path.join(clone, '.runtime/venv/bin');
    fs.mkdirSync(bin, { recursive: true });
    const [seen, file] = [path.join(clone, 'seen'), path.join(clone, 'pip.conf')];
    fs.writeFileSync(file, text);
    const real = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout.trim();
    writeStub(bin, 'python', `[ "$3" = install ] && { env >${seen}; exit 1; }\nexec ${real} "$@"`);
    const { output } = await start({ PATH: process.env.PATH, PIP_CONFIG_FILE: file, PIP_RETRIES: '2' });
    return { output, lines: fs.existsSync(seen) ? fs.readFileSync(seen, 'utf8').split('\n') : [] };
  }

  test('say where packages come from, and not where they go', async () => {
    const sources =
      "[global]\nuser = true\nextra-index-url =\n  https://a/x\n  https://b/it's\nretries = 9\n[install]\ntimeout = 7\n";
    const { lines } = await startWith(`${sources}user = true\ntarget = /missing\ndry-run = true\nplatform = win32\n`);
    const wanted = ['PIP_EXTRA_INDEX_URL=', 'https://a/x', "https://b/it's", 'PIP_TIMEOUT=7', 'PIP_RETRIES=2'];
    expect(lines).toEqual(expect.arrayContaining([...wanted, 'PIP_CONFIG_FILE=/dev/null']));
    expect(lines.filter((line) => /^PIP_(USER|TARGET|DRY_RUN|PLATFORM)=/.test(line))).toEqual([]);
  });

  test('that pip cannot read are named with its reason', async () => {
    const { output } = await startWith('user = true\n');
    expect(output).toMatch(/pip cannot read its configuration: [^]*no section headers/);
  });
});

describe('npm packages', () => {
  /** Everything but the packages is installed; none is in npm's cache. @param {NodeJS.ProcessEnv} env */
  function installModules(env) {
    fs.symlinkSync(path.join(root, '.runtime'), path.join(clone, '.runtime'));
    return start({
      PATH: process.env.PATH,
      HOME: clone,
      npm_config_cache: path.join(clone, 'cache'),
      npm_config_fetch_retries: '0',
      npm_config_fetch_timeout: '500',
      ...env,
    });
  }

  /** @param {net.Server} server @returns {Promise<number>} */
  async function portOf(server) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => new Promise((resolve) => server.close(resolve)));
    return /** @type {net.AddressInfo} */ (server.address()).port;
  }

  test.each(['global', 'dry-run', 'workspaces', 'package-lock-only'])(
    "%s of a user's .npmrc does not keep npm from the registry",
    async (setting) => {
      fs.writeFileSync(path.join(clone, '.npmrc-mine'), `${setting}=true\n`);
      let asked = 0;
      const server = http.createServer((_, reply) => {
        asked += 1;
        reply.writeHead(404).end();
      });
      const registry = `http://127.0.0.1:${await portOf(server)}`;
      const env = { npm_config_registry: registry, npm_config_userconfig: path.join(clone, '.npmrc-mine') };
      const { output } = await installModules(env);
      expect(output).toContain('404');
      expect(asked).toBeGreaterThan(0);
    },
    60_000,
  );

  test('npm gives up a silent registry within four minutes, unless its settings say otherwise', () => {
    const npmrc = fs.readFileSync(path.join(root, '.npmrc'), 'utf8');
    const setting = (/** @type {string} */ name) => Number(new RegExp(`^${name}=(\\d+)$`, 'm').exec(npmrc)?.[1]);
    expect((setting('fetch-retries') + 1) * setting('fetch-timeout')).toBeLessThanOrEqual(240_000);
  });

  test('a silent registry is given up and reported', async () => {
    /** @type {net.Socket[]} */
    const sockets = [];
    const port = await portOf(net.createServer((socket) => void sockets.push(socket.on('error', () => {}))));
    cleanups.push(() => sockets.forEach((socket) => socket.destroy()));
    const { status, output } = await installModules({ npm_config_registry: `http://127.0.0.1:${port}` });
    expect(status).toBe(1);
    expect(output).toContain('npm could not install the packages: check the network, the registry');
    expect(output).toContain(`http://127.0.0.1:${port}/`);
    expect(fs.existsSync(path.join(clone, 'node_modules/.stamp'))).toBe(false);
  }, 60_000);

  const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
  const { test: withOpenssl } = unless(!hasOpenssl && 'needs openssl');

  withOpenssl(
    "a TLS proxy's unknown authority is reported, and one in the machine's file is trusted",
    async () => {
      const made = makeCertificate(clone);
      if (!made) throw new Error('openssl made no certificate');
      let asked = 0;
      const server = https.createServer(made, (_, reply) => {
        asked += 1;
        reply.writeHead(404).end();
      });
      const registry = `https://127.0.0.1:${await portOf(server)}`;
      const unknown = await installModules({ npm_config_registry: registry });
      expect(unknown.output).toContain('is signed by an authority that this machine does not know');
      expect(asked).toBe(0);
      fs.rmSync(path.join(clone, '.runtime'));
      const known = await installModules({ npm_config_registry: registry, SSL_CERT_FILE: made.certFile });
      expect(known.output).toContain('404');
      expect(asked).toBeGreaterThan(0);
    },
    60_000,
  );
});

test('a silent installer is reported repeatedly by name', async () => {
  /** @type {string[]} */
  const said = [];
  const done = path.join(clone, 'done');
  const program = `console.log('Collecting numpy');
    setInterval(() => require('node:fs').existsSync(process.argv[1]) && process.exit(), 20);`;
  const say = (/** @type {string} */ line) => {
    said.push(line);
    if (said.filter((each) => each.includes('Collecting')).length === 2) fs.writeFileSync(done, '');
  };
  const command = [process.execPath, '-e', program, done];
  const { ok } = await runInstaller(command, {
    env: { PATH: process.env.PATH },
    say,
    name: 'pip, from pypi.org',
    everyMs: 50,
  });
  expect(ok).toBe(true);
  expect(said.at(-1)).toMatch(/^pip, from pypi\.org: no output for \d+ s; last: Collecting numpy$/);
});

test('too little disk is refused before anything is installed', () => {
  expect(() => requireSpace('/srv/shop', 300)).toThrow(
    '/srv/shop has 300 MB of free disk and 1100 MB are needed: make room',
  );
  expect(() => requireSpace('/srv/shop', 1100)).not.toThrow();
});
