import { CatalogProblem } from 'product-catalog-client';
import type { ComponentChildren } from 'preact';
import { choose } from './addresses';
import { readCart } from './cart';

export function Frame({ shop, children }: { shop: string; children: ComponentChildren }) {
  const q = new URLSearchParams(location.search).get('q') ?? '';
  return (
    <>
      <header>
        <a href="/"><strong>{shop}</strong></a>
        <form id="search" action="/" role="search">
          <input type="search" name="q" value={q} maxLength={200} placeholder="Search" aria-label="Search products"
            onInput={({ currentTarget: { form } }) => window.navigation && choose(form, q ? 'replace' : 'assign')} />
        </form>
        <a href="/cart">Cart ({Object.values(readCart()).reduce((sum, count) => sum + count, 0)})</a>
      </header>
      <main>{children}</main>
    </>
  );
}

export function Failure({ error }: { error: unknown }) {
  const { status, detail } = error instanceof CatalogProblem ? error : { status: 503, detail: '' };
  const isAway = status === 429 || status >= 500;
  return (
    <div role="alert">
      <h1 tabIndex={-1}>{isAway ? 'The shop does not answer' : 'This page does not exist'}</h1>
      <p>{isAway ? 'Your cart is kept.' : detail}</p>
      <a href={isAway ? location.href : '/'}>{isAway ? 'Try again' : 'See all products'}</a>
    </div>
  );
}
