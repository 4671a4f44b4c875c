import { putInCart, readCart } from './cart';
import type { Load } from './catalog';
import { Picture, Price } from './parts';

export const loadCart: Load = async (_url, catalog, signal) => {
  const ids = Object.keys(readCart()).map(Number);
  const skus = await catalog.skus(ids, { signal }); // one request; null: the catalog has it no more
  return {
    products: skus.flatMap((sku) => sku?.product_id ?? []),
    draw(money) {
      const lines = ids.flatMap((id, at) => {
        const [wanted = 0, sku, left] = [readCart()[id], skus[at], Math.max(skus[at]?.quantity ?? 0, 0)];
        return wanted > 0 ? [{ id, sku, wanted, left, count: Math.min(wanted, left, 99) }] : [];
      });
      const cents = lines.reduce((sum, { sku, count }) => sum + Math.round(Number(sku?.price ?? 0) * 100) * count, 0);
      return (
        <>
          <h1 tabIndex={-1}>Cart</h1>
          <ul class="cart">
            {lines.map(({ id, sku, wanted, left, count }) => (
              <li key={id}>
                <Picture src={sku?.thumbnail_url} />
                <div>
                  {!sku && 'No longer sold'}
                  {sku && <a href={`/p/${sku.product_id}?style=${sku.style_id}`} dir="auto">{sku.product}</a>}
                  {sku && <p><bdi>{sku.style}</bdi>, <bdi>{sku.size}</bdi></p>}
                  {sku && <Price now={sku.price} before={sku.original_price} money={money} />}
                  {sku && count < wanted && <p class="sale">{count ? `Only ${count} left` : 'Sold out'}</p>}
                </div>
                {left > 0 && <label>Quantity <select value={count}
                  onChange={({ currentTarget }) => putInCart(id, Number(currentTarget.value))}>
                  {Array.from({ length: Math.min(left, 99) }, (_, at) => <option>{at + 1}</option>)}
                </select></label>}
                <button aria-label={`Remove ${sku?.product ?? ''}`} onClick={() => putInCart(id, 0)}>Remove</button>
              </li>
            ))}
          </ul>
          {lines.length ? <p class="total">Total {money((cents / 100).toFixed(2))}</p> : <a href="/">All products</a>}
        </>
      );
    },
  };
};
