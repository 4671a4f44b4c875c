// Types of replies and queries. Written from server/openapi.json by `npm run format`.

/** As the Universal Commerce Protocol says. */
export type UcpReply = {
  ucp: Record<string, unknown>;
  messages?: Record<string, unknown>[];
};

/** A message of JSON-RPC 2.0. */
export type JsonRpc = {
  jsonrpc: '2.0';
};

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
  fields?: Fields;
  offer?: Offer;
  styles?: Style[];
  related?: Card[];
  related_ids?: RelatedIds;
};

/** The shop's own fields, in declared order, where the catalog has some; an empty one is no member. The description that a service serves has their names and types. */
export type Fields = Record<string, FieldValue>;

export type FieldValue = string | number | boolean | string[];

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
  fields?: Fields;
  offer?: Offer;
  styles?: Style[];
  related?: Card[];
  related_ids?: RelatedIds;
  jsonld?: ProductGroup;
};

/** JSON-LD: a variant for each style, with the prices and the stock that the offer has. A product without styles has one, out of stock. `<`, `>` and `&` are escaped, so its bytes may stand in a script element; who parses them and writes them again must escape `<` anew. */
export type ProductGroup = {
  '@context': 'https://schema.org';
  '@type': 'ProductGroup';
  productGroupID: string;
  name: string;
  description: string;
  category: string;
  /** The page of the product, as `SHOP_PRODUCT_URL` says. */
  url: string;
  hasVariant: ({
    '@type': 'Product';
    /** The style; absent where the product has none. */
    productID?: string;
    name: string;
    image?: string[];
    offers: {
      '@type': 'Offer';
      price: string;
      priceCurrency: string;
      availability: 'https://schema.org/InStock' | 'https://schema.org/OutOfStock';
      url: string;
    };
  })[];
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
  fields?: Fields;
};

