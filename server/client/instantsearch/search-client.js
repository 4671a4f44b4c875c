import { fold, indexedWords } from '../words.js';
import { createFilters, namesOf } from './asked.js';
import { ownerOf } from './counts.js';
import { hitOf, tagsOf, marked } from './hits.js';

/** The API lists no more values of a facet, and reads no longer query. */
const MAX_FACET_VALUES = 500;
const MAX_QUERY = 200;
const DEFAULT_HITS = 20;
const DEFAULT_FACET_VALUES = 100;
const DEFAULT_FACET_HITS = 10;

/** @typedef {import('./search-client.d.ts').SearchRequest} Request @typedef {import('./search-client.d.ts').SearchRequestParams} Params */
/** @typedef {import('../catalog.d.ts').Facet} Facet @typedef {import('../catalog.d.ts').SearchReply} SearchReply */

/** @typedef {import('./asked.js').Asked} Asked @typedef {Pick<import('../catalog.d.ts').Catalog, 'search' | 'menu'>} Catalog */

/** @type {typeof import('./search-client.d.ts').createSearchClient} */
export function createSearchClient(catalog) {
  return {
    search: async (requests) => ({ results: await answersTo(catalog, requests.map(completed)) }),
    searchForFacetValues: (requests) =>
      answersTo(
        catalog,
        requests.map((request) => completed({ ...request, type: 'facet' })),
      ),
  };
}

/** @param {Catalog} catalog @param {Request[]} requests of one state of a page @returns {Promise<any[]>} */
async function answersTo(catalog, requests) {
  const asked = await Promise.all(requests.map(askedBy(catalog, requests)));
  const owners = requests.map((request, index) => (isCount(request) ? ownerOf(asked[index], asked) : asked[index]));
  const replies = new Map([...new Set(owners)].map((owner) => [owner, catalog.search(owner)]));
  return Promise.all(
    requests.map(async (request, index) => {
      const reply = /** @type {SearchReply} */ (await replies.get(owners[index]));
      if (request.type === 'facet') return facetValues(request, reply);
      const isOwn = owners[index] === asked[index];
      const facets = reply.facets.filter(({ name }) => isOwn || asked[index].facets.includes(name));
      return answer(request, { ...reply, facets });
    }),
  );
}

/** @param {Request} request @returns {Request} one that searches values of a facet has it in its facets */
function completed(request) {
  const { type, facet = request.params?.facetName ?? '', params } = request;
  return type === 'facet' ? { ...request, facet, params: { ...params, facets: [facet] } } : request;
}

/** InstantSearch marks what it asks only for counts. @param {Request} request */
const isCount = ({ params = {} }) =>
  params.analytics === false && params.hitsPerPage === 0 && namesOf(params.facets).length === 1;

/** @param {Catalog} catalog @param {Request[]} requests of one state of a page */
function askedBy(catalog, requests) {
  const { filtersOf, fieldNames } = createFilters(catalog, requests);

  /** @param {Request} request @returns {Promise<Asked>} */
  return async ({ indexName, type, params = {} }) => {
    const facets = namesOf(params.facets);
    const { page = 0, hitsPerPage = DEFAULT_HITS, maxValuesPerFacet = DEFAULT_FACET_VALUES } = params;
    return /** @type {any} */ ({
      q: [...(params.query ?? '')].slice(0, MAX_QUERY).join(''),
      sort: /:(.*)$/.exec(indexName)?.[1],
      facets: facets.includes('*') ? await fieldNames() : facets,
      ...(await filtersOf(params)),
      ...(type === 'facet'
        ? { count: 0, facet_values: MAX_FACET_VALUES }
        : { page: page + 1, count: hitsPerPage, facet_values: Math.min(maxValuesPerFacet, MAX_FACET_VALUES) }),
    });
  };
}

/** @param {Request} request @param {SearchReply} reply */
function answer({ indexName, params = {} }, reply) {
  const { page = 0, hitsPerPage = DEFAULT_HITS } = params;
  const tags = tagsOf(params);
  return {
    index: indexName,
    query: params.query ?? '',
    params: '',
    hits: (hitsPerPage > 0 ? reply.items : []).map((card) => hitOf(card, reply.query.words, tags)),
    nbHits: reply.total,
    page,
    nbPages: hitsPerPage > 0 ? Math.ceil(reply.total / hitsPerPage) : 0,
    hitsPerPage,
    processingTimeMS: 1,
    exhaustiveNbHits: true,
    exhaustiveFacetsCount: true,
    facets: Object.fromEntries(reply.facets.map((facet) => [facet.name, countsOf(facet)])),
    facets_stats: Object.fromEntries(reply.facets.flatMap(statsOf)),
  };
}

/** @param {Request} request @param {SearchReply} reply */
function facetValues({ params = {} }, { facets }) {
  const wanted = indexedWords(params.facetQuery ?? '');
  const [facet] = /** @type {import('../catalog.d.ts').ValueFacet[]} */ (facets);
  const isFound = (/** @type {string} */ value) => {
    const words = indexedWords(value);
    return (
      fold(value).includes(fold(params.facetQuery ?? '')) ||
      wanted.every((word) => words.some((each) => each.startsWith(word)))
    );
  };
  const found = (facet?.values ?? []).filter(({ value, count }) => count > 0 && isFound(value));
  return {
    facetHits: found.slice(0, params.maxFacetHits ?? DEFAULT_FACET_HITS).map(({ value, count }) => ({
      value,
      highlighted: marked(value, begunBy(value, wanted), tagsOf(params)),
      count,
    })),
    exhaustiveFacetsCount: (facet?.more ?? 0) === 0,
    processingTimeMS: 1,
  };
}

/** @param {string} value @param {string[]} beginnings @returns {{ word: string, as: string[] }[]} the words of a value that begin so */
const begunBy = (value, beginnings) =>
  beginnings.map((word) => ({ word, as: indexedWords(value).filter((each) => each.startsWith(word)) }));

/** @param {Facet} facet @returns {Record<string, number>} ranges have statistics instead */
const countsOf = (facet) =>
  'more' in facet ? Object.fromEntries(facet.values.map(({ value, count }) => [value, count])) : {};

/** @param {Facet} facet @returns {[string, { min: number, max: number }][]} of a range that has products */
function statsOf(facet) {
  if ('more' in facet || facet.min === null || facet.max === null) return [];
  return [[facet.name, { min: numberOf(facet.min), max: numberOf(facet.max) }]];
}

/** @param {string} text a number or a date @returns {number} */
const numberOf = (text) => (Number.isNaN(Number(text)) ? Date.parse(text) : Number(text));
