'use strict';

const { useBrowser, withoutBrowser } = require('../../helpers/browser');
const { SHOP } = require('../../helpers/shops');
const { unless } = require('../../helpers/skip');

/** A price as it is shown, with all that may stand before and behind it. */
const PRICE = { EUR: /^€[\d,]+(\.\d\d)?$/, JPY: /^¥[\d,]+$/, none: /^\$[\d,]+(\.\d\d)?$/ };

unless(withoutBrowser).describe('the explorer', () => {
  describe.each(/** @type {const} */ (['EUR', 'JPY', 'none']))('with the currency %s', (currency) => {
    const used = useBrowser(60, undefined, currency === 'none' ? {} : { ...SHOP, SHOP_CURRENCY: currency });

    test.each([400, 800, 1280])('shows all prices in it, %d px wide', async (width) => {
      const { context, page, errors } = await used.open({ viewport: { width, height: 900 } });
      for (const target of ['/', '/?product=8', '/?min_price=20&max_price=1234.5']) {
        await page.goto(target); // anew, so that each view is the first one
        await page.getByRole('heading', { level: 1 }).waitFor();
        const shown = await page
          .locator(':is(.tile, .offer) .price > :is(span:not(.hidden, .from), s)')
          .allTextContents();
        expect(shown.length).toBeGreaterThan(0);
        expect(shown.filter((text) => !PRICE[currency].test(text))).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      }
      const chip = { EUR: '€20 – €1,234.50', JPY: '¥20 – ¥1,235', none: '$20 – $1,234.5' }[currency];
      await page.locator('.chip', { hasText: chip }).waitFor();
      expect(errors).toEqual([]);
      await context.close();
    });
  });
});
