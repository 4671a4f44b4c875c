'use strict';

const { axeFinds, openBrowser, openPage, withoutBrowser } = require('../../helpers/browser');
const { DECLARED_ROWS, LONG } = require('../../helpers/declared');
const { unless } = require('../../helpers/skip');
const { prepareWrites, serveWriter } = require('../../helpers/writer');

unless(withoutBrowser).describe('the form of a product with fields', () => {
  jest.setTimeout(90_000); // a browser beside other tests on a loaded two-core machine
  const served = serveWriter(DECLARED_ROWS);
  /** @type {string} */
  let key;
  /** @type {import('playwright-core').Browser} */
  let browser;
  /** @type {Awaited<ReturnType<typeof openPage>>} */
  let opened;

  beforeAll(async () => {
    key = await prepareWrites(served.catalog, { name: 'desk', scopes: ['content', 'history', 'changes'] });
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    opened = await openPage(browser, { baseURL: served.app.url });
  });
  afterEach(async () => {
    await opened.context.close();
    expect(opened.errors.filter((error) => !/status of 4\d\d|ERR_NAME_NOT_RESOLVED/.test(error))).toEqual([]);
  });

  /** @param {string} target */
  async function begin(target) {
    await opened.page.goto(target);
    await opened.page.getByLabel('API key').fill(key);
    await opened.page.getByLabel('Your name').fill('Änne');
    await opened.page.getByRole('button', { name: 'Begin' }).click();
    await opened.page.getByRole('heading', { level: 1 }).waitFor();
  }
  const field = (/** @type {string} */ label) => opened.page.getByLabel(label, { exact: true }).first();
  const save = () => opened.page.getByRole('button', { name: 'Save', exact: true }).click();
  /** @param {string} table @param {number} id */
  const stored = async (table, id) =>
    (await served.catalog.client.query(`SELECT fields::text FROM catalog.${table} WHERE id = $1`, [id])).rows[0].fields;

  test('shows each value by its type, and saves what is typed with all digits', async () => {
    await begin('/?product=1');
    expect(await field('weight_g').inputValue()).toBe(LONG);
    expect([await field('depth').inputValue(), await field('ean').inputValue()]).toEqual(['0.1', '40']);
    await field('vegan').selectOption('Yes');
    await field('launched').fill('2026-01-31T09:30:00Z');
    await field('tags').fill('new\n\n sale \nnew');
    await field('brand').fill('');
    await field('depth').fill('0.000000000000000001');
    await field('ean').fill('41');
    await save();
    await opened.page.getByText('Saved as revision 2.').waitFor();
    expect(await stored('products', 1)).toBe(
      `{"weight_g":${LONG},"vegan":true,"launched":"2026-01-31T09:30:00Z","tags":["new","sale"]}`,
    );
    expect(await stored('styles', 1)).toBe('{"depth":0.000000000000000001}');
    expect(await stored('skus', 37)).toBe('{"ean":"41"}');
    expect(await field('tags').inputValue()).toBe('new\nsale');
    await field('vegan').selectOption('None');
    await save();
    await opened.page.getByText('Saved as revision 3.').waitFor();
    expect(await stored('products', 1)).not.toContain('vegan');
  });

  test('shows what is wrong with a field at that field', async () => {
    await begin('/?product=1');
    await field('weight_g').fill('heavy');
    await field('launched').fill('31.01.2026');
    await field('shade').fill('x'.repeat(17_000));
    await save();
    for (const name of ['weight_g', 'launched']) await field(name).and(opened.page.locator('[aria-invalid=true]')).waitFor(); // prettier-ignore
    expect(await opened.page.getByRole('alert').getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^\/fields\/weight_g must be a number/),
      expect.stringMatching(/^\/fields\/launched must be a date/),
      expect.stringMatching(/^\/styles\/1\/fields has 17\d+ bytes/),
    ]);
  });

  test.each([400, 800, 1280])('fits a width of %d, and axe finds nothing', async (width) => {
    await opened.page.setViewportSize({ width, height: 900 });
    await begin('/?product=1');
    expect(await axeFinds(opened.page)).toEqual([]);
    expect(await opened.page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });
});
