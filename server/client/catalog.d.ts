import type {
  Card,
  Catalog as Menu,
  ExportProductsQuery,
  Fields,
  GetProductQuery,
  GetSkuQuery,
  ListProductsQuery,
  Product,
  ProductSummary,
  RelatedIds,
  SearchProductsQuery,
  SearchResult,
  SkuItem,
  Styles,
  Suggestions,
  WordMatch,
} from './schemas.d.ts';

export type * from './schemas.d.ts';
export type { Menu, SearchResult as SearchReply };

/** Parts that a product may have beside its own keys. */
export type Include = NonNullable<GetProductQuery['include']>[number];
/** Parts that a product of a list may have; a single product always has its features. */
export type ListInclude = NonNullable<ListProductsQuery['include']>[number];

/** Parts that a sku may have beside its own keys. */
export type SkuInclude = NonNullable<GetSkuQuery['include']>[number];

/** A product or sku with the parts that a call includes. A list that is not known when you compile leaves them optional. */
export type With<P, I extends readonly (keyof P)[]> = number extends I['length'] ? P : P & Required<Pick<P, I[number]>>;

/** Types of the fields of one's own (`fields.json`), by what has them. Each may be absent, so `fields` has them as optional. */
export interface OwnFields {
  products?: object;
  styles?: object;
  skus?: object;
}

/** Cards have some fields of products. */
type Owner<T> = T extends { quantity: unknown } ? 'skus' : T extends { style_id: unknown } ? 'styles' : 'products';
type Narrowed<F, K extends keyof OwnFields> = F extends { [P in K]: infer T } ? Partial<T> : Fields;
/** A reply whose `fields` have the types of F, also those of what it includes. */
export type Own<T, F extends OwnFields> = OwnFields extends F
  ? T
  : T extends object
    ? { [K in keyof T]: K extends 'fields' ? Narrowed<F, Owner<T>> : Own<T[K], F> }
    : T;

/** What a request passes to `fetch` beside its own. `cache`, and `next` of Next.js, go through as they are. */
export interface FetchInit {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal | null | undefined;
  cache?: RequestInit['cache'];
  next?: NextOptions;
}

/** What Next.js takes of a request. */
export interface NextOptions {
  revalidate?: number | false;
  tags?: string[];
}

type HeaderFields = Record<string, string> | Headers | [string, string][];

/** A request that is sent. `attempt`: 1, and more of a repeat. */
export interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  attempt: number;
}

/** How a client sends its requests. */
export interface Connection {
  /** Sends each request; default: the global `fetch`. */
  fetch?: (url: string, init: FetchInit) => Promise<Response>;
  /** Headers of each request, or a function that gives them. A repeat calls it again. */
  headers?: HeaderFields | (() => HeaderFields | Promise<HeaderFields>);
  /**
   * Milliseconds until a reply must be complete, for each attempt; of a stream, how long it may send nothing. Default 10,000; null: no limit.
   * The call then rejects with a `TimeoutError`.
   */
  timeout?: number | null;
  /**
   * How often a request is repeated that got no reply, or a reply that passes (408, 429, 5xx). It waits as `Retry-After` says, at most 30 s;
   * without it 0.25 s, then twice as long each time.
   */
  retry?: number;
  /** Called before each attempt. The call rejects with what it throws. */
  onRequest?: (request: Sent) => unknown;
  /** Called with each reply, also one that is a problem. Read its body only from a `clone()`. */
  onResponse?: (response: Response, request: Sent) => unknown;
  /** Of each call that names no other. */
  cache?: FetchInit['cache'];
  /** Of each call that names no other. */
  next?: NextOptions;
}

export interface Options extends Connection {
  /** The address of the service, as `https://shop.example`, also behind a path; default: the origin of the page. */
  url?: string | URL | null;
  /** Default 0: nothing is repeated. */
  retry?: number;
}

export interface CallOptions {
  signal?: AbortSignal | null | undefined;
  cache?: FetchInit['cache'];
  next?: NextOptions | undefined;
}

/** Such a parameter is not asked, as if it was left out; nor is one that is false. */
type Unasked = null | undefined | '';
type OrUnasked<P> = { [K in keyof P]: P[K] | Unasked };

export type ListParams = Pick<ListProductsQuery, 'page' | 'count' | 'after'> & { include?: readonly ListInclude[] };

/** One page of a list, with what its headers say. */
export interface ListPage<P = ProductSummary> {
  items: P[];
  /** Products in the catalog. */
  total: number;
  /** The version of the data. It changes with each load. */
  version: string;
  /** Pass it to `products` for the next page; undefined on the last one. In a loop TypeScript needs a type: `const page: ListPage`. */
  next: ListParams | undefined;
}

/** A filter takes one value or several, which are alternatives. */
type Value = string | number | null | undefined;
type Values = Value | readonly Value[];

/** Names and limits are those of the API. A Date, NaN or an object as a value is a TypeError that names the parameter. */
export interface SearchParams extends OrUnasked<
  Pick<SearchProductsQuery, 'q' | 'sort' | 'count' | 'page' | 'facet_values'>
> {
  /** `next` of a reply. Its null is the end, and no cursor. */
  after?: string;
  category?: Values;
  size?: Values;
  [feature: `feature.${string}`]: Values;
  /** Of a field that the shop declares. A number or date also takes a range, as `100..500`, a boolean `'true'` or `'false'`. */
  [field: `field.${string}`]: Values;
  min_price?: Value;
  max_price?: Value;
  on_sale?: boolean | Unasked;
  in_stock?: boolean | Unasked;
  facets?: readonly (NonNullable<SearchProductsQuery['facets']>[number] | Unasked | false)[] | Unasked;
}

