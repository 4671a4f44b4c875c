import type { Menu } from 'product-catalog-client';
import { render, type ComponentChildren } from 'preact';
import { followAddresses } from './addresses';
import { loadCart } from './cart-page';
import { catalogSince, type Money, type Page } from './catalog';
import { Failure, Frame } from './frame';
import { loadList } from './list-page';
import { followChanges } from './live';
import { loadProduct } from './product-page';
import './style.css';

let menu: Menu | undefined;
let shown: (Page & { key: string }) | undefined;
let loading = new AbortController();

const money: Money = (price) =>
  menu?.shop ? Number(price).toLocaleString('en', { style: 'currency', currency: menu.shop.currency }) : String(price);

/** Shows the address, and loads what is not there. It aborts the call before, whose reply would be stale. */
async function show(cursor?: string) {
  loading.abort();
  const { signal } = (loading = new AbortController());
  const url = new URL(location.href);
  const key = url.pathname === '/' ? url.search : url.pathname; // styles of a product share it
  const load = url.pathname === '/cart' ? loadCart : url.pathname.startsWith('/p/') ? loadProduct : loadList;
  let body: ComponentChildren;
  try {
    menu ??= await catalogSince().menu({ signal });
    const page = key === shown?.key ? shown : { key, ...(await load(url, catalogSince(cursor), signal)) };
    signal.throwIfAborted();
    shown = page;
    body = page.draw(money, url);
  } catch (error) {
    if (signal.aborted) return;
    shown = undefined;
    body = <Failure error={error} />;
  }
  const shop = menu?.shop?.name ?? 'Shop';
  render(<Frame shop={shop}>{body}</Frame>, document.body);
  document.title = `${document.querySelector('h1')?.textContent} · ${shop}`;
}

followAddresses(show);
addEventListener('storage', () => void show());
followChanges(({ product, cursor }) => {
  if (product && !shown?.products.includes(product)) return;
  shown = undefined;
  void show(cursor);
});
