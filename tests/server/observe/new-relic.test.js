'use strict';

const { execFileSync, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const { until } = require('../../helpers/app');
const { makeCertificate } = require('../../helpers/certificate');
const { createCatalog, manyProducts } = require('../../helpers/database');
const { startCollector } = require('../../helpers/new-relic-collector');
const { unless } = require('../../helpers/skip');
const { startReadyWorker } = require('../../helpers/worker');

/** The host to which the installed agent sends by default. @param {string} key of a licence */
function hostOf(key) {
  const agent = JSON.stringify(require.resolve('newrelic/lib/config'));
  const program = `console.log(require(${agent}).initialize({ license_key: '${key}', app_name: ['a'] }).host)`;
  const env = { ...process.env, NEW_RELIC_LOG_ENABLED: 'false' }; // else its log appears in the current folder
  return execFileSync(process.execPath, ['-e', program], { env, encoding: 'utf8' }).trim();
}

const licence = 'f00d'.repeat(9) + 'NRAL';

describe('New Relic', () => {
  const dir = mkdtempSync(join(tmpdir(), 'catalog-'));
  const certificate = makeCertificate(dir);
  /** @type {import('../../helpers/database').TestCatalog} */
  let catalog;
  beforeAll(async () => {
    catalog = await createCatalog(manyProducts(20));
  });
  afterAll(async () => {
    await catalog?.drop();
    rmSync(dir, { recursive: true });
  });

  /** @param {Record<string, string | number>} settings */
  const running = (settings) => startReadyWorker({ DATABASE_URL: catalog.dsn, ...settings });

  unless(!certificate && 'no openssl here: apt-get install openssl').test(
    'with a key, routes, queries and tiers are reported under our names',
    async () => {
      const { certFile = '', ...pair } = certificate ?? {};
      const collector = await startCollector(/** @type {any} */ (pair));
      const { child, exited, output, url } = await running({
        NEW_RELIC_LICENSE_KEY: licence,
        NEW_RELIC_HOST: '127.0.0.1',
        NEW_RELIC_PORT: collector.port,
        NEW_RELIC_LOG_LEVEL: 'info',
        NODE_EXTRA_CA_CERTS: certFile,
      });
      await until(() => collector.calls.some(({ method }) => method === 'connect'));
      for (const path of ['/products/2', '/products/2', '/products/2/styles', '/products?page=2'])
        await (await fetch(url + path)).text();
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
      collector.close();
      const counts = collector.metrics();
      expect([...counts.keys()]).toEqual(
        expect.arrayContaining([
          ...['product', 'styles', 'products'].map((route) => `WebTransaction/Custom/${route}`),
          'Datastore/statement/Postgres/catalog.product_documents/select',
          'Custom/Query/product',
          'Custom/Query/styles',
          'Custom/Query/page',
          'Custom/Cache/database',
        ]),
      );
      expect(counts.get('Custom/Cache/l1')).toBe(1);
      expect(counts.get('WebTransaction/Custom/product')).toBe(2);
      // The page tells an operator to look for this line, and names the default destination.
      const page = readFileSync(join(__dirname, '../../../scripts/monitoring/README.md'), 'utf8');
      const [, before, host, after] = /`(Connected to )([\w.-]+)(:)443 with agent run ID …`/.exec(page) ?? [];
      expect(output()).toContain(`${before}127.0.0.1${after}${collector.port} with agent run ID`);
      expect(hostOf(`eu01xx${'0'.repeat(34)}`)).toBe(host);
      const connect = collector.calls.find(({ method }) => method === 'connect');
      expect(connect?.payload[0].app_name).toEqual(['product-catalog']);
      expect(connect?.payload[0].settings['code_level_metrics.enabled']).toBe(false);
      expect(output()).not.toContain(licence);
    },
    60_000,
  );

  test('with a key but without the package, a worker names the next step and does not start', async () => {
    // A server whose node_modules are ours without the agent, as npm ci --omit=optional leaves them.
    const root = join(__dirname, '../../..');
    cpSync(join(root, 'server'), join(dir, 'server'), { recursive: true });
    cpSync(join(root, 'package.json'), join(dir, 'package.json'));
    mkdirSync(join(dir, 'node_modules'));
    for (const name of readdirSync(join(root, 'node_modules')).filter((each) => each !== 'newrelic'))
      symlinkSync(join(root, 'node_modules', name), join(dir, 'node_modules', name));
    const running = (/** @type {NodeJS.ProcessEnv} */ env, /** @type {string[]} */ ...words) =>
      spawnSync(process.execPath, words, { cwd: dir, env, encoding: 'utf8' });
    const env = { DATABASE_URL: catalog.dsn };
    const { status, stderr } = running({ ...env, NEW_RELIC_LICENSE_KEY: licence }, 'server/index.js');
    expect(stderr).toMatch(
      /NEW_RELIC_LICENSE_KEY: needs the package newrelic.* npm ci --include=optional;.* npm run fleet -- release has it/,
    );
    expect([status, stderr.includes(licence)]).toEqual([1, false]);
    const withoutKey = "require('./server/service').createService(require('./server/config/config').loadConfig())";
    expect(running({ ...env, LOG_LEVEL: 'silent' }, '-e', `${withoutKey}; process.exit(0)`)).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  test('without a key, the agent is not loaded and nothing is printed or sent', async () => {
    const { child, exited, output, url } = await running({
      NODE_OPTIONS: `--require="${require.resolve('../../helpers/list-modules')}"`,
    });
    expect((await fetch(`${url}/products/2`)).status).toBe(200);
    child.send('modules');
    const [modules] = await once(child, 'message');
    child.kill('SIGTERM');
    await exited;
    expect(modules.some((/** @type {string} */ file) => file.includes('/express/'))).toBe(true);
    const heavy = /node_modules\/(newrelic|@newrelic|@opentelemetry\/(sdk|exporter|otlp)[a-z-]*)\//;
    expect(modules.filter((/** @type {string} */ file) => heavy.test(file))).toEqual([]);
    expect(output()).not.toMatch(/new ?relic/i);
  });
});
