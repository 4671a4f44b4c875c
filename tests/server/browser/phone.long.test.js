'use strict';

const { useBrowser, withoutBrowser } = require('../../helpers/browser');
const { unless } = require('../../helpers/skip');

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

unless(withoutBrowser).describe('the explorer on a phone', () => {
  const used = useBrowser(60);

  test('shows list, filters and product without scrolling sideways', async () => {
    const { context, page, errors } = await used.open(phone);
    // Not compared with innerWidth: a phone zooms out of a page that is too wide.
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    const { total } = await (await fetch(`${used.url}/search?category=Jackets`)).json();
    await page.goto('/');
    await page.getByRole('heading', { name: 'All products' }).waitFor();
    expect(await width()).toBe(phone.viewport.width);
    expect(await page.locator('#filters').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Filters' }).tap();
    await page.getByRole('checkbox', { name: 'Jackets' }).check();
    await page.locator('.total', { hasText: `${total} products` }).waitFor();
    expect(await width()).toBe(phone.viewport.width);
    await page.getByRole('button', { name: `Show ${total} products` }).tap();
    expect(await page.locator('#filters').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Filters (1)' }).waitFor();
    expect(errors).toEqual([]);
    for (const target of [
      '/?product=1',
      `/?product=${used.markupId}`,
      '/?product=11',
      '/?q=zzzzzz',
      `/?category=${'W'.repeat(150)}`,
      '/?product=999999',
    ]) {
      await page.goto(target);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect([target, await width()]).toEqual([target, phone.viewport.width]);
    }
    await context.close();
  });
});
