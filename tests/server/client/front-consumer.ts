// A front end and its tests in strict TypeScript. package.test.js compiles it against the packed client; it is never run.
import { createCatalog } from 'product-catalog-client';
import { createSearchClient } from 'product-catalog-client/instantsearch';
import type { Hit, SearchRequest } from 'product-catalog-client/instantsearch';
import { catalogHandlers } from 'product-catalog-client/msw';

const catalog = createCatalog({ url: 'https://shop.example' });
const client = createSearchClient(catalog);
// @ts-expect-error a client of the catalog is needed
createSearchClient({});

export async function page(query: string) {
  const requests: SearchRequest[] = [{ indexName: 'catalog:-price', params: { query, facets: ['category'], page: 0 } }];
  const { results } = await client.search(requests);
  const hits: Hit[] = results.flatMap((result) => result.hits);
  const [values] = await client.searchForFacetValues([{ indexName: 'catalog', params: { facetName: 'size' } }]);
  const names: string[] = hits.map(
    ({ objectID, offer, _highlightResult }) => objectID + offer.price + _highlightResult.name.value,
  );
  return {
    names,
    jackets: results[0]?.facets['category']?.['Jackets'],
    values: values?.facetHits.map(({ count }) => count),
  };
}

/** As `http` of MSW is typed. */
const http = {
  get: (path: string, _: (info: { request: Request; params: object }) => Response | Promise<Response>) => ({ path }),
};
const replies = { '/products/8': { status: 404, headers: {}, body: {} } };
export const paths: string[] = catalogHandlers(http, { url: 'https://shop.example', replies }).map(({ path }) => path);
