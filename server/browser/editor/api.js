import { parseExact } from './exact-json.js';

/*
 * Requests to the writer, which also serves this page.
 */

/** @typedef {{ pointer: string, detail: string }} BodyError */
/** @typedef {{ body?: unknown, headers?: Record<string, string>, signal?: AbortSignal }} Sent */
/** @typedef {ReturnType<typeof createApi>} Api */

const URN = /^urn:catalog:problem:([a-z-]+)$/;

/** A reply that is not a success: a problem of the writer, or a page of a proxy. */
export class Refusal extends Error {
  /** @param {Response} response @param {any} problem its body; null: not JSON */
  constructor({ status, headers }, problem) {
    super(problem?.detail ?? `The reply is not from the writer: it has status ${status}.`);
    this.status = status;
    this.headers = headers;
    this.slug = URN.exec(problem?.type ?? '')?.[1] ?? null;
    /** @type {BodyError[]} */
    this.errors = problem?.errors ?? [];
    this.problem = problem ?? {};
  }
}

/** No reply came. */
export class Unanswered extends Error {}

/** @param {unknown} error @param {string} next what to do if the writer does not answer @returns {string} for a person */
export function reasonOf(error, next) {
  if (error instanceof Refusal) return error.message;
  return error instanceof Unanswered ? `The writer does not answer. ${next}` : `This page failed: ${error}. Reload it.`;
}

/** A header carries bytes: the writer reads them as UTF-8. @param {string} text */
export const asHeader = (text) => String.fromCharCode(...new TextEncoder().encode(text));

/** crypto.randomUUID exists only on HTTPS and localhost. */
export const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');

/** @param {string} text @returns {any} null when it is not JSON */
function parsed(text) {
  try {
    return parseExact(text);
  } catch {
    return null;
  }
}

/** @param {{ key: string, actor: string }} session */
export function createApi({ key, actor }) {
  /** @param {string} method @param {string} path @param {Sent} sent @returns {Promise<Response>} with a status of success */
  async function open(method, path, { body, headers, signal } = {}) {
    const response = await fetch(`.${path}`, {
      method,
      signal,
      headers: {
        Authorization: `Bearer ${key}`,
        'X-Actor': asHeader(actor),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    }).catch((error) => {
      throw new Unanswered(String(error), { cause: error });
    });
    if (!response.ok) throw new Refusal(response, parsed(await response.text().catch(() => '')));
    return response;
  }

  /** @param {string} method @param {string} path @param {Sent} [sent] @returns {Promise<{ status: number, body: any, headers: Headers }>} */
  async function send(method, path, sent) {
    const response = await open(method, path, sent);
    const { status, headers } = response;
    const text = await response.text().catch((error) => {
      throw new Unanswered(String(error), { cause: error });
    });
    const value = parsed(text);
    if (text && value === null) throw new Refusal(response, null);
    return { status, headers, body: value };
  }

  return { open, send, read: (/** @type {string} */ path) => send('GET', path) };
}
