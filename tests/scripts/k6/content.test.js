'use strict';
const { EventEmitter } = require('node:events');
const { Client } = require('pg');
const { hasChanged, readReferences } = require('../../../scripts/k6/content');
const { createMetrics } = require('../../../server/observe/metrics');
const { read } = require('../../docs/sources');
const { createCatalog } = require('../../helpers/database');
const { stockedProducts, writesOn } = require('../../helpers/writes');

/** @param {string} file @param {RegExp} pattern */
const namesIn = (file, pattern) => [...read(file).matchAll(pattern)].map(([, name]) => name);

describe('digests of correct replies', () => {
  /** @type {Awaited<ReturnType<typeof createCatalog>>} */
  let catalog;
  /** It becomes read-only. @type {Client} */
  let reader;
  beforeAll(async () => {
    catalog = await createCatalog(stockedProducts(12));
    reader = new Client({ connectionString: catalog.dsn });
    await reader.connect();
  });
  afterAll(async () => {
    await reader?.end();
    await catalog?.drop();
  });

  test('are outdated after a write, and after a load', async () => {
    const { version, references } = await readReferences(reader);
    expect([references.rows, references.products.length]).toEqual([12, 36]);
    expect(await hasChanged(version)(reader)).toBe(false);
    await writesOn(catalog.client).restock(2, 5);
    expect(await hasChanged(version)(reader)).toBe(true);
    const { version: written } = await readReferences(reader);
    await catalog.client.query('SELECT catalog_meta.bump_version()');
    expect(await hasChanged(written)(reader)).toBe(true);
  });

  test('that are read beside writes are outdated from the start', async () => {
    const { rename } = writesOn(catalog.client);
    let writes = 0;
    const query = async (/** @type {[string]} */ ...words) => {
      await rename(1, `Name ${(writes += 1)}`);
      return reader.query(...words);
    };
    const { version, references } = await readReferences(/** @type {any} */ ({ query }));
    expect(references.known).toBe(12);
    expect(await hasChanged(version)(reader)).toBe(true);
  });
});

test('every metric that the scripts read is one that a worker has', () => {
  const registry = createMetrics(/** @type {any} */ (new EventEmitter()), /** @type {any} */ ({}));
  const known = registry.getMetricsAsArray().map(({ name }) => name);
  registry.clear();
  const names = namesIn('k6/lib/workers.js', /\b((?:catalog|process)_[a-z_]+)/g);
  expect(names.length).toBeGreaterThan(4);
  expect(known).toEqual(expect.arrayContaining(names));
});

test('k6 names routes as the service does in its metrics', () => {
  const labels = [
    ...namesIn('server/routes.js', /\bdocument\('(\w+)'\)/g),
    ...['product', 'products', 'skus', 'search-and-menu', 'export', 'sitemap', 'feed', 'agents', 'mcp'].flatMap(
      (file) => namesIn(`server/http/routes/${file}.js`, /\b(?:reply|stream\.send|answer)\('(\w+)'/g),
    ),
  ];
  const [own, more] = ['routeNames', 'moreNames'].map((list) =>
    namesIn('k6/lib/routes.js', new RegExp(`${list} = \\[(.*)\\]`, 'g'))[0].match(/\w+/g),
  );
  expect(own?.length).toBeGreaterThan(3);
  expect([...new Set(labels)].sort()).toEqual([...(own ?? []), ...(more ?? [])].sort());
  expect(namesIn('k6/lib/routes.js', /\bask(?:Head|With)?\(.*?'(\w+)', (?:\{|wanted|hasShop)/g)).toEqual([
    'products',
    ...(more ?? []),
  ]);
  const [counted] = namesIn('k6/lib/workers.js', /ofCatalog =\s+(\/.*\/);/g);
  for (const label of labels) expect(label).toMatch(new RegExp(counted.slice(1, -1)));
});
