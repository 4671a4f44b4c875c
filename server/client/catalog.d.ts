import type {
  Card,
  Catalog as Menu,
  ExportProductsQuery,
  GetProductQuery,
  ListProductsQuery,
  Product,
  ProductSummary,
  RelatedIds,
  SearchProductsQuery,
  SearchResult,
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

/** A product with the parts that a call includes. A list that is not known when you compile leaves them optional. */
export type With<P, I extends readonly (keyof P)[]> = number extends I['length'] ? P : P & Required<Pick<P, I[number]>>;

export interface Options {
  /** The address of the service, as `https://shop.example`, also behind a path; default: the origin of the page. */
  url?: string | URL | null;
  /** Sends each request; default: the global `fetch`. */
  fetch?: (url: string, init: { signal?: AbortSignal | null }) => Promise<Response>;
}

export interface CallOptions {
  signal?: AbortSignal | null | undefined;
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

type Suggest = (q: Value, options?: (CallOptions & { count?: number | Unasked }) | null) => Promise<Suggestions>;

type View = NonNullable<ExportProductsQuery['view']>;
type Line = { card: Card; product: Product; id: { id: number } };

/** Each function but `exportAll` and `searchAll` sends one request. Each rejects with a `CatalogProblem`, or with the error of `fetch`. */
export interface Catalog {
  product<const I extends readonly Include[] = []>(
    id: number,
    options?: (CallOptions & { include?: I | Unasked }) | null,
  ): Promise<With<Product, I>>;
  styles(id: number, options?: CallOptions): Promise<Styles>;
  related(id: number, options?: CallOptions): Promise<RelatedIds>;
  products<const I extends readonly ListInclude[] = []>(
    params?: (CallOptions & OrUnasked<ListParams> & { include?: I | Unasked }) | null,
  ): Promise<ListPage<With<ProductSummary, I>>>;
  /**
   * Products by id, in your order; null: unknown. All calls of one turn of the event loop share their requests: one for 500 products,
   * or for 100 with styles or related. Calls may share an object, so do not change it. An abort ends one call and not its request.
   * An id that is null or undefined keeps its place, and is not asked.
   */
  items<const I extends readonly ListInclude[] = []>(
    ids: readonly (number | null | undefined)[],
    options?: (CallOptions & { include?: I | Unasked }) | null,
  ): Promise<(With<ProductSummary, I> | null)[]>;
  search(params?: (CallOptions & SearchParams) | null): Promise<SearchResult>;
  /** All cards that a search finds, from `page` or `after` on, each id once. */
  searchAll(
    params?: (CallOptions & Omit<SearchParams, 'facets' | 'facet_values'>) | null,
  ): AsyncGenerator<Card, void, void>;
  suggest: Suggest;
  /** A `suggest` for one field: each call aborts the one before, whose promise rejects with an AbortError. */
  suggestions(): Suggest;
  menu(options?: CallOptions | null): Promise<Menu>;
  /**
   * All products after an id. It reads no more than you consume, and resumes a stream that is cut. It throws when five tries in a row
   * bring no product. The iterator returns what its end says.
   */
  exportAll<V extends View = 'card'>(
    params?: (CallOptions & ExportParams<V>) | null,
  ): AsyncGenerator<Line[V], ExportEnd, void>;
}

export function createCatalog(options?: Options): Catalog;

export interface Segment {
  text: string;
  match: boolean;
}

/** Cuts a text into segments, for `query.words` of a search. They are texts, never HTML. */
export function highlight(text: string, words: readonly Pick<WordMatch, 'word' | 'as'>[]): Segment[];

export interface ProblemFields {
  status: number;
  detail: string;
  slug?: string | null;
  retryAfter?: number | null;
  instance?: string | null;
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
}
