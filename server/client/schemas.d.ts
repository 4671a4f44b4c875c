// Types of replies and queries. Written from server/openapi.json by `npm run format`.

export type Timestamp = string;

/** Its features and the keys after them only if they are included. */
export type ProductSummary = {
  id: number;
  campus: string;
  name: string;
  slogan: string;
  description: string;
  category: string;
  default_price: string;
  created_at: Timestamp;
  updated_at: Timestamp;
  features?: Feature[];
  offer?: Offer;
  styles?: Style[];
  related?: Card[];
  related_ids?: RelatedIds;
};

export type Feature = {
  feature: string;
  value: string | null;
};

/** The keys after its features only if they are included. */
export type Product = {
  id: number;
  campus: string;
  name: string;
  slogan: string;
  description: string;
  category: string;
  default_price: string;
  created_at: Timestamp;
  updated_at: Timestamp;
  features: Feature[];
  offer?: Offer;
  styles?: Style[];
  related?: Card[];
  related_ids?: RelatedIds;
};

/** What a tile of a shop shows. `price` is the lowest of all styles, on sale or not, and `original_price` that of the same style; without styles all are the product's `default_price`. `sizes`: those in stock. `styles`: their number. `thumbnail_url`: the first photo of the default style. */
export type Offer = {
  price: string;
  max_price: string;
  original_price: string;
  on_sale: boolean;
  in_stock: boolean;
  sizes: string[];
  styles: number;
  thumbnail_url: string | null;
};

/** A product as a tile of a shop shows it. */
export type Card = {
  id: number;
  name: string;
  slogan: string;
  category: string;
  default_price: string;
  offer: Offer;
};

/** Values by products, descending. `more`: values that were cut. */
export type ValueFacet = {
  name: 'category' | 'size' | 'on_sale' | 'in_stock' | `feature.${string}`;
  values: {
    value: string;
    count: number;
    selected: boolean;
  }[];
  more: number;
};

/** The lowest and the highest price, null without products, and how many products are in each band. */
export type PriceFacet = {
  name: 'price';
  min: string | null;
  max: string | null;
  values: {
    min_price: string;
    max_price: string;
    count: number;
  }[];
};

export type Facet = ValueFacet | PriceFacet;

export type WordMatch = {
  word: string;
  /** Terms that matched, folded. */
  as: string[];
  /** The same terms as texts of the catalog mostly write them. */
  shown: string[];
  typos: number;
};

export type SearchResult = {
  total: number;
  items: Card[];
  /** `after` of the next page; null on the last one. */
  next: string | null;
  query: {
    words: WordMatch[];
    /** Little words. */
    optional: string[];
    ignored: string[];
  };
  facets: Facet[];
};

export type Counted = {
  value: string;
  count: number;
};

export type Suggestions = {
  words: Counted[];
  categories: Counted[];
  cards: Card[];
};

export type Catalog = {
  products: number;
  price: {
    min: string | null;
    max: string | null;
  } | null;
  facets: Facet[];
  sorts: ('relevance' | 'id' | 'price' | '-price' | 'name' | '-name' | 'newest')[];
  limits: {
    count: number;
    default_count: number;
    facet_values: number;
    default_facet_values: number;
    filter_values: number;
    suggestions: number;
    default_suggestions: number;
    q_characters: number;
    q_words: number;
  };
};

export type RelatedIds = number[];

export type Photo = {
  thumbnail_url: string | null;
  url: string | null;
};

export type Sku = {
  quantity: number | null;
  size: string | null;
};

export type Style = {
  style_id: number;
  name: string;
  original_price: string;
  sale_price: string | null;
  'default?': boolean;
  photos: Photo[];
  skus: Record<string, Sku>;
};

export type Styles = {
  product_id: string;
  /** Empty for a product without styles: check the length before you read `results[0]`. */
  results: Style[];
};

