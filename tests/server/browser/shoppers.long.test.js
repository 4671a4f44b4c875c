'use strict';

const fs = require('node:fs');
const path = require('node:path');

const { openBrowser, usePage, withoutBrowser } = require('../../helpers/browser');
const { unless } = require('../../helpers/skip');

const long = { id: 1_000_001, name: 'W'.repeat(150) };
const hebrew = { id: 1_000_002, name: 'מעיל גשם (ארוך)', photo: '//images.example.com/1.svg' };

/** Two products: one whose texts have no space, one in Hebrew whose photo has no scheme. @param {string} data folder of the CSVs */
function addProducts(data) {
  const add = (/** @type {string} */ file, /** @type {(number | string)[]} */ ...row) =>
    fs.appendFileSync(path.join(data, `${file}.csv`), `${row.map((cell) => JSON.stringify(cell)).join(',')}\n`);
  for (const { id, name, category, photo } of [
    { ...long, category: long.name, photo: '' },
    { ...hebrew, category: 'מעילים' },
  ]) {
    add('product', id, name, `${name}!`, `${name}.`, category, 99);
    add('styles', id, id, `${name} כחול`, 'null', 99, 1);
    add('skus', id, id, name.slice(0, 40), 8);
    add('features', id, id, name.slice(0, 100), name);
    add('related', id, id, 1);
    if (photo) add('photos', id, id, photo, photo);
  }
}

unless(withoutBrowser).describe('the explorer', () => {
  const used = usePage(60, addProducts);
  const { heading } = used;
  /** @type {import('playwright-core').Page} */
  let page;
  beforeEach(() => void (page = used.page()));
  afterEach(() => expect(used.errors()).toEqual([]));

  test('takes 49,90 as a price, and says what is none', async () => {
    await page.goto('/');
    const field = page.getByLabel('Highest price');
    await field.fill('149,90');
    await field.press('Enter');
    await page.getByText('Up to $149.90').waitFor();
    expect(new URL(page.url()).searchParams.get('max_price')).toBe('149.90');
    expect(await field.inputValue()).toBe('149.90');
    await field.fill('cheap');
    expect(await field.evaluate((/** @type {HTMLInputElement} */ each) => each.validationMessage)).toContain('49.90');
  });

  test('shows a photo whose address has no scheme', async () => {
    await page.goto(`/?product=${hebrew.id}`);
    await heading(hebrew.name);
    const photo = page.locator('.gallery-large img');
    await photo.waitFor();
    expect(await photo.evaluate((/** @type {HTMLImageElement} */ img) => img.src)).toBe(`http:${hebrew.photo}`);
  });

  test('writes Hebrew from right to left, wherever a text of the catalog is shown', async () => {
    const isHebrew = /[\u0590-\u05ff]/;
    const wrong = () =>
      page.evaluate((source) => {
        const found = [];
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let node = texts.nextNode(); node; node = texts.nextNode()) {
          const parent = /** @type {Element} */ (node.parentElement);
          if (!new RegExp(source).test(String(node.nodeValue)) || parent.closest('.hidden, .request')) continue;
          if (getComputedStyle(parent).direction !== 'rtl') found.push(`${parent.outerHTML}`.slice(0, 200));
        }
        return found;
      }, isHebrew.source);
    for (const target of [
      `/?product=${hebrew.id}`,
      '/?q=מעיל',
      '/?category=מעילים&size=מעיל+גשם+(ארוך)',
      '/?q=מעיל+zzzzzz',
    ]) {
      await page.goto(target);
      await heading(/./);
      expect(await wrong()).toEqual([]);
    }
    await page.locator('#q').fill('מע');
    await page.getByRole('option').first().waitFor();
    expect(await wrong()).toEqual([]);
    expect(await page.locator('#q').evaluate((field) => getComputedStyle(field).direction)).toBe('rtl');
  });

  test.each([320, 360, 768, 1280])('is no wider than %d, with names of 150 letters', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    const chosen = new URLSearchParams({ category: long.name, size: long.name.slice(0, 40) });
    for (const target of [`/?product=${long.id}`, `/?q=${long.name}`, `/?${chosen}`, '/', '/?product=1']) {
      await page.goto(target);
      await heading(/./);
      const filters = page.getByRole('button', { name: /^Filters/ });
      if (await filters.isVisible()) await filters.click();
      expect([target, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([target, width]);
    }
    await page.locator('#q').fill('WWW');
    await page.getByRole('option').first().waitFor();
    expect(await page.locator('#suggestions').evaluate((list) => list.scrollWidth - list.clientWidth)).toBe(0);
  });

  test('has no field with letters that make a phone zoom', async () => {
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto('/');
    await heading('All products');
    const sizes = await page
      .locator('input, select, textarea')
      .evaluateAll((fields) => fields.map((field) => [field.id, Number.parseFloat(getComputedStyle(field).fontSize)]));
    expect(sizes.length).toBeGreaterThan(10);
    expect(sizes.filter(([, size]) => Number(size) < 16)).toEqual([]);
  });

  test.each([false, true])('shows what has the focus, with the bar of the request: %s', async (withBar) => {
    await page.setViewportSize({ width: 390, height: 640 });
    await page.goto('/');
    await heading('All products');
    if (withBar) await page.getByLabel('Show the request').check();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.locator('#panel-switch').focus();
    const seen = new Set();
    for (let step = 0; step < 60; step += 1) {
      await page.keyboard.press('Tab');
      const { id, covered } = await page.evaluate(() => {
        const element = /** @type {Element} */ (document.activeElement);
        const { left, top, width, height } = element.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        return {
          id: element.id,
          covered: !hit || !(element.contains(hit) || hit.contains(element)) ? `${hit?.outerHTML}` : '',
        };
      });
      expect([id, covered.slice(0, 200)]).toEqual([id, '']);
      seen.add(id);
    }
    expect(seen.size).toBeGreaterThan(20);
  });

  test('hides the request bar until the switch in the footer shows it, also at the next visit', async () => {
    await page.goto('/');
    await heading('All products');
    expect(await page.locator('#request').isVisible()).toBe(false);
    await page.getByLabel('Show the request').check();
    await page.locator('#request summary').getByText('/search?').waitFor();
    await page.goto('/?product=1');
    await page.locator('#request summary').getByText('/products/1?').waitFor();
    await page.getByLabel('Show the request').uncheck();
    expect(await page.locator('#request').isVisible()).toBe(false);
  });

  test('works in a browser that keeps nothing', async () => {
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('blocked', 'SecurityError');
          },
        });
    });
    await page.goto('/');
    await heading('All products');
    await page.getByLabel('Show the request').check();
    await page.locator('#request summary').getByText('/search?').waitFor();
  });
});

