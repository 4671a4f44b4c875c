import { Refusal } from './api.js';

/*
 * The writer's feed of changes. EventSource cannot send a key, so fetch reads the stream.
 */

/** @typedef {{ cursor: string, kind: string, product?: number, revision?: number, paths?: string[], actor?: string, load_id?: number }} Change */
/**
 * @typedef {object} Following
 * @property {import('./api.js').Api} api
 * @property {string} cursor after which the changes are wanted
 * @property {(change: Change) => void} onChange
 * @property {(text: string) => void} onState why none come; empty: they do
 * @property {AbortSignal} signal
 */

const PAUSE_MS = 1000;

/** With them, the next attempt would end likewise. */
const FINAL = [400, 401, 403, 404, 410];

/** @param {number} status */
const finalText = (status) =>
  status === 410
    ? 'This page missed changes of others. Reload it.'
    : 'This key does not show changes of others (scope changes). Reload to see them.';

/** @param {string} block lines of one event @returns {Change | null} null: a comment */
function changeIn(block) {
  const data = block.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length)] : []));
  return data.length > 0 ? JSON.parse(data.join('\n')) : null;
}

/** @param {Response} response @returns {AsyncGenerator<Change>} */
async function* changesIn({ body }) {
  let rest = '';
  const decoder = new TextDecoder();
  const reader = /** @type {ReadableStream<Uint8Array>} */ (body).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const change = changeIn(block);
      if (change) yield change;
    }
  }
}

/** Follows the feed until the signal. A stream that breaks is resumed after its last change. @param {Following} following */
export async function follow({ api, cursor, onChange, onState, signal }) {
  let after = cursor;
  while (!signal.aborted) {
    try {
      const response = await api.open('GET', `/changes/stream?after=${after}`, { signal });
      onState('');
      for await (const change of changesIn(response)) {
        after = change.cursor;
        onChange(change);
      }
    } catch (error) {
      if (error instanceof Refusal && FINAL.includes(error.status)) return onState(finalText(error.status));
      if (!signal.aborted) onState('The writer does not answer. Changes of others are not shown.');
    }
    await new Promise((resolve) => void setTimeout(resolve, PAUSE_MS));
  }
}
