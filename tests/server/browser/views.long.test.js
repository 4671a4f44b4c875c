'use strict';

const { hold, usePage, withoutBrowser } = require('../../helpers/browser');
const { unless } = require('../../helpers/skip');

/** @typedef {import('playwright-core').Page} Page */

unless(withoutBrowser).describe('the explorer', () => {
  const used = usePage(300);
  const { heading } = used;
  /** @type {Page} */
  let page;
  beforeEach(() => void (page = used.page()));
  afterEach(() => expect(used.errors()).toEqual([])); // of scripts, of the console and of the policy

  const api = async (/** @type {string} */ target) => (await fetch(used.url + target)).json();
  const tiles = () => page.locator('.results .tile');
  const query = () => new URL(page.url()).search;
  /** Waits until the list has changed to one that the API has, too. @param {number} total */
  const total = (total) => page.locator('.total', { hasText: `${total} product` }).waitFor();

  test('shows the catalog by one request, which it names with its time, bytes and curl', async () => {
    await page.goto('/');
    await heading('All products');
    const { total: wanted, items } = await api('/search');
    await total(wanted);
    expect(await tiles().count()).toBe(24);
    expect(await tiles().first().locator('.tile-name').textContent()).toBe(items[0].name);
    expect(await tiles().first().locator('.price').textContent()).toBe('from $100, before $140');
    await page.getByLabel('Show the request').check();
    const bar = page.locator('#request summary');
    await bar.getByText(/^\d+(\.\d)? m?s · \d+(\.\d)? K?B$/).waitFor();
    expect(await bar.textContent()).toContain('1 request/search?');
    await bar.click();
    const curl = await page.locator('.curl code').textContent();
    expect(curl).toMatch(new RegExp(`^curl --compressed '${used.url}/search\\?.*facets=category`));
    expect(used.replies()).toEqual(['catalog', 'search', 'search']); // the last one is that of this test
    expect(await page.title()).toBe('All products · Catalog');
  });

  test('a deep link shows words, filters, order and page, and all of them can be removed', async () => {
    const wanted = '?q=parka&category=Jackets&in_stock=true&sort=price';
    const { total: count, items } = await api(`/search${wanted}`);
    await page.goto(`/${wanted}&category=Jackets`); // the same value twice is one filter
    await heading('Results for “parka”');
    await total(count);
    expect(await tiles().first().locator('.tile-name').textContent()).toBe(items[0].name);
    expect(await page.locator('#q').inputValue()).toBe('parka');
    expect(await page.locator('#sort').inputValue()).toBe('price');
    expect(await page.getByRole('checkbox', { name: 'Jackets' }).isChecked()).toBe(true);
    expect(await tiles().first().locator('mark').first().textContent()).toMatch(/^parka$/i);
    await page.getByRole('link', { name: 'Remove filter Jackets' }).click();
    await page.getByRole('link', { name: 'Remove filter In stock' }).click();
    await total((await api('/search?q=parka')).total);
    expect(query()).toBe('?q=parka&sort=price');
  });

  test('a filter is one request, keeps the focus, and its count is the new total', async () => {
    await page.goto('/');
    const size = page.getByRole('checkbox', { name: /^M \d/ });
    await size.waitFor();
    const { facets } = await api('/search?facets=size');
    const { count } = facets[0].values.find((/** @type {any} */ { value }) => value === 'M');
    used.replies();
    await size.focus();
    await page.keyboard.press('Space');
    await total(count);
    expect(used.replies()).toEqual(['search']);
    expect(query()).toBe('?size=M');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('size=M');
    expect(await page.locator('#announcer').textContent()).toBe(`All products, ${count} products`);
    await page.getByLabel('Highest price').fill('100');
    await page.keyboard.press('Enter');
    await total((await api('/search?size=M&max_price=100')).total);
    await page.getByText('Up to $100').waitFor();
  });

  test('pages are numbered to the last one, and the way back restores the place on the page', async () => {
    await page.goto('/?sort=name');
    const last = Math.ceil((await api('/search')).total / 24);
    await page.getByRole('link', { name: `Page ${last}` }).click();
    await page.locator(`[aria-current=page]`, { hasText: String(last) }).waitFor();
    expect(await page.evaluate(() => [scrollY, document.activeElement?.tagName])).toEqual([0, 'H1']);
    await page.goBack();
    await page.locator('[aria-current=page]', { hasText: /^Page 1$/ }).waitFor();
    const tile = tiles().nth(17).locator('a');
    await tile.scrollIntoViewIfNeeded();
    const name = String(await tile.locator('.tile-name').textContent());
    await page.evaluate(() => new Promise((done) => void requestAnimationFrame(() => requestAnimationFrame(done))));
    const place = await page.evaluate(() => scrollY);
    expect(place).toBeGreaterThan(300);
    used.replies();
    await tile.click();
    await heading(name);
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.goBack();
    await heading('All products');
    await page.waitForFunction((wanted) => scrollY === wanted, place);
    expect(used.replies()).toEqual(['included', 'search']);
    await page.goForward();
    await heading(name);
  });

  test('a product is one request beside that for the shop, and another style needs none', async () => {
    const { styles, related } = await api('/products/1?include=styles,related');
    used.replies();
    await page.goto('/?product=1');
    await heading('Camo Anorak');
    expect(await page.title()).toBe('Camo Anorak · Catalog');
    const offer = page.locator('.offer');
    expect(await page.getByRole('radio').count()).toBe(styles.length);
    expect(await page.getByRole('radio', { name: 'Desert Brown & Tan' }).isChecked()).toBe(true); // the default one
    await page.getByRole('radio', { name: 'Desert Brown & Tan' }).focus();
    await page.keyboard.press('ArrowUp');
    await offer.getByText('$100').waitFor();
    expect(await offer.locator('s').textContent()).toBe('$140');
    expect(await offer.locator('.size').allTextContents()).toEqual(['XS8 left', 'S16 in stock', 'XL19 in stock']);
    expect(new URLSearchParams(query()).get('style')).toBe(String(styles[0].style_id));
    await page.getByRole('radio', { name: 'Ocean Blue' }).check({ force: true });
    await offer.getByText('sold out').waitFor();
    expect(await page.locator('.related .tile').count()).toBe(related.length);
    expect(used.replies()).toEqual(['catalog', 'included']);
    await page.reload();
    await heading('Camo Anorak');
    expect(await page.getByRole('radio', { name: 'Ocean Blue' }).isChecked()).toBe(true);
  });

  test('a product without styles, photos or sizes is shown with what it has', async () => {
    await page.goto('/?product=3');
    await heading('Morning Joggers');
    await page.getByText('This product has no styles yet.').waitFor();
    expect(await page.locator('.offer .price').textContent()).toBe('$140');
    await page.goto('/?product=2');
    await heading('Bright Sunglasses');
    await page.getByText('This style lists no sizes.').waitFor();
    expect(await page.getByRole('img', { name: 'Bright Sunglasses, Gold Lenses' }).locator('.drawing').count()).toBe(1);
  });

  test('markup in the texts of a product is text, also where it is highlighted', async () => {
    const name = '<img src=x onerror=window.hacked=1> Marked Parka';
    await page.goto('/?q=marked+onerror');
    await page.getByText(name).waitFor();
    expect(await page.locator('.results mark').allTextContents()).toEqual(['onerror', 'Marked']);
    await page.locator('#q').fill('marke');
    await page.getByRole('option', { name }).click();
    await heading(name);
    await page.getByText('<script>window.hacked=1</script>').waitFor();
    await page.getByText('<a href=/x>Canvas</a>').waitFor();
    expect(await page.locator('main :is(script, img[src="x"], u, em)').count()).toBe(0);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
  });

  test('says what it searched instead of a typo, and which words it ignored', async () => {
    await page.goto('/?q=sunglases');
    await page.getByText('Showing results for sunglasses instead of sunglases').waitFor();
    await page.goto('/?q=parka+zzzzzzzz');
    await page.getByText('No product has all words. Ignored: zzzzzzzz.').waitFor();
    await page.goto('/?q=zzzzzzzz');
    await page.getByText('No product matches.').waitFor();
    expect(await page.getByText('Ignored').count()).toBe(0);
    await page.goto('/?q=parka&max_price=0.01');
    await page.getByText('No product matches.').waitFor();
    await page.getByRole('link', { name: 'Remove all filters' }).click();
    await total((await api('/search?q=parka')).total);
  });

  describe('suggestions', () => {
    const field = () => page.getByRole('combobox', { name: 'Search products' });
    const active = () => page.locator('[role=option][aria-selected=true]');

    test('are chosen by the keyboard, and close by Escape', async () => {
      await page.goto('/');
      await field().fill('jack');
      await page
        .getByRole('option', { name: /^jackets/i })
        .first()
        .waitFor();
      expect(await field().getAttribute('aria-expanded')).toBe('true');
      await page.keyboard.press('ArrowUp');
      expect(await active().textContent()).toBe(await page.locator('[role=option]').last().textContent());
      await page.keyboard.press('ArrowDown');
      expect(await active().count()).toBe(0); // the field itself
      await page.keyboard.press('ArrowDown');
      expect(await field().getAttribute('aria-activedescendant')).toBe(await active().getAttribute('id'));
      await page.keyboard.press('Escape');
      expect(await page.locator('#suggestions').isHidden()).toBe(true);
      expect(await field().inputValue()).toBe('jack');
      await page.keyboard.press('ArrowDown');
      await page
        .getByRole('option', { name: /^jackets/i })
        .first()
        .waitFor();
      await field().dispatchEvent('keydown', { key: 'ArrowDown', isComposing: true }); // by an input method
      expect(await active().count()).toBe(0);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await heading('Results for “jackets”');
      expect(query()).toBe('?q=Jackets');
    });

    test('complete the last word only, and Enter without a choice searches what is typed', async () => {
      await page.goto('/');
      await field().fill('canvas park');
      await page.getByRole('option', { name: /^canvas parka/i }).waitFor();
      await page.keyboard.press('Enter');
      await heading('Results for “canvas park”');
    });

    test.each([
      ['blue-park', 'blue-Parka'],
      ['camo ano ', 'camo Anorak'],
      ['(sunglas', '(Sunglasses'],
    ])('of %s keep what comes before the last word', async (typed, completed) => {
      await page.goto('/');
      await field().fill(typed);
      await page.locator('[role=option]').first().waitFor();
      expect(await page.locator('[role=option] > span:first-child').first().textContent()).toBe(completed);
    });

    test('complete no excluded word, and Enter after more letters does not take an older one', async () => {
      await page.goto('/');
      await field().fill('camo -anorak');
      await page.getByRole('group', { name: 'Products' }).waitFor();
      expect(await page.getByRole('group', { name: 'Words' }).count()).toBe(0);
      await field().fill('pa');
      await page.getByRole('option', { name: /^pa/i }).first().waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.type('rka');
      await page.keyboard.press('Enter');
      await heading('Results for “parka”');
    });

    test('of an earlier text never replace those of a later one', async () => {
      const slow = await hold(page, '**/suggest?q=pa&*');
      await page.goto('/');
      await heading('All products');
      await field().fill('pa');
      await slow.asked;
      await field().fill('glasses');
      await field().fill('sunglas');
      await page.getByRole('option', { name: /^sunglasses/i }).waitFor();
      await slow.release();
      expect(await page.locator('[role=option]').first().textContent()).toContain('Sunglasses');
    });
  });

  test('the keyboard reaches everything in order, beginning with a way past the header', async () => {
    await page.goto('/');
    await heading('All products');
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement;
        return `${element?.getAttribute('aria-label') ?? (element?.id || element?.textContent)}`;
      });
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the products');
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('main');
    await page.goto('/?category=Jackets');
    await heading('Jackets');
    const seen = [];
    for (let step = 0; step < 9; step += 1) {
      await page.keyboard.press('Tab');
      seen.push(await focused());
    }
    expect(seen.slice(0, 5)).toEqual(['Skip to the products', 'Catalog, all products', 'q', 'API', 'sort']);
    expect(seen).toContain('on_sale');
  });
});
