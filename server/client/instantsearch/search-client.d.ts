import type { Card, Catalog } from '../catalog.d.ts';

/** What a widget or a helper of InstantSearch asks. The adapter rejects parameters that it cannot answer exactly. */
export interface SearchRequest {
  /** Any name; behind its last colon a `sort` of the API, as in `catalog:-price`. */
  indexName: string;
  /** `facet` searches values of `facet`. */
  type?: string;
  facet?: string;
  params?: SearchRequestParams;
}

/** Attributes: `category`, `size`, `price`, `on_sale`, `in_stock`, `feature.NAME`, `field.NAME`; dates are milliseconds. */
export interface SearchRequestParams {
  query?: string;
  /** From 0. */
  page?: number;
  hitsPerPage?: number;
  facets?: string | readonly string[];
  maxValuesPerFacet?: number;
  facetFilters?: Filters;
  numericFilters?: Filters;
  highlightPreTag?: string;
  highlightPostTag?: string;
  facetName?: string;
  facetQuery?: string;
  maxFacetHits?: number;
  [other: string]: unknown;
}

/** Values of one attribute in a list are alternatives. */
export type Filters = string | readonly (string | readonly string[])[];

/** `value` has the tags around what matched. Where a tag is markup, the text is escaped. */
export interface Highlighted {
  value: string;
  matchLevel: 'none' | 'partial' | 'full';
  matchedWords: string[];
}

export type Hit = Card & {
  objectID: string;
  _highlightResult: { name: Highlighted; slogan: Highlighted; category: Highlighted };
};

export interface SearchResponse<H = Hit> {
  index: string;
  query: string;
  params: string;
  hits: H[];
  nbHits: number;
  page: number;
  nbPages: number;
  hitsPerPage: number;
  processingTimeMS: number;
  exhaustiveNbHits: true;
  exhaustiveFacetsCount: boolean;
  facets: Record<string, Record<string, number>>;
  facets_stats: Record<string, { min: number; max: number }>;
}

export interface FacetValuesResponse {
  facetHits: { value: string; highlighted: string; count: number }[];
  exhaustiveFacetsCount: boolean;
  processingTimeMS: number;
}

export interface InstantSearchClient {
  search<H = Hit>(requests: readonly SearchRequest[]): Promise<{ results: SearchResponse<H>[] }>;
  searchForFacetValues(requests: readonly SearchRequest[]): Promise<FacetValuesResponse[]>;
}

/** `instantsearch({ indexName: 'catalog', searchClient: createSearchClient(catalog) })` */
export function createSearchClient(catalog: Pick<Catalog, 'search' | 'menu'>): InstantSearchClient;
