import { createCatalog, type Catalog } from 'product-catalog-client';
import type { ComponentChildren } from 'preact';

/** With a cursor, replies have that commit: until they do, the service answers 503 and the client repeats. */
export const catalogSince = (cursor?: string) =>
  createCatalog({
    url: import.meta.env.VITE_CATALOG_URL ?? 'http://127.0.0.1:8080',
    cache: 'no-cache', // the browser asks whether its copy is still right
    retry: 2,
    headers: cursor ? { 'Catalog-Min-Cursor': cursor } : {},
  });

export type Money = (price: string | number) => string;
/** `products`: those whose changes it shows. */
export type Page = { products: number[]; draw(money: Money, url: URL): ComponentChildren };
export type Load = (url: URL, catalog: Catalog, signal: AbortSignal) => Promise<Page>;
