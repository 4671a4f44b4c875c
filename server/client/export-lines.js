import { isPassing, pause, waitSecondsOf } from './attempts.js';
import { isAsked } from './requests.js';
import { textLines } from './text-lines.js';

/** Tries in a row that bring no product. */
const MAX_TRIES = 5;

/** @typedef {import('./catalog.d.ts').ExportEnd} End */
/** @typedef {{ last: number | null, count: number, tries: number }} Walk `last`: id of the last whole line */

/**
 * Lines of an export. A stream that is cut resumes behind its last whole line. A first request without a reply is not repeated: its
 * failure is the caller's, as that of any other call.
 * @param {(path: string, params: object) => Promise<Response>} send
 * @param {import('./catalog.d.ts').CallOptions & import('./catalog.d.ts').ExportParams} params
 * @param {number | null} silenceMs after which a stream counts as cut
 * @returns {AsyncGenerator<any, End, void>}
 */
export async function* exportLines(send, { after, signal, cache, next, ...others }, silenceMs) {
  const view = others.view || 'card';
  const open = (/** @type {unknown} */ place) => send('/export', { view, after: place, signal, cache, next });
  /** @type {Walk} */
  const walk = { last: isAsked(after) ? /** @type {number} */ (after) : null, count: 0, tries: 0 };
  /** @type {Response | null} */
  let response = await open(after);
  const version = versionOf(response);
  let changed = false;
  for (;;) {
    const { count } = walk;
    let end;
    try {
      response ??= await open(walk.last);
      changed ||= versionOf(response) !== version;
      end = yield* productsOf(textLines(response, silenceMs, signal), walk);
    } catch (error) {
      if (signal?.aborted || !isPassing(error)) throw error;
      walk.tries += 1;
      if (walk.tries === MAX_TRIES) throw givenUp(view, walk.last, error);
      if (walk.tries > 1) await pause(waitSecondsOf(error, walk.tries), signal);
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
 * @param {AsyncGenerator<string, void, void>} lines @param {Walk} walk
 * @returns {AsyncGenerator<any, End, void>}
 * @throws {Error} when the stream ends without its end line
 */
async function* productsOf(lines, walk) {
  for await (const text of lines) {
    const line = JSON.parse(text);
    if (line.end) return line.end;
    walk.last = line.id;
    walk.count += 1;
    walk.tries = 0;
    yield line;
  }
  throw new Error('The stream ended without its end line.');
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
