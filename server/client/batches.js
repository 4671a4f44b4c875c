import { orAborted } from './attempts.js';
import { isAsked, textsOf } from './requests.js';

/** Products or skus of one request. With a large include each product has kilobytes, and the service takes fewer. */
const MAX_IDS = 500;
const MAX_IDS_WITH_LARGE = 100;
const LARGE_INCLUDES = ['styles', 'related'];

/** @typedef {import('./catalog.d.ts').ProductSummary | import('./catalog.d.ts').SkuItem | null} Item null: unknown */
/** @typedef {Map<number, Promise<Item>>} Replies by id */
/** @typedef {import('./catalog.d.ts').CallOptions & { include?: readonly string[] | null }} Options */
/** @typedef {Pick<Options, 'cache' | 'next'>} Passed to fetch */

/**
 * Collects the products or skus that callers ask for until the event loop turns, and requests each of them once.
 * @param {(query: { ids: number[], include: readonly string[] } & Passed) => Promise<Item[]>} read
 * @returns {(ids: readonly (number | null | undefined)[], options?: Options | null) => Promise<Item[]>}
 */
export function createBatches(read) {
  /** @type {Map<string, { ids: Set<number>, sent: Promise<Replies> }>} by what they include and pass */
  const waiting = new Map();

  /** @param {readonly number[]} wanted @param {readonly string[]} include @param {Passed} passed */
  function join(wanted, include, passed) {
    const key = JSON.stringify([[...include].sort(), passed]);
    const { ids, sent } = waiting.get(key) ?? begin(key, include, passed);
    for (const id of wanted) ids.add(id);
    return sent;
  }

  /** @param {string} key @param {readonly string[]} include @param {Passed} passed */
  function begin(key, include, passed) {
    /** @type {Set<number>} */
    const ids = new Set();
    const sent = nextTurn().then(() => {
      waiting.delete(key);
      return request([...ids], include, passed);
    });
    waiting.set(key, { ids, sent });
    return { ids, sent };
  }

  /** @param {number[]} ids @param {readonly string[]} include @param {Passed} passed @returns {Replies} */
  function request(ids, include, passed) {
    const limit = include.some((name) => LARGE_INCLUDES.includes(name)) ? MAX_IDS_WITH_LARGE : MAX_IDS;
    /** @type {Replies} */
    const replies = new Map();
    for (let from = 0; from < ids.length; from += limit) {
      const some = ids.slice(from, from + limit);
      const reply = read({ ids: some, include, ...passed });
      const item = (/** @type {number} */ index) => reply.then((items) => items[index]);
      for (const [index, id] of some.entries()) replies.set(id, item(index));
    }
    return replies;
  }

  return async (ids, options) => {
    const { include, signal, cache, next } = options ?? {};
    signal?.throwIfAborted();
    const wanted = /** @type {number[]} */ (ids.filter(isAsked));
    textsOf('ids', wanted); // here, so that a wrong one fails no other call
    const names = textsOf('include', include);
    return orAborted(own(ids, wanted.length > 0 ? join(wanted, names, { cache, next }) : new Map()), signal);
  };
}

const nextTurn = () => new Promise((resolve) => void setTimeout(resolve, 0));

/** @param {readonly (number | null | undefined)[]} ids @param {Replies | Promise<Replies>} sent @returns {Promise<Item[]>} */
async function own(ids, sent) {
  const replies = await sent;
  return Promise.all(ids.map((id) => replies.get(/** @type {number} */ (id)) ?? null));
}
