'use strict';

const { lookupBody, productBody, searchBody } = require('./ucp-bodies');

/** @typedef {import('../../catalog/ucp').Ucp} Ucp */
/**
 * @typedef {object} Tool
 * @property {string} title @property {string} description for a language model
 * @property {object} inputSchema of the object `catalog`, and of `meta`, which no reply depends on
 * @property {(ucp: Ucp, body: any) => Promise<object>} ask reads an object as the specification says, and the catalog
 */

const text = (/** @type {string} */ description) => ({ type: 'string', description });
const texts = (/** @type {string} */ description) => ({ type: 'array', items: { type: 'string' }, description });
const amount = (/** @type {string} */ description) => ({ type: 'integer', minimum: 0, description });
const object = (/** @type {Record<string, object>} */ properties, /** @type {string[]} */ required = []) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});

const PRICE = object({
  min: amount('in minor units of the currency, such as cents'),
  max: amount('in minor units of the currency, such as cents'),
});
/** Members that each request may have. */
const NARROWED = {
  filters: object({ categories: texts('names of categories; a product is of one of them'), price: PRICE }),
  context: object({ currency: text('ISO 4217; amounts of filters in another currency are not applied') }),
};

/** @param {Record<string, object>} properties @param {string[]} [required] */
const inputOf = (properties, required) =>
  object({ meta: object({}), catalog: object({ ...properties, ...NARROWED }, required) }, ['catalog']);

/** Operations of UCP, by their names as tools of MCP. @type {Record<'search_catalog' | 'lookup_catalog' | 'get_product', Tool>} */
const TOOLS = {
  search_catalog: {
    title: 'Search products',
    description:
      'Finds products by words, categories and prices, best first. Each has the variant that fits best, with price and stock.',
    inputSchema: inputOf({
      query: text('words, as a shopper types them; none: all products'),
      pagination: object({
        limit: { type: 'integer', minimum: 1, description: 'products of a page: 10 without it, at most 50' },
        cursor: text('of the page before'),
      }),
    }),
    ask: async (ucp, body) => ucp.search(searchBody(body)),
  },
  lookup_catalog: {
    title: 'Look products up',
    description: 'Products and variants by their ids, of which up to 50 may be asked at once.',
    inputSchema: inputOf({ ids: { ...texts('ids of products or variants'), minItems: 1 } }, ['ids']),
    ask: async (ucp, body) => ucp.lookup(lookupBody(body, ucp.limits.products)),
  },
  get_product: {
    title: 'Get a product',
    description: 'One product with its variants, options, prices and stock. Options can be selected one after another.',
    inputSchema: inputOf(
      {
        id: text('id of a product or a variant'),
        selected: {
          type: 'array',
          items: object({ name: text('of an option'), label: text('of its value'), id: text('of its value') }, [
            'name',
            'label',
          ]),
          description: 'values of options that variants must have; an empty list: all variants',
        },
        preferences: texts('names of options, most important first: the last is given up first'),
      },
      ['id'],
    ),
    ask: async (ucp, body) => ucp.product(productBody(body)),
  },
};

exports.TOOLS = TOOLS;
