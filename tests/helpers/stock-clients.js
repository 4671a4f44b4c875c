'use strict';

const { setTimeout: pause } = require('node:timers/promises');

const { until } = require('./app');
const { foldStock } = require('./stock');
const { callerOf } = require('./writer');

/*
 * Clients who change stock while something is killed, and what must be true afterwards. The first operation of each request sets this sku
 * to the number of the request, so the log says which requests it has, and all clients write one row.
 */
const MARKER = 1;
const RETRY_MS = 20;
/** For so many requests all clients wait until theirs are applied, then for as many some do not. */
const ALL_WAIT = 20;

/** @typedef {{ set: number[][], adjust: number[][], compare: 'none' }} Body */
/**
 * @typedef {object} Sent a request
 * @property {Body} body
 * @property {number} after the highest position that was acknowledged before it began
 * @property {{ position: number, operations: number, rejected?: any[] } | null} reply
 */

/** @param {number} below */
const any = (below) => Math.floor(Math.random() * below);

/** @param {number} number of the request @param {number} skus there are, from 1 on @returns {Body} */
function anyBody(number, skus) {
  const sku = () => 2 + any(skus); // the last one is unknown
  const set = Array.from({ length: any(4) }, () => (any(2) ? [sku(), any(4)] : [sku(), any(4), any(4)]));
  return {
    set: [[MARKER, number], ...set],
    adjust: Array.from({ length: any(4) }, () => [sku(), any(5) - 2]),
    compare: 'none',
  };
}

/**
 * @param {object} parts
 * @param {string[]} parts.urls of writers @param {string} parts.key @param {number} parts.skus @param {number} parts.clients
 */
function changeStockConstantly({ urls, key, skus, clients }) {
  /** @type {Map<number, Sent>} by number */
  const sent = new Map();
  /** @type {string[]} */
  const errors = [];
  const state = { stopping: false, number: 0, acknowledged: 0, refused: 0, position: 0 };

  /** One of four clients gives up when it gets no answer; the others repeat with their key. @param {number} client */
  async function work(client) {
    while (!state.stopping) {
      const number = (state.number += 1);
      const body = anyBody(number, skus);
      /** @type {Sent} */
      const request = { body, after: state.position, reply: null };
      sent.set(number, request);
      const waits = number % (2 * ALL_WAIT) < ALL_WAIT || any(2) === 0;
      const headers = { 'Idempotency-Key': `s-${number}`, ...(!waits && { Prefer: 'respond-async' }) };
      for (let isFirst = true; isFirst || client % 4 > 0; isFirst = false) {
        const reply = await callerOf(urls[any(urls.length)], key)('POST', '/stock', body, headers).catch(() => null);
        if (reply && reply.status < 300) {
          request.reply = reply.body;
          state.acknowledged += 1;
          state.position = Math.max(state.position, reply.body.position);
          break;
        }
        state.refused += Number(reply?.status === 503);
        if (reply && reply.status !== 503 && reply.status !== 409)
          errors.push(`${reply.status} ${JSON.stringify(reply.body)}`);
        await pause(RETRY_MS);
      }
    }
  }
  const working = Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  return {
    sent,
    errors,
    /** Waits for so many more acknowledgements. @param {number} count */
    more(count) {
      const goal = state.acknowledged + count;
      return until(() => state.acknowledged >= goal);
    },
    /** Waits for so many more 503s. @param {number} count */
    refused(count) {
      const goal = state.refused + count;
      return until(() => state.refused >= goal);
    },
    async stop() {
      state.stopping = true;
      await working;
    },
  };
}

/** @param {Body} body @returns {import('./stock').Operation[]} */
const operationsOf = ({ set, adjust }) => [
  ...set.map(([sku, amount, expected]) => ({ sku, amount, adjusts: false, expected })),
  ...adjust.map(([sku, amount]) => ({ sku, amount, adjusts: true, expected: undefined })),
];

/** @param {import('pg').Client} client @returns {Promise<{ last: number, operations: import('./stock').Operation[] }[]>} in order */
async function readLog(client) {
  const { rows } = await client.query('SELECT * FROM catalog_log.stock_log ORDER BY pos');
  let end = 0;
  return rows.flatMap(({ pos, skus, amounts, adjusts, expected, requests }) => {
    let at = 0;
    if (Number(pos) - skus.length !== end) throw new Error(`a gap before position ${pos}`);
    end = Number(pos);
    return requests.map((/** @type {number} */ count) => {
      const operations = Array.from({ length: count }, (_, place) => ({
        sku: skus[at + place],
        amount: amounts[at + place],
        adjusts: adjusts[at + place],
        expected: expected[at + place] ?? undefined,
      }));
      at += count;
      return { last: end - skus.length + at, operations };
    });
  });
}

/**
 * @param {import('pg').Client} client of a superuser @param {Map<number, Sent>} sent @param {Map<number, number>} quantities before
 * @returns {Promise<string[]>} what is lost, done twice, or otherwise wrong
 */
async function historyDefects(client, sent, quantities) {
  /** @type {string[]} */
  const defects = [];
  const check = (/** @type {boolean} */ isRight, /** @type {string} */ defect) =>
    void (isRight || defects.push(defect));
  const same = (/** @type {unknown} */ one, /** @type {unknown} */ other) =>
    JSON.stringify(one) === JSON.stringify(other);
  const log = await readLog(client);
  const byNumber = Map.groupBy(log, ({ operations: [marker] }) => marker.amount);
  const refused = foldStock(
    quantities,
    log.flatMap(({ operations }) => operations),
  );
  for (const [number, { body, after, reply }] of sent) {
    const logged = byNumber.get(number) ?? [];
    check(logged.length <= 1, `${number} is logged ${logged.length} times`);
    if (!reply) continue;
    check(logged.length === 1, `${number} is lost`);
    if (logged.length === 0) continue;
    const [{ last, operations }] = logged;
    check(same(operations, operationsOf(body)), `${number} is logged as something else`);
    check(reply.position === last, `${number} is at ${last}, not at ${reply.position}`);
    check(last > after, `${number} is before a request that was acknowledged when it began`);
    const own = refused
      .filter(([pos]) => pos > last - operations.length && pos <= last)
      .map(([, sku, reason]) => [sku, reason]);
    if (reply.rejected) check(same(reply.rejected.map(({ sku, reason }) => [sku, reason]), own), `${number} got other rejects`); // prettier-ignore
  }
  const rejects = await client.query({
    text: 'SELECT pos::int, sku, reason, quantity FROM catalog_log.stock_rejects ORDER BY pos',
    rowMode: 'array',
  });
  check(same(rejects.rows, refused), 'the rejects are not those of the log');
  const rows = await client.query({ text: 'SELECT id, quantity FROM catalog.skus ORDER BY id', rowMode: 'array' });
  check(
    same(
      rows.rows,
      [...quantities].sort(([one], [other]) => one - other),
    ),
    'the quantities are not those of the log',
  );
  const { rows: [numbers] } = await client.query('SELECT max(seq) = count(*) AS whole FROM catalog_log.commits'); // prettier-ignore
  check(numbers.whole !== false, 'the numbers of commits have a gap');
  return defects;
}

module.exports = { changeStockConstantly, historyDefects };
