/*
 * Drawings for products without a picture, or whose picture does not load: such a thing, in its colour.
 */
import { svg } from '../shared/dom.js';

/** @typedef {{ body: string, second?: string, lines: string }} Drawing paths in a square of 200: areas of the colour, of the second one, seams */

/** @type {Record<string, Drawing>} */
const DRAWINGS = {
  jacket: {
    body: 'M72 42 88 34q12 10 24 0l16 8 28 18q7 5 9 14l11 68-21 5-9-46 2 75H52l2-75-9 46-21-5 11-68q2-9 9-14Z',
    second: 'M88 34q12 10 24 0l7 15-19 14-19-14Z',
    lines: 'M100 63v107M62 124l20 7m56-7-20 7M52 158h96M26 130l21 4m127-4-21 4M54 95l3-20m89 20-3-20',
  },
  parka: {
    body: 'M74 46q-2-20 26-20 28 0 26 20l32 17q7 5 8 14l8 70-20 4-8-50 3 85H51l3-85-8 50-20-4 8-70q1-9 8-14Z',
    second: 'M74 46q-2-20 26-20 28 0 26 20l-8 12-18 10-18-10Z',
    lines:
      'M82 54q0-16 18-16t18 16M100 68v118M60 128h24v26H60Zm56 0h24v26h-24ZM28 140l20 4m124-4-20 4M54 96l3-18m89 18-3-18',
  },
  blazer: {
    body: 'M76 36h14l10 6 10-6h14l30 18q6 4 8 12l10 84-20 4-10-62 2 74q-20 6-44-4-24 10-44 4l2-74-10 62-20-4 10-84q2-8 8-12Z',
    second: 'M84 36h6l10 44 10-44h6l8 16-8 8 4 8-20 26-20-26 4-8-8-8Z',
    lines: 'M100 94v68M64 130h20m32 0h20M122 84h14M100 108v.1M100 124v.1M58 98l3-20m81 20-3-20',
  },
  pants: {
    body: 'M65 32h70l5 30 8 110h-32L100 82 84 172H52l8-110Z',
    second: 'M65 32h70l2 11H63Z',
    lines: 'M63 43h74M100 43v39M72 43q-1 15-11 18m67-18q1 15 11 18M54 160h32m28 0h32',
  },
  shirt: {
    body: 'M74 42 88 35q12 11 24 0l14 7 40 22-14 30-16-8v82H64V86l-16 8-14-30Z',
    second: 'M86 36q14 14 28 0l5 3q-19 22-38 0Z',
    lines: 'M64 86l3-20m69 20-3-20M100 50v34M40 77l14 7m106-7-14 7M64 160h72',
  },
  dress: {
    body: 'M80 30h8q12 26 24 0h8l3 36q-3 14 0 26l27 76q-50 16-100 0l27-76q3-12 0-26Z',
    second: 'M78 84q22 8 44 0l1 9q-23 8-46 0Z',
    lines: 'M90 98l-9 74m29-74 9 74M100 98v78',
  },
  sneaker: {
    body: 'M34 82q20 9 40-6l12-6q14 28 44 36 34 5 38 28v4H32q-6-30 2-56Z',
    second: 'M30 138h140q3 14-12 15H44q-15 0-14-15Z',
    lines: 'M88 84l15-9m-8 20 15-10m-5 20 14-12M60 86q6 24-8 50M136 108q-8 14 0 28',
  },
  shoe: {
    body: 'M36 80q24 14 48-2 20 28 56 34 32 5 33 28H32q-6-32 4-60Z',
    second: 'M30 140h144v9H74l-6 9H30Z',
    lines: 'M136 111q-8 14-1 29M90 86l14-8m-6 17 14-9M66 86q4 30-10 54',
  },
  glasses: {
    body: 'M34 80h56q6 44-26 44T34 80Zm76 0h56q2 44-30 44t-26-44Z',
    lines: 'M90 86q10-9 20 0M34 82l-10-8m142 8 10-8M46 92l16 22m62-22 16 22',
  },
  cap: {
    body: 'M44 124q-2-64 56-64 54 0 54 60-52-12-110 4Z',
    second: 'M98 116q58-6 84 20-46-6-84-2Z',
    lines: 'M100 60q-14 22-12 56M100 60q22 16 26 55M100 60v-6',
  },
  belt: {
    body: 'M30 84h140v32H30Z',
    second: 'M54 76h40v48H54Zm9 9v30h22V85Z',
    lines: 'M85 100h20m16-1h2m12 0h2m12 0h2',
  },
  scarf: {
    body: 'M62 48q38-22 76 0 8 18-8 30l18 82h-34l-18-66-34-10Q54 70 62 48Z',
    second: 'M62 48q38 26 76 0 8 18-8 30-34 16-68 6-10-16 0-36Z',
    lines: 'M114 160v10m10-10v10m10-10v10m10-10v10M112 124h28',
  },
  bag: {
    body: 'M62 70q0-10 10-12h56q10 2 10 12l10 84q0 10-10 12H62q-10-2-10-12Z',
    second: 'M66 108h68v36q0 6-6 6H72q-6 0-6-6Z',
    lines: 'M80 58v-8q0-14 20-14t20 14v8M66 122h68M94 122v8h12v-8',
  },
  tag: {
    body: 'M58 92 100 48h44q8 0 8 8v44l-44 44q-6 6-12 0L58 104q-6-6 0-12Z',
    lines: 'M128 72a6 6 0 1 0 .1 0M84 104l24 24M132 72q16-22 30-24',
  },
};

