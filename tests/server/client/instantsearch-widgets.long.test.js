'use strict';

const fs = require('node:fs');
const path = require('node:path');

const { createRandom } = require('../../../scripts/generate/random');
const { root } = require('../../../scripts/lib/runtime');
const { useBrowser, withoutBrowser } = require('../../helpers/browser');
const { createCatalog } = require('../../helpers/client');
const { useInstalled } = require('../../helpers/installed');
const { unless } = require('../../helpers/skip');

/* Widgets of InstantSearch over the adapter, in Chromium, show what /search has. */

const STATES = 200;
const installed = withoutBrowser ? { missing: withoutBrowser, dir: '' } : useInstalled('instantsearch.js@4.118.1');
/** The page is below the worker's own address: Chromium lets no page of another read loopback. */
const SHOP = '/instantsearch-shop';
const FACETS = /** @type {const} */ (['category', 'size', 'feature.Fabric']);
const SORTS = /** @type {const} */ ([undefined, 'price', '-price']);
const QUERIES = ['', '', '', 'jacket', 'ja', 'camo anorka', 'red', 'x'];

const html = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
  ${['stats', 'hits', 'sale', 'price', 'pages', 'sort', ...FACETS].map((name) => `<div id="${name}"></div>`).join('')}
  <script src="instantsearch.js"></script>
  <script type="module">
    import { createCatalog } from './client/catalog.js';
    import { createSearchClient } from './client/instantsearch/search-client.js';
    const { configure, hits, pagination, rangeInput, refinementList, sortBy, stats, toggleRefinement } = instantsearch.widgets;
    const FACETS = ${JSON.stringify(FACETS)};
    const at = (name) => document.getElementById(name);
    const searchClient = createSearchClient(createCatalog({ url: location.origin }));
    const search = instantsearch({ indexName: 'catalog', searchClient });
    search.addWidgets([
      configure({ hitsPerPage: 10 }),
      instantsearch.connectors.connectSearchBox(() => {})({}),
      stats({ container: at('stats'), templates: { text: ({ nbHits }) => String(nbHits) } }),
      hits({ container: at('hits'), templates: { empty: '', item: (hit, { html, components }) =>
        html\`<p id="\${hit.objectID}">\${components.Highlight({ hit, attribute: 'name' })}</p>\` } }),
      toggleRefinement({ container: at('sale'), attribute: 'on_sale' }),
      rangeInput({ container: at('price'), attribute: 'price' }),
      pagination({ container: at('pages') }),
      sortBy({ container: at('sort'), items: ['', ':price', ':-price'].map((sort) => ({ label: sort, value: 'catalog' + sort })) }),
      ...FACETS.map((attribute) => refinementList({ container: at(attribute), attribute, limit: 100 })),
    ]);
    const texts = (selector, within = document) => [...within.querySelectorAll(selector)].map((node) => node.textContent);
    const countsIn = (name) => [...at(name).querySelectorAll('li')].map((item) =>
      ['labelText', 'count'].map((part) => texts('.ais-RefinementList-' + part, item)[0]).join(': '));
    const shown = () => ({
      total: Number(texts('#stats .ais-Stats-text')[0]),
      items: [...at('hits').querySelectorAll('p')].map(({ id, textContent }) => id + ' ' + textContent),
      facets: Object.fromEntries(FACETS.map((name) => [name, countsIn(name).sort()])),
    });
    let settled = Promise.withResolvers();
    search.on('render', () => search.status === 'idle' && settled.resolve(shown()));
    search.on('error', ({ error }) => settled.reject(error));
    search.start();
    window.started = settled.promise;
    window.show = (state) => {
      settled = Promise.withResolvers();
      search.setUiState({ catalog: state });
      return settled.promise;
    };
  </script>`;

/** @param {string} pathname */
const scriptAt = (pathname) =>
  pathname === '/instantsearch.js'
    ? path.join(installed.dir, 'node_modules/instantsearch.js/dist/instantsearch.production.min.js')
    : path.join(root, 'server', pathname);

/** @typedef {ReturnType<typeof anyState>} State */

/** @param {(bound: number) => number} below @param {Record<string, string[]>} values of the facets */
function anyState(below, values) {
  const low = below(150);
  return {
    query: QUERIES[below(QUERIES.length)],
    price: below(3) === 0 ? [low, low + 20 + below(200)] : undefined,
    refined: Object.fromEntries(
      Object.entries(values).map(([name, all]) => [
        name,
        [...new Set(Array.from({ length: below(2) * below(3) }, () => all[below(all.length)]))],
      ]),
    ),
    sort: SORTS[below(SORTS.length)],
    isOnSale: below(4) === 0,
    page: 1 + below(3),
  };
}

/** The state as InstantSearch has it. @param {State} state */
const uiStateOf = ({ query, price, refined, sort, isOnSale, page }) => ({
  query,
  page,
  refinementList: refined,
  toggle: { on_sale: isOnSale },
  ...(price && { range: { price: price.join(':') } }),
  ...(sort && { sortBy: `catalog:${sort}` }),
});

/** @typedef {import('../../../server/client/catalog.js').ValueFacet} ValueFacet */

/** The answer of /search to a state, as the page shows it. @param {import('../../../server/client/catalog.js').Catalog} catalog @param {State} state */
async function expectedOf(catalog, { query, price, refined, sort, isOnSale, page }) {
  const [min, max] = price?.map(String) ?? [];
  const { total, items, facets } = await catalog.search({
    ...{ q: query, on_sale: isOnSale, min_price: min, max_price: max, sort, page, count: 10 },
    ...refined,
    ...{ facets: FACETS, facet_values: 100 },
  });
  const counts = /** @type {ValueFacet[]} */ (facets).map((facet) => [
    facet.name,
    facet.values.map(({ value, count }) => `${value}: ${count}`).sort(),
  ]);
  return { total, items: items.map(({ id, name }) => `${id} ${name}`), facets: Object.fromEntries(counts) };
}

unless(installed.missing).describe('widgets of InstantSearch', () => {
  const used = useBrowser(400);

  test(`show totals, products and counts of /search in ${STATES} random states, one request each`, async () => {
    const catalog = createCatalog({ url: used.url });
    const { facets } = await catalog.search({ facets: FACETS, facet_values: 100, count: 0 });
    const values = /** @type {ValueFacet[]} */ (facets).map((facet) => [
      facet.name,
      facet.values.map(({ value }) => value),
    ]);
    const { context, page, errors } = await used.open();
    await page.route(`**${SHOP}/**`, (route) => {
      const pathname = new URL(route.request().url()).pathname.slice(SHOP.length);
      if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: html });
      return route.fulfill({ contentType: 'text/javascript', body: fs.readFileSync(scriptAt(pathname), 'utf8') });
    });
    await page.goto(`${SHOP}/`);
    await page.evaluate('started');
    const below = createRandom(7);
    let [withProducts, searches] = [0, 0];
    for (let index = 0; index < STATES; index += 1) {
      const state = anyState(below, Object.fromEntries(values));
      used.replies();
      const shown = await page.evaluate(`show(${JSON.stringify(uiStateOf(state))})`);
      searches += used.replies().length;
      const expected = await expectedOf(catalog, state);
      expect({ state, shown }).toEqual({ state, shown: expected });
      if (expected.items.length > 0) withProducts += 1;
    }
    expect(withProducts).toBeGreaterThan(STATES / 4);
    expect(searches).toBeLessThanOrEqual(STATES);
    expect([errors, await page.evaluate('window.hacked')]).toEqual([[], undefined]);
    await context.close();
  }, 300_000);
});
