'use strict';

const { randomUUID } = require('node:crypto');
const { once } = require('node:events');
const http = require('node:http');
const { Worker } = require('node:worker_threads');

const { startSpanThread } = require('../../../server/observe/tracing/span-thread');
const { patient, until } = require('../../helpers/app');
const { createCatalog, manyProducts } = require('../../helpers/database');
const { redisUrl } = require('../../helpers/servers');
const { startReadyWorker } = require('../../helpers/worker');

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${parentId}-01`;

/** A fake OTLP collector. @param {{ answers?: boolean }} [options] */
async function startCollector({ answers = true } = {}) {
  /** @type {any[]} */
  const spans = [];
  let asked = 0;
  const server = http.createServer(async (req, res) => {
    asked += 1;
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    const { resourceSpans } = JSON.parse(String(Buffer.concat(chunks)));
    for (const { scopeSpans } of resourceSpans)
      spans.push(...scopeSpans.flatMap((/** @type {any} */ scope) => scope.spans));
    if (answers) res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    spans,
    asked: () => asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('traces', () => {
  /** @type {import('../../helpers/database').TestCatalog} */
  let catalog;
  beforeAll(async () => {
    catalog = await createCatalog(manyProducts(100));
  });
  afterAll(async () => catalog?.drop());

  /**
   * A process of its own: the exporter loads http by import(), which Jest does not have.
   * @param {string} url @param {Record<string, string | number>} [more]
   */
  async function start(url, more = {}) {
    const { child, exited, ...urls } = await startReadyWorker({
      DATABASE_URL: catalog.dsn,
      REDIS_KEY_PREFIX: `${randomUUID()}:`,
      OTLP_TRACES_URL: url,
      TRACE_RATIO: 0,
      ...patient,
      ...more,
    });
    return {
      ...urls,
      async close() {
        child.kill('SIGTERM');
        expect(await exited).toEqual([0, null]);
      },
    };
  }

  test("a request is one span below the client's, above those of what it waited for", async () => {
    const collector = await startCollector();
    const app = await start(collector.url, { REDIS_URL: redisUrl() });
    await until(async () => (await (await fetch(`${app.adminUrl}/readyz`)).text()).includes('"cache":"up"'));
    await fetch(`${app.url}/products/2/styles?size=7?&x`, { headers: { traceparent } });
    await app.close();
    collector.close();
    const root = collector.spans.find(({ parentSpanId }) => parentSpanId === parentId);
    expect(root).toMatchObject({ traceId, name: 'GET /products/:product_id/styles', kind: 2 });
    const told = Object.fromEntries(
      root.attributes.map((/** @type {any} */ { key, value }) => [key, value.stringValue]),
    );
    expect(told).toMatchObject({ 'url.path': '/products/2/styles', 'url.query': 'size=7?&x' });
    const below = collector.spans.filter(({ parentSpanId }) => parentSpanId === root.spanId);
    expect(below.map(({ name }) => name).sort()).toEqual(['postgres styles', 'redis get', 'redis set']);
    expect(below.every((span) => span.traceId === traceId)).toBe(true);
  });

  test('a query is in the trace of the request that caused it, and a joined fill is an event', async () => {
    const collector = await startCollector();
    const app = await start(collector.url, { TRACE_RATIO: 1, TRACE_MAX_PER_SECOND: 1000 });
    const ask = () => fetch(`${app.url}/products/2`).then((reply) => reply.text());
    await catalog.client.query('BEGIN; LOCK TABLE catalog.product_documents IN ACCESS EXCLUSIVE MODE');
    const both = [ask(), ask()];
    const reads = async () => (await fetch(`${app.adminUrl}/metrics`)).text();
    await until(async () => (await reads()).includes('catalog_collapsed_reads_total 1'));
    await catalog.client.query('COMMIT');
    await Promise.all(both);
    await ask();
    await fetch(`${app.url}/products/2`, { headers: { 'X-Request-Id': traceId } });
    await app.close();
    collector.close();
    const [begun, ...others] = collector.spans.filter((span) => span.traceId === traceId);
    expect([begun, others]).toMatchObject([{ name: 'GET /products/:product_id' }, []]);
    const roots = collector.spans.filter((span) => !span.parentSpanId && span !== begun);
    const below = collector.spans.filter(({ parentSpanId }) => parentSpanId);
    expect(roots.map(({ events }) => events.length).sort()).toEqual([0, 0, 1]);
    expect(below).toMatchObject([{ name: 'postgres product' }]);
    const [starter, joined] = [0, 1].map((length) => roots.filter(({ events }) => events.length === length));
    expect(starter.map(({ spanId }) => spanId)).toContain(below[0].parentSpanId);
    expect(joined[0].events[0].name).toBe('joined a running fill');
  });

  test('PostgreSQL sees the trace of the query that it runs, and of no other', async () => {
    const app = await start('http://127.0.0.1:9/v1/traces');
    const running = async () => {
      // Inside a transaction the first look at the activity is kept.
      await catalog.client.query('SELECT pg_stat_clear_snapshot()');
      const { rows } = await catalog.client.query(
        `SELECT query FROM pg_stat_activity
         WHERE application_name = 'catalog-short' AND wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return rows.map(({ query }) => query);
    };
    await catalog.client.query('BEGIN; LOCK TABLE catalog.product_documents IN ACCESS EXCLUSIVE MODE');
    const traced = fetch(`${app.url}/products/2`, { headers: { traceparent } });
    const plain = fetch(`${app.url}/products/4`);
    await until(async () => (await running()).length === 2);
    const queries = await running();
    await catalog.client.query('COMMIT');
    expect((await Promise.all([traced, plain])).map(({ status }) => status)).toEqual([200, 200]);
    expect(queries.filter((query) => query.includes(`traceparent='00-${traceId}-`)).length).toBe(1);
    // The traced one was sent under no name; the statement of the others is still the prepared one.
    expect((await fetch(`${app.url}/products/9`)).status).toBe(200);
    // The first list makes the worker count its pages.
    const list = await fetch(`${app.url}/products?page=2&count=5`, { headers: { traceparent } });
    expect(await list.json()).toHaveLength(5);
    await app.close();
  });

  test('a collector that never answers fails no request, and the lost spans are counted', async () => {
    const collector = await startCollector({ answers: false });
    const app = await start(collector.url, { TRACE_RATIO: 1, TRACE_MAX_PER_SECOND: 1000 });
    const lost = async () =>
      Number(/spans_total\{outcome="lost"\} (\d+)/.exec(await (await fetch(`${app.adminUrl}/metrics`)).text())?.[1]);
    const statuses = new Set();
    await until(async () => {
      statuses.add((await fetch(`${app.url}/products/2`)).status);
      return (await lost()) > 0;
    });
    expect(statuses).toEqual(new Set([200]));
    expect(collector.asked()).toBeGreaterThan(0);
    await app.close();
    collector.close();
  });
});

