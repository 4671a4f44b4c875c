import { isAsked, textsOf } from './requests.js';

/** Products of one request. With a large include each has kilobytes, and the service takes fewer. */
const MAX_IDS = 500;
const MAX_IDS_WITH_LARGE = 100;
const LARGE_INCLUDES = ['styles', 'related'];

/** @typedef {import('./catalog.d.ts').ProductSummary | null} Item null: unknown */
/** @typedef {Map<number, Promise<Item>>} Replies by id */
/** @typedef {import('./catalog.d.ts').CallOptions & { include?: readonly string[] | null }} Options */

/**
 * Collects the products that callers ask for until the event loop turns, and requests each of them once.
 * @param {(query: { ids: number[], include: readonly string[] }) => Promise<Item[]>} read
 * @returns {(ids: readonly (number | null | undefined)[], options?: Options | null) => Promise<Item[]>}
 */
export function createBatches(read) {
  /** @type {Map<string, { ids: Set<number>, sent: Promise<Replies> }>} by what they include */
  const waiting = new Map();

  /** @param {readonly number[]} wanted @param {readonly string[]} include */
  function join(wanted, include) {
    const key = [...include].sort().join();
    const { ids, sent } = waiting.get(key) ?? begin(key, include);
    for (const id of wanted) ids.add(id);
    return sent;
  }

  /** @param {string} key @param {readonly string[]} include */
  function begin(key, include) {
    /** @type {Set<number>} */
    const ids = new Set();
    const sent = nextTurn().then(() => {
      waiting.delete(key);
      return request([...ids], include);
    });
    waiting.set(key, { ids, sent });
    return { ids, sent };
  }

  /** @param {number[]} ids @param {readonly string[]} include @returns {Replies} */
  function request(ids, include) {
    const limit = include.some((name) => LARGE_INCLUDES.includes(name)) ? MAX_IDS_WITH_LARGE : MAX_IDS;
    /** @type {Replies} */
    const replies = new Map();
    for (let from = 0; from < ids.length; from += limit) {
      const some = ids.slice(from, from + limit);
      const reply = read({ ids: some, include });
      const item = (/** @type {number} */ index) => reply.then((items) => items[index]);
      for (const [index, id] of some.entries()) replies.set(id, item(index));
    }
    return replies;
  }

  return async (ids, options) => {
    const { include, signal } = options ?? {};
    signal?.throwIfAborted();
    const wanted = /** @type {number[]} */ (ids.filter(isAsked));
    textsOf('ids', wanted); // here, so that a wrong one fails no other call
    const names = textsOf('include', include);
    return orAborted(own(ids, wanted.length > 0 ? join(wanted, names) : new Map()), signal);
  };
}

const nextTurn = () => new Promise((resolve) => void setTimeout(resolve, 0));

/** @param {readonly (number | null | undefined)[]} ids @param {Replies | Promise<Replies>} sent @returns {Promise<Item[]>} */
async function own(ids, sent) {
  const replies = await sent;
  return Promise.all(ids.map((id) => replies.get(/** @type {number} */ (id)) ?? null));
}

/**
 * Lets a caller leave what it waits for. The work itself continues, because others may need it.
 * @template T @param {Promise<T>} promise @param {AbortSignal | null} [signal] @returns {Promise<T>} rejects when the signal aborts
 */
function orAborted(promise, signal) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave);
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
