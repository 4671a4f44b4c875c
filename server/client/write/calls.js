import { createSender, timeoutOf } from '../attempts.js';
import { jsonOf } from '../problem.js';
import { baseOf, queryOf } from '../requests.js';

const RETRIES = 3;

/** @typedef {import('./catalog-writer.d.ts').ContentOptions & { ifMatch?: string, ifDeleted?: boolean, respondAsync?: boolean }} Options of any write */
/** @typedef {{ method?: string, headers?: Record<string, string>, body?: string, timeout?: number | null }} Content of a request */
/** @template T @typedef {(response: Response) => Promise<T>} Read */

/** How the writer is called: a read, a write with its idempotency key, and any request. @param {import('./catalog-writer.d.ts').WriterOptions} options */
export function createCalls({ url, key, headers, ...connection }) {
  const [base, limit] = [baseOf(url), timeoutOf(connection.timeout)];
  const send = createSender({ retry: RETRIES, ...connection, headers: authorized });

  async function authorized() {
    const own = new Headers((typeof headers === 'function' ? await headers() : headers) ?? {});
    own.set('Authorization', `Bearer ${typeof key === 'function' ? await key() : key}`);
    return own;
  }

  /** @template T @param {string} path @param {Read<T>} read @param {import('./catalog-writer.d.ts').CallOptions} [options] @param {Content} [content] */
  const request = (path, read, { signal } = {}, content = {}) =>
    send({ timeout: limit, ...content, url: base + path, call: { signal } }, read);

  /** @param {string} path @param {object} [params] of the query, with a signal @param {Content} [content] @returns {Promise<any>} */
  function get(path, params = {}, content) {
    const { signal, ...query } = /** @type {import('./catalog-writer.d.ts').CallOptions} */ (params);
    return request(path + queryOf(query), jsonOf, { signal }, content);
  }

  /**
   * @template T
   * @param {string} method and path @param {unknown} body undefined: none @param {Options | undefined} options @param {Read<T>} read
   * @param {string} [type]
   */
  function write(method, body, options = {}, read, type = 'application/json') {
    const [verb, path] = method.split(' ');
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const own = headersOf(options);
    const content = text === undefined ? { headers: own } : { headers: { ...own, 'content-type': type }, body: text };
    return request(path, read, options, { method: verb, ...content });
  }

  return { request, get, write, limit };
}

/** 128 random bits. A page without https has no `crypto.randomUUID`. */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** @param {string} text @returns {string} its UTF-8, a character a byte, as a header has it */
const bytesOf = (text) => Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');

/** @param {Options} options @returns {Record<string, string>} */
const headersOf = ({ idempotencyKey, ifMatch, ifDeleted, actor, reason, respondAsync }) => ({
  'idempotency-key': idempotencyKey ?? newKey(),
  ...(ifMatch !== undefined && { 'if-match': ifMatch }),
  ...(ifDeleted && { 'if-none-match': '*' }),
  ...(actor !== undefined && { 'x-actor': bytesOf(actor) }),
  ...(reason !== undefined && { 'x-reason': bytesOf(reason) }),
  ...(respondAsync && { prefer: 'respond-async' }),
});