unless(withoutBrowser).describe('the explorer in colours of the reader', () => {
  const used = usePage(60);

  test('shows what is chosen', async () => {
    const browser = await openBrowser();
    const context = await browser.newContext({ baseURL: used.url, forcedColors: 'active' });
    const page = await context.newPage();
    /** @param {string} one @param {string} other @param {string[]} properties that differ */
    const differ = async (one, other, properties) => {
      const [first, second] = await Promise.all(
        [one, other].map((selector) =>
          page
            .locator(selector)
            .first()
            .evaluate((each, names) => names.map((name) => getComputedStyle(each).getPropertyValue(name)), properties),
        ),
      );
      expect([one, first]).not.toEqual([one, second]);
    };
    try {
      await page.goto('/');
      await page.locator('[id="size=M"]').check();
      await page.locator('.chip').waitFor();
      await differ('.sizes .choice:has(:checked)', '.sizes .choice:not(:has(:checked))', ['background-color', 'color']);
      await differ('.pages [aria-current]', '.pages a:not([aria-current])', ['background-color', 'color']);
      await page.locator('#q').fill('ja');
      await page.locator('[role=option]').first().waitFor();
      await page.keyboard.press('ArrowDown');
      await differ('[role=option][aria-selected=true]', '[role=option][aria-selected=false]', ['background-color']);
      await page.goto('/?product=1');
      await page.locator('.styles :checked + .picture').waitFor();
      await differ('.styles :checked + .picture', '.styles :not(:checked) + .picture', ['outline-style']);
    } finally {
      await browser.close();
    }
  });
});
