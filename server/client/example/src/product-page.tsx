import type { Sku } from 'product-catalog-client';
import { choose } from './addresses';
import { putInCart, readCart } from './cart';
import type { Load } from './catalog';
import { Options, Picture, Price, Tiles } from './parts';

const leftOf = (sku: Sku | undefined) => Math.max(sku?.quantity ?? 0, 0);

export const loadProduct: Load = async ({ pathname }, catalog, signal) => {
  const id = Number(/\d+$/.exec(pathname)); // sitemaps write it behind a slug
  const { styles, related, ...product } = await catalog.product(id, { include: ['styles', 'related'], signal });
  return {
    products: [id, ...related.map((card) => card.id)],
    draw(money, { searchParams: chosen }) {
      const byDefault = styles.find((each) => each['default?']) ?? styles[0];
      const style = styles.find((each) => String(each.style_id) === chosen.get('style')) ?? byDefault;
      const bySize = Map.groupBy(Object.entries(style?.skus ?? {}), ([, each]) => each.size);
      const skus = [...bySize.values()].map((same) => same.reduce((a, b) => (leftOf(b[1]) > leftOf(a[1]) ? b : a)));
      const [skuId, sku] = skus.find(([, each]) => each.size === chosen.get('size') && leftOf(each) > 0) ?? [];
      const isOut = skus.every(([, each]) => leftOf(each) === 0);
      const price = style?.original_price ?? product.default_price;
      const add = (event: Event) => {
        event.preventDefault();
        putInCart(Number(skuId), Math.min((readCart()[Number(skuId)] ?? 0) + 1, leftOf(sku)));
        location.assign('/cart');
      };
      return (
        <>
          <form class="product" action={pathname} onSubmit={add}
            onInput={({ currentTarget }) => choose(currentTarget, 'replace')}>
            <div class="photos">{style?.photos.slice(0, 5).map(({ url }) => <Picture key={url} src={url} />)}</div>
            <div>
              <h1 tabIndex={-1} dir="auto">{product.name}</h1>
              <p dir="auto">{product.slogan}</p>
              <Price now={style?.sale_price ?? price} before={price} money={money} />
              <Options legend="Style" type="radio" name="style" options={styles.map((each) => (
                { value: String(each.style_id), label: each.name, checked: each === style }))} />
              <Options legend="Size" type="radio" name="size" options={skus.map(([, each]) => (
                { value: each.size ?? '', checked: each === sku, disabled: leftOf(each) === 0 }))} />
              <p role="status">{sku && (leftOf(sku) > 5 ? 'In stock' : `Only ${leftOf(sku)} left`)}</p>
              <button disabled={isOut}>{isOut ? 'Sold out' : 'Add to cart'}</button>
              <p dir="auto">{product.description}</p>
              {product.features.map(({ feature, value }) => <p dir="auto">{feature}{value && `: ${value}`}</p>)}
            </div>
          </form>
          {related.length > 0 && <h2>Goes with it</h2>}
          <Tiles cards={related.slice(0, 6)} money={money} />
        </>
      );
    },
  };
};
