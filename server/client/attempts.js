import { CatalogProblem, problemOf } from './problem.js';

const TIMEOUT_MS = 10_000;
/** Timers of a longer time would end at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
/** A reply that asks for more patience than this ends the call. */
const MAX_WAIT_SECONDS = 30;
const FIRST_WAIT_SECONDS = 0.25;
/** Statuses that may be others a moment later. */
const PASSING = [408, 429, 500, 502, 503, 504];

/** @typedef {import('./catalog.d.ts').Sent} Sent @typedef {import('./catalog.d.ts').CallOptions} CallOptions */
/** @typedef {{ url: string, method?: string, headers?: Record<string, string>, body?: string, timeout?: number | null, call?: CallOptions }} Request `timeout`: other than the client's */
/** @typedef {<T>(request: Request, read: (response: Response) => Promise<T>) => Promise<T>} Send the time limit ends when `read` has ended */

/**
 * Sends requests as the options of a client say. All of them may be repeated: reads, and writes that have an idempotency key.
 * @param {import('./catalog.d.ts').Connection} options @returns {Send}
 */
export function createSender({ fetch, headers, timeout, retry, onRequest, onResponse, ...defaults }) {
  const [limit, retries] = [timeoutOf(timeout), retriesOf(retry)];
  const send = fetch ?? ((...words) => globalThis.fetch(...words));

  /** @param {Request} request @param {number} attempt @returns {Promise<Sent>} */
  async function described({ url, method = 'GET', headers: own }, attempt) {
    const given = typeof headers === 'function' ? await headers() : headers;
    return { method, url, headers: { ...Object.fromEntries(new Headers(given ?? {})), ...own }, attempt };
  }

  return async (request, read) => {
    const { body, call = {}, timeout: own = limit } = request;
    const { signal, cache = defaults.cache, next = defaults.next } = call;
    for (let attempt = 1; ; attempt += 1) {
      const sent = await described(request, attempt);
      await onRequest?.(sent);
      const init = { ...initOf(sent, body), ...(cache && { cache }), ...(next && { next }) };
      try {
        return await within(own, signal, sent.url, async (ending) => {
          const response = await send(sent.url, { ...init, signal: ending });
          await onResponse?.(response, sent);
          if (!response.ok) throw await problemOf(response);
          return read(response);
        });
      } catch (error) {
        const seconds = waitSecondsOf(error, attempt);
        if (attempt > retries || signal?.aborted || !isPassing(error) || seconds > MAX_WAIT_SECONDS) throw error;
        await pause(seconds, signal);
      }
    }
  };
}

/** @param {Sent} sent @param {string} [body] @returns {import('./catalog.d.ts').FetchInit} without what fetch does by itself */
function initOf({ method, headers }, body) {
  return {
    ...(method !== 'GET' && { method }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body !== undefined && { body }),
  };
}

/** @param {unknown} timeout @returns {number | null} milliseconds; null: no limit */
export function timeoutOf(timeout = TIMEOUT_MS) {
  if (timeout === null || timeout === 0 || timeout === Infinity) return null;
  if (typeof timeout === 'number' && timeout > 0 && timeout <= MAX_TIMEOUT_MS) return timeout;
  throw new TypeError(`timeout must be milliseconds up to ${MAX_TIMEOUT_MS}, or null for no limit.`);
}

/** @param {unknown} retry @returns {number} */
function retriesOf(retry) {
  const retries = retry ?? 0;
  if (Number.isInteger(retries) && Number(retries) >= 0) return Number(retries);
  throw new TypeError('retry must be how often a request may be repeated: a whole number, 0 for never.');
}

/** @param {unknown} error @returns {boolean} whether the same request may succeed later: it got no reply, or one that says so */
export function isPassing(error) {
  if (!(error instanceof CatalogProblem)) return true;
  const { slug, status, retryAfter } = error;
  if (slug === 'idempotency-in-progress') return true;
  return PASSING.includes(status) && (status !== 503 || slug === null || retryAfter !== null);
}

/** @param {unknown} error @param {number} attempt how many failed, this one too @returns {number} */
export const waitSecondsOf = (error, attempt) =>
  (error instanceof CatalogProblem ? error.retryAfter : null) ?? FIRST_WAIT_SECONDS * 2 ** Math.min(attempt - 1, 6);

/** @param {number} seconds @param {AbortSignal | null} [signal] @returns {Promise<void>} rejects when the signal aborts */
export async function pause(seconds, signal) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const over = new Promise((resolve) => void (timer = setTimeout(resolve, seconds * 1000)));
  await orAborted(over, signal).finally(() => clearTimeout(timer));
}

/**
 * Does work that takes at most a time. Its own signal aborts with that of the caller, or when the time is over.
 * @template T
 * @param {number | null} ms @param {AbortSignal | null | undefined} signal @param {string} url
 * @param {(signal: AbortSignal | null | undefined) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function within(ms, signal, url, work) {
  if (ms === null) return work(signal);
  const ending = new AbortController();
  const late = () =>
    new DOMException(`${url} sent nothing for ${ms} ms. The option timeout allows more.`, 'TimeoutError');
  const timer = setTimeout(() => ending.abort(late()), ms);
  const leave = () => ending.abort(signal?.reason);
  signal?.addEventListener('abort', leave);
  try {
    if (signal?.aborted) leave();
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', leave);
  }
}

/**
 * Lets a caller leave what it waits for. The work itself continues, because others may need it.
 * @template T @param {Promise<T>} promise @param {AbortSignal | null} [signal] @returns {Promise<T>} rejects when the signal aborts
 */
export function orAborted(promise, signal) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave);
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
