import { toProblem } from '../problem.js';

/** A request has at most so many lines, unless one alone is larger. Its answers are read as a whole, within the time of a call. */
const MAX_LINES = 500;
const MAX_CHARACTERS = 2 ** 18;
/** The wait for a line that failed for a reason that passes; only headers have it. */
const RETRY_AFTER_SECONDS = 1;

/** @typedef {import('./catalog-writer.d.ts').BulkLine} Line @typedef {import('./catalog-writer.d.ts').BulkResult} Result @typedef {import('./catalog-writer.d.ts').BulkEnd} End */
/** @typedef {{ results: Result[], end: End | null, failure: Error | null }} Part what became of a request; `failure`: why it was cut */

/**
 * Writes lines by one request after the other, so that lines of a product keep their order.
 * @param {Iterable<Line> | AsyncIterable<Line>} lines
 * @param {(body: string, part: number, read: (response: Response) => Promise<Part>) => Promise<Part>} send
 * @returns {AsyncGenerator<Result, End, void>}
 */
export async function* bulkWrites(lines, send) {
  /** @type {End} */
  const all = { lines: 0, failed: 0, cursor: null };
  let part = 0;
  for await (const texts of partsOf(lines)) {
    const { results, end, failure } = await send(texts.join(''), (part += 1), partIn);
    for (const result of results) yield { ...result, line: all.lines + result.line };
    if (!end) throw failure;
    all.lines += end.lines;
    all.failed += end.failed;
    all.cursor = end.cursor ?? all.cursor;
  }
  return all;
}

/** @param {Iterable<Line> | AsyncIterable<Line>} lines @returns {AsyncGenerator<string[], void, void>} the same parts of the same lines */
async function* partsOf(lines) {
  /** @type {string[]} */
  let texts = [];
  let size = 0;
  for await (const line of lines) {
    const text = `${JSON.stringify(line)}\n`;
    if (texts.length === MAX_LINES || (size > 0 && size + text.length > MAX_CHARACTERS)) {
      yield texts;
      [texts, size] = [[], 0];
    }
    texts.push(text);
    size += text.length;
  }
  if (texts.length > 0) yield texts;
}

/**
 * @param {Response} response @returns {Promise<Part>}
 * @throws {Error} when the same request may succeed later
 */
async function partIn(response) {
  const whole = (await response.text()).split('\n').slice(0, -1);
  const answers = whole.map((text) => JSON.parse(text));
  const last = answers.at(-1);
  if (last?.done) return { results: answers.slice(0, -1).map(resultOf), end: last, failure: null };
  const failure = last?.problem ? problemOf(last) : new Error('The reply was cut before its last line.');
  if (!last?.problem || last.status === 503) throw failure;
  return { results: answers.map(resultOf), end: null, failure };
}

/** @param {any} answer */
const problemOf = ({ status, problem }) =>
  /** @type {import('../problem.js').CatalogProblem} */ (
    toProblem(problem, status, status === 503 ? RETRY_AFTER_SECONDS : null)
  );

/** @param {any} answer @returns {Result} */
const resultOf = (answer) => (answer.problem ? { ...answer, problem: problemOf(answer) } : answer);
