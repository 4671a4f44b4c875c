import { jsonOf } from '../problem.js';
import { encoded, queryOf } from '../requests.js';
import { bulkWrites } from './bulk.js';
import { createCalls, newKey } from './calls.js';
import { pagesAfter, resumed, streamAfter } from './feed.js';

export { CatalogProblem } from '../problem.js';

const LINES = 'application/x-ndjson';
const PATCH = 'application/merge-patch+json';

/** @type {typeof import('./catalog-writer.d.ts').createWriter} */
export function createWriter(options) {
  const { request, get, write, limit } = createCalls(options);

  /** @type {import('./catalog-writer.d.ts').Writer['listChanges']} */
  const listChanges = ({ waitSeconds = 0, ...params }) =>
    get('/changes', params, {
      ...(waitSeconds > 0 && { headers: { prefer: `wait=${waitSeconds}` } }),
      timeout: limit && limit + waitSeconds * 1000,
    });

  /** @type {import('./feed.js').Open} */
  const openStream = (place, isResumed, signal) =>
    request(
      `/changes/stream${isResumed ? '' : queryOf({ after: place })}`,
      async (response) => response,
      { signal },
      { headers: { accept: 'text/event-stream', ...(isResumed && { 'last-event-id': place }) } },
    );

  /** @type {import('./catalog-writer.d.ts').Writer['bulk']} */
  function bulk(lines, own = {}) {
    const { idempotencyKey = newKey() } = own;
    return bulkWrites(lines, (body, part, read) =>
      write('POST /bulk', body, { ...own, idempotencyKey: `${idempotencyKey}-${part}` }, read, LINES),
    );
  }

  return {
    createProduct: (product, own) => write('POST /products', product, own, writtenOf),
    readProduct: (id, own) => request(at`/products/${id}`, writtenOf, own),
    putProduct: (id, product, own) => write(at`PUT /products/${id}`, product, own, writtenOf),
    patchProduct: (id, patch, own) => write(at`PATCH /products/${id}`, patch, own, writtenOf, PATCH),
    deleteProduct: (id, own) => write(at`DELETE /products/${id}`, undefined, own, async (reply) => commitOf(reply)),
    rollBack: (id, rollback, own) => write(at`POST /products/${id}/rollback`, rollback, own, writtenOf),
    hide: (id, times, own) => write(at`POST /products/${id}/hide`, times, own, jsonOf),
    publish: (id, times, own) => write(at`POST /products/${id}/publish`, times, own, jsonOf),
    listRevisions: (id, params) => get(at`/products/${id}/revisions`, params),
    readRevision: (id, revision, own) => get(at`/products/${id}/revisions/${revision}`, own),
    diffRevisions: (id, from, to, own) => get(at`/products/${id}/revisions/${from}/diff`, { to, ...own }),
    readProductStock: (id, own) => get(at`/products/${id}/stock`, own),
    changeStock: (stock, own) => write('POST /stock', stock, own, stockResultOf),
    setQuantity: (sku, quantity, own) => write(at`PUT /skus/${sku}/quantity`, quantity, own, stockResultOf),
    readWrite: (position, own) => get(at`/writes/${position}`, own),
    bulk,
    listChanges,
    followChanges: ({ after, signal }) => resumed(pagesAfter(listChanges), after, signal),
    streamChanges: ({ after, signal }) => resumed(streamAfter(openStream), after, signal),
  };
}

/** A path whose numbers may come from elsewhere, where they can be any text. @param {TemplateStringsArray} texts @param {number[]} numbers */
const at = (texts, ...numbers) => String.raw(texts, ...numbers.map((number) => encoded(String(number))));

/** @param {Response} response */
const commitOf = ({ headers }) => ({
  revision: Number(headers.get('Catalog-Revision')),
  cursor: headers.get('Catalog-Cursor') ?? '',
});

/** @param {Response} response @returns {Promise<import('./catalog-writer.d.ts').Written>} */
const writtenOf = async (response) => ({
  product: await jsonOf(response),
  etag: response.headers.get('ETag') ?? '',
  ...commitOf(response),
});

/** @param {Response} response @returns {Promise<import('./catalog-writer.d.ts').StockResult>} */
const stockResultOf = async (response) => ({
  ...(await jsonOf(response)),
  isApplied: response.status === 200,
  cursor: response.headers.get('Catalog-Cursor'),
});
