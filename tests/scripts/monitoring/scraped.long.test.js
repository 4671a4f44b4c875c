'use strict';
const { once } = require('node:events');
const fs = require('node:fs');
const https = require('node:https');
const path = require('node:path');
const { makeCertificate } = require('../../helpers/certificate');
const { waitUntil } = require('../../../scripts/lib/wait-until');
const { startService, until } = require('../../helpers/app');
const { createCatalog, manyProducts } = require('../../helpers/database');
const { useFolder } = require('../../helpers/folder');
const { dashboardQueries, folder, metricsIn, printedTargets, rules, rulesFolder } = require('../../helpers/monitoring');
const { callerOf, prepareWrites, startWriter } = require('../../helpers/writer');
const { findPrometheus, startBlackbox, startPrometheus } = require('../../helpers/prometheus');
const { addHook } = require('../../helpers/receiver');
const { freePort, redisUrl } = require('../../helpers/servers');
const { unless } = require('../../helpers/skip');

const found = findPrometheus();
const able = unless(!found && 'no Prometheus here: apt-get install prometheus prometheus-blackbox-exporter');
const { prometheus = '', blackbox = '' } = found ?? {};
const ruleFiles = fs.readdirSync(rulesFolder).map((file) => path.join('rules', file));

/** Alerts that depend on the machine or on Jest's process; rules-tests/ covers them. */
const ofThisMachine = ['DiskFilling', 'WorkerMemoryHigh', 'LatencyHigh', 'WorkersSaturated', 'QueriesSlow'];

