'use strict';

const vocabulary = require('../../../scripts/generate/vocabulary.json');
const { Search } = require('../../../server/search/search');
const { buildTables, readerOf } = require('../../helpers/search-index');
const { productOf, queryOf } = require('../../helpers/search-products');

/*
 * Queries of shoppers, and the product that they mean. Others stand before it in the catalog, so that it is not first by its id.
 */

/** @param {string} q @param {string[]} names */
async function search(q, names) {
  const products = names.map((name, index) =>
    productOf({ name: name.split(' | ')[0], description: name.split(' | ')[1] ?? '' }, index),
  );
  const { ids, query, total } = await new Search(readerOf(buildTables(products)), { maxBytes: 2 ** 20 }).search(
    '1',
    queryOf({ q, count: 100 }),
  );
  return {
    first: names[ids[0] - 1]?.split(' | ')[0],
    found: ids.map((id) => names[id - 1].split(' | ')[0]),
    total,
    ...query,
  };
}

describe('the product is first', () => {
  test.each([
    // Forms
    ['caps', 'Wool Cap', ['Wool Hat', 'Cape']],
    ['cap', 'Caps for Kids', ['Kids Hat']],
    ['tees', 'Cotton Tee', ['Cotton Teepee']],
    ['red dresses', 'Red Dress', ['Red Dressage', 'Blue Dress']],
    ['berries', 'Berry Basket', ['Bery Nice']],
    ['kitchen knives', 'Kitchen Knife', ['Kitchen Table']],
    ['scarves', 'Silk Scarf', ['Scar Cream']],
    ['bookshelves shelf', 'Bookshelf with one Shelf', ['Book']],
    ['shelves', 'Oak Shelf', ['Shell']],
    ['childrens boots', "Children's Boot", ['Boot']],
    ['child boots', 'Boots for Children', ['Boots for Men']],
    ['mens parka', "Men's Parka", ['Mens Anorak', 'Parka']],
    ['men’s parka', 'Mens Parka', ['Womens Parka']],
    ['women shirt', "Women's Shirt", ["Men's Shirt"]],
    ['womans shirt', "Woman's Shirt", ["Man's Shirt"]],
    ['feet pads', 'Foot Pad', ['Fleet Pad']],
    ['running shoe', 'Running Shoes', ['Walking Shoes']],
    ['run shoes', 'Running Shoe', ['Rubber Shoe']],
    ['striped sock', 'Striped Socks', ['Plain Socks']],
    ['batteries', 'Battery', ['Batten']],
    ['watches', 'Watch', ['Batch']],
    ['jackets', 'Jackets', ['Jacket']],
    ['jacket', 'Jacket', ['Jackets']],
    ['mice', 'Wireless Mouse', ['Mica']],
    ['glasses', 'Reading Glasses', ['Glass']],
    ['large bases', 'Base, large', ['Large Basis']],
    ['medium console', 'Medium Console', ['Media Console']],
    ['tvs', 'TV', ['Top']],
    ['canvases', 'Canvas', ['Canoe']],
    ['menus', 'Menu', ['Men']],
    ['bookshelves', 'Bookshelf', ['Books']],
    ['childrens boots', 'Boots for Children', ['Boots']],
    // Little words
    ['jacket for winter', 'Winter Jacket', ['Summer Hat | A hat for days when a jacket is not for winter.']],
    ['the north jacket', 'North Jacket', ['The Thing']],
    ['shoes with laces', 'Shoes, laced, with Laces', ['Shoes without Laces']],
    ['lamp for the desk', 'Desk Lamp', ['Lamp for the Wall']],
    ['down jacket', 'Down Jacket', ['Jacket']],
    ['twin over full', 'Bunk Bed Twin over Full', ['Twin Bed full of Pillows']],
    ['the who', 'The Who Poster', ['A Poster']],
    ['bag in blue', 'Blue Bag in a Box', ['Blue Bag']],
    // Signs
    ['gore shell', 'Gore™ Rain Shell', ['Gorge Shell']],
    ['gore™ shell', 'Gore Rain Shell', ['Core Shell']],
    ['wifi', 'Wi-Fi Camera', ['Camera']],
    ['wi-fi', 'WiFi Camera', ['Wine Fire']],
    ['wi fi camera', 'WiFi Camera', ['Fire Camera']],
    ['tshirt', 'T-Shirt', ['Shirt']],
    ['t shirt', 'T-Shirt', ['Shirt']],
    ['t-shirt', 'Tshirt', ['Shirt']],
    ['raincoat', 'Rain Coat', ['Rain Hat', 'Coat']],
    ['rain coat', 'Raincoat', ['Rain Hat', 'Winter Coat']],
    ['rain coat', 'Raincoats', ['Rain Hat', 'Winter Coat']],
    ['raincoats', 'Raincoat', ['Rain']],
    ['raincoats', 'Rain Coat', ['Rain Hat']],
    ['bedroom hooks', 'Bed Room Hook', Array(30).fill('Bedroom Lamp')],
    ['book case', 'Bookcase', ['Book']],
    ['o’ahu shirt', "O'ahu Shirt", ['Ahead Shirt']],
    ['oahu shirt', 'O‘ahu Shirt', ['Shirt']],
    ['eau', "L'eau de Parfum", ['Beau Parfum']],
    ['leau', 'L’eau de Parfum', ['Parfum']],
    ['usa flag', 'U.S.A. Flag', ['Flag']],
    ['regenjacke', 'Regen\u00adjacke', ['Regen']],
    ['"winter jacket"', 'Winter Jacket', ['Jacket']],
    ['e-mail stand', 'Email Stand', ['Mail Stand']],
    // Numbers
    ['iphone 15', 'iPhone15 Case', ['iPhone 14 Case']],
    ['iphone15', 'iPhone 15 Case', ['iPhone 14 Case']],
    ['iphone 15 leather', 'iPhone 15 Case', ['iPhone 14 Leather Case']],
    ['AB1234X', 'AB-1234-X Drill', ['AB-1234-Y Drill']],
    ['ab-1234-x', 'AB1234X Drill', ['AB1234Y Drill']],
    ['ab 1234', 'AB-1234-X Drill', ['AB-1235-X Drill']],
    ['court shoe 9 1/2', 'Court Shoe 9½', ['Court Shoe 9']],
    ['court shoe 9½', 'Court Shoe 9 1/2', ['Court Shoe 9']],
    ['5 11 pole', 'Pole 5\'11"', ['Pole 511']],
    ['no 5', 'Nº5', ['No 6']],
    ['nº 5', 'No. 5', ['Number 6']],
    ['500ml bottle', 'Bottle 500 ml', ['Bottle 50 ml']],
    ['500 ml bottle', 'Bottle 500ml', ['Bottle 550ml']],
    ['jacket2', 'Jacket 2', ['Jacket 3']],
    ['jacket', 'Jacket²', ['Packet']],
    // Dropped words
    ['navy blue jacket', 'Navy Jacket', ['Navy Hat', 'Blue Hat', 'Blue Sky']],
    ['zzyzx jacket', 'Jacket', ['Hat']],
    // Other scripts
    ['สีดำ', 'เสื้อยืดสีดำ', ['เสื้อยืดสีแดง']],
    ['कुर्ता', 'कुर्ता', ['करता']],
    ['пальто', 'ПАЛЬТО', ['Пальма']],
    ['デニム', 'ﾃﾞﾆﾑ ジャケット', ['テニス']],
    ['كتاب', 'کتاب', ['باب']],
    ['דגל', 'דֶּגֶל', ['דג']],
    ['mobel', 'Möbel', ['Model']],
    ['gross', 'Größe', ['Grass']],
    ['thor', 'Þór', ['Door']],
    ['café', 'Cafe Table', ['Cave Table']],
    // Typos
    ['jackte', 'Jacket', ['Packet']],
    ['watreproof', 'Waterproof Hat', ['Fireproof Hat']],
  ])('of %s: %s', async (q, wanted, others) => {
    const { first, found, ignored } = await search(q, [...others, wanted]);
    expect({ first, found, ignored }).toMatchObject({ first: wanted });
  });
});

