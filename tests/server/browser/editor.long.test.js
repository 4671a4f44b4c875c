'use strict';

const { axeFinds, openBrowser, openPage, withoutBrowser } = require('../../helpers/browser');
const { unless } = require('../../helpers/skip');
const { callerOf, prepareWrites, serveWriter } = require('../../helpers/writer');

const SCOPES = ['content', 'history', 'stock', 'changes'];

/** @typedef {import('playwright-core').Page} Page @typedef {Awaited<ReturnType<typeof openPage>>} Opened */

unless(withoutBrowser).describe('the editing view', () => {
  jest.setTimeout(90_000); // a browser beside other tests on a loaded two-core machine
  const served = serveWriter();
  /** @type {string} */
  let key;
  /** @type {import('playwright-core').Browser} */
  let browser;
  /** @type {Opened} */
  let opened;
  /** @type {Page} */
  let page;
  /** Calls the writer as another editor. @type {typeof served.call} */
  let call;

  beforeAll(async () => {
    key = await prepareWrites(served.catalog, { name: 'desk', scopes: SCOPES });
    call = callerOf(served.app.url, await prepareWrites(served.catalog, { name: 'other', scopes: SCOPES }));
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    opened = await openPage(browser, { baseURL: served.app.url });
    ({ page } = opened);
  });
  afterEach(() => opened.context.close());

  /** Types the key in, as Änne. @param {string} [target] @param {string} [typed] */
  async function begin(target = '/', typed = key) {
    await page.goto(target);
    await page.getByLabel('API key').fill(typed);
    await page.getByLabel('Your name').fill('Änne');
    await page.getByRole('button', { name: 'Begin' }).click();
  }
  const heading = (/** @type {string} */ name) => page.getByRole('heading', { level: 1, name }).waitFor();
  const field = (/** @type {string} */ label) => page.getByLabel(label, { exact: true }).first();
  const save = async () => page.getByRole('button', { name: 'Save', exact: true }).click();
  const saved = (/** @type {number} */ revision) => page.getByText(`Saved as revision ${revision}.`).waitFor();
  /** Keeps the changes of others from the page until they are released. */
  async function holdFeed() {
    const held = Promise.withResolvers();
    await page.route('**/changes/stream*', async (route) => {
      await held.promise;
      await route.continue();
    });
    return { release: () => held.resolve(undefined) };
  }
  /** The browser reports each refusal of the API, and photos that are on no network. */
  const unexpected = () => opened.errors.filter((error) => !/status of 4\d\d|ERR_NAME_NOT_RESOLVED/.test(error));

  test('asks for a key, keeps it in the tab alone, and asks again when it is refused', async () => {
    await begin('/?product=1', 'secret');
    await page.getByText('A key begins with ck_').waitFor();
    await begin('/?product=1', `ck_00000000_${'x'.repeat(32)}`);
    await page.getByText('The key is unknown or revoked.').waitFor();
    await begin('/?product=1');
    await heading('Camo "\\" Onesie');
    expect(page.url()).not.toContain('ck_');
    await page.reload();
    await heading('Camo "\\" Onesie');
    const other = await opened.context.newPage();
    await other.goto('/?product=1');
    await other.getByLabel('API key').waitFor();
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByLabel('API key').waitFor();
    expect(unexpected()).toEqual([]);
  });

  test('changes fields, features, related products, styles, photos and skus, and says who and why', async () => {
    const { body: before } = await call('GET', '/products/2');
    await begin();
    await page.getByLabel('Product id').fill('2');
    await page.getByRole('button', { name: 'Open' }).click();
    await heading(before.name);
    await field('Default price').fill('55');
    await page.getByRole('button', { name: 'Add feature' }).click();
    await page.keyboard.type('Lining');
    await page.getByRole('button', { name: 'Add related product' }).click();
    await page.keyboard.type('1');
    await page.getByRole('button', { name: 'Add style' }).click();
    const style = page.getByRole('group', { name: /^style new/ });
    await style.getByLabel('Name', { exact: true }).fill('Moss');
    await style.getByLabel('Price', { exact: true }).fill('60.5');
    await style.getByRole('button', { name: 'Add photo' }).click();
    await style.getByLabel('Thumbnail URL').fill('https://images.example.com/1s.jpg');
    await style.getByLabel('URL', { exact: true }).fill('https://images.example.com/1.jpg');
    await style.getByRole('button', { name: 'Add sku' }).click();
    await style.getByLabel('Size of a new sku').fill('XL');
    await style.getByLabel('Quantity').fill('3');
    await field('Reason').fill('für den Winter');
    await save();
    await saved(2);
    const { body: after } = await call('GET', '/products/2');
    expect(after.default_price).toBe('55.00');
    expect(after.features).toEqual([...before.features, { feature: 'Lining', value: null }]);
    expect(after.related).toEqual([...before.related, 1]);
    const [made] = Object.values(after.styles).filter(({ name }) => name === 'Moss');
    expect(made).toMatchObject({
      original_price: '60.50',
      sale_price: null,
      photos: [{ url: 'https://images.example.com/1.jpg' }],
    });
    const { revisions } = (await call('GET', '/products/2/revisions')).body;
    expect(revisions[0]).toMatchObject({ actor: 'desk', on_behalf: 'Änne', reason: 'für den Winter' });
    // The new style has its id now, so a second save is no second style.
    await page
      .getByRole('group', { name: /^style 15/ })
      .getByRole('button', { name: /^Remove photo/ })
      .click();
    await save();
    await saved(3);
    expect(Object.keys((await call('GET', '/products/2')).body.styles)).toEqual(Object.keys(after.styles));
    expect(unexpected()).toEqual([]);
  });

  test('shows each validation error at its field', async () => {
    await begin('/?product=5');
    await heading('Repeats');
    await field('Default price').fill('12,50');
    await page.getByRole('button', { name: 'Add related product' }).click();
    await page.keyboard.type('999');
    await page.getByRole('button', { name: 'Add feature' }).click();
    await save();
    const price = field('Default price');
    const priceIs = (/** @type {string} */ invalid) => price.and(page.locator(`[aria-invalid=${invalid}]`)).waitFor();
    await priceIs('true');
    await price.fill('12.50');
    await save();
    const related = page.getByText('There is no product 999.').last();
    await related.waitFor();
    await priceIs('false');
    await page.getByRole('button', { name: /^\/related\/\d+$/ }).click();
    const described = await page.evaluate(() => {
      const ids = document.activeElement?.getAttribute('aria-describedby') ?? '';
      return document.getElementById(ids.split(' ').at(-1) ?? '')?.textContent;
    });
    expect(described).toBe('There is no product 999.');
    expect(unexpected()).toEqual([]);
  });

  test('never saves over what somebody else has written without showing it', async () => {
    await begin('/?product=7');
    await heading('Last');
    await field('Slogan').fill('mine');
    await call('PATCH', '/products/7', { slogan: 'theirs', category: '<b>Theirs</b>' }, { 'X-Actor': 'Bo' });
    await save();
    await page.getByRole('heading', { name: /changed this product/ }).waitFor();
    const row = page.getByRole('row', { name: '/slogan' });
    expect(await row.getByRole('cell').allTextContents()).toEqual(['-', 'theirsUse theirs', 'mine']);
    await page.getByRole('button', { name: 'Use their /category' }).click();
    expect(await field('Category').inputValue()).toBe('<b>Theirs</b>');
    await page.getByRole('button', { name: 'Save mine over theirs' }).click();
    await saved(3);
    expect((await call('GET', '/products/7')).body).toMatchObject({ slogan: 'mine', category: '<b>Theirs</b>' });
    expect(unexpected()).toEqual([]);
  });

  test('makes a product, deletes it, shows its history and brings it back', async () => {
    await begin('/?new');
    await heading('New product');
    for (const [label, text] of [
      ['Name', 'Moss Parka'],
      ['Slogan', '-'],
      ['Description', '-'],
      ['Category', 'Jackets'],
      ['Default price', '9'],
    ])
      await field(label).fill(text);
    await page.getByRole('button', { name: 'Create' }).click();
    await heading('Moss Parka');
    const id = new URL(page.url()).searchParams.get('product');
    await page.getByText('Delete this product').click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await heading(`History of product ${id}`);
    expect((await call('GET', `/products/${id}`)).status).toBe(404);
    await page.getByRole('button', { name: 'Show 1' }).click();
    await page.getByRole('cell', { name: 'Moss Parka' }).waitFor();
    await page.getByRole('button', { name: 'Roll back 1' }).click();
    await page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await page.getByText('Write why').waitFor();
    await field('Reason').fill('by mistake');
    await page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await page.getByText('“by mistake”').waitFor();
    await page.getByRole('button', { name: 'Compare with now 1' }).click();
    await page.getByText('have the same content').waitFor();
    expect((await call('GET', `/products/${id}`)).body.name).toBe('Moss Parka');
    expect(unexpected()).toEqual([]);
  });

  test('says at once what others change while it is open, and nothing of its own saves', async () => {
    await begin('/?product=4');
    await heading('Bare');
    await page.evaluate(() => {
      const said = /** @type {any} */ (Object.assign(window, { said: new Set() })).said;
      const note = () => document.querySelectorAll('.trouble').forEach(({ textContent }) => said.add(textContent));
      new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
    });
    await field('Slogan').fill('own');
    await save();
    await saved(2);
    await call('PATCH', '/products/7', { slogan: 'of another product' });
    await call('PATCH', '/products/4', { category: 'Shoes' });
    await page.getByText('other changed this product just now /category').waitFor();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('row', { name: '/category' }).waitFor();
    const said = /** @type {string[]} */ (await page.evaluate(() => [.../** @type {any} */ (window).said]));
    expect(said.filter((text) => !text.startsWith('other changed this product'))).toEqual([]);
    await page.goto('/?product=4&view=history');
    await page.getByText('desk, ').first().waitFor();
    await call('PATCH', '/products/4', { category: 'Boots' });
    await page.getByText('other changed this product just now').waitFor();
    expect(unexpected()).toEqual([]);
  });

  test('sets a quantity only over the one that was seen', async () => {
    const styles = async () => (await call('GET', '/products/1/stock')).body.styles;
    const quantities = async () => (await styles())[0].skus.map((/** @type {any} */ { quantity }) => quantity);
    expect(await quantities()).toEqual([8, 0, 17]);
    // The page would learn of the other's quantity before it sends its own.
    const feed = await holdFeed();
    await begin('/?product=1&view=stock');
    await heading('Stock of product 1');
    const sku = page.getByRole('form', { name: 'Sku 37' });
    const set = async (/** @type {string} */ text) => {
      await sku.getByRole('textbox').fill(text);
      await sku.getByRole('button', { name: 'Set' }).click();
    };
    await set('many');
    await sku.getByText('Write a whole number').waitFor();
    await set('5');
    await sku.getByText('5 in stock, set just now').waitFor();
    await call('PUT', '/skus/37/quantity', { quantity: 2, was: 5 });
    await set('6');
    await sku.getByText('there are 2, not 5').waitFor();
    expect(await quantities()).toEqual([2, 0, 17]);
    await set('6');
    await sku.getByText('6 in stock, set just now').waitFor();
    feed.release();
    await call('PUT', '/skus/37/quantity', { quantity: 4, was: 6 });
    await sku.getByText('4 in stock').waitFor();
    expect(await sku.getByRole('textbox').inputValue()).toBe('4');
    expect(unexpected()).toEqual([]);
  });

  describe.each([390, 1280])('at a width of %d', (width) => {
    const targets = [
      '/',
      '/?new',
      '/?product=1',
      '/?product=1&view=stock',
      '/?product=1&view=history',
      '/?product=999',
    ];
    test.each(targets)(
      'axe finds nothing at %s, in light and dark, and it does not scroll sideways',
      async (target) => {
        await page.setViewportSize({ width, height: 900 });
        await begin(target);
        await page.getByRole('button', { name: 'Forget the key' }).waitFor();
        await page.getByRole('heading', { level: 1 }).waitFor();
        for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
          await page.emulateMedia({ colorScheme });
          expect([colorScheme, await axeFinds(page)]).toEqual([colorScheme, []]);
        }
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      },
    );
  });
});
