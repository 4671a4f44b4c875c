'use strict';

const { malformedParameter } = require('./errors');
const { nearest } = require('./nearest');

/** An error repeats so many characters of a text. */
const SHOWN_LENGTH = 40;

/** A text of the request, as an error shows it. @param {string} text */
const shown = (text) => JSON.stringify(text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text);

/** @param {string} given @param {readonly string[]} names that exist */
function hint(given, names) {
  const meant = nearest(given, names);
  return meant ? ` Did you mean "${meant}"?` : '';
}

/** @param {string} given name of a parameter @param {readonly string[]} names that the route has */
function unknownName(given, names) {
  const known = names.length > 0 ? `only ${names.join(', ')}` : 'nor any other';
  return malformedParameter(`There is no parameter ${shown(given)} here, ${known}.${hint(given, names)}`);
}

/** @param {string} name of the parameter @param {string} given @param {readonly string[]} values that it may have */
function unknownValue(name, given, values) {
  const known = values.join(', ');
  return malformedParameter(`${name} may be ${known}, and not ${shown(given)}.${hint(given, values)}`);
}

exports.hint = hint;
exports.shown = shown;
exports.unknownName = unknownName;
exports.unknownValue = unknownValue;