test.each([
  ['कुर्ता', ['करता']],
  ['watch', ['Batch', 'Walchurch', 'Catch']],
  ['fitness', ['Slim Fit Jeans']],
  ['511', ['Pole 5\'11"']],
  ['-', ['Hat']],
  ['- -', ['Hat']],
  ['🎉', ['Hat']],
])('%s finds none of %j', async (q, names) => {
  const { total, ignored } = await search(q, names);
  expect([total, ignored]).toEqual([0, [q.replace(/ .*/, ' -').trim()]]);
});

test('the exact name of a product is found, however many words it has', async () => {
  const name = 'Deluxe Extra Large Waterproof Hooded Insulated Lightweight Breathable Reflective Cycling Rain Jacket';
  const { first, ignored } = await search(name, ['Rain Jacket', name]);
  expect([first, ignored]).toEqual([name, ['rain', 'jacket']]);
});

test('little words are named, and bring products with more of them to the front', async () => {
  const { found, optional } = await search('lamp with the shade', [
    'Lamp, Shade',
    'Lamp with Shade',
    'Lamp with the Shade',
  ]);
  expect([found, optional]).toEqual([
    ['Lamp with the Shade', 'Lamp with Shade', 'Lamp, Shade'],
    ['with', 'the'],
  ]);
});

test.each([
  ['raincoat yellow', 'Yellow Rain Coat', 'tries a frequent word as two where nothing else is found'],
  ['raincoat green', 'Green Raincoat', 'leaves a frequent word as one where a product has it'],
])('%s finds %s only: %s', async (q, name) => {
  const names = [
    ...Array.from({ length: 30 }, () => 'Blue Raincoat'),
    'Yellow Rain Coat',
    'Green Raincoat',
    'Green Rain Coat',
  ];
  const { found, ignored } = await search(q, names);
  expect([found, ignored]).toEqual([[name], []]);
});

test('the reply names what a word has matched', async () => {
  const { words } = await search('raincoats knives', ['Rain Coat Knife', 'Raincoat Knife', 'Raincoats Knives']);
  expect(words.map(({ as }) => [...as].sort())).toEqual([
    ['coat', 'rain', 'raincoat', 'raincoats'],
    ['knife', 'knives'],
  ]);
});

describe('of nouns in names of the sample', () => {
  const nouns = vocabulary.categories.flatMap((each) => each.nouns);
  /** @param {string} noun @returns {[one: string, many: string]} by the rules of school */
  function numbers(noun) {
    const last = String(noun.toLowerCase().split(' ').at(-1));
    const one = last.replace(/(?<=ss|sh|ch|x)es$|(?<![su])s$/, '');
    return [
      one,
      /(ss|sh|ch|x)$/.test(one) ? `${one}es` : /[^aeiou]y$/.test(one) ? one.replace(/y$/, 'ies') : `${one}s`,
    ];
  }

  test.each(nouns.map(numbers))('%s and %s find the same products', async (one, many) => {
    const [single, plural] = [await search(one, nouns), await search(many, nouns)];
    expect(plural.total).toBeGreaterThan(0);
    expect([...plural.found].sort()).toEqual([...single.found].sort());
  });
});
