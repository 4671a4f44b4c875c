'use strict';

const { openBrowser, openPage, withoutBrowser } = require('../../helpers/browser');
const { unless } = require('../../helpers/skip');
const { prepareWrites, serveWriter } = require('../../helpers/writer');

unless(withoutBrowser).describe('the editing view', () => {
  const served = serveWriter();
  /** @type {import('playwright-core').Browser} */
  let browser;
  beforeAll(async () => (browser = await openBrowser()));
  afterAll(() => browser?.close());

  test('hides and publishes a product, and shows what others do and plan', async () => {
    const key = await prepareWrites(served.catalog, { name: 'desk', scopes: ['content', 'history', 'changes'] });
    const { page, errors } = await openPage(browser, { baseURL: served.app.url });
    await page.goto('/?product=7');
    await page.getByLabel('API key').fill(key);
    await page.getByLabel('Your name').fill('Änne');
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByText('Readers find this product.').waitFor();
    await page.getByLabel('Reason').fill('not yet announced');
    await page.getByRole('button', { name: 'Hide', exact: true }).click();
    await page.getByText('Hidden.', { exact: true }).waitFor();
    const { rows } = await served.catalog.client.query('SELECT is_hidden, asked FROM catalog_meta.hidden_products');
    expect(rows).toMatchObject([{ is_hidden: true, asked: { onBehalf: 'Änne', reason: 'not yet announced' } }]);
    await page.reload();
    await page.getByText('This product is hidden: readers do not find it.').waitFor();
    await served.call('POST', '/products/7/publish', { until: '2036-12-24T18:00:00Z' });
    await page.getByText(/Readers find this product\. It will be hidden on .*2036/).waitFor();
    await page.screenshot({ path: process.env.SCREENSHOT ?? '/dev/null', type: 'png', fullPage: true });
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Published.', { exact: true }).waitFor();
    expect((await served.call('GET', '/products/7')).headers.get('catalog-hidden')).toBeNull();
    expect(errors).toEqual([]);
  }, 90_000);
});
