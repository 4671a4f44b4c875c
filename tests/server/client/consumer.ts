// A shop in strict TypeScript. package.test.js compiles it against the packed client; it is never run.
import { CatalogProblem, createCatalog, highlight } from 'product-catalog-client';
import type {
  Card,
  Include,
  ListPage,
  ListParams,
  Product,
  ProductSummary,
  SearchParams,
  Style,
} from 'product-catalog-client';
import fixtures from 'product-catalog-client/fixtures.json' with { type: 'json' };

export const fixtureCatalog = createCatalog({
  fetch: async (url) => new Response(JSON.stringify(fixtures[url]?.body), fixtures[url]),
});

const catalog = createCatalog({ url: new URL('https://shop.example'), fetch });
export const own = createCatalog({ url: null });

export const patient = createCatalog({
  headers: async () => new Headers({ 'X-Shop': 'outlet' }),
  timeout: null,
  retry: 2,
  onRequest: ({ url, attempt }) => console.log(url, attempt),
  onResponse: (response: Response, { method }) => console.log(response.status, method),
  cache: 'no-store',
  next: { revalidate: 60 },
});
// @ts-expect-error it is a number
createCatalog({ retry: true });

export async function cached(id: number) {
  const { name } = await catalog.product(id, { cache: 'force-cache', next: { tags: [`product-${id}`] } });
  return (await catalog.items([id], { next: { revalidate: false } })).map((item) => item?.name ?? name);
}

export async function productPage(id: number, signal: AbortSignal) {
  const page = await catalog.product(id, { include: ['offer', 'styles', 'related'], signal });
  const price: string = page.offer.price;
  const style: Style | undefined = page.styles[0];
  const beside: Card[] = page.related;
  // @ts-expect-error it was not included
  const ids: number[] = page.related_ids;
  // @ts-expect-error features of a single product need no include
  await catalog.product(id, { include: ['features'] });
  const include: Include[] = [];
  const unknown: Product = await catalog.product(id, { include });
  // @ts-expect-error a list that is known only when it runs promises nothing
  const offer: string = unknown.offer.price;
  return { price, style, beside, ids, offer, value: style?.skus['37']?.quantity ?? 0, isDefault: style?.['default?'] };
}

export async function listPage() {
  const all: ProductSummary[] = [];
  for (let params: ListParams | undefined = { count: 500 }; params;) {
    const page: ListPage = await catalog.products(params);
    all.push(...page.items);
    params = page.next;
  }
  const { items, total, next } = await catalog.products({ count: 24, include: ['offer', 'features'] });
  const more: ProductSummary[] = next ? (await catalog.products(next)).items : [];
  const [first] = await catalog.items([8, 7], { include: ['offer'] });
  // @ts-expect-error an unknown id is null
  const name: string = first.name;
  return {
    total,
    prices: items.map((item) => item.offer.price),
    features: items[0]?.features.length,
    more,
    name,
    sale: first?.offer.on_sale,
  };
}

export async function searchPage(params: SearchParams) {
  const reply = await catalog.search({
    ...params,
    'feature.Fabric': 'Canvas',
    size: ['M'],
    max_price: 49.9,
    in_stock: true,
  });
  const counts = reply.facets.map((facet) =>
    'more' in facet
      ? facet.values.map(({ value, count, selected }) => `${value} ${count} ${selected}`)
      : (facet.min ?? ''),
  );
  const form: { q: string | null; sizes: (string | null)[]; count: number | null } = {
    q: null,
    sizes: [],
    count: null,
  };
  await catalog.search({ q: form.q, size: form.sizes, count: form.count, sort: '', min_price: null, on_sale: null });
  // @ts-expect-error a date has no one text
  await catalog.search({ size: new Date() });
  // @ts-expect-error a misspelt parameter
  await catalog.search({ categroy: 'Jackets' });
  // @ts-expect-error an unknown order
  await catalog.search({ sort: 'cheapest' });
  // @ts-expect-error the end of a list is not a cursor
  await catalog.search({ after: reply.next });
  const tiles = reply.items.map((card) =>
    highlight(card.name, reply.query.words).map(({ text, match }) => (match ? text : '')),
  );
  return { total: reply.total, tiles, counts, next: reply.next?.length };
}

export async function everything() {
  const names: string[] = [];
  for await (const card of catalog.searchAll({ q: 'parka', sort: 'price' })) names.push(card.offer.price);
  for await (const card of catalog.exportAll()) names.push(card.slogan);
  for await (const product of catalog.exportAll({ view: 'product', after: 8 })) names.push(product.description);
  for await (const { styles, related_ids } of catalog.exportAll({ view: 'full' }))
    names.push(styles[0]?.name ?? '', `${related_ids}`);
  // @ts-expect-error a line of this view has only an id
  for await (const line of catalog.exportAll({ view: 'id' })) names.push(line.name);
  const { price, limits, sorts } = await catalog.menu();
  const { words } = await catalog.suggest('ja', { count: limits.suggestions });
  const typed = catalog.suggestions();
  await typed('ja', { count: null, signal: null });
  const [missing] = await catalog.items([null, 8]);
  names.push(missing?.name ?? '');
  return { names, highest: price?.max, limits, sorts, words: words.map(({ value }) => value) };
}

/** Fields of one's own have their types, also in what a reply includes. */
export async function ownFields() {
  const own = createCatalog<{ products: { brand: string; weight_g: number }; styles: { colour: string } }>();
  const product = await own.product(8, { include: ['styles', 'related'] });
  const brand: string | undefined = product.fields?.brand;
  const colours: (string | undefined)[] = product.styles.map(({ fields }) => fields?.colour);
  const [found] = await own.skusBy('code', 'AB-1', { include: ['card'] });
  const heavy: number | undefined = found?.card.fields?.weight_g;
  const [card] = product.related;
  const { items } = await own.search({ q: 'parka' });
  const weights: (number | undefined)[] = [...items, card].map((one) => one?.fields?.weight_g);
  for await (const { fields } of own.exportAll({ view: 'product' })) weights.push(fields?.weight_g);
  // Skus are not narrowed here.
  const code: string | number | boolean | string[] | undefined = product.styles[0]?.skus['1']?.fields?.code;
  // @ts-expect-error a field that is not declared
  const misspelt = product.fields?.bradn;
  // @ts-expect-error a number
  const text: string | undefined = product.fields?.weight_g;
  const loose: string | number | boolean | string[] | undefined = (await catalog.product(8)).fields?.brand;
  return { heavy, brand, colours, weights, code, misspelt, text, loose };
}

export async function cart(ids: number[]) {
  const { product_id, price, on_sale } = await catalog.sku(37);
  const [first, ...others] = await catalog.skus(ids, { include: ['card'] });
  // @ts-expect-error an unknown id is null
  const quantity: number = first.quantity;
  // @ts-expect-error it was not included
  const card: Card = (await catalog.sku(37)).card;
  const names: string[] = others.map((sku) => sku?.card.name ?? 'sold no more');
  return { product_id, price, on_sale, quantity, card, names };
}

export function messageOf(error: unknown): string {
  if (!(error instanceof CatalogProblem)) throw error;
  const seconds: number | null = error.retryAfter;
  return error.slug === 'unknown-product' ? error.detail : `${error.status} ${seconds} ${error.instance}`;
}
