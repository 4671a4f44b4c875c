'use strict';

const { setTimeout: pause } = require('node:timers/promises');

const { Problem } = require('../core/errors');
const { createEvents } = require('../core/events');
const { createApp, createListener } = require('../http/listener/app');
const { createHttpServer } = require('../http/listener/http-server');
const { LagGuard } = require('../http/listener/lag-guard');
const { messageOptions } = require('../http/listener/message-options');
const { createProblemHandler } = require('../http/replies/problem');
const { asLast, withoutBody } = require('../http/listener/request-body');
const { serviceOf } = require('../core/lifecycle');
const { createAdminServer } = require('../observe/admin-server');
const { diskPathsOf } = require('../observe/process-gauges');
const { createLog, logEvents } = require('../observe/log');
const { build } = require('../observe/tracing/create-telemetry');
const { Feed } = require('./feed/feed');
const { Hooks } = require('./hooks/hooks');
const { Share, createLimits } = require('./http/limits');
const { UnderWay } = require('./http/write-headers');
const { COMMON_HEADERS, createWriteReply } = require('./http/write-reply');
const { createWriterMetrics } = require('./metrics');
const { mountRoutes } = require('./routes');
const { Stock } = require('./stock/stock');
const { ApiKeys } = require('./http/api-keys');
const { WriterDatabase } = require('./database/writer-database');
const { PlanClock } = require('./writes/plan-clock');
const { groupWriter } = require('./writes/write-group');
const { WriteQueue } = require('./writes/write-queue');

const READY_CHECK_MS = 20;
/** Others are answered after their body was dropped. */
const WITH_BODY = ['POST', 'PUT', 'PATCH'];
/** Bodies of stock have their own limit, so that neither keeps the other out. */
const STOCK_BYTES = 8 * 2 ** 20;

/**
 * Composition root: makes every part of the writer and joins them. Nothing is connected before open().
 * @param {import('../config/config').WriterConfig} config
 */
function createWriter(config) {
  const log = createLog(config);
  const events = createEvents();
  const state = { draining: false };
  const guard = new LagGuard(config.EVENT_LOOP_LAG_LIMIT_MS);
  const database = new WriterDatabase(config, events);
  const queue = new WriteQueue({ write: groupWriter(database, events), maxWaiting: config.WRITE_QUEUE });
  const clock = new PlanClock({ database, add: (write) => queue.add(write), events });
  const stock = new Stock(database, events);
  const feed = new Feed((statement, values) => database.read(statement, values));
  const hooks = new Hooks({ database, feed, events });
  for (const written of /** @type {const} */ (['groupWritten', 'stockApplied']))
    events.on(written, () => {
      void feed.look();
      hooks.committed();
    });
  const { http, messages } = createListeners({ config, events, state, database, queue, stock, feed });
  const health = () => ({
    ready: database.ready && !state.draining && !guard.late,
    parts: { database: database.state, draining: state.draining, late: guard.late },
  });
  const metrics = createWriterMetrics(events, {
    ready: () => health().ready,
    lagMs: () => guard.lagMs,
    waiting: () => queue.waiting,
    stock,
    hooks,
    readers: () => feed.readers,
    diskPaths: diskPathsOf(config),
    build,
  });
  const admin = createAdminServer({ config, health, metrics, messages });

  /** Waits a while for the database. */
  async function warmUp() {
    const deadlineMs = performance.now() + config.READY_WAIT_MS;
    while (!health().ready && performance.now() < deadlineMs) await pause(READY_CHECK_MS);
  }

  const parts = [
    { name: 'log', open: () => {}, close: logEvents(events, log) },
    { name: 'event loop guard', open: () => guard.open(), close: () => guard.close() },
    { name: 'database', open: () => database.open(), close: () => database.close() },
    { name: 'planned visibility', open: () => clock.open(), close: () => clock.close() },
    { name: 'stock', open: () => stock.open(), close: () => stock.close() },
    { name: 'hooks', open: () => hooks.open(), close: () => hooks.close() },
    { name: 'warm-up', open: warmUp, close: () => {} },
    admin,
    http,
    // Closed first: its readers would keep the listener open.
    { name: 'feed', open: () => {}, close: () => feed.close() },
  ];
  return serviceOf({ config, log, events, health }, state, { parts, http, admin });
}

/**
 * The listener, and all between it and the queue.
 * @param {object} parts
 * @param {import('../config/config').WriterConfig} parts.config
 * @param {import('../core/events').Events} parts.events
 * @param {{ draining: boolean }} parts.state
 * @param {WriterDatabase} parts.database
 * @param {WriteQueue} parts.queue
 * @param {Stock} parts.stock
 * @param {Feed} parts.feed
 */
function createListeners({ config, events, state, database, queue, stock, feed }) {
  const handleProblem = createProblemHandler({ commonHeaders: COMMON_HEADERS, state, events });
  /** @type {import('../http/replies/problem').Refuse} a body that was not read may follow on the connection */
  const refuse = (error, req, res) => handleProblem(error instanceof Problem ? asLast(req, error) : error, req, res);
  const underWay = new UnderWay();
  const parts = {
    database,
    keys: new ApiKeys(database),
    feed,
    limits: createLimits(config),
    events,
    state,
    once: underWay.once.bind(underWay),
    add: (/** @type {import('./writes/types').Write} */ write) =>
      underWay.once(write.who.keyId, write.idempotency, () => queue.add(write)),
    stock: {
      memory: new Share(STOCK_BYTES, 'bytes of bodies'),
      write: (/** @type {import('./stock/log').Request} */ request, /** @type {boolean} */ waits) =>
        underWay.once(request.keyId, request.idempotency, () => stock.write(request, waits)),
      read: (/** @type {number} */ position) => stock.read(position),
    },
  };
  const reply = createWriteReply({ state, events });
  // Express knows a handler of errors by its four parameters.
  const app = createApp(
    (each) => mountRoutes(each, parts, reply),
    (error, req, res, _next) => refuse(error, req, res),
  );
  const messages = messageOptions(app);
  const answer = createListener(app, refuse);
  const answerWithoutBody = withoutBody(answer, refuse);
  /** @type {import('node:http').RequestListener} */
  const listener = (req, res) => (WITH_BODY.includes(String(req.method)) ? answer : answerWithoutBody)(req, res);
  const http = createHttpServer({ config, messages, commonHeaders: COMMON_HEADERS, events, refuse, listener });
  return { http, messages };
}

exports.createWriter = createWriter;
