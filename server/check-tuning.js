'use strict';

const { text } = require('node:stream/consumers');
const { setTimeout: pause } = require('node:timers/promises');

const { readerOf } = require('./catalog/create-searches');
const { ALL } = require('./catalog/searches');
const { loadConfig } = require('./config/config');
const { createEvents } = require('./core/events');
const { Search } = require('./search/search');
const { createStore } = require('./store/servers/create-store');

/** Products of a first page. */
const COUNT = 24;
/** Above all numbers of tunings that are stored. */
const WANTED = Number.MAX_SAFE_INTEGER;
const WAIT_MS = 15_000;
const LOOK_MS = 20;

/** @typedef {{ content: import('./search/tuning/tuning').Content, ranked: string | null, queries: string[] }} Asked `ranked`: ids as int4, in hex */

/**
 * Prints which of some queries a tuning would change, a JSON line each: { q, found: [before, after] }. `tune --check` of the loader starts it, for the
 * searches of workers are the only ones that know.
 */
async function main() {
  /** @type {Asked} */
  const { content, ranked, queries } = JSON.parse(await text(process.stdin));
  const config = loadConfig();
  const events = createEvents();
  const store = createStore(config, events);
  store.part.open();
  try {
    const { database, version } = store;
    const deadlineMs = performance.now() + WAIT_MS;
    while (version.current === null || !store.dialed()) {
      if (performance.now() > deadlineMs) throw new Error('no catalog was found in time');
      await pause(LOOK_MS);
    }
    const reader = readerOf(database, version);
    const wanted = { number: WANTED, content, ranked: ranked === null ? null : Buffer.from(ranked, 'hex') };
    const maxBytes = config.SEARCH_MAX_BYTES;
    const [before, after] = [
      new Search(reader, { maxBytes, tuning: () => version.tuning }),
      new Search({ ...reader, tuning: async () => wanted }, { maxBytes, tuning: () => WANTED }),
    ];
    for (const q of queries) {
      const found = [];
      for (const search of [before, after]) {
        const { total, ids } = await search.search(String(version.current), { ...ALL, q, count: COUNT });
        found.push({ total, ids });
      }
      if (JSON.stringify(found[0]) !== JSON.stringify(found[1])) console.log(JSON.stringify({ q, found }));
    }
  } finally {
    await store.part.close();
  }
}

main().then(
  () => process.exit(),
  (error) => {
    console.error(`The queries cannot be checked: ${error.message}`);
    process.exit(1);
  },
);
