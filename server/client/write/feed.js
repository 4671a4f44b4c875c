import { isPassing, pause, waitSecondsOf } from '../attempts.js';
import { textLines } from '../text-lines.js';

/** The writer sends something every 15 s. */
const SILENCE_MS = 40_000;
const WAIT_SECONDS = 20;

/** @typedef {import('./catalog-writer.d.ts').Change} Change */
/** @typedef {{ place: string, changes: Change[] }} Piece `place`: where a reader goes on that has these changes */
/** @typedef {(place: string, isResumed: boolean, signal?: AbortSignal | null) => AsyncGenerator<Piece, void, void>} Read ends where its source does */
/** @typedef {(place: string, isResumed: boolean, signal?: AbortSignal | null) => Promise<Response>} Open */

/**
 * All changes after a place. What has worked once is opened again as often as it is cut, from where it was.
 * @param {Read} read @param {string} after @param {AbortSignal | null} [signal]
 * @returns {AsyncGenerator<Change, never, void>}
 */
export async function* resumed(read, after, signal) {
  let place = after;
  let hasWorked = false;
  for (let failures = 0; ; failures += 1) {
    let failure;
    try {
      for await (const piece of read(place, hasWorked, signal)) {
        [hasWorked, failures] = [true, 0];
        yield* piece.changes;
        place = piece.place;
      }
    } catch (error) {
      if (signal?.aborted || !hasWorked || !isPassing(error)) throw error;
      failure = error;
    }
    await pause(waitSecondsOf(failure, failures + 1), signal);
  }
}

/** @param {(params: import('./catalog-writer.d.ts').ChangesParams & { waitSeconds: number }) => Promise<import('./catalog-writer.d.ts').Changes>} list @returns {Read} */
export const pagesAfter = (list) =>
  async function* pages(place, _, signal) {
    for (let after = place; ;) {
      const { changes, next } = await list({ after, waitSeconds: WAIT_SECONDS, signal });
      yield { changes, place: next };
      after = next;
    }
  };

/** @param {Open} open @returns {Read} */
export const streamAfter = (open) =>
  async function* stream(place, isResumed, signal) {
    const response = await open(place, isResumed, signal);
    for await (const { id, data } of eventsOf(textLines(response, SILENCE_MS, signal)))
      yield { changes: data === null ? [] : [JSON.parse(data)], place: id };
  };

/**
 * Server-sent events as the writer sends them: each has an id, and one line of data or none. One that is cut is left out.
 * @param {AsyncIterable<string>} lines
 * @returns {AsyncGenerator<{ id: string, data: string | null }, void, void>}
 */
async function* eventsOf(lines) {
  /** @type {Record<string, string>} */
  let fields = {};
  for await (const line of lines) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name) fields[name] = value;
    if (line !== '') continue;
    if (fields.id) yield { id: fields.id, data: fields.data ?? null };
    fields = {};
  }
}
