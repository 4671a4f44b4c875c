/** How many of each sku. The catalog keeps no carts: this one is in the browser. */
export const readCart = (): Record<string, number> => JSON.parse(localStorage.getItem('cart') ?? '{}');

export function putInCart(sku: number, count: number) {
  const { [sku]: _, ...others } = readCart();
  localStorage.setItem('cart', JSON.stringify(count > 0 ? { ...others, [sku]: count } : others));
  dispatchEvent(new Event('storage')); // browsers send it to other tabs only
}
