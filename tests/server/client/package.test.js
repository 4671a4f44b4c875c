'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { findNpm, root } = require('../../../scripts/lib/runtime');
const { startService } = require('../../helpers/app');
const { countReplies, requireModule } = require('../../helpers/client');
const { loadSample } = require('../../helpers/sample');

const folder = path.join(root, 'server/client');
const shop = fs.mkdtempSync(path.join(os.tmpdir(), 'shop-'));
const installed = path.join(shop, 'node_modules/product-catalog-client');
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
  test('has the client, its types and fixtures, and no tool of ours', () => {
    expect(fs.readdirSync(installed).sort()).toEqual(
      [
        'README.md',
        'package.json',
        'fixtures.json',
        'fixtures.d.ts',
        'catalog.d.ts',
        'schemas.d.ts',
        ...['batches', 'catalog', 'export-lines', 'highlight', 'problem', 'requests', 'words'].map(
          (name) => `${name}.js`,
        ),
      ].sort(),
    );
  });

  test('imports only its own files, as a browser must find them', () => {
    const sources = fs.readdirSync(installed).filter((file) => file.endsWith('.js'));
    const imported = sources.flatMap((file) => [
      ...fs.readFileSync(path.join(installed, file), 'utf8').matchAll(/^(?:import|export) .* from '(.*)';$/gm),
    ]);
    expect(imported.length).toBeGreaterThan(5);
    expect(imported.filter(([, file]) => !file.startsWith('./') || !fs.existsSync(path.join(installed, file)))).toEqual(
      [],
    );
  });

  test.each([
    ['node', ['--module', 'nodenext']],
    ['a bundler', ['--module', 'esnext', '--moduleResolution', 'bundler']],
  ])('compiles in a strict TypeScript shop that resolves modules as %s', (_, resolution) => {
    fs.copyFileSync(path.join(__dirname, 'consumer.ts'), path.join(shop, 'consumer.ts'));
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    const strict = ['--strict', '--noUncheckedIndexedAccess', '--noEmit', '--types', '', '--target', 'es2022'];
    expect(run([tsc, ...strict, '--lib', 'es2023,dom', ...resolution, 'consumer.ts'], shop)).toBe('');
  });
});

test('schemas.d.ts has the types of openapi.json (npm run format writes it)', () => {
  const { schemasOf } = requireModule('../../server/client/write-schemas.js');
  const document = JSON.parse(fs.readFileSync(path.join(root, 'server/openapi.json'), 'utf8'));
  expect(fs.readFileSync(path.join(folder, 'schemas.d.ts'), 'utf8')).toBe(schemasOf(document));
});

describe('the examples of the README, as a shop runs them', () => {
  /** @type {Awaited<ReturnType<typeof loadSample>>} */
  let database;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let app;
  /** @type {any} */
  let pages;
  /** @type {ReturnType<typeof countReplies>} */
  let replies;
  beforeAll(async () => {
    database = await loadSample(shop, 100);
    app = await startService({ DATABASE_URL: database.dsn('api') });
    replies = countReplies(app.service.events);
    const code = [...readme.matchAll(/```js\n([^]*?)```/g)].map(([, block]) => block).join('\n');
    fs.writeFileSync(path.join(shop, 'pages.js'), code.replace('https://shop.example', app.url));
    pages = requireModule(path.join(shop, 'pages.js'));
  }, 60_000);
  afterAll(async () => {
    await app?.close();
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

  test('try again when the reply says when', async () => {
    const { CatalogProblem, createCatalog } = requireModule(path.join(installed, 'catalog.js'));
    const problems = [new CatalogProblem({ status: 503, detail: 'x', retryAfter: 0 })];
    const call = async () => {
      for (const problem of problems.splice(0)) throw problem;
      return createCatalog({ url: app.url }).related(1);
    };
    expect(await pages.patiently(call)).toContain(2);
    replies.take();
    await expect(pages.patiently(() => createCatalog({ url: app.url }).related(999))).rejects.toMatchObject({
      status: 404,
    });
    expect(replies.take()).toHaveLength(1);
  });

  test('test a shop without a service', async () => {
    const { items } = await pages.fixtureCatalog.products({ count: 5 });
    expect(items).toHaveLength(5);
    expect(replies.take().filter((route) => route === 'products')).toEqual([]);
  });
});