export type ExportParams<V extends View = View> = OrUnasked<Pick<ExportProductsQuery, 'after'> & { view?: V }>;

/** The end of an export. */
export interface ExportEnd {
  /** Products, of all parts of an export that was resumed. */
  count: number;
  /** The id of the last product; null without one. */
  last: number | null;
  /** The version of the data when the export began. */
  catalog_version: string;
  /** The data changed since: then the last products are of a newer version. */
  changed: boolean;
}

type Suggest<F extends OwnFields> = (
  q: Value,
  options?: (CallOptions & { count?: number | Unasked }) | null,
) => Promise<Own<Suggestions, F>>;

type View = NonNullable<ExportProductsQuery['view']>;
type Line = {
  card: Card;
  product: Product;
  full: With<Product, ['styles', 'related_ids']>;
  id: { id: number };
};

/** Each function but `exportAll` and `searchAll` sends one request. Each rejects with a `CatalogProblem`, or with the error of `fetch`. */
export interface Catalog<F extends OwnFields = OwnFields> {
  product<const I extends readonly Include[] = []>(
    id: number,
    options?: (CallOptions & { include?: I | Unasked }) | null,
  ): Promise<Own<With<Product, I>, F>>;
  styles(id: number, options?: CallOptions): Promise<Own<Styles, F>>;
  related(id: number, options?: CallOptions): Promise<RelatedIds>;
  products<const I extends readonly ListInclude[] = []>(
    params?: (CallOptions & OrUnasked<ListParams> & { include?: I | Unasked }) | null,
  ): Promise<ListPage<Own<With<ProductSummary, I>, F>>>;
  /**
   * Products by id, in your order; null: unknown. All calls of one turn of the event loop share their requests: one for 500 products,
   * or for 100 with styles or related. Calls may share an object, so do not change it. An abort ends one call and not its request.
   * An id that is null or undefined keeps its place, and is not asked.
   */
  items<const I extends readonly ListInclude[] = []>(
    ids: readonly (number | null | undefined)[],
    options?: (CallOptions & { include?: I | Unasked }) | null,
  ): Promise<(Own<With<ProductSummary, I>, F> | null)[]>;
  sku<const I extends readonly SkuInclude[] = []>(
    id: number,
    options?: (CallOptions & { include?: I | Unasked }) | null,
  ): Promise<Own<With<SkuItem, I>, F>>;
  /** Skus by id, as `items`: a cart of ten is one request. */
  skus<const I extends readonly SkuInclude[] = []>(
    ids: readonly (number | null | undefined)[],
    options?: (CallOptions & { include?: I | Unasked }) | null,
  ): Promise<(Own<With<SkuItem, I>, F> | null)[]>;
  /** All skus whose field has one of the values, by id: a code or a GTIN, as the catalog declares. More than 500 are a problem 400. */
  skusBy<const I extends readonly SkuInclude[] = []>(
    field: string,
    values: Values,
    options?: (CallOptions & { include?: I | Unasked }) | null,
  ): Promise<Own<With<SkuItem, I>, F>[]>;
  search(params?: (CallOptions & SearchParams) | null): Promise<Own<SearchResult, F>>;
  /** All cards that a search finds, from `page` or `after` on, each id once. */
  searchAll(
    params?: (CallOptions & Omit<SearchParams, 'facets' | 'facet_values'>) | null,
  ): AsyncGenerator<Own<Card, F>, void, void>;
  suggest: Suggest<F>;
  /** A `suggest` for one field: each call aborts the one before, whose promise rejects with an AbortError. */
  suggestions(): Suggest<F>;
  menu(options?: CallOptions | null): Promise<Menu>;
  /**
   * All products after an id. It reads no more than you consume, and resumes a stream that is cut. It throws when five tries in a row
   * bring no product. The iterator returns what its end says.
   */
  exportAll<V extends View = 'card'>(
    params?: (CallOptions & ExportParams<V>) | null,
  ): AsyncGenerator<Own<Line[V], F>, ExportEnd, void>;
}

/** `createCatalog<{ products: { brand: string } }>()` gives `fields` these types. */
export function createCatalog<F extends OwnFields = OwnFields>(options?: Options): Catalog<F>;

export interface Segment {
  text: string;
  match: boolean;
}

/** Cuts a text into segments, for `query.words` of a search. They are texts, never HTML. */
export function highlight(text: string, words: readonly Pick<WordMatch, 'word' | 'as'>[]): Segment[];

/** What is wrong at a place of a body; `pointer` is a JSON pointer. */
export interface BodyError {
  pointer: string;
  detail: string;
}

export interface ProblemFields {
  status: number;
  detail: string;
  slug?: string | null;
  retryAfter?: number | null;
  instance?: string | null;
  errors?: readonly BodyError[];
  members?: Record<string, unknown>;
}

/** An error reply (RFC 9457), or one that is not from the catalog. */
export class CatalogProblem extends Error {
  constructor(fields: ProblemFields);
  readonly status: number;
  readonly detail: string;
  /** The last part of its `type`, such as `unknown-product`; null when a proxy answered. Branch on it. */
  readonly slug: string | null;
  /** Seconds to wait before you try again; null when the reply does not say. */
  readonly retryAfter: number | null;
  /** Names the occurrence in the log of the service. */
  readonly instance: string | null;
  /** Of `invalid-body`, the first 20; else empty. */
  readonly errors: readonly BodyError[];
  /** Further members, as `current` of a `precondition-failed` of the writer. */
  readonly members: Record<string, unknown>;
}
