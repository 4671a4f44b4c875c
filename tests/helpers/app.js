'use strict';

const { once } = require('node:events');

const { loadConfig } = require('../../server/config/config');
const { createService } = require('../../server/service');
const { createCatalog } = require('./database');

/** @typedef {Record<string, string | number>} Settings as in server/README.md */
/** @typedef {import('./database').TestCatalog} TestCatalog */

/** Long timeouts, so that a busy machine fails no test; tests of timeouts set their own. */
const patient = {
  EVENT_LOOP_LAG_LIMIT_MS: '60000',
  READY_WAIT_MS: '8000',
  REDIS_COMMAND_TIMEOUT_MS: '2000',
  PG_LOCK_TIMEOUT_MS: '30000',
  PG_STATEMENT_TIMEOUT_MS: '40000',
  PG_QUERY_TIMEOUT_MS: '50000',
  PG_BULK_STATEMENT_TIMEOUT_MS: '40000',
  PG_BULK_QUERY_TIMEOUT_MS: '50000',
};

/**
 * A whole worker inside the test process, on free ports.
 * @param {Settings} settings
 */
async function startService(settings) {
  const text = Object.entries(settings).map(([name, value]) => [name, String(value)]);
  const service = createService(
    loadConfig({
      PORT: '0',
      ADMIN_PORT: '0',
      LOG_LEVEL: 'silent',
      DRAIN_GRACE_MS: '0',
      DRAIN_DEADLINE_MS: '5000',
      ...patient,
      REDIS_KEY_PREFIX: `${process.pid}-${Math.random()}:`,
      ...Object.fromEntries(text),
    }),
  );
  /** @type {Record<string, number>} events so far, by name, and reads by tier */
  const counts = {};
  const count = (/** @type {string} */ name) => void (counts[name] = (counts[name] ?? 0) + 1);
  const { emit } = service.events;
  service.events.emit = (/** @type {any} */ name, /** @type {any[]} */ ...words) => {
    count(name);
    return Reflect.apply(emit, service.events, [name, ...words]);
  };
  service.events.on('served', count);
  await service.open();
  return {
    service,
    counts,
    url: `http://127.0.0.1:${service.ports.http}`,
    adminUrl: `http://127.0.0.1:${service.ports.admin}`,
    close: () => service.close('test'),
    /** Waits for the next data version. */
    nextVersion: () => once(service.events, 'versionChanged'),
  };
}

/**
 * Serves a new catalog to the tests of a `describe`; what it returns is filled in before the first of them.
 * @param {Parameters<typeof createCatalog>[0]} [documents]
 * @param {Settings | ((catalog: TestCatalog) => Promise<Settings>)} [settings]
 */
function serveCatalog(documents, settings = {}) {
  const served = /** @type {{ catalog: TestCatalog, app: Awaited<ReturnType<typeof startService>> }} */ ({});
  beforeAll(async () => {
    const catalog = await createCatalog(documents);
    Object.assign(served, { catalog });
    const own = typeof settings === 'function' ? await settings(catalog) : settings;
    Object.assign(served, { app: await startService({ DATABASE_URL: catalog.dsn, ...own }) });
  });
  afterAll(async () => {
    await served.app?.close();
    await served.catalog?.drop();
  });
  return served;
}

/**
 * Waits for a condition; Jest's timeout ends it.
 * @param {() => boolean | Promise<boolean>} condition
 */
async function until(condition) {
  while (!(await condition())) await new Promise((resolve) => void setTimeout(resolve, 20));
}

module.exports = { patient, serveCatalog, startService, until };
