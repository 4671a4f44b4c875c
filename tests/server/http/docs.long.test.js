'use strict';

const http = require('node:http');

const { usePage, withoutBrowser } = require('../../helpers/browser');
const { unless } = require('../../helpers/skip');

unless(withoutBrowser).describe('the page about the API', () => {
  const used = usePage(60);

  test.each(['', '/shop/api'])('tries a request, with the prefix %j of a proxy', async (prefix) => {
    const page = used.page();
    /** @type {string[]} */
    const targets = [];
    const proxy = http.createServer((req, res) => {
      targets.push(String(req.url));
      const target = used.url + String(req.url).slice(prefix.length);
      http.get(target, (reply) => reply.pipe(res.writeHead(Number(reply.statusCode), reply.headers)));
    });
    await new Promise((resolve) => void proxy.listen(0, '127.0.0.1', () => resolve(null)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (proxy.address());
    try {
      await page.goto(`http://127.0.0.1:${port}${prefix}/docs`);
      await page.locator('#operations-products-getRelated button.opblock-summary-control').click();
      await page.getByRole('button', { name: 'Try it out' }).click();
      await page.getByPlaceholder('product_id').fill('1');
      await page.getByRole('button', { name: 'Execute' }).click();
      await page.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
      expect(targets.at(-1)).toBe(`${prefix}/products/1/related`);
      expect(used.errors()).toEqual([]);
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  });
});
