'use strict';

const { openBrowser, openPage, withoutBrowser } = require('../../helpers/browser');
const { unless } = require('../../helpers/skip');
const { serveWriter } = require('../../helpers/writer');

unless(withoutBrowser).describe('the editing view', () => {
  jest.setTimeout(90_000); // a browser beside other tests on a loaded two-core machine
  const served = serveWriter();
  /** @type {import('playwright-core').Browser} */
  let browser;
  /** @type {import('playwright-core').Page} */
  let page;
  beforeAll(async () => {
    browser = await openBrowser();
    ({ page } = await openPage(browser, { baseURL: served.app.url }));
  });
  afterAll(() => browser?.close());
  const heading = (/** @type {string} */ name) => page.getByRole('heading', { level: 1, name }).waitFor();

  test('names a wrong id, and says that the writer does not answer only when it does not', async () => {
    await page.goto('/');
    await page.getByLabel('API key').fill(served.key);
    await page.getByLabel('Your name').fill('Änne');
    await page.getByRole('button', { name: 'Begin' }).click();
    for (const id of ['abc', '0', '-1', '1e9', '007', '2147483648', '1,5', '1/stock']) {
      await page.goto(`/?product=${encodeURIComponent(id)}&view=history`);
      await heading(`${id} is not a product id`);
    }
    for (const address of ['/', '/?product=', '/?id=7', '/#abc']) {
      await page.goto(address);
      await heading('Which product?');
    }
    for (const address of ['/?product=%207', '/?product=7&view=constructor', '/?product=7&view=#abc']) {
      await page.goto(address);
      await heading('Last');
    }
    for (const [id, text] of /** @type {const} */ ([
      [3, 'There is no product 3'],
      [2147483647, 'There is no product 2147483647'],
    ])) {
      await page.goto(`/?product=${id}`);
      await heading('Status 404');
      await page.getByText(text).waitFor();
    }
    /** @type {[status: number, body: string][]} */
    const replies = [[200, '<p>Sign in'], [403, '{"detail":"no"}'], [429, ''], [500, 'x'], [502, '<p>Bad gateway']]; // prettier-ignore
    for (const [status, body] of replies) {
      await page.route('**/products/7', (route) => route.fulfill({ status, body }));
      await page.goto('/?product=7');
      await heading(`Status ${status}`);
      await page.unroute('**/products/7');
    }
    await page.route('**/products/7', (route) => route.abort());
    await page.goto('/?product=7');
    await heading('The writer does not answer');
  });
});