/** RFC 9457. */
export type Problem = {
  type: 'urn:catalog:problem:malformed-parameter' | 'urn:catalog:problem:malformed-request' | 'urn:catalog:problem:unknown-path' | 'urn:catalog:problem:unknown-product' | 'urn:catalog:problem:method-not-allowed' | 'urn:catalog:problem:request-timeout' | 'urn:catalog:problem:cursor-forked' | 'urn:catalog:problem:precondition-failed' | 'urn:catalog:problem:content-too-large' | 'urn:catalog:problem:uri-too-long' | 'urn:catalog:problem:expectation-failed' | 'urn:catalog:problem:too-many-requests' | 'urn:catalog:problem:headers-too-large' | 'urn:catalog:problem:internal-error' | 'urn:catalog:problem:not-implemented' | 'urn:catalog:problem:overloaded' | 'urn:catalog:problem:not-yet' | 'urn:catalog:problem:unavailable' | 'urn:catalog:problem:without-search';
  title: string;
  status: number;
  detail: string;
  instance: string;
};

export type ListProductsQuery = {
  /** Which run of `count` products, from 1. */
  page?: number;
  /** Products in the list. The Atelier API has no upper limit; here more than 20000 is a 400, and with `styles` or `related` included more than 100. */
  count?: number;
  /** Only products with a larger id. */
  after?: number;
  /** Parts of each product in the list. */
  include?: ('features' | 'offer' | 'styles' | 'related' | 'related_ids')[];
  /** The products of the list, in this order; at most 100 with `styles` or `related` included. Repeats are kept. */
  ids?: number[];
};

export type GetProductQuery = {
  /** Parts of the product beside its features. `related`: at most 50 cards in file order, without repeats and the product itself. `related_ids`: the reply of `/related`. `styles`: the `results` of `/styles`. */
  include?: ('offer' | 'styles' | 'related' | 'related_ids')[];
};

export type ExportProductsQuery = {
  /** What a line is: the card of a product, the bytes of `/products/{product_id}`, or its id alone. */
  view?: 'card' | 'product' | 'id';
  /** Only products with a larger id. */
  after?: number;
};

export type SearchProductsQuery = {
  /** Words that a product must have, the last one also as a beginning; `-word` excludes. At most 200 characters; ten words decide. Case, accents and quotes do not matter. Signs alone find nothing. */
  q?: string;
  /** Any of these categories. */
  category?: string[];
  /** Any of these sizes; with `in_stock=true` in stock in that size. */
  size?: string[];
  /** Any of these values of the feature NAME, as `feature.Fabric=Canvas`. Values and names of more than 200 characters have no filter and are in no facet; their words are found by `q`. */
  'feature.NAME'?: string[];
  /** `offer.price` is at least this. */
  min_price?: string;
  /** `offer.price` is at most this. */
  max_price?: string;
  /** Only products on sale. */
  on_sale?: 'true' | 'false';
  /** Only products in stock. */
  in_stock?: 'true' | 'false';
  /** The order: `relevance` with `q`, else `id`. Ties are in the order of ids; `-price` and `-name` are the exact reverse of `price` and `name`. */
  sort?: 'relevance' | 'id' | 'price' | '-price' | 'name' | '-name' | 'newest';
  /** Products of the page. */
  count?: number;
  /** Which run of `count` products, from 1. */
  page?: number;
  /** `next` of an earlier reply to the same query, instead of `page`. */
  after?: string;
  /** Facets of the reply: `category`, `price`, `size`, `on_sale`, `in_stock`, `feature` (all features), `feature.NAME`. */
  facets?: ('category' | 'price' | 'size' | 'on_sale' | 'in_stock' | 'feature' | `feature.${string}`)[];
  /** Values of a facet. */
  facet_values?: number;
};

export type SuggestQuery = {
  /** The text so far. */
  q?: string;
  /** Words, categories and cards, at most. */
  count?: number;
};
