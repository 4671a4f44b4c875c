'use strict';

const { makeCertificate } = require('../../helpers/certificate');
const { startNginx } = require('../../../scripts/local/nginx');
const { serveCatalog } = require('../../helpers/app');
const { axeFinds, hold, openBrowser, openPage, usePage, withoutBrowser } = require('../../helpers/browser');
const { freePort } = require('../../helpers/servers');
const { unless } = require('../../helpers/skip');

/** @typedef {import('playwright-core').Page} Page */

/** @param {number} status @param {string} slug @param {Record<string, string>} [headers] */
const problem = (status, slug, headers = {}) => ({
  status,
  headers,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    type: `urn:catalog:problem:${slug}`,
    title: slug,
    status,
    detail: 'A detail.',
    instance: 'urn:request:id-1',
  }),
});

unless(withoutBrowser).describe('the explorer with a slow or failing service', () => {
  const used = usePage(60);
  const { heading } = used;
  /** @type {Page} */
  let page;
  beforeEach(() => void (page = used.page()));

  test('an old slow reply never replaces a newer view', async () => {
    const slow = await hold(page, '**/search?*q=parka*');
    await page.goto('/');
    await heading('All products');
    await page.locator('#q').fill('parka');
    await page.keyboard.press('Enter');
    await slow.asked;
    await page.locator('.results .tile a').first().click();
    await heading('Camo Anorak');
    await slow.release();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Camo Anorak');
    expect(await page.locator('main').getAttribute('aria-busy')).toBe('false');
    expect(used.errors()).toEqual([]);
  });

  test('filters that are chosen before a slow reply has come all count', async () => {
    await page.goto('/');
    await heading('All products');
    const slow = await hold(page, '**/search?category=Jackets&count*');
    await page.getByRole('checkbox', { name: 'Jackets' }).check();
    await slow.asked;
    await page.getByRole('checkbox', { name: /^M \d/ }).check();
    await page.getByRole('link', { name: 'Remove filter Size: M' }).waitFor();
    expect(new URL(page.url()).search).toBe('?category=Jackets&size=M');
    expect(await page.getByRole('checkbox', { name: 'Jackets' }).isChecked()).toBe(true);
    await page.getByLabel('Highest price').fill('100');
    await page.keyboard.press('Enter');
    await page.getByText('Up to $100').waitFor();
    expect(new URL(page.url()).search).toBe('?category=Jackets&size=M&max_price=100');
  });

  test('a slow reply shows a skeleton, then the view', async () => {
    const slow = await hold(page, '**/products/1?*');
    await page.goto('/?product=1');
    await page.locator('.bone').first().waitFor();
    expect(await page.locator('main').getAttribute('aria-busy')).toBe('true');
    await slow.release();
    await heading('Camo Anorak');
    expect(await page.locator('.bone').count()).toBe(0);
  });

  test.each([
    ['overloaded', problem(503, 'overloaded', { 'Retry-After': '7' }), 'The catalog is busy', 'Try again in 7 s.'],
    ['not available', problem(503, 'unavailable'), 'The catalog is not available', 'Try again in a moment.'],
    ['too many requests', problem(429, 'too-many-requests'), 'That was a little fast', 'Try again in a moment.'],
    ['an error', problem(500, 'internal-error'), 'Something went wrong', 'A detail. Reference: urn:request:id-1'],
    [
      'a proxy',
      { status: 502, body: '<h1>Bad gateway</h1>' },
      'Something went wrong',
      'The reply is not from the catalog',
    ],
    ['no reply', null, 'The catalog does not answer', 'Check your connection'],
  ])('%s is explained, and Retry works', async (_, reply, title, text) => {
    await page.route('**/search?*', (route) => (reply ? route.fulfill(reply) : route.abort()));
    await page.goto('/?category=Jackets');
    await heading(title);
    await page.getByText(text).waitFor();
    await page.unroute('**/search?*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await heading('Jackets');
    expect(await page.locator('.results .tile').count()).toBeGreaterThan(0);
  });

  test('an unknown product and an address with a wrong value say so, with a way on', async () => {
    await page.goto('/?product=999999');
    await heading('This product does not exist');
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
    await page.getByRole('link', { name: 'All products', exact: true }).click();
    await heading('All products');
    for (const [target, detail] of [
      ['/?page=0', 'page must be a whole number'],
      ['/?product=x', 'product_id must be a whole number'],
      ['/?min_price=cheap', 'and not "cheap"'],
      ['/?sort=cheapest', 'and not "cheapest"'],
    ]) {
      await page.goto(target);
      await heading('This address does not work');
      await page.getByText(detail).waitFor();
    }
  });

  test('a photo that does not load is replaced by a drawing', async () => {
    await page.route('https://images.example.com/**', (route) => route.abort());
    await page.goto('/?product=1');
    await page.getByRole('img', { name: 'Camo Anorak, Desert Brown & Tan' }).locator('.drawing').waitFor();
    await page.goto('/?product=9'); // its photo has a misspelt scheme
    await page.getByRole('img', { name: 'Broken Link Cap, Black' }).locator('.drawing').waitFor();
    expect(used.errors().filter((error) => !error.includes('net::ERR_FAILED'))).toEqual([]);
  });

  describe.each([390, 1280])('at a width of %d', (width) => {
    const targets = ['/', '/?q=parka+zzzzzz&category=Jackets', '/?product=1', '/?product=3', '/?product=999999'];
    test.each(targets)('axe finds nothing at %s', async (target) => {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(target);
      await heading(/./);
      const filters = page.getByRole('button', { name: /^Filters/ });
      if (await filters.isVisible()) await filters.click();
      if (target === '/') {
        await page.locator('#q').fill('jack');
        await page.locator('[role=option]').first().waitFor();
      }
      expect(await axeFinds(page)).toEqual([]);
    });
  });

  test('works behind nginx by HTTPS, with all photos by HTTP', async () => {
    const certificate = makeCertificate(used.dir);
    if (!certificate) throw new Error('this machine has no openssl');
    const [port, tlsPort] = [await freePort(), await freePort()];
    const tls = { port: tlsPort, certificate: certificate.certFile, key: certificate.keyFile };
    const nginx = await startNginx({ dir: used.dir, port, workers: [new URL(used.url).host], tls });
    const secure = await used.open({ baseURL: `https://127.0.0.1:${tlsPort}`, ignoreHTTPSErrors: true });
    try {
      await secure.page.goto('/?q=parka');
      await secure.page.getByRole('heading', { name: 'Results for “parka”' }).waitFor();
      await secure.page.locator('.results .tile a').first().click();
      await secure.page.locator('.product-text').waitFor();
      expect(secure.errors).toEqual([]);
    } finally {
      await secure.context.close();
      await nginx.stop();
    }
  });
});

unless(withoutBrowser).describe('the explorer of a catalog that was loaded without search', () => {
  const served = serveCatalog();
  test('says so, lists all products, and asks for a search only once', async () => {
    /** @type {string[]} */
    const replied = [];
    for (const event of /** @type {const} */ (['replied', 'repliedAtOnce']))
      served.app.service.events.on(
        event,
        (/** @type {string} */ route) => void (route === 'explorer' || replied.push(route)),
      );
    const browser = await openBrowser();
    const { page } = await openPage(browser, { baseURL: served.app.url });
    try {
      await page.goto('/?q=onesie');
      await page.getByText('This catalog was loaded without search').waitFor();
      expect(await page.locator('.tile-name').allTextContents()).toEqual([
        'Camo "\\" Onesie',
        'Bright Future',
        'Bare',
        'Repeats',
        'Last',
      ]);
      replied.splice(0);
      await page.getByRole('link', { name: 'Catalog, all products' }).click();
      await page.waitForURL(served.app.url);
      await page.locator('main[aria-busy=false]').waitFor();
      expect(replied).toEqual(['products']);
    } finally {
      await browser.close();
    }
  });
});
