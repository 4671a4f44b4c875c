'use strict';

/** @typedef {import('../cache/body').Body} Body */
/** @typedef {{ body: Body }} Reply of a search: `{"total":…,"items":…,"next":…,"query":{…,"ignored":[…]},"facets":…}` */
/** @typedef {'found' | 'reduced' | 'empty'} Outcome `reduced`: found without some of its words */

const WORD = /[\p{L}\p{N}]/u;

/** Only a key is followed by a colon, and no product or shopper names a key: these occur at their place alone. */
const NOTHING_IGNORED = '"ignored":[]';
const QUERY = '"query":{';
const NOTHING_FOUND = '{"total":0,';

/** @param {Body} body @returns {{ outcome: Outcome, dropped: string[] }} `dropped`: words that no product has beside the others */
function readReply(body) {
  const isEmpty = body.indexOf(NOTHING_FOUND) === 0;
  if (body.includes(NOTHING_IGNORED)) return { outcome: isEmpty ? 'empty' : 'found', dropped: [] };
  const from = body.indexOf(QUERY);
  const rest = typeof body === 'string' ? Buffer.from(body.slice(from), 'latin1') : body.subarray(from);
  /** @type {string[]} */
  const ignored = JSON.parse(`{${rest}`).query.ignored;
  // Signs are ignored as one text.
  return { outcome: isEmpty ? 'empty' : 'reduced', dropped: ignored.filter((text) => WORD.test(text)) };
}

/**
 * Counts searches at the request, also those that a cache answers: a popular miss is cached. Each entry is read once; of a reply that has all
 * words nothing is parsed.
 */
class SearchCounts {
  /** @type {WeakMap<Reply, ReturnType<typeof readReply>>} */
  #known = new WeakMap();
  /** @type {Record<Outcome, number>} */
  outcomes = { found: 0, reduced: 0, empty: 0 };
  droppedWords = 0;

  /** @param {import('./missed-words').MissedWords} missed */
  constructor(missed) {
    this.missed = missed;
  }

  /** @param {Reply | Promise<Reply>} found a failed search counts as none */
  count(found) {
    if (found instanceof Promise) void found.then((reply) => this.#add(reply)).catch(() => {});
    else this.#add(found);
  }

  /** @param {Reply} reply */
  #add(reply) {
    let read = this.#known.get(reply);
    if (!read) this.#known.set(reply, (read = readReply(reply.body)));
    const { outcome, dropped } = read;
    this.outcomes[outcome] += 1;
    this.droppedWords += dropped.length;
    for (const word of dropped) this.missed.add(word, outcome === 'empty');
  }
}

exports.SearchCounts = SearchCounts;
