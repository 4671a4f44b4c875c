'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { Client } = require('pg');

const { findNpm, root } = require('../../../scripts/lib/runtime');
const { startService } = require('../../helpers/app');
const { countReplies, requireModule } = require('../../helpers/client');
const { loadSample } = require('../../helpers/sample');
const { prepareWrites, startWriter } = require('../../helpers/writer');
const { trackedFiles } = require('../../docs/sources');

const folder = path.join(root, 'server/client');
const shop = fs.mkdtempSync(path.join(os.tmpdir(), 'shop-'));
const installed = path.join(shop, 'node_modules/product-catalog-client');
/** By all entries. */
const EXPORTED = [
  'CatalogProblem',
  'createCatalog',
  'highlight',
  'CatalogProblem',
  'createWriter',
  'createSearchClient',
  'catalogHandlers',
];
const readme = fs.readFileSync(path.join(folder, 'README.md'), 'utf8');

/** @param {string[]} words of Node @param {string} cwd @returns {string} what it prints */
function run(words, cwd) {
  try {
    return execFileSync(process.execPath, words, { cwd, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = /** @type {{ stdout: string, stderr: string }} */ (error);
    throw new Error(`${words.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

beforeAll(() => {
  const npm = findNpm();
  const quiet = ['--offline', '--no-audit', '--no-fund', `--cache=${path.join(shop, '.npm')}`];
  const [{ filename }] = JSON.parse(run([npm, 'pack', folder, '--json', ...quiet], shop));
  fs.writeFileSync(path.join(shop, 'package.json'), '{"name":"shop","type":"module","private":true}');
  run([npm, 'install', `./${filename}`, ...quiet], shop);
});
afterAll(() => fs.rmSync(shop, { recursive: true }));

describe('the package that a shop installs', () => {
  test('has the client, its types and fixtures, and neither the example nor a tool of ours', () => {
    const files = fs.readdirSync(installed, { recursive: true, encoding: 'utf8' });
    const tracked = trackedFiles('server/client').map((file) => path.relative('server/client', file));
    expect(files.filter((file) => path.extname(file)).sort()).toEqual(
      tracked.filter((file) => file !== 'write-schemas.js' && !file.startsWith('example/')).sort(),
    );
  });

  test('has each entry, as an ES module and for require', () => {
    const { exports } = JSON.parse(fs.readFileSync(path.join(installed, 'package.json'), 'utf8'));
    const entries = Object.keys(exports).filter((entry) => !entry.endsWith('.json'));
    const names = entries.map((entry) => path.posix.join('product-catalog-client', entry));
    for (const { types, default: file } of Object.values(exports))
      expect([types, file].filter((each) => !fs.existsSync(path.join(installed, each)))).toEqual([]);
    fs.writeFileSync(
      path.join(shop, 'entries.cjs'),
      `const names = ${JSON.stringify(names)};
      Promise.all(names.map((name) => import(name))).then((modules) => {
        const same = (module, index) => Object.keys(module).every((key) => module[key] === require(names[index])[key]);
        console.log(modules.every(same) && modules.flatMap(Object.keys).sort().join());
      });`,
    );
    expect(run(['--no-warnings', 'entries.cjs'], shop)).toBe(`${EXPORTED.toSorted().join()}\n`);
  });

  test('imports only its own files, as a browser must find them', () => {
    const files = fs.readdirSync(installed, { recursive: true, encoding: 'utf8' });
    const imported = files
      .filter((file) => file.endsWith('.js'))
      .flatMap((file) => {
        const text = fs.readFileSync(path.join(installed, file), 'utf8');
        return [...text.matchAll(/^(?:import|export|\}) .*from '([^']*)'/gm)].map(([, to]) => [
          file,
          to.startsWith('.') && path.join(path.dirname(file), to),
        ]);
      });
    expect(imported.length).toBeGreaterThan(5);
    expect(imported.filter(([, to]) => !to || !files.includes(to))).toEqual([]);
  });

  test.each([
    ['node', ['--module', 'nodenext']],
    ['a bundler', ['--module', 'esnext', '--moduleResolution', 'bundler']],
  ])('compiles in a strict TypeScript shop that resolves modules as %s', (_, resolution) => {
    const consumers = ['consumer.ts', 'writer-consumer.ts', 'front-consumer.ts'];
    for (const file of consumers) fs.copyFileSync(path.join(__dirname, file), path.join(shop, file));
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    const strict = ['--strict', '--noUncheckedIndexedAccess', '--noEmit', '--types', '', '--target', 'es2022'];
    expect(run([tsc, ...strict, '--lib', 'es2023,dom', ...resolution, ...consumers], shop)).toBe('');
  });
});

/** @type {typeof import('../../../server/client/write-schemas.js')} */
const { WRITTEN, schemasOf } = requireModule('../../server/client/write-schemas.js');

test.each(Object.entries(WRITTEN))('the types of %s are those of %s (npm run format writes them)', (source, file) => {
  const document = JSON.parse(fs.readFileSync(path.join(root, 'server', source), 'utf8'));
  expect(fs.readFileSync(path.join(root, 'server', file), 'utf8')).toBe(schemasOf(document, source));
});

describe('the examples of the README, as a shop runs them', () => {
  /** @type {Awaited<ReturnType<typeof loadSample>>} */
  let database;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let app;
  /** @type {Awaited<ReturnType<typeof startWriter>>} */
  let writer;
  /** @type {Client} */
  let client;
  /** @type {any} */
  let pages;
  /** @type {ReturnType<typeof countReplies>} */
  let replies;
  beforeAll(async () => {
    database = await loadSample(shop, 100);
    app = await startService({ DATABASE_URL: database.dsn('api') });
    replies = countReplies(app.service.events);
    const code = [...readme.matchAll(/```js\n([^]*?)```/g)].map(([, block]) => block).join('\n');
    client = new Client({ connectionString: database.superuserDsn });
    await client.connect();
    const key = await prepareWrites({ client }, { scopes: ['content', 'changes'] });
    writer = await startWriter(database.dsn('writer'));
    const own = { 'https://shop.example': app.url, 'http://writer.example:7030': writer.url, 'ck_…': key };
    const filled = Object.entries(own).reduce((text, [name, value]) => text.replaceAll(name, value), code);
    fs.writeFileSync(path.join(shop, 'pages.js'), filled);
    pages = requireModule(path.join(shop, 'pages.js'));
  }, 60_000);
  afterAll(async () => {
    await app?.close();
    await writer?.close();
    await client?.end();
    await database?.drop();
  });

  test('show a product page by one request', async () => {
    expect(await pages.productPage(1)).toMatchObject({
      name: 'Camo Anorak',
      price: '100.00',
      styles: ['Forest Green & Black', 'Desert Brown & Tan', 'Ocean Blue'],
    });
    expect(replies.take()).toEqual(['included']);
  });

  test('show a search page with facets by one request', async () => {
    const { total, tiles, facets } = await pages.searchPage('camo ano', ['Jackets']);
    expect(replies.take()).toEqual(['search']);
    expect([total, facets.length]).toEqual([tiles.length, 2]);
    expect(tiles[0].name).toEqual([
      { text: 'Camo', match: true },
      { text: ' ', match: false },
      { text: 'Anorak', match: true },
    ]);
  });

  test('read by a client with options', async () => {
    const printed = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    expect(await pages.patient.related(1)).toContain(2);
    expect(printed.mock.calls.join('')).toContain(`200 ${app.url}/products/1/related 1`);
    printed.mockRestore();
    expect(replies.take()).toHaveLength(1);
  });

  test('write a price and follow what changes', async () => {
    /** @type {any[]} */
    const seen = [];
    const left = new Error('seen');
    const following = pages.follow('1.0', async (/** @type {any} */ change) => {
      if (change.actor && seen.push(change)) throw left;
    });
    const [{ product }] = await Promise.all([pages.setPrice(1, '99.00'), expect(following).rejects.toBe(left)]);
    expect(product.default_price).toBe('99.00');
    expect(seen).toMatchObject([{ kind: 'product.updated', product: 1, paths: ['/default_price'], actor: 'pim' }]);
  });

  test('answer InstantSearch', async () => {
    const requests = [{ indexName: 'catalog:price', params: { query: 'camo', facets: ['category'] } }];
    const { results } = await pages.searchClient.search(requests);
    expect(replies.take()).toEqual(['search']);
    expect(results).toMatchObject([
      { nbHits: results[0].hits.length, facets: { category: { Jackets: expect.any(Number) } } },
    ]);
  });

  test('test a shop without a service', async () => {
    const { items } = await pages.fixtureCatalog.products({ count: 5 });
    expect(items).toHaveLength(5);
    expect(replies.take().filter((route) => route === 'products')).toEqual([]);
  });
});
