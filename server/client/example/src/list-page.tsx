import type { SearchParams } from 'product-catalog-client';
import { choose } from './addresses';
import type { Load } from './catalog';
import { Options, Tiles } from './parts';

const ASKED = { facets: ['category', 'size', 'on_sale', 'in_stock', 'feature'], count: 24 } as const;
const LABELS: Record<string, string> = { on_sale: 'On sale', in_stock: 'In stock', true: 'Yes', false: 'No' };

/** An address has the parameters of /search. */
export const loadList: Load = async ({ searchParams: asked }, catalog, signal) => {
  const params: SearchParams = Object.fromEntries([...asked.keys()].map((name) => [name, asked.getAll(name)]));
  const { items, total, facets, next, query } = await catalog.search({ ...params, ...ASKED, signal });
  const title = asked.get('q') ? `Results for “${asked.get('q')}”` : asked.getAll('category').join(', ');
  return {
    products: items.map(({ id }) => id),
    draw: (money) => (
      <>
        <h1 tabIndex={-1}>{title || 'All products'}</h1>
        <p role="status">{total} {total === 1 ? 'product' : 'products'}</p>
        {total > 0 && query.ignored.length > 0 && <p>No product also has “{query.ignored.join(' ')}”.</p>}
        <div class="list">
          <details open={matchMedia('(min-width: 48rem)').matches}>
            <summary>Filters</summary>
            {facets.map((facet) => 'more' in facet && (
              <Options type="checkbox" key={facet.name} name={facet.name} form="search"
                legend={LABELS[facet.name] ?? facet.name.replace(/^\w+\./, '')}
                options={facet.values.map((each) => ({ ...each, label: LABELS[each.value], checked: each.selected }))}
                onInput={({ currentTarget: { form } }) => choose(form)} />
            ))}
          </details>
          <section aria-label="Products">
            {total === 0 && <p>Try other words or fewer filters, or <a href="/">see all products</a>.</p>}
            <Tiles cards={items} money={money} />
            {next && <button form="search" name="after" value={next}>Next page</button>}
          </section>
        </div>
      </>
    ),
  };
};
