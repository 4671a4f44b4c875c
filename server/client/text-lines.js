import { orAborted, within } from './attempts.js';

/**
 * The whole lines of a reply, without their ends. It reads no more than is consumed.
 * @param {Response} response
 * @param {number | null} silenceMs how long it may send nothing @param {AbortSignal | null} [signal]
 * @returns {AsyncGenerator<string, void, void>}
 */
export async function* textLines({ body, url }, silenceMs, signal) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (body).getReader();
  const decoder = new TextDecoder();
  const read = () => within(silenceMs, signal, url || 'The service', (ending) => orAborted(reader.read(), ending));
  let rest = '';
  try {
    for (let { done, value } = await read(); !done; { done, value } = await read()) {
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    reader.cancel().catch(() => {}); // a consumer that leaves early closes the connection; a cut one has failed already
  }
}
