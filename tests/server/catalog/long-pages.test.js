'use strict';

const { once } = require('node:events');
const http = require('node:http');
const net = require('node:net');
const { gunzipSync } = require('node:zlib');

const { serveCatalog, until } = require('../../helpers/app');

/** Products of 30 KB in a list: 300 of them fit into no socket buffer. */
const wideProducts = `
  INSERT INTO {schema}.products (id, name, slogan, description, category, default_price)
  SELECT i, 'Product ' || i, 'slogan', repeat('long text ', 3000), 'Shoes', i
  FROM generate_series(1, 700) AS i;`;

describe('a long list', () => {
  const served = serveCatalog(wideProducts, { PG_BULK_ROWS_IN_FLIGHT: 600 });
  const path = (/** @type {number} */ after) => `/products?after=${after}&count=300`;
  const status = async (/** @type {number} */ after) => {
    const reply = await fetch(served.app.url + path(after));
    await reply.arrayBuffer();
    return reply.status;
  };
  const isAnswered = async () => (await status(5)) === 200;

  /** Sends a request and reads no body. @param {number} after */
  async function askAndWait(after) {
    const request = http.get(served.app.url + path(after));
    const [reply] = await once(request, 'response');
    return /** @type {http.IncomingMessage} */ (reply);
  }

  test('counts until its last byte is sent: the next is refused, and short ones are answered', async () => {
    const [first, second] = [await askAndWait(1), await askAndWait(2)];
    expect(await status(3)).toBe(503);
    expect((await fetch(`${served.app.url}/products?count=5`)).status).toBe(200);
    expect((await fetch(`${served.app.url}/products/7`)).status).toBe(200);
    const texts = await Promise.all([first, second].map((reply) => new Response(/** @type {any} */ (reply)).json()));
    expect(texts.map((list) => [list.length, list[0].id, list.at(-1).id])).toEqual([
      [300, 2, 301],
      [300, 3, 302],
    ]);
    await until(isAnswered);
  });

  test.each([
    ['while it is sent', 1],
    ['while another waits behind it on its connection', 2],
  ])('no longer counts when its client has disconnected %s', async (_, requests) => {
    const { hostname, port } = new URL(served.app.url);
    const socket = net.connect(Number(port), hostname);
    for (let index = 0; index < requests; index += 1)
      socket.write(`GET ${path(10 + index)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'readable'); // the head of the first reply
    await until(async () => (await status(20)) === (requests === 1 ? 200 : 503));
    socket.destroy();
    await until(async () => (await Promise.all([status(30), status(31)])).every((each) => each === 200));
  });

  test.each(['identity', 'gzip'])('has the same bytes for all simultaneous requests (%s)', async (encoding) => {
    const ask = async () => {
      const request = http.get(served.app.url + path(40), { headers: { 'accept-encoding': encoding } });
      const [reply] = await once(request, 'response');
      const body = Buffer.concat(await reply.toArray());
      return encoding === 'gzip' ? gunzipSync(body) : body;
    };
    const bodies = await Promise.all(Array.from({ length: 5 }, ask));
    const { rows } = await served.catalog.client.query(
      `SELECT '[' || string_agg(head || '}', ',' ORDER BY id) || ']' AS text
       FROM catalog.product_documents WHERE id > 40 AND id <= 340`,
    );
    expect(bodies.map(String)).toEqual(Array(5).fill(rows[0].text));
  });
});