test('with an unresponsive collector, 1,024 spans wait and the others are counted as lost', async () => {
  const collector = await startCollector({ answers: false });
  const spans = { sent: 0, lost: 0 };
  const { send, close } = startSpanThread(
    { url: collector.url, version: '0.0.0' },
    (outcome, count) => (spans[outcome] += count),
  );
  const ids = { traceId, spanId: parentId };
  const offer = () => send({ ...ids, name: 'GET /products', kind: 1, startMs: 1, endMs: 2, attributes: {} });
  const handedOver = jest.spyOn(Worker.prototype, 'postMessage');
  for (let span = 0; span < 20_000; span += 1) offer();
  // As soon as they are a batch: with many traces a second the room would be full before five seconds are over.
  expect(handedOver.mock.calls.map(([spans]) => spans.length)).toEqual([256, 256, 256, 256]);
  handedOver.mockRestore();
  expect(spans).toEqual({ sent: 0, lost: 20_000 - 1024 });
  await until(() => collector.asked() > 0); // one batch is being sent, and takes its room until it has ended
  offer();
  expect(spans).toEqual({ sent: 0, lost: 20_001 - 1024 });
  await until(() => spans.lost > 20_001 - 1024);
  const before = spans.lost;
  offer();
  expect(spans.lost).toBe(before); // what has ended makes room
  collector.close();
  await close();
  expect(spans).toEqual({ sent: 0, lost: 20_002 });
});
