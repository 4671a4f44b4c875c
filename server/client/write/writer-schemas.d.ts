// Types of replies and queries. Written from server/writer/openapi.json by `npm run format`.

export type Id = number;

/** A decimal number as a string. A JSON number is refused, because it may be rounded on its way. Its places are kept, and shown as two at least: `100.000` is the amount of `100.00` and another text. */
export type Price = string;

export type Feature = {
  feature: string;
  value: string | null;
};

/** The shop's own fields, where the load that is served declares some. Their names and types are in the description that a writer serves. Null, an empty text and an empty list are no value. Numbers are exact: their digits are kept, without zeros at the end. Without this member a row has no field; a patch changes those that it names. */
export type Fields = Record<string, unknown>;

export type Photo = {
  thumbnail_url: string;
  url: string;
};

/** `quantity` only in a new sku; its default is 0. */
export type Sku = {
  size: string;
  fields?: Fields;
  quantity?: number;
};

export type Style = {
  name: string;
  original_price: Price;
  sale_price?: Price | null;
  'default?': boolean;
  fields?: Fields;
  photos: Photo[];
  skus: Record<string, Sku>;
};

/** Styles and skus are maps by id. A key that begins with `new` gets an id from 1500000001 on. `id`, `campus`, `created_at` and `updated_at` may be sent back as they were read. */
export type Product = {
  id?: Id;
  campus?: string;
  created_at?: string;
  updated_at?: string;
  name: string;
  slogan: string;
  description: string;
  category: string;
  default_price: Price;
  features: Feature[];
  fields?: Fields;
  related: Id[];
  styles: Record<string, Style>;
};

export type SkuPatch = {
  size?: string;
  fields?: Fields | null;
  quantity?: number;
};

export type StylePatch = {
  name?: string;
  original_price?: Price;
  sale_price?: Price | null;
  'default?'?: boolean;
  fields?: Fields | null;
  photos?: Photo[];
  skus?: Record<string, SkuPatch | null>;
};

/** RFC 7396: null removes a style or a sku, lists are replaced whole. */
export type ProductPatch = {
  id?: Id;
  campus?: string;
  created_at?: string;
  updated_at?: string;
  name?: string;
  slogan?: string;
  description?: string;
  category?: string;
  default_price?: Price;
  features?: Feature[];
  fields?: Fields | null;
  related?: Id[];
  styles?: Record<string, StylePatch | null>;
};

export type ShownSku = {
  size: string;
  fields?: Fields;
};

export type ShownStyle = {
  name: string;
  original_price: Price;
  sale_price: Price | null;
  'default?': boolean;
  fields?: Fields;
  photos: Photo[];
  skus: Record<string, ShownSku>;
};

export type ShownProduct = {
  id: Id;
  campus: string;
  name: string;
  slogan: string;
  description: string;
  category: string;
  default_price: Price;
  features: Feature[];
  fields?: Fields;
  related: Id[];
  styles: Record<string, ShownStyle>;
  created_at: string;
  updated_at: string;
};

export type Content = {
  name: string;
  slogan: string;
  description: string;
  category: string;
  default_price: Price;
  features: Feature[];
  fields?: Fields;
  related: Id[];
  styles: Record<string, ShownStyle>;
};

export type Rollback = {
  to: Id;
  reason?: string;
};

export type Visibility = {
  from?: string;
  until?: string;
  reason?: string;
};

export type ShownVisibility = {
  id: Id;
  hidden: boolean;
  from: string | null;
  until: string | null;
};

export type Amount = number;

export type Position = number;

export type Stock = {
  set?: [Id, Amount, Amount?][];
  adjust?: [Id, number][];
  compare?: 'none';
};

export type Quantity = {
  quantity: Amount;
  was?: Amount;
  compare?: 'none';
};

export type Rejected = {
  pointer: string;
  sku: Id;
  reason: 'unknown-sku' | 'not-as-expected' | 'out-of-range';
  /** That was there; null: there is no such sku. */
  quantity: number | null;
};

export type StockReply = {
  position: Position;
  operations: number;
  rejected?: Rejected[];
};

export type StockWrite = {
  position: Position;
  operations: number;
  state: 'logged' | 'applied';
  rejected: Rejected[];
};

/** Era and number of a commit. */
export type Cursor = string;

export type RevisionHead = {
  revision: number;
  kind: 'load' | 'create' | 'update' | 'delete' | 'rollback';
  at: string;
  cursor: Cursor | null;
  load_id: number;
  actor: string | null;
  on_behalf: string | null;
  reason: string | null;
  request_id: string | null;
  paths: string[];
};

export type Revision = {
  revision: number;
  kind: 'load' | 'create' | 'update' | 'delete' | 'rollback';
  at: string;
  cursor: Cursor | null;
  load_id: number;
  actor: string | null;
  on_behalf: string | null;
  reason: string | null;
  request_id: string | null;
  paths: string[];
  content: Content | null;
};

/** The newest first. `before` continues the list; null: that was all. */
export type Revisions = {
  revisions: RevisionHead[];
  before: number | null;
};

