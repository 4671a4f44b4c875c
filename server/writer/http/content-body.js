'use strict';

const { NONE } = require('../content/fields');
const { parseJson } = require('./json');

/** @typedef {import('../content/schemas').Rules} Rules @typedef {'product' | 'patch' | 'line'} Kind */

/** @param {Rules} rules @param {Kind} kind @param {Buffer} bytes @returns {any} @throws {import('../../core/errors').Problem} 400, 422 */
function contentIn({ declaration, checks }, kind, bytes) {
  const body = parseJson(bytes, { isExact: declaration !== NONE });
  checks[kind](body);
  return body;
}

/** @param {Buffer} bytes of a body */
const mayHaveFields = (bytes) => bytes.includes('"fields"');

/**
 * Reads a body by what the load that is served declares. A load may have been served since that was read, so a body with fields is refused
 * only after another look.
 * @param {import('../database/writer-database').WriterDatabase} database @param {Kind} kind @param {Buffer} bytes @returns {Promise<any>}
 */
async function readContent(database, kind, bytes) {
  const { rules } = database.load;
  try {
    return contentIn(rules, kind, bytes);
  } catch (problem) {
    if (!mayHaveFields(bytes)) throw problem;
    const { rules: now } = await database.readLoad().catch(() => database.load);
    if (now === rules) throw problem;
    return contentIn(now, kind, bytes);
  }
}

exports.contentIn = contentIn;
exports.mayHaveFields = mayHaveFields;
exports.readContent = readContent;