/** The first that fits. The name is read before the category, because an accessory is many things. @type {[RegExp, string][]} */
const KINDS = [
  [/\b(sun)?glasses|shades|lenses/, 'glasses'],
  [/\b(cap|hat|beanie|visor)s?\b/, 'cap'],
  [/\bbelts?\b/, 'belt'],
  [/\b(back|hand)?(bag|pack)s?\b|purse|tote/, 'bag'],
  [/\bscar(f|ves)\b|shawl/, 'scarf'],
  [/dress shoe|brogue|derb(y|ies)|loafer|oxfords|boots?\b|heels?\b/, 'shoe'],
  [/kicks|sneaker|runner|trainer|high tops|skate|shoe/, 'sneaker'],
  [/dress|skirt|gown|romper/, 'dress'],
  [/shirt|\btees?\b|polo|henley|blouse|\btops?\b|sweater|jumper/, 'shirt'],
  [/pants|trouser|jogger|slack|chino|jeans|shorts|legging/, 'pants'],
  [/accessor/, 'cap'],
  [/parka|anorak|coat|hoodie|onesie/, 'parka'],
  [/blazer|suit/, 'blazer'],
  [/jacket|windbreaker|vest/, 'jacket'],
];

/** @type {Record<string, string>} */
const COLOURS = Object.fromEntries(
  Array.from(
    `
  ash #b9b8b3 black #33322f blue #4a6d9c bone #ddd4c2 brown #7a5a43 burgundy #6d2a38 charcoal #4a4a4b chartreuse
  #b4c24a clear #cfd8d9 copper #ad6f4b coral #e08a74 cream #e9dfc7 denim #54708f desert #b99b74 digital #7d8791
  ecru #d8cbae emerald #3d7d63 forest #46604a gold #c8a250 goldenrod #cba23d graphite #5b5d60 green #5f8460 grey
  #93938f gray #93938f khaki #a3966f lavender #aba3cc lilac #b9a3c7 lime #a3bd5c maroon #713a3d mint #a6cdb8
  mustard #c39a3c navy #34425f ocean #45708a ochre #bd8a45 olive #767a50 onyx #3a3b3d orange #d98a4e peach #e8b596
  pink #dba3ad plum #77506e purple #7c6396 red #b5504b rose #cd8d92 rust #a65f41 sage #a1ae92 salmon #e0a08b sand
  #d3bf9b sapphire #40599b sky #94b9d3 steel #7b8b99 tan #c3a27c taupe #9b8c7e teal #4b8587 turquoise #6db3ae
  violet #8b74ac white #f4f1ea yellow #dfc367
  `.matchAll(/(\w+) (#\w+)/g),
    ([, name, colour]) => [name, colour],
  ),
);

const MUTED =
  `#8c9a86 #b39c7d #8798a8 #b08a80 #77807a #a9a08c #9a8fa3 #c2ab8f #6f8590 #b5a55f #59697a #a66f5b #d0c4ae`.split(
    /\s+/,
  );

/** Neighbours in a list often have ids whose last digits are alike. */
const SPREAD = 7919;

/** @param {string} text names of things, in order of their weight */
const kindOf = (text) => KINDS.find(([pattern]) => pattern.test(text))?.[1];

/** The colours that a text names. @param {string} text @returns {string[]} */
const coloursIn = (text) =>
  (text.toLowerCase().match(/[a-z]+/g) ?? [])
    .filter((word) => Object.hasOwn(COLOURS, word))
    .map((word) => COLOURS[word]);

/**
 * @param {object} product
 * @param {number} product.id the same product has the same drawing everywhere
 * @param {string} product.name @param {string} product.category
 * @param {string} [product.style] name of a style: its colours
 * @returns {SVGElement} decoration: its meaning is in the text beside it
 */
export function drawingOf({ id, name, category, style = '' }) {
  const kind = kindOf(name.toLowerCase()) ?? kindOf(category.toLowerCase()) ?? 'tag';
  const { body, second, lines } = DRAWINGS[kind];
  const [first = MUTED[(id * SPREAD) % MUTED.length], other = first] = coloursIn(style);
  return svg(
    'svg',
    { width: 200, height: 200, viewBox: '0 0 200 200', class: 'drawing', 'aria-hidden': 'true' }, // as large as that without a style sheet
    svg('path', { class: 'shape', d: body, fill: first }),
    second && svg('path', { class: other === first ? 'shape second' : 'shape', d: second, fill: other }),
    svg('path', { class: 'seams', d: lines }),
  );
}