/** Merge patches from one revision to the other, and back; null where one is a deleted product. */
export type Diff = {
  from: number;
  to: number;
  paths: string[];
  patch: unknown;
  reverse: unknown;
};

/** RFC 9457. `errors` is in `invalid-body`, `quantity` in a `conflict` about one, the other lists in `precondition-failed`. */
export type Problem = {
  type: 'urn:catalog:problem:malformed-parameter' | 'urn:catalog:problem:malformed-request' | 'urn:catalog:problem:unauthorized' | 'urn:catalog:problem:forbidden' | 'urn:catalog:problem:unknown-path' | 'urn:catalog:problem:unknown-product' | 'urn:catalog:problem:unknown-revision' | 'urn:catalog:problem:unknown-sku' | 'urn:catalog:problem:unknown-write' | 'urn:catalog:problem:method-not-allowed' | 'urn:catalog:problem:request-timeout' | 'urn:catalog:problem:conflict' | 'urn:catalog:problem:idempotency-in-progress' | 'urn:catalog:problem:precondition-failed' | 'urn:catalog:problem:content-too-large' | 'urn:catalog:problem:unsupported-media-type' | 'urn:catalog:problem:expectation-failed' | 'urn:catalog:problem:invalid-body' | 'urn:catalog:problem:idempotency-key-reused' | 'urn:catalog:problem:precondition-required' | 'urn:catalog:problem:headers-too-large' | 'urn:catalog:problem:internal-error' | 'urn:catalog:problem:overloaded' | 'urn:catalog:problem:unavailable' | 'urn:catalog:problem:writes-paused' | 'urn:catalog:problem:cursor-expired' | 'urn:catalog:problem:cursor-forked' | 'urn:catalog:problem:too-many-requests';
  title: string;
  status: number;
  detail: string;
  instance: string;
  quantity?: number;
  errors?: {
    pointer: string;
    detail: string;
  }[];
  /** The product now; without `etag`, it is deleted. */
  current?: {
    etag?: string;
    revision: number;
  };
  /** Of a PATCH: JSON pointers of what others changed since the ETag that `If-Match` names, if a write or a load before a write had it. */
  changed?: string[];
  /** What the patch changes of these. If it is empty, repeat the patch with the current ETag. */
  conflicts?: string[];
};

/** A place in the log: after a commit, or after one of its changes. */
export type Place = string;

/** `product.updated` may have changed any reply of the product, `stock.changed` only quantities, `catalog.replaced` all products. `catalog.forked` goes to webhooks alone: the log has other changes than those before it. `load_id`: made by a load, without `revision`, the first `paths` and `actor`. */
export type Change = {
  cursor: Place;
  kind: 'product.created' | 'product.updated' | 'product.deleted' | 'stock.changed' | 'catalog.replaced' | 'catalog.forked';
  product?: Id;
  revision?: number;
  paths?: string[];
  actor?: string;
  at: string;
  load_id?: number;
};

/** In the order of the log, the same for each reader. Continue at `next`; `head` is the last commit. */
export type Changes = {
  changes: Change[];
  next: Place;
  head: Cursor;
};

/** One write. `if_match` and `if_none_match` are the headers of that write. */
export type BulkLine = {
  op: 'create';
  body: Product;
} | {
  op: 'put';
  id: Id;
  if_match?: string;
  if_none_match?: '*';
  body: Product;
} | {
  op: 'patch';
  id: Id;
  if_match?: string;
  body: ProductPatch;
} | {
  op: 'upsert';
  id: Id;
  body: ProductPatch;
} | {
  op: 'delete';
  id: Id;
  if_match?: string;
};

/** The answer to a line, in the order of the lines. The last one has `done`: a reply without it was cut, and the same request with the same key goes on. */
export type BulkAnswer = {
  line: number;
  status: 200 | 201 | 204;
  id: Id;
  etag?: string;
  cursor: Cursor;
} | {
  line: number;
  status: number;
  problem: Problem;
} | {
  done: true;
  lines: number;
  failed: number;
  /** The last commit of these writes; null if there was none. */
  cursor: Cursor | null;
};

export type ProductStock = {
  product: Id;
  styles: {
    style: Id;
    name: string;
    skus: {
      sku: Id;
      size: string;
      quantity: number;
    }[];
  }[];
};

export type ListRevisionsQuery = {
  /** Revisions before this one. */
  before?: number;
  /** How many. */
  limit?: number;
};

export type DiffRevisionsQuery = {
  /** The other revision. */
  to?: number;
};

export type ListChangesQuery = {
  /** `next` of a page, `cursor` of a change, `Catalog-Cursor` of a reply, or `head` to begin: the last commit. */
  after?: Place | 'head';
  /** Changes of a page. A page may have fewer. */
  limit?: number;
};

export type StreamChangesQuery = {
  /** `next` of a page, `cursor` of a change, `Catalog-Cursor` of a reply, or `head` to begin: the last commit. */
  after?: Place | 'head';
};
