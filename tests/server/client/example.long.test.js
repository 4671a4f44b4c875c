'use strict';

const { execFileSync, spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { Client } = require('pg');

const { findNpm, root } = require('../../../scripts/lib/runtime');
const { until } = require('../../helpers/app');
const { axeFinds, hold, useBrowser, withoutBrowser } = require('../../helpers/browser');
const { createCatalog } = require('../../helpers/client');
const { useInstalled } = require('../../helpers/installed');
const { freePort } = require('../../helpers/servers');
const { SHOP } = require('../../helpers/shops');
const { unless } = require('../../helpers/skip');
const { callerOf, prepareWrites, startWriter } = require('../../helpers/writer');

/* The storefront to copy, as a shop installs, builds and serves it. */

/** @typedef {import('playwright-core').Page} Page @typedef {import('../../../server/client/catalog.js').ValueFacet} ValueFacet */

/** The client with its example, without what was built there. @param {string} dir */
function copyExample(dir) {
  const isSource = (/** @type {string} */ file) => !['node_modules', 'dist'].includes(path.basename(file));
  fs.cpSync(path.join(root, 'server/client'), path.join(dir, 'client'), { recursive: true, filter: isSource });
  return path.join(dir, 'client/example');
}

const installed = withoutBrowser ? { missing: withoutBrowser, dir: '' } : useInstalled(copyExample);
const FACETS = /** @type {const} */ (['category', 'size', 'on_sale', 'in_stock', 'feature']);
/** It has three styles, and sizes that are in stock and sold out. */
const PRODUCT = 1;

/** @param {Page} page */
const h1 = (page) => page.getByRole('heading', { level: 1 });

/** A list as it is shown. @param {Page} page */
const shownIn = (page) =>
  page.evaluate(() => ({
    total: document.querySelector('[role=status]')?.textContent,
    names: [...document.querySelectorAll('.tiles a span')].map(({ textContent }) => textContent),
    counts: [...document.querySelectorAll('fieldset input')].map(
      (input) =>
        `${input.getAttribute('name')} ${input.getAttribute('value')} ${input.parentElement?.lastChild?.textContent}`,
    ),
    ticked: [...document.querySelectorAll('fieldset :checked')].map((input) => input.getAttribute('value')),
  }));

/** The same as /search has it. @param {ReturnType<typeof createCatalog>} catalog @param {object} params */
async function expectedOf(catalog, params) {
  const { total, items, facets } = await catalog.search({ ...params, facets: FACETS, count: 24 });
  const all = /** @type {ValueFacet[]} */ (facets).flatMap(({ name, values }) =>
    values.map((each) => ({ name, ...each })),
  );
  return {
    total: `${total} products`,
    names: items.map(({ name }) => name),
    counts: all.map(({ name, value, count }) => `${name} ${value} ${count}`),
    ticked: all.filter(({ selected }) => selected).map(({ value }) => value),
  };
}

unless(installed.missing).describe('the example of a storefront', () => {
  const used = useBrowser(400, undefined, SHOP);
  let base = '';
  /** @type {ReturnType<typeof callerOf>} */
  let call;
  /** @type {import('node:child_process').ChildProcess} */
  let shop;
  /** @type {Awaited<ReturnType<typeof startWriter>>} */
  let writer;
  /** @type {ReturnType<typeof createCatalog>} */
  let catalog;
  beforeAll(async () => {
    const client = new Client({ connectionString: used.database.superuserDsn });
    await client.connect();
    const key = await prepareWrites({ client }, { scopes: ['content', 'changes', 'stock'] });
    await client.end();
    writer = await startWriter(used.database.dsn('writer'));
    call = callerOf(writer.url, key);
    catalog = createCatalog({ url: used.url });
    const own = { VITE_CATALOG_URL: used.url, WRITER_URL: writer.url, WRITER_KEY: key };
    const PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
    const cwd = path.join(installed.dir, 'client/example');
    const options = { cwd, env: { ...process.env, PATH, ...own } };
    execFileSync(process.execPath, [findNpm(), 'run', 'build'], { ...options, stdio: 'pipe' });
    const port = await freePort();
    const words = ['node_modules/vite/bin/vite.js', 'preview', '--host=127.0.0.1', `--port=${port}`, '--strictPort'];
    shop = spawn(process.execPath, words, { ...options, stdio: 'ignore' }); // npm start, without processes between
    base = `http://127.0.0.1:${port}`;
    const isUp = async () => (await fetch(base)).ok;
    await until(() => isUp().catch(() => false));
  }, 180_000);
  afterAll(async () => {
    shop?.kill();
    await writer?.close();
  });

  /** @type {Awaited<ReturnType<typeof used.open>>} */
  let opened;
  /** @type {Page} */
  let page;
  beforeEach(async () => {
    opened = await used.open({ baseURL: base });
    ({ page } = opened);
    used.replies();
  });
  afterEach(() => opened?.context.close());

  /** Waits until the list is that of its address. @param {object} params what the address should be asked as */
  async function expectList(params) {
    const expected = await expectedOf(catalog, params);
    await until(async () => JSON.stringify((await shownIn(page)).names) === JSON.stringify(expected.names));
    expect(await shownIn(page)).toEqual(expected);
    return expected;
  }

  test('shows what /search has for words, a filter and the next page, and again on the way back', async () => {
    await page.goto('/');
    const all = await expectList({});
    await page.goto(`/p/${PRODUCT}`);
    await page.getByRole('searchbox').pressSequentially('red');
    const found = await expectList({ q: 'red' });
    expect(found.names.length).toBeGreaterThan(0);
    expect(found.names).not.toEqual(all.names);
    const box = page.getByRole('group', { name: 'category' }).getByRole('checkbox').first();
    const category = await box.getAttribute('value');
    await box.press('Space');
    await expectList({ q: 'red', category });
    await box.press('Space');
    await expectList({ q: 'red' });
    await page.goto('/?in_stock=true');
    const { next } = await catalog.search({ in_stock: true, count: 24 });
    await page.getByRole('button', { name: 'Next page' }).press('Enter');
    const second = await expectList({ in_stock: true, after: next });
    expect(await h1(page).evaluate((heading) => heading === document.activeElement)).toBe(true);
    await page.reload();
    expect(await expectList({ in_stock: true, after: next })).toEqual(second);
    await page.goBack();
    await expectList({ in_stock: true });
    expect(opened.errors).toEqual([]);
  });

  test('puts a style and size that are chosen by keyboard into the cart, which is one request', async () => {
    const { styles } = await catalog.product(PRODUCT, { include: ['styles'] });
    used.replies();
    await page.goto(`/p/some-slug-${PRODUCT}`);
    await h1(page).waitFor();
    expect(used.replies()).toEqual(['catalog', 'included']);
    const size = (/** @type {string} */ name) => page.getByRole('radio', { name, exact: true });
    const [first, , last] = styles;
    await page.getByRole('radio', { name: last.name }).press('Space');
    await until(() => page.getByRole('button', { name: 'Sold out' }).isDisabled());
    expect(await size('M').isDisabled()).toBe(true);
    await page.getByRole('radio', { name: last.name }).press('ArrowDown');
    await size('XS').press('Space');
    await page.getByText('In stock').waitFor();
    expect(new URL(page.url()).search).toBe(`?style=${first.style_id}&size=XS`);
    await page.reload();
    await page.getByRole('button', { name: 'Add to cart' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Cart' }).waitFor();
    const [sku] = Object.entries(first.skus).find(([, each]) => each.size === 'XS') ?? [];
    expect(await page.evaluate(() => localStorage.getItem('cart'))).toBe(`{"${sku}":1}`);

    await page.evaluate((cart) => localStorage.setItem('cart', cart), `{"${sku}":2,"5":1,"999999999":1}`);
    used.replies();
    await page.reload();
    await page.getByText('Total €340.00').waitFor();
    expect(used.replies().filter((route) => route !== 'catalog')).toEqual(['skus']);
    await page.getByLabel('Quantity').first().selectOption('1');
    await page.getByText('Total €240.00').waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Cart (2)').waitFor();
    expect(used.replies()).toEqual([]);
    expect(opened.errors).toEqual([]);
  });

  test('shows stock and prices that the writer changes, without a reload', async () => {
    /** @param {number} quantity */
    const setQuantity = async (quantity) =>
      expect(await call('PUT', '/skus/9/quantity', { quantity, compare: 'none' })).toMatchObject({ status: 200 });
    await page.goto('/p/4?size=S');
    await h1(page).waitFor();
    await page.evaluate(() => Object.assign(window, { isSame: true }));
    await setQuantity(3);
    await page.getByText('Only 3 left').waitFor();
    await page.getByRole('button', { name: 'Add to cart' }).click();
    await page.getByText('Total €140.00').waitFor();
    await call('PATCH', '/products/4', { styles: { 7: { sale_price: '55.50' } } }, { 'X-Reason': 'sale' });
    await page.getByText('Total €55.50').waitFor();
    await setQuantity(0);
    await page.getByText('Sold out').waitFor();
    await page.getByRole('link', { name: SHOP.SHOP_NAME }).click();
    const tile = page.getByRole('listitem').filter({ hasText: 'Slow Slacks' });
    await tile.getByText('€55.50').waitFor();
    await call('PATCH', '/products/4', { name: 'Slower Slacks' });
    await page.getByText('Slower Slacks').waitFor();
    expect(await page.evaluate('isSame')).toBe(true);
    // The browser notes each 503 of a worker that does not have a commit yet; the client repeats the request.
    expect(opened.errors.filter((text) => !text.includes(' 503 '))).toEqual([]);
  });

  test('aborts a search whose reply would be stale', async () => {
    await page.goto('/');
    await h1(page).waitFor();
    const first = await hold(page, '**/search?q=ja&*');
    const aborted = page.waitForEvent('requestfailed', (request) => request.url().includes('q=ja&'));
    await page.getByRole('searchbox').fill('ja');
    await first.asked;
    await page.getByRole('searchbox').fill('tee');
    expect((await aborted).failure()?.errorText).toBe('net::ERR_ABORTED');
    await first.release();
    await expectList({ q: 'tee' });
  });

  test('says what to do while the service is away, and then shows the page', async () => {
    await page.route('**/search?*', (route) => route.abort());
    await page.goto('/?q=tee');
    await page.getByRole('heading', { name: 'The shop does not answer' }).waitFor();
    await page.unroute('**/search?*');
    await page.getByRole('link', { name: 'Try again' }).press('Enter');
    await expectList({ q: 'tee' });
    await page.goto('/p/987654321');
    await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
    await page.getByRole('link', { name: 'See all products' }).click();
    await expectList({});
  });

  test('filters by whole pages in a browser without the Navigation API', async () => {
    await page.addInitScript(() => Object.defineProperty(window, 'navigation', { value: undefined }));
    await page.goto('/?q=red');
    await page.getByRole('group', { name: 'In stock' }).getByRole('checkbox').check();
    await page.waitForURL('**/?q=red&in_stock=true');
    await expectList({ q: 'red', in_stock: true });
    expect(opened.errors).toEqual([]);
  });

  test.each([360, 800, 1280])('fits %d px, and axe finds nothing', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    await page.addInitScript(() => localStorage.setItem('cart', '{"1":2,"5":99,"999999999":1}'));
    for (const target of ['/?q=red+zzz', '/p/1?size=S', '/cart', '/p/0']) {
      await page.goto(target);
      await h1(page).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(await axeFinds(page)).toEqual([]);
    }
  });
});
