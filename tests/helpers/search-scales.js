'use strict';

const { placesOf } = require('./oracle-fields');
const { FIELDS, textsOf } = require('./search-fields');

/** @typedef {import('./search-products').Product} Product */

const int4s = (/** @type {number[]} */ numbers) => {
  const body = Buffer.alloc(numbers.length * 4);
  numbers.forEach((number, index) => body.writeInt32BE(number, index * 4));
  return body;
};

/** A value of a scale as the loader writes it. @param {string} type @param {string} text */
function written(type, text) {
  if (type === 'number') return text;
  const [, fraction = ''] = /\.(\d+?)0*(?=Z|[+-]|$)/.exec(text) ?? [];
  const plain = text.replace(/\.\d+/, '');
  const zoned = /T.*([+-]\d\d:\d\d|Z)$/.test(plain) || !plain.includes('T') ? plain : `${plain}Z`;
  const moment = `${new Date(zoned).toISOString().slice(0, 19)}${fraction && `.${fraction}`}`;
  return moment.replace(/T00:00:00$/, '');
}

/** The order of each declared number and date, and its values. @param {Product[]} products @returns {Record<string, Buffer>} */
function scaleBlobs(products) {
  const scales = FIELDS.filter(({ type, facet, sort }) => (type === 'number' || type === 'date') && (facet || sort));
  return Object.fromEntries(
    scales.flatMap(({ name, type }) => {
      const entries = products.flatMap((product, position) => {
        const texts = new Set(textsOf(product, name).map((text) => written(type, text)));
        return [...texts].map((text) => ({
          text,
          position,
          place: placesOf(withText(product, name, text), `field.${name}`)[0],
        }));
      });
      entries.sort((a, b) => (a.place === b.place ? a.position - b.position : a.place < b.place ? -1 : 1));
      const lines = entries.flatMap(({ text, place }, rank) =>
        place === entries[rank - 1]?.place ? [] : [`${text}\t${rank}\n`],
      );
      return [
        [`order.field.${name}`, int4s(entries.map(({ position }) => position))],
        [`values.field.${name}`, Buffer.from(lines.join(''))],
      ];
    }),
  );
}

/** @param {Product} product @param {string} name @param {string} text @returns {Product} */
const withText = (product, name, text) => ({ ...product, styles: [], fields: { [name]: text } });

module.exports = { int4s, scaleBlobs };
