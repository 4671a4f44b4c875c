'use strict';

const { idOf, manyProducts } = require('./database');
const { callerOf, prepareWrites, serveWriter } = require('./writer');

/** @typedef {{ cursor: string, kind: string, product?: number, [more: string]: any }} Change */

/**
 * Follows GET /changes/stream until it is stopped, and resumes after each end, as an EventSource does.
 * @param {() => string} url of a writer, which may move @param {string} key @param {string} after where it begins
 */
function follow(url, key, after) {
  /** @type {Change[]} */
  const changes = [];
  const seen = { id: after, connections: 0, statuses: /** @type {number[]} */ ([]) };
  const stopped = new AbortController();
  const ended = (async () => {
    while (!stopped.signal.aborted) {
      await connect().catch(() => {});
      if (!stopped.signal.aborted) await new Promise((resolve) => void setTimeout(resolve, 20));
    }
  })();

  async function connect() {
    const headers = { Authorization: `Bearer ${key}`, 'Last-Event-ID': seen.id };
    const response = await fetch(`${url()}/changes/stream`, { headers, signal: stopped.signal });
    seen.statuses.push(response.status);
    if (response.status !== 200) return void (await response.text());
    seen.connections += 1;
    let text = '';
    for await (const chunk of /** @type {any} */ (response.body).pipeThrough(new TextDecoderStream())) {
      const events = (text + chunk).split('\n\n');
      text = String(events.pop());
      for (const event of events) take(event);
    }
  }

  /** @param {string} event */
  function take(event) {
    const { id, event: kind, data } = Object.fromEntries(event.split('\n').map((line) => line.split(/: (.*)/s)));
    seen.id = id;
    if (data === undefined) return;
    const change = JSON.parse(data);
    if (change.kind !== kind || change.cursor !== id) throw new Error(`the event differs from its data: ${event}`);
    changes.push(change);
  }

  return {
    changes,
    seen,
    stop: async () => {
      stopped.abort();
      await ended;
    },
  };
}

/**
 * All pages from a cursor to the head.
 * @param {ReturnType<typeof import('./writer').callerOf>} call @param {string} after @param {number} [limit]
 */
async function readChanges(call, after, limit = 1000) {
  /** @type {Change[]} */
  const changes = [];
  for (let next = after; ;) {
    const { status, body } = await call('GET', `/changes?after=${next}&limit=${limit}`);
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
    changes.push(...body.changes);
    next = body.next;
    if (next === body.head) return { changes, next };
  }
}

/** Serves a writer with 50 products, and a key of the feed that is filled in before the first test. */
function serveFeed() {
  const served = serveWriter(manyProducts(50));
  const feed = { key: '' };
  beforeAll(async () => void (feed.key = await prepareWrites(served.catalog, { name: 'shop', scopes: ['changes'] })));
  /** @type {ReturnType<typeof callerOf>} */
  const read = (...words) => callerOf(served.app.url, feed.key)(...words);
  return {
    served,
    feed,
    read,
    head: async () => (await read('GET', '/changes?after=head')).body.head,
    rename: (/** @type {number} */ index, /** @type {string} */ name) =>
      served.call('PATCH', `/products/${idOf(index)}`, { name }),
  };
}

module.exports = { follow, readChanges, serveFeed };
