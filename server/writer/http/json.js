'use strict';

const { parseExact } = require('../content/exact');
const { token } = require('../content/paths');
const { invalidBody, malformedRequest } = require('../errors');

/** Deeper than a product is, and far from any limit of a parser. */
const MAX_DEPTH = 8;
/** More than 10,000 operations of three numbers have. A megabyte of empty lists would take thirty times that once parsed. */
const MAX_VALUES = 50_000;
const [QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('",:[]{}');

/** @typedef {{ names: Set<string> | null, name: string, index: number }} Level names: of an object */

/** @param {Level[]} levels @returns {string} JSON pointer */
const pointerOf = (levels) => levels.map(({ names, name, index }) => token(names ? name : String(index))).join('');

/** @param {string} text @param {number} start of a string @returns {number} the place of its last quote; -1: it does not end */
function endOfString(text, start) {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = end - 1;
    while (text[escapes] === '\\') escapes -= 1;
    if ((end - escapes) % 2 === 1) return end;
  }
  return -1;
}

/**
 * JSON.parse keeps the last of two members of one name, so a client would not notice that it sends two prices. It also reads any depth.
 * Everything between strings and structure is left to it.
 * @param {string} text JSON, or not
 * @throws {import('../../core/errors').Problem} 422 with a JSON pointer
 */
function checkStructure(text) {
  /** @type {Level[]} */
  const levels = [];
  let [start, end] = [0, 0]; // of the last string
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    // A regular expression takes three times as long for a body of thousands of numbers.
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      [start, end] = [at, endOfString(text, at)];
      if (end < 0) return;
      at = end;
    } else if (char === OPEN_OBJECT || char === OPEN_LIST) {
      if (levels.length === MAX_DEPTH)
        throw invalidBody([{ pointer: pointerOf(levels), detail: `is deeper than ${MAX_DEPTH} levels.` }]);
      levels.push({ names: char === OPEN_OBJECT ? new Set() : null, name: '', index: 0 });
    } else if (char === CLOSE_OBJECT || char === CLOSE_LIST) levels.pop();
    else if (char === COMMA && levels.length > 0) {
      levels[levels.length - 1].index += 1;
      if ((values += 1) > MAX_VALUES)
        throw invalidBody([
          { pointer: pointerOf(levels), detail: `is behind ${MAX_VALUES} values. Send fewer at once.` },
        ]);
    } else if (char === COLON && levels.length > 0)
      nameOf(levels[levels.length - 1], text.slice(start, end + 1), levels);
  }
}

/** @param {Level} level @param {string} quoted @param {Level[]} levels */
function nameOf(level, quoted, levels) {
  level.name = parsed(quoted);
  if (level.names?.has(level.name)) throw invalidBody([{ pointer: pointerOf(levels), detail: 'is given twice.' }]);
  level.names?.add(level.name);
}

/** @param {string} text @returns {any} @throws {import('../../core/errors').Problem} 400 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformedRequest(`The body is not JSON: ${/** @type {Error} */ (error).message}.`);
  }
}

/**
 * Reads a body more strictly than JSON.parse, but for a byte order mark, which editors and spreadsheets write.
 * @param {Buffer} bytes @param {{ isExact?: boolean }} [options] isExact: numbers keep all digits (content/exact.js)
 * @returns {unknown}
 * @throws {import('../../core/errors').Problem} 400 for what is not JSON in UTF-8, 422 for what is too deep or has a member twice
 */
function parseJson(bytes, { isExact = false } = {}) {
  if (bytes.length === 0) throw malformedRequest('The body is empty. Send JSON.');
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformedRequest('The body is not valid UTF-8.');
  }
  checkStructure(text);
  const value = parsed(text);
  return isExact ? parseExact(text) : value;
}

exports.parseJson = parseJson;
