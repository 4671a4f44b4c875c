'use strict';

module.exports = {
  adjectives: (
    'Amber Bold Breezy Brisk Camo Classic Coastal Cosy Crimson Daily Dusty Easy Faded Feather Fern Golden Harbor ' +
    'Heather Honest Indigo Ivory Jade Lunar Maple Mellow Midnight Misty Modern Navy Nimble Noble Nordic Olive Opal ' +
    'Pacific Pearl Plain Polar Quiet Rapid Raw Relaxed River Rustic Sable Sandy Scarlet Shadow Silver Simple Slate ' +
    'Slim Smoky Soft Solar Stone Summer Sunny Swift Tidal Urban Velvet Wild Winter'
  ).split(' '),

  /** Categories with the nouns of their products and the kind of their sizes. */
  categories: [
    { name: 'Jackets', nouns: ['Anorak', 'Blazer', 'Parka', 'Windbreaker'], sizes: 'letters' },
    { name: 'Pants', nouns: ['Chinos', 'Joggers', 'Slacks', 'Trousers'], sizes: 'letters' },
    { name: 'Shirts', nouns: ['Henley', 'Oxford Shirt', 'Polo', 'Tee'], sizes: 'letters' },
    { name: 'Dresses', nouns: ['Maxi Dress', 'Shift Dress', 'Sundress', 'Wrap Dress'], sizes: 'letters' },
    { name: 'Kicks', nouns: ['High Tops', 'Runners', 'Skate Shoes', 'Sneakers'], sizes: 'shoes' },
    { name: 'Dress Shoes', nouns: ['Brogues', 'Derbies', 'Loafers', 'Oxfords'], sizes: 'shoes' },
    { name: 'Accessories', nouns: ['Belt', 'Cap', 'Scarf', 'Sunglasses'], sizes: 'one' },
  ],

  colors: (
    'Ash Black Blue Bone Brown Burgundy Charcoal Chartreuse Copper Coral Cream Denim Ecru Emerald Forest Gold ' +
    'Graphite Green Grey Khaki Lavender Lilac Lime Maroon Mint Mustard Ochre Olive Onyx Orange Peach Pink Plum ' +
    'Purple Red Rose Rust Sage Salmon Sand Sapphire Sky Steel Tan Taupe Teal Turquoise Violet White Yellow'
  ).split(' '),

  slogans: [
    'Made for the long way home',
    'Comfortable for everything, or nothing',
    'Wear it once and keep it for years',
    'A quiet word in a loud room',
    'Built for weather that changes its mind',
    'The one that you reach for first',
    'Less to think about in the morning',
    'Goes where the day goes',
  ],

  openings: [
    'Cut from a heavy cloth that softens with every wash and keeps its shape through years of hard wear.',
    'A light layer for the hours between the last of the cold and the first of the sun, easy to pack.',
    'Our pattern makers spent three seasons on this fit, and the result sits close without holding you back.',
    'Woven on old looms in a small mill by the sea, then dyed in batches so that no two are quite the same.',
    'Everything that you need from a piece of clothing and nothing that you do not, finished by hand.',
    'Drawn for people who walk to work, take the stairs and still want to look as if they took a car.',
  ],

  middles: [
    'The seams are taped, the pockets are deep and the buttons are sewn on to stay.',
    'Padded where it should be, vented where it must be, and lined with recycled fibre.',
    'Tonal stitching, a clean hem and a collar that stands up without being asked.',
    'It breathes on warm days and keeps the wind out on the cold ones.',
    'Two inside pockets hold a phone and a notebook without showing either.',
  ],

  closings: [
    'Wash it cold and let it dry in the shade.',
    'Runs true to size.',
    'Wear it in and it will last.',
    'Made in small numbers; when they are gone, they are gone.',
    'Pairs with anything.',
  ],

  /** Text that a careless encoder or escaper breaks; a few products in a hundred carry one. */
  oddities: [
    'Café au lait edition.',
    'Größe wie üblich.',
    '日本製のデニム。',
    'Rated "best in show" twice.',
    "It's a back\\slash & <angle> day.",
    'Now with 🧵 and ✂️.',
  ],

  features: [
    { name: 'Fabric', values: ['100% Cotton', 'Canvas', 'Cashmere', 'Linen Blend', 'Merino Wool'] },
    { name: 'Buttons', values: ['Brass', 'Horn', 'Mother of Pearl', 'Recycled Nylon'] },
    { name: 'Cut', values: ['Loose', 'Relaxed', 'Skinny', 'Straight', 'Tailored'] },
    { name: 'Sole', values: ['Crepe', 'Leather', 'Rubber', 'Vibram'] },
    { name: 'Stitching', values: ['Double Stitch', 'Flatlock', 'Goodyear Welt', 'Single Needle'] },
    { name: 'Lining', values: ['Bemberg', 'Fleece', 'Mesh', 'Quilted Satin'] },
    { name: 'Water Resistant', values: [null] },
    { name: 'Satisfaction Guaranteed', values: [null] },
  ],

  sizes: {
    letters: ['XS', 'S', 'M', 'L', 'XL', 'XXL'],
    shoes: ['7', '7.5', '8', '8.5', '9', '9.5', '10', '10.5', '11', '12'],
  },
};
