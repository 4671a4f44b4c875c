import type { CallOptions as ReadOptions, CatalogProblem, Connection } from '../catalog.d.ts';
import type {
  Change,
  Changes,
  Cursor,
  Diff,
  Id,
  ListChangesQuery,
  ListRevisionsQuery,
  Place,
  Product,
  ProductPatch,
  ProductStock,
  Quantity,
  Revision,
  Revisions,
  Rollback,
  ShownProduct,
  ShownVisibility,
  Stock,
  StockReply,
  StockWrite,
  Visibility,
  BulkLine,
} from './writer-schemas.d.ts';

export type * from './writer-schemas.d.ts';
export { CatalogProblem } from '../catalog.js';
export type { BodyError, Connection, Sent } from '../catalog.d.ts';

/** The body of a webhook. Verify its signature with `standardwebhooks` first; `webhook-id` is the cursor of its last change. */
export type HookBody = Changes;

export interface WriterOptions extends Omit<Connection, 'cache' | 'next'> {
  /** The address of the writer, as `http://10.0.0.5:7030`. */
  url: string | URL;
  /** A key of `npm run key`, or a function that gives one. A repeat calls it again. */
  key: string | (() => string | Promise<string>);
  /** Default 3. A repeat has the idempotency key of the first attempt, so it writes nothing twice. */
  retry?: number;
}

export type CallOptions = Pick<ReadOptions, 'signal'>;

export interface WriteOptions extends CallOptions {
  /** Default: a new one for each call. Keep one of your own where a write must survive the end of your program: it counts for 48 hours. */
  idempotencyKey?: string | undefined;
}

/** The person and the reason in the revision. */
export interface ContentOptions extends WriteOptions {
  actor?: string | undefined;
  reason?: string | undefined;
}

/** `etag` of what you have read; `'*'`: whatever is there. */
export interface IfMatch {
  ifMatch: string;
}

/** Brings a deleted product back. */
export interface IfDeleted {
  ifDeleted: true;
}

/** `respondAsync`: the reply need not wait until the operations are applied. */
export type StockOptions = WriteOptions & { respondAsync?: boolean | undefined };

/** A product as it is now. */
export interface Written {
  product: ShownProduct;
  /** For `ifMatch`. */
  etag: string;
  revision: number;
  /** The commit that made this; of a reply that wrote nothing, the last one. Readers send it as `Catalog-Min-Cursor`. */
  cursor: Cursor;
}

/** `isApplied`: else the operations are on the disk only, and `readWrite(position)` tells when they are applied. */
export type StockResult = StockReply & { isApplied: boolean; cursor: Cursor | null };

/** What became of a line, numbered from 1. Branch on `problem`. */
export type BulkResult =
  | { line: number; status: number; id: Id; etag?: string; cursor: Cursor; problem?: undefined }
  | { line: number; status: number; problem: CatalogProblem };

export interface BulkEnd {
  lines: number;
  failed: number;
  /** The last commit; null if there was none. */
  cursor: Cursor | null;
}

/** `after`: a cursor, or `head`: what comes from now on. */
export type ChangesParams = CallOptions & { after: Place | 'head' };

/** Its functions have the names of the writer's operations. Each rejects with a `CatalogProblem`, or with the error of `fetch`. */
export interface Writer {
  createProduct(product: Product, options?: ContentOptions): Promise<Written>;
  readProduct(id: Id, options?: CallOptions): Promise<Written>;
  putProduct(id: Id, product: Product, options: ContentOptions & (IfMatch | IfDeleted)): Promise<Written>;
  patchProduct(id: Id, patch: ProductPatch, options?: ContentOptions & Partial<IfMatch>): Promise<Written>;
  deleteProduct(id: Id, options: ContentOptions & IfMatch): Promise<Pick<Written, 'revision' | 'cursor'>>;
  rollBack(id: Id, rollback: Rollback, options: ContentOptions & (IfMatch | IfDeleted)): Promise<Written>;
  /** `times`: `from` then, `until` then not any more. */
  hide(id: Id, times?: Visibility, options?: ContentOptions): Promise<ShownVisibility>;
  publish(id: Id, times?: Visibility, options?: ContentOptions): Promise<ShownVisibility>;
  listRevisions(id: Id, params?: CallOptions & ListRevisionsQuery): Promise<Revisions>;
  readRevision(id: Id, revision: number, options?: CallOptions): Promise<Revision>;
  diffRevisions(id: Id, revision: number, to: number, options?: CallOptions): Promise<Diff>;
  readProductStock(id: Id, options?: CallOptions): Promise<ProductStock>;
  /** A rejected operation fails no call: see `rejected`. */
  changeStock(stock: Stock, options?: StockOptions): Promise<StockResult>;
  setQuantity(sku: Id, quantity: Quantity, options?: StockOptions): Promise<StockResult>;
  readWrite(position: number, options?: CallOptions): Promise<StockWrite>;
  /**
   * Writes any number of lines, some hundred by a request, and yields what became of each, in order. A line that fails stops no other.
   * With the same `idempotencyKey`, the same lines can be sent again: those that are done are answered as before.
   */
  bulk(
    lines: Iterable<BulkLine> | AsyncIterable<BulkLine>,
    options?: ContentOptions,
  ): AsyncGenerator<BulkResult, BulkEnd, void>;
  /** One page. With `waitSeconds`, an empty one waits for changes, at most 30 s. */
  listChanges(params: ChangesParams & Pick<ListChangesQuery, 'limit'> & { waitSeconds?: number }): Promise<Changes>;
  /**
   * All changes after a place, without end, by pages that wait. Once a page has come, it outlives a writer that is away. It throws a problem
   * 410, `cursor-expired` or `cursor-forked`, when you must read the catalog again.
   */
  followChanges(params: ChangesParams): AsyncGenerator<Change, never, void>;
  /** The same by server-sent events, which come sooner. */
  streamChanges(params: ChangesParams): AsyncGenerator<Change, never, void>;
}

export function createWriter(options: WriterOptions): Writer;
