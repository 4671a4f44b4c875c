import type { Change } from 'product-catalog-client/write';

const KINDS: Change['kind'][] = ['product.updated', 'product.deleted', 'stock.changed', 'catalog.replaced'];

/** Calls back with each change; one without a product may have changed all. A stream that is cut resumes. */
export function followChanges(onChange: (change: Partial<Change>) => void, isAgain = false) {
  const source = new EventSource('/live');
  for (const kind of KINDS) source.addEventListener(kind, ({ data }) => onChange(JSON.parse(data)));
  source.onopen = () => isAgain && onChange({});
  source.onerror = () => source.readyState === source.CLOSED && setTimeout(followChanges, 30_000, onChange, true);
}
