'use strict';

const { once } = require('node:events');
const http = require('node:http');
const { setTimeout: pause } = require('node:timers/promises');
const { gunzipSync } = require('node:zlib');

const { createCatalog } = require('../../helpers/database');
const { startReadyWorker } = require('../../helpers/worker');

/** Lists of 201 to 400 of them have 2 to 4 MB, which take gzip tens of milliseconds. */
const wideProducts = `
  INSERT INTO {schema}.products (id, name, slogan, description, category, default_price)
  SELECT i, 'Product ' || i, 'slogan', (SELECT string_agg(md5(i || '-' || j), ' ') FROM generate_series(1, 300) AS j), 'Shoes', i
  FROM generate_series(1, 700) AS i;`;

const BREAKING = 6;
const BROKEN_EACH = 60;
/** A client leaves after up to so long: before, during and after the compression. */
const LEAVES_WITHIN_MS = 100;

const gzip = { 'accept-encoding': 'gzip' };

/** @param {string} url @returns {Promise<{ status: number | undefined, body: Buffer }>} a whole reply */
async function read(url) {
  const [reply] = /** @type {[http.IncomingMessage]} */ (await once(http.get(url, { headers: gzip }), 'response'));
  const bytes = Buffer.concat(await reply.toArray());
  return { status: reply.statusCode, body: reply.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes };
}

/** Requests long lists one after another, and leaves each before its end. @param {string} url @param {number} client */
async function breakOff(url, client) {
  for (let turn = 0; turn < BROKEN_EACH; turn += 1) {
    const count = 201 + ((client * BROKEN_EACH + turn) % 200);
    const request = http.get(`${url}/products?count=${count}`, { headers: gzip, agent: false }).on('error', () => {});
    await pause((turn * 37 + client * 11) % LEAVES_WITHIN_MS);
    request.destroy();
  }
}

describe('clients that request long lists and disconnect', () => {
  test('end no worker, and leave the replies of other clients whole', async () => {
    const catalog = await createCatalog(wideProducts);
    const worker = await startReadyWorker({ DATABASE_URL: catalog.dsn, EVENT_LOOP_LAG_LIMIT_MS: 60_000 });
    try {
      const { body: whole } = await read(`${worker.url}/products?count=333`);
      const state = { isOver: false };
      const bad = /** @type {unknown[]} */ ([]);
      const honest = async (/** @type {string} */ path, /** @type {(body: Buffer) => boolean} */ isRight) => {
        do {
          const { status, body } = await read(worker.url + path).catch((error) => ({ status: error, body: whole }));
          if (status !== 503 && !(status === 200 && isRight(body))) bad.push([path, status, String(body).slice(0, 80)]);
        } while (!state.isOver);
      };
      const readers = [
        honest('/products?count=333', (body) => body.equals(whole)),
        honest('/products/7', (body) => JSON.parse(String(body)).id === 7),
      ];
      await Promise.all(Array.from({ length: BREAKING }, (_, client) => breakOff(worker.url, client)));
      state.isOver = true;
      await Promise.all(readers);
      expect([bad.slice(0, 3), worker.child.exitCode]).toEqual([[], null]);
    } finally {
      worker.child.kill('SIGKILL');
      await worker.exited;
      await catalog.drop();
    }
  }, 60_000);
});