/** Rules whose figures a worker, a writer and the probe have. Those of machines come from exporters. */
const serving = rules(['recording.yml', 'alerts.yml', 'public.yml']);
const ofTheService = serving.filter(({ expr }) => !/alertmanager|catalog-certificate"}\)/.test(expr));

/** An alert has no result on a healthy stack, so the figure that it compares must have a value. */
const figureOf = (/** @type {string} */ expr) => expr.split(' and ')[0].replace(/ (==|>|<) [\d.e]+$/, '');

/** @param {any[]} samples @returns {boolean} whether one of them is a number */
const tellsSomething = (samples) => samples.some(({ value }) => value[1] !== 'NaN');

/**
 * The public address of a service, with TLS.
 * @param {string} url of the worker behind it @param {string} dir of its certificate
 */
async function startFront(url, dir) {
  const certificate = makeCertificate(dir, { days: 60 });
  if (!certificate) throw new Error('openssl is missing: apt-get install openssl');
  const server = https.createServer(certificate, async (req, res) => {
    const reply = await fetch(`${url}${req.url}`);
    res.writeHead(reply.status).end(await reply.text());
  });
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return { url: `https://127.0.0.1:${port}`, certFile: certificate.certFile, stop: () => server.close() };
}

describe('a running worker and a writer, scraped', () => {
  /** @type {import('../../helpers/database').TestCatalog} */
  let catalog;
  /** @type {Awaited<ReturnType<typeof startService>>} */
  let app;
  /** @type {Awaited<ReturnType<typeof startWriter>>} */
  let writer;
  /** @type {Awaited<ReturnType<typeof startPrometheus>>} */
  let server;
  /** @type {Awaited<ReturnType<typeof startFront>>} */
  let front;
  /** @type {Awaited<ReturnType<typeof startBlackbox>>} */
  let exporter;
  /** @type {NodeJS.Timeout} */
  let load;

  beforeAll(async () => {
    if (!found) return;
    catalog = await createCatalog(manyProducts(1000));
    app = await startService({ DATABASE_URL: catalog.dsn, REDIS_URL: redisUrl() });
    const ask = async (/** @type {string} */ tail) => (await fetch(`${app.url}/products${tail}`)).arrayBuffer();
    await addHook(catalog.client, 'https://shop.example/');
    await catalog.client.query("UPDATE catalog_meta.hooks SET paused = 'operator'");
    writer = await startWriter(catalog.writerDsn);
    const call = callerOf(writer.url, await prepareWrites(catalog));
    let id = 2;
    load = setInterval(() => {
      call('PATCH', '/products/2', { name: `Name ${id}` }).catch(() => {});
      for (const tail of ['/2', `/${id}`, `/${id}/styles`, `/${id}/related`, '?count=3', '/0'])
        ask(tail).catch(() => {});
      id += 3;
    }, 20);
    front = await startFront(app.url, at());
    const exporterPort = await freePort();
    const options = { port: exporterPort, certFile: front.certFile };
    exporter = await startBlackbox(blackbox, at(), path.join(folder, 'blackbox.yml'), options);
    // The shipped files with another scrape interval and exporter port.
    for (const file of [...ruleFiles, 'prometheus.yml']) {
      const text = fs
        .readFileSync(path.join(folder, file), 'utf8')
        .replace('127.0.0.1:9115', `127.0.0.1:${exporterPort}`);
      write(file, text.replace(/: (15|5)s\b/g, ': 1s').replaceAll(/\[(5m|1h|10m|15m)\]/g, '[1m]'));
    }
    write('probes/public.json', JSON.stringify([{ targets: [`${front.url}/products?count=1`] }]));
    const [adminPort, writePort] = [app, writer].map(({ adminUrl }) => Number(new URL(adminUrl).port));
    const targets = printedTargets({ adminPorts: [adminPort], writePorts: [0, writePort] });
    write('targets/workers.json', JSON.stringify(targets));
    server = await startPrometheus(prometheus, at(), at('prometheus.yml'), await freePort());
    await until(async () => (await server.query('catalog:request_seconds:p99')).length >= 4);
    const samples = 'rate(catalog_gc_observed_seconds_total[1m]) > 0';
    await until(async () => (await server.query(samples)).length > 0);
    await until(async () => (await server.query('probe_success')).length > 0);
    await until(async () => (await server.query('rate(catalog_write_group_seconds_count[1m]) > 0')).length > 0);
  }, 60_000);
  afterAll(async () => {
    clearInterval(load);
    await server?.stop();
    await exporter?.stop();
    front?.stop();
    await writer?.close();
    await app?.close();
    await catalog?.drop();
  });
  const { at, write } = useFolder('catalog-prometheus', { shared: true });

  /** A scrape that a busy machine answered too late leaves a moment without values. @param {string} expr */
  const answers = (expr) => waitUntil(async () => tellsSomething(await server.query(expr)), 20_000);

  able.test('a probe of the public address accepts only a catalog', async () => {
    const verdict = (/** @type {string} */ tail) => exporter.probe(`${front.url}${tail}`);
    expect(await verdict('/products?count=1')).toBe('1');
    expect(await verdict('/products/2/related')).toBe('0'); // 200, but not a list of products
    expect(await verdict('/products?count=none')).toBe('0');
    expect(await exporter.probe(`https://127.0.0.1:${await freePort()}/products`)).toBe('0');
  });

  able.test('every query of the dashboard has a result', async () => {
    const queries = dashboardQueries().filter(({ title }) => title !== 'data version changed');
    expect(queries.length).toBeGreaterThan(30);
    for (const { title, expr } of queries) {
      expect([title, expr, await answers(expr)]).toEqual([title, expr, true]);
    }
  });

  able.test('every rule has a figure to compare, and none fires', async () => {
    for (const { name, kind, expr } of ofTheService) {
      const figure = kind === 'alert' ? figureOf(expr) : name;
      expect([name, figure, await answers(figure)]).toEqual([name, figure, true]);
      // A probe that a busy machine answered late is repeated.
      const isQuiet = async () => (await server.query(expr)).length === 0;
      if (kind === 'alert' && !ofThisMachine.includes(name))
        expect([name, await waitUntil(isQuiet, 20_000)]).toEqual([name, true]);
    }
  });

  able.test('every metric that a rule or a panel names exists', async () => {
    const all = [...ofTheService, ...dashboardQueries()].flatMap(({ expr }) => metricsIn(expr));
    const names = [...new Set(all)];
    expect(names.length).toBeGreaterThan(30);
    /** @type {string[]} */
    const gone = [];
    for (const name of names) if (!(await answers(`count(${name})`))) gone.push(name);
    expect(gone).toEqual([]);
  });
});