/** Values by products, descending. `more`: values that were cut. */
export type ValueFacet = {
  name: 'category' | 'size' | 'on_sale' | 'in_stock' | `feature.${string}` | `field.${string}`;
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

/** The lowest and the highest value of a declared number or date, null without products, and how many products are in each band. `MIN..MAX` is a filter. */
export type RangeFacet = {
  name: `field.${string}`;
  min: string | null;
  max: string | null;
  values: {
    min: string;
    max: string;
    count: number;
  }[];
};

export type Facet = ValueFacet | PriceFacet | RangeFacet;

/** A field that the shop declares. `facet`: it is a filter and a facet; a number or date that sorts is a filter, too. */
export type SearchField = {
  name: `field.${string}`;
  of: 'products' | 'styles' | 'skus';
  type: 'text' | 'number' | 'boolean' | 'date' | 'list';
  facet: boolean;
  sort: boolean;
};

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
    /** Ids that the shop puts first for this query; absent when there are none. */
    pinned?: number[];
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
  sorts: ('relevance' | 'id' | 'price' | '-price' | 'name' | '-name' | 'newest' | `field.${string}` | `-field.${string}`)[];
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
  /** Fields that the shop declares; absent when there are none. */
  fields?: SearchField[];
  /** The profile of the shop; absent where workers have none. `product_url`: `{id}` is the id, `{slug}` the name in a–z, 0–9 and hyphens. Without a slug, a hyphen beside it goes, too. */
  shop?: {
    name: string;
    /** ISO 4217, of all prices. */
    currency: string;
    product_url: string;
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
  fields?: Fields;
};

/** A sku as a cart shows it. `price` is what its style costs, `original_price` that without a sale. `thumbnail_url`: the first photo of the style. The card only if it is included. */
export type SkuItem = {
  id: number;
  product_id: number;
  style_id: number;
  product: string;
  style: string;
  size: string;
  quantity: number;
  price: string;
  original_price: string;
  on_sale: boolean;
  thumbnail_url: string | null;
  fields?: Fields;
  card?: Card;
};

export type Style = {
  style_id: number;
  name: string;
  original_price: string;
  sale_price: string | null;
  'default?': boolean;
  photos: Photo[];
  skus: Record<string, Sku>;
  fields?: Fields;
};

export type Styles = {
  product_id: string;
  /** Empty for a product without styles: check the length before you read `results[0]`. */
  results: Style[];
};

/** RFC 9457. */
export type Problem = {
  type: 'urn:catalog:problem:malformed-parameter' | 'urn:catalog:problem:malformed-request' | 'urn:catalog:problem:unknown-path' | 'urn:catalog:problem:unknown-product' | 'urn:catalog:problem:hidden-product' | 'urn:catalog:problem:unknown-sku' | 'urn:catalog:problem:method-not-allowed' | 'urn:catalog:problem:request-timeout' | 'urn:catalog:problem:cursor-forked' | 'urn:catalog:problem:precondition-failed' | 'urn:catalog:problem:content-too-large' | 'urn:catalog:problem:uri-too-long' | 'urn:catalog:problem:expectation-failed' | 'urn:catalog:problem:too-many-requests' | 'urn:catalog:problem:headers-too-large' | 'urn:catalog:problem:internal-error' | 'urn:catalog:problem:not-implemented' | 'urn:catalog:problem:overloaded' | 'urn:catalog:problem:not-yet' | 'urn:catalog:problem:unavailable' | 'urn:catalog:problem:without-search' | 'urn:catalog:problem:without-skus' | 'urn:catalog:problem:without-shop';
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
  /** Parts of the product beside its features. `related`: at most 50 cards in file order, without repeats and the product itself. `related_ids`: the reply of `/related`. `styles`: the `results` of `/styles`. `jsonld`: the product in terms of schema.org; it needs `SHOP_NAME`, `SHOP_CURRENCY` and `SHOP_PRODUCT_URL` of the workers. */
  include?: ('offer' | 'styles' | 'related' | 'related_ids' | 'jsonld')[];
};

export type ListSkusQuery = {
  /** The skus, in this order. Repeats are kept. Either they or a field must be given. */
  ids?: number[];
  /** All skus whose field NAME has one of these values, as `field.code=AB-1`, of a field that the catalog declares for look-ups. More than 500 of them are a 400. */
  'field.NAME'?: string[];
  /** `card`: the card of the product. */
  include?: 'card'[];
};

export type GetSkuQuery = {
  /** `card`: the card of the product. */
  include?: 'card'[];
};

export type ExportProductsQuery = {
  /** What a line is: the card of a product, the bytes of `/products/{product_id}`, these with `include=styles,related_ids`, or its id alone. */
  view?: 'card' | 'product' | 'full' | 'id';
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
  /** Any of these values of the field NAME that the shop declares, as `field.brand=Acme`; `/catalog` lists the fields. Numbers and dates also as ranges with both ends: `100..500`, `..500`, `100..`. A day is its whole day in UTC. */
  'field.NAME'?: string[];
  /** `offer.price` is at least this. */
  min_price?: string;
  /** `offer.price` is at most this. */
  max_price?: string;
  /** Only products on sale. */
  on_sale?: 'true' | 'false';
  /** Only products in stock. */
  in_stock?: 'true' | 'false';
  /** The order: `relevance` with `q`, else `id`. `name` compares names by their bytes, without case and accents: `Lamp 10` comes before `Lamp 2`. Ties are in the order of ids; `-price` and `-name` are the exact reverse of `price` and `name`. `field.NAME` and `-field.NAME` sort by a declared number or date; products without it follow, by id. */
  sort?: 'relevance' | 'id' | 'price' | '-price' | 'name' | '-name' | 'newest' | `field.${string}` | `-field.${string}`;
  /** Products of the page. */
  count?: number;
  /** Which run of `count` products, from 1. */
  page?: number;
  /** `next` of an earlier reply to the same query, instead of `page`. */
  after?: string;
  /** Facets of the reply: `category`, `price`, `size`, `on_sale`, `in_stock`, `feature` (all features), `feature.NAME`, `field.NAME`. */
  facets?: ('category' | 'price' | 'size' | 'on_sale' | 'in_stock' | 'feature' | `feature.${string}` | `field.${string}`)[];
  /** Values of a facet. */
  facet_values?: number;
};

export type SuggestQuery = {
  /** The text so far. */
  q?: string;
  /** Words, categories and cards, at most. */
  count?: number;
};
