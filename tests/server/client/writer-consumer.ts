// A PIM in strict TypeScript. package.test.js compiles it against the packed client; it is never run.
import { CatalogProblem, createWriter } from 'product-catalog-client/write';
import type { BulkLine, Change, HookBody, ProductPatch, ShownProduct } from 'product-catalog-client/write';

const writer = createWriter({
  url: new URL('http://10.0.0.5:7030'),
  key: async () => 'ck_…',
  retry: 5,
  onResponse: ({ status }, { attempt }) => console.log(status, attempt),
});
// @ts-expect-error a writer needs a key
createWriter({ url: 'http://10.0.0.5:7030' });

export async function rename(id: number, name: string): Promise<ShownProduct> {
  const { product, etag, revision } = await writer.readProduct(id);
  const patch: ProductPatch = { name, styles: { '14': { sale_price: null, skus: { '23': null } } } };
  // @ts-expect-error a price is a text
  await writer.patchProduct(id, { default_price: 5 });
  // @ts-expect-error a PUT needs ifMatch or ifDeleted
  await writer.putProduct(id, product, { reason: 'sale' });
  await writer.putProduct(id, product, { ifDeleted: true });
  await writer.deleteProduct(id, { ifMatch: '*', idempotencyKey: `gone-${revision}` });
  return (await writer.patchProduct(id, patch, { ifMatch: etag, actor: 'Ann', reason: 'sale' })).product;
}

export async function count(sku: number): Promise<number | null> {
  const { isApplied, position, rejected } = await writer.changeStock({ set: [[sku, 8, 5]], adjust: [[sku, -1]] });
  if (!isApplied) return (await writer.readWrite(position)).rejected.length;
  return rejected?.[0]?.quantity ?? null;
}

export async function importAll(lines: AsyncIterable<BulkLine>) {
  const failed: string[] = [];
  for await (const { line, problem } of writer.bulk(lines, { idempotencyKey: 'import-7' }))
    if (problem) failed.push(`${line}: ${problem.slug} ${problem.errors.map(({ pointer }) => pointer)}`);
  return failed;
}

export async function follow(after: string, seen: (change: Change) => Promise<void>) {
  try {
    for await (const change of writer.streamChanges({ after })) await seen(change);
  } catch (error) {
    if (error instanceof CatalogProblem && error.status === 410) return error.slug;
    throw error;
  }
}

export const productsOf = ({ changes, next }: HookBody) => ({ ids: changes.map(({ product }) => product ?? 0), next });
