import { CatalogProblem } from './problem.js';
import { isAsked } from './requests.js';

/** Tries in a row that bring no product. */
const MAX_TRIES = 5;

/** @typedef {import('./catalog.d.ts').ExportEnd} End */
/** @typedef {{ last: number | null, count: number, tries: number }} Walk `last`: id of the last whole line */

/**
 * Lines of an export. A stream that is cut resumes behind its last whole line. A first request without a reply is not repeated: its
 * failure is the caller's, as that of any other call.
 * @param {(path: string, params: object) => Promise<Response>} send
 * @param {import('./catalog.d.ts').CallOptions & import('./catalog.d.ts').ExportParams} params
 * @returns {AsyncGenerator<any, End, void>}
 */
export async function* exportLines(send, { after, signal, ...others }) {
  const view = others.view || 'card';
  /** @type {Walk} */
  const walk = { last: isAsked(after) ? /** @type {number} */ (after) : null, count: 0, tries: 0 };
  /** @type {Response | null} */
  let response = await send('/export', { view, after, signal });
  const version = versionOf(response);
  let changed = false;
  for (;;) {
    const { count } = walk;
    let end;
    try {
      response ??= await send('/export', { view, after: walk.last, signal });
      changed ||= versionOf(response) !== version;
      end = yield* productsOf(response, walk);
    } catch (error) {
      if (signal?.aborted || !isPassing(error)) throw error;
      walk.tries += 1;
      if (walk.tries === MAX_TRIES) throw givenUp(view, walk.last, error);
      if (walk.tries > 1) await pause(error, signal);
      response = null;
      continue;
    }
    const arrived = walk.count - count;
    if (end.count !== arrived) throw new Error(`The end line counts ${end.count} products, and ${arrived} arrived.`);
    return { count: walk.count, last: walk.last, catalog_version: version, changed: changed || end.changed };
  }
}

/**
 * Reads no more than is consumed.
 * @param {Response} response @param {Walk} walk
 * @returns {AsyncGenerator<any, End, void>}
 * @throws {Error} when the stream ends without its end line
 */
async function* productsOf({ body }, walk) {
  for await (const text of linesOf(/** @type {ReadableStream<Uint8Array>} */ (body))) {
    const line = JSON.parse(text);
    if (line.end) return line.end;
    walk.last = line.id;
    walk.count += 1;
    walk.tries = 0;
    yield line;
  }
  throw new Error('The stream ended without its end line.');
}

/** @param {ReadableStream<Uint8Array>} body @returns {AsyncGenerator<string, void, void>} whole lines */
async function* linesOf(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => {}); // a consumer that leaves early closes the connection; a cut one has failed already
  }
}

/** @param {unknown} error @returns {boolean} whether a later try may succeed */
const isPassing = (error) => !(error instanceof CatalogProblem) || error.status >= 500 || error.status === 429;

/** @param {unknown} error @param {AbortSignal | null} [signal] */
function pause(error, signal) {
  const seconds = (error instanceof CatalogProblem ? error.retryAfter : null) ?? 1;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    const leave = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
  });
}

/** @param {string} view @param {number | null} last @param {unknown} cause */
function givenUp(view, last, cause) {
  const next = `exportAll({ view: '${view}'${last === null ? '' : `, after: ${last}`} })`;
  return new Error(`The export was cut, and ${MAX_TRIES} tries in a row brought no product. Continue with ${next}.`, {
    cause,
  });
}

/** @param {Response} response */
const versionOf = ({ headers }) => headers.get('Catalog-Version') ?? '';
