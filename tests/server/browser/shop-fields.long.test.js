'use strict';

const { execFileSync } = require('node:child_process');

const { generateSample } = require('../../../scripts/lib/commands');
const { axeFinds, usePage, withoutBrowser } = require('../../helpers/browser');
const { unless } = require('../../helpers/skip');

/** @typedef {import('playwright-core').Page} Page */

/** @param {string} data folder of the CSVs */
function addFields(data) {
  const [program, ...words] = generateSample(data, 300);
  execFileSync(program, [...words, '--fields']);
}

/** @param {any} style */
const hasColour = ({ fields }) => fields.colour !== undefined;

/** The row of a sku, if it has fields. @param {any} sku */
function skuTexts({ size, fields = {} }) {
  const lines = Object.entries(fields).map(([name, value]) => `${name === 'code' ? 'Code' : 'Gtin'}: ${value}`);
  return lines.length > 0 ? [`Size ${size}${lines.join('')}`] : [];
}

unless(withoutBrowser).describe('the explorer of a shop with fields of its own', () => {
  const used = usePage(300, addFields);
  const { heading } = used;
  /** @type {Page} */
  let page;
  beforeEach(() => void (page = used.page()));

  const api = async (/** @type {string} */ target) => (await fetch(used.url + target)).json();
  /** Waits for the list of a search of the API. @param {string} query */
  async function listOf(query) {
    const { total } = await api(`/search${query}`);
    await page.locator('.total', { hasText: new RegExp(`^${total} products?$`) }).waitFor();
  }
  const params = () => [...new URL(page.url()).searchParams];
  const chips = () => page.locator('.chip > span:last-child').allTextContents();
  const group = (/** @type {string} */ name) => page.getByRole('group', { name, exact: true });

  async function open(target = '/') {
    await page.goto(target);
    await heading(/./);
  }

  describe('without an error of the page', () => {
    afterEach(() => expect(used.errors()).toEqual([]));

    test('lists facets as they are declared, after the built-in ones and before features', async () => {
      await open();
      const titles = await page.locator('.group > summary').allTextContents();
      expect(titles.slice(0, 10)).toEqual([
        ...['Category', 'Price', 'Size'],
        ...['Brand', 'Weight g', 'Launched', 'Vegan', 'Tags', 'Colour'],
        expect.any(String),
      ]);
    });

    test('reads what is declared once, and each view is one request', async () => {
      await open();
      await group('Brand').getByRole('checkbox', { name: 'Acme' }).check();
      await page.getByRole('link', { name: 'Remove filter Brand: Acme' }).waitFor();
      expect(used.replies().sort()).toEqual(['catalog', 'search', 'search']);
    });

    test('narrows the list by values, and keeps the focus', async () => {
      await open('/?field.brand=Acme');
      const box = group('Brand').getByRole('checkbox', { name: 'Nordvik' });
      await box.focus();
      await page.keyboard.press('Space');
      await listOf('?field.brand=Acme&field.brand=Nordvik');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('field.brand=Nordvik');
      await page.getByText('Vegan', { exact: true }).click();
      await group('Vegan').getByRole('checkbox', { name: 'Yes' }).check();
      await listOf('?field.brand=Acme&field.brand=Nordvik&field.vegan=true');
      expect(await chips()).toEqual(['Brand: Acme', 'Brand: Nordvik', 'Vegan: Yes']);
    });

    test('narrows the list by bands of a number, of which several may be chosen', async () => {
      await open();
      const { facets } = await api('/search?facets=field.weight_g');
      const values = facets[0].values.map((/** @type {any} */ { min, max }) => `${min}..${max}`);
      for (const at of [0, 2]) {
        const text = values[at].replace('..', ' – ');
        await group('Weight g').getByRole('checkbox', { name: text }).check();
        await page.getByRole('link', { name: `Remove filter Weight g: ${text}` }).waitFor();
      }
      await listOf(`?field.weight_g=${values[0]}&field.weight_g=${values[2]}`);
      expect(await page.getByLabel('Weight g, lowest').inputValue()).toBe('');
    });

    test('narrows the list by a typed range of a number, which replaces bands', async () => {
      await open('/?field.weight_g=..50&field.weight_g=2000..');
      const lowest = page.getByLabel('Weight g, lowest');
      await lowest.fill('-1.000,5');
      await page.getByLabel('Weight g, highest').fill('1,500');
      await page.keyboard.press('Enter');
      await listOf('?field.weight_g=-1000.5..1500');
      expect(params()).toEqual([['field.weight_g', '-1000.5..1500']]);
      expect(await lowest.inputValue()).toBe('-1000.5');
      await lowest.fill('heavy');
      expect(await lowest.evaluate((/** @type {any} */ each) => each.validationMessage)).toContain('12.5');
      await lowest.fill('');
      await page.getByLabel('Weight g, highest').fill('');
      await page.getByRole('button', { name: 'Apply Weight g' }).click();
      await listOf('');
      expect(params()).toEqual([]);
    });

    test('narrows the list by days', async () => {
      await open();
      await page.getByLabel('Launched, earliest').fill('2018-01-01');
      await page.getByRole('button', { name: 'Apply Launched' }).click();
      await listOf('?field.launched=2018-01-01..');
      await page.getByLabel('Launched, latest').fill('2020-12-31');
      await page.getByRole('button', { name: 'Apply Launched' }).click();
      await listOf('?field.launched=2018-01-01..2020-12-31');
      expect(await chips()).toEqual(['Launched: 2018-01-01 – 2020-12-31']);
    });

    test('sorts by fields that sort', async () => {
      await open();
      const sort = page.getByLabel('Sort by');
      expect((await sort.locator('option').allTextContents()).slice(-4)).toEqual([
        ...['Weight g, low to high', 'Weight g, high to low'],
        ...['Launched, oldest first', 'Launched, newest first'],
      ]);
      await sort.selectOption('Weight g, high to low');
      const [heaviest] = (await api('/search?sort=-field.weight_g')).items;
      await page.locator('.results .tile-name').first().getByText(heaviest.name, { exact: true }).waitFor();
      expect(params()).toEqual([['sort', '-field.weight_g']]);
    });

    test('an address shows its filters, and all of them can be removed', async () => {
      const filters = 'field.weight_g=..2500&field.vegan=false&field.tags=made+to+order&field.colour=Navy';
      await open(`/?${filters}&sort=field.launched`);
      await listOf(`?${filters}`);
      expect(await chips()).toEqual(['Weight g: up to 2500', 'Vegan: No', 'Tags: made to order', 'Colour: Navy']);
      expect(await page.locator('#sort').inputValue()).toBe('field.launched');
      expect(await group('Colour').getByRole('checkbox', { name: 'Navy' }).isChecked()).toBe(true);
      await page.getByRole('link', { name: 'Remove filter Vegan: No' }).click();
      await listOf(`?${filters.replace('field.vegan=false&', '')}`);
      await page.getByRole('link', { name: 'Clear all' }).click();
      await listOf('');
      expect(params()).toEqual([['sort', 'field.launched']]);
    });

    test('a card has the fields of cards, with the words that were searched', async () => {
      await open('/?q=acme&field.vegan=true');
      const lines = page.locator('.results .tile').first().locator('.tile-field');
      expect(await lines.allTextContents()).toEqual(['Brand: Acme', 'Vegan: Yes']);
      expect(await lines.locator('mark').allTextContents()).toEqual(['Acme']);
    });

    test('a product lists its fields, those of the chosen style and of its skus', async () => {
      const products = await api('/products?count=50&include=styles');
      const { id, fields, styles } = products.find(
        (/** @type {any} */ each) => each.fields.tags && each.styles.filter(hasColour).length > 1,
      );
      await open(`/?product=${id}`);
      const rows = page.locator('.features div');
      const value = (/** @type {string} */ title) =>
        rows.filter({ has: page.getByText(title, { exact: true }) }).locator('dd');
      expect(await value('Tags').textContent()).toBe(fields.tags.join(', '));
      for (const style of styles.filter(hasColour)) {
        await page.locator(`input[value="${style.style_id}"]`).check({ force: true });
        expect(await value('Colour').textContent()).toBe(style.fields.colour);
        const ofSkus = Object.values(style.skus).flatMap(skuTexts);
        expect((await rows.filter({ hasText: /^Size / }).allTextContents()).sort()).toEqual(ofSkus.sort());
      }
    });

    test.each([320, 400, 800, 1280])('is no wider than %d, and without a violation of WCAG', async (width) => {
      await page.setViewportSize({ width, height: 800 });
      for (const target of ['/?field.launched=2018-01-01T00:30:00Z..&field.weight_g=20..317.5', '/?product=1']) {
        await open(target);
        const filters = page.getByRole('button', { name: /^Filters/ });
        if (await filters.isVisible()) await filters.click();
        expect([target, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([target, width]);
        expect(await axeFinds(page)).toEqual([]);
      }
    });
  });

  test('shows the list of a later load, whose fields are others', async () => {
    const gone = { name: 'field.gone', of: 'products', type: 'text', facet: true, sort: false };
    await page.route('**/catalog', (route) => route.fulfill({ json: { fields: [gone] } }), { times: 1 });
    await open();
    await listOf('');
    await group('Brand').waitFor();
    expect(await group('Gone').count()).toBe(0);
  });

  test('shows the list without fields while /catalog fails, and with them afterwards', async () => {
    await page.route('**/catalog', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 });
    await open();
    await listOf('');
    expect(await group('Brand').count()).toBe(0);
    await page.getByRole('checkbox', { name: 'On sale' }).check();
    await group('Brand').waitFor();
  });
});
