'use strict';

const { rateLimitOf } = require('../../../nginx/rate-limit');
const { startNginx } = require('../../../scripts/local/nginx');
const { hold, usePage, withoutBrowser } = require('../../helpers/browser');
const { freePort } = require('../../helpers/servers');
const { unless } = require('../../helpers/skip');

unless(withoutBrowser).describe('a first visit of the explorer', () => {
  const used = usePage(60);
  const { heading } = used;
  /** @type {import('playwright-core').Page} */
  let page;
  beforeEach(() => void (page = used.page()));

  test('shows the products with CATALOG_RATE_LIMIT=2, which still limits the API', async () => {
    const port = await freePort();
    const workers = [new URL(used.url).host];
    const rateLimit = rateLimitOf({ CATALOG_RATE_LIMIT: '2' });
    const nginx = await startNginx({ dir: used.dir, port, workers, rateLimit });
    try {
      /** @type {number[]} */
      const statuses = [];
      page.on('response', (response) => void statuses.push(response.status()));
      await page.goto(`http://127.0.0.1:${port}/`);
      await heading('All products');
      await page.goto(`http://127.0.0.1:${port}/docs`);
      await page.locator('.opblock').first().waitFor();
      expect(statuses.length).toBeGreaterThan(35);
      expect(statuses.filter((status) => status >= 400)).toEqual([]);
      const calls = Array.from({ length: 60 }, () => fetch(`http://127.0.0.1:${port}/search?count=1`));
      expect((await Promise.all(calls)).map(({ status }) => status)).toContain(429);
    } finally {
      await nginx.stop();
    }
  });

  const sentence = () => page.getByText('The products are on their way.');
  const isPainted = () => performance.getEntriesByName('first-contentful-paint').length > 0;

  test.each(['browser/shop/main.js', 'client/words.js', 'browser/shared/base.css'])(
    'without %s says so, and has a link that loads the page again',
    async (file) => {
      let visits = 0;
      page.on('request', (sent) => void (sent.isNavigationRequest() && (visits += 1)));
      await page.route(`**/${file}`, (route) =>
        visits > 1 ? route.continue() : route.fulfill({ status: 503, body: '' }),
      );
      await page.goto('/?category=Jackets', { waitUntil: 'commit' });
      if (file.endsWith('.js')) {
        await sentence().waitFor();
        await page.waitForFunction(isPainted);
        await page.getByRole('link', { name: 'reload this page' }).click();
      }
      await heading('Jackets');
    },
  );

  test.each(['browser/shop/written.js', 'browser/shop/browse.css'])('says so while %s hangs', async (file) => {
    const slow = await hold(page, `**/${file}`);
    await page.goto('/?category=Jackets', { waitUntil: 'commit' });
    await slow.asked;
    await sentence().waitFor();
    await page.waitForFunction(isPainted);
    await slow.release();
    await heading('Jackets');
    expect(await sentence().count()).toBe(0);
  });

  test('a page without style sheets has no picture larger than a tile', async () => {
    await page.route('**/*.css', (route) => route.fulfill({ status: 503, body: '' }));
    await page.route('https://images.example.com/**', (route) => route.abort());
    for (const target of ['/', '/?product=1']) {
      await page.goto(target);
      await heading(/./);
      const widths = await page.locator('svg, img').evaluateAll((all) => all.map((each) => each.clientWidth));
      expect(widths.length).toBeGreaterThan(3);
      expect(Math.max(...widths)).toBeLessThanOrEqual(200);
    }
  });
});
