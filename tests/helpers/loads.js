'use strict';
const { execFileSync, spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { text } = require('node:stream/consumers');

const { fillCatalog } = require('../../scripts/local/catalog');
const { childrenOf } = require('../../scripts/lib/proc');
const { root } = require('../../scripts/lib/runtime');
const { withClient } = require('../../scripts/local/roles');
const { openState } = require('../../scripts/local/state');
const { waitUntil } = require('../../scripts/lib/wait-until');
const { createTestDatabase } = require('./servers');

/** Gives a test file an empty database with the stack.json of a running stack, and two folders of CSVs. */
function useLoads() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loaded-'));
  const [a, b] = ['a', 'b'].map((name) => path.join(dir, name));
  const state = openState(path.join(dir, 'state'));
  /** @type {Awaited<ReturnType<typeof createTestDatabase>>} */
  let database;

  beforeAll(async () => {
    database = await createTestDatabase();
    execFileSync(process.execPath, [path.join(root, 'scripts/generate'), a, '--products', '30']);
    fs.cpSync(a, b, { recursive: true });
    describeStack({});
  });
  afterAll(async () => {
    await database.drop();
    fs.rmSync(dir, { recursive: true });
  });

  /** @param {Partial<import('../../scripts/local/state').RunningStack>} facts */
  function describeStack(facts) {
    const stack = { pid: 1, url: '', loaderDsn: database.dsn('loader'), workerPorts: [], adminPorts: [], ...facts };
    fs.writeFileSync(state.stack, JSON.stringify(stack));
  }

  /** @returns {Promise<number | undefined>} none before the first load */
  const servedLoad = () =>
    withClient(database.superuserDsn, async (client) => {
      const ledger = await client.query("SELECT to_regclass('catalog_meta.loads') AS name");
      if (!ledger.rows[0].name) return undefined;
      const { rows } = await client.query("SELECT id FROM catalog_meta.loads WHERE state = 'live'");
      return rows[0]?.id;
    });

  /**
   * Does what `npm start -- --data` does.
   * @param {string} data @param {{ fresh?: boolean, loader?: string[] }} [options]
   * @returns {Promise<'loads' | 'has it'>}
   */
  async function start(data, { fresh = false, loader = [] } = {}) {
    const { signal } = new AbortController();
    const before = await servedLoad();
    const steps = { state, loaderDsn: database.dsn('loader'), say: () => {}, signal };
    await fillCatalog(steps, { data, loader, products: 0, fresh });
    return (await servedLoad()) === before ? 'has it' : 'loads';
  }

  /** Runs a command as npm does, in the folder of both catalogs. @param {string} script @param {string[]} words */
  const command = (script, ...words) =>
    spawnSync(process.execPath, [path.join(root, 'scripts', script), ...words], {
      cwd: root,
      env: { ...process.env, INIT_CWD: dir },
      encoding: 'utf8',
    });

  /** Kills the loader of a command and returns what the command prints. @param {string} script @param {string[]} step */
  async function explainsKilled(script, ...step) {
    const words = ['--state', 'state', ...step, 'a'];
    const env = { ...process.env, INIT_CWD: dir };
    const program = path.join(root, 'scripts', script);
    const running = spawn(process.execPath, [program, ...words], {
      cwd: dir,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const printed = text(running.stderr);
    const loaders = () => childrenOf(running.pid ?? 0);
    expect(await waitUntil(() => loaders().length > 0, 20_000)).toBe(true);
    process.kill(loaders()[0], 'SIGKILL');
    const line = `npm run ${script.slice(0, -3)} -- ${words.join(' ')} again`;
    expect(await printed).toBe(`the loader was killed (SIGKILL), perhaps for lack of memory: type ${line}\n`);
  }

  return { a, b, command, describeStack, dir, explainsKilled, start, state };
}

exports.useLoads = useLoads;
